PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The oldest and newest supported versions of datasets, and one of each in between. 4.8 wants huggingface_hub below 2.
MATRIX := 2.21.0 3.6.0 4.8.* newest

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this list
	@grep -hE '^[a-z_.-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z_.-]+):.*## /\1\t/' | expand -t 16

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[fast]' --group dev
	touch $@

.PHONY: demo
demo: $(READY) ## set up, install the sample, load a config, score the sample answers, show the table
	$(BIN)/multiloko install --sample
	HF_HUB_OFFLINE=1 $(BIN)/python -c 'from datasets import load_dataset; print(load_dataset("multiloko_sample", "fr")["dev"][0]["question"])'
	$(BIN)/multiloko score --sample

.PHONY: test
test: $(READY) ## run every quick test
	$(BIN)/python -m pytest -n 2 -m 'not slow and not browser'

.PHONY: slow
slow: $(READY) ## run the tests that take longer
	$(BIN)/python -m pytest -m slow

# The Space runs with what its requirements.txt says, and nothing else.
.venv-space/.ready: multiloko_metric/requirements.txt
	$(PYTHON) -m venv .venv-space
	.venv-space/bin/python -m pip install --quiet --requirement $<
	touch $@

.PHONY: browser
browser: $(READY) .venv-space/.ready ## use the Space in a headless Chromium (Debian: chromium, chromium-driver)
	$(BIN)/python -m pip install --quiet --group browser
	SPACE_PYTHON=$(CURDIR)/.venv-space/bin/python $(BIN)/python -m pytest -m browser

.PHONY: matrix
matrix: ## loader and metric against datasets 2.21.0, 3.6.0, 4.8.x and the newest, and each writer with each reader
	$(PYTHON) tests/matrix.py $(MATRIX)

.PHONY: lint
lint: $(READY) ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: format
format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: bench
bench: $(READY) ## measure speed against the slow twin, the official script (OFFICIAL=path/to/eval.py), and how busy a run keeps a server
	$(BIN)/python bench/bench.py $(if $(OFFICIAL),--official $(OFFICIAL))
	$(BIN)/python bench/asking.py

dataset_infos.json: multiloko_source/expected.py multiloko_metric/languages.py | $(READY) ## generate it
	$(BIN)/python -m multiloko_scripts.dataset_infos

.PHONY: clean
clean: ## remove environments and caches
	rm -rf $(VENV) .venv-space .matrix build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
