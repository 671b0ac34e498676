"""Prompts of a checkout of the official repository: read as data, and rendered as its own code renders them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import jinja2
import pytest

from multiloko_metric.languages import CONFIGS, LANGUAGES
from multiloko_runs.official_prompts import OfficialPromptsError, read_official_prompts
from multiloko_runs.prompts import PromptError, PromptSettings, make_prompts
from multiloko_source.sample import open_sample

TEMPLATE = """
            {% for x in few_shot -%}
            Q LANGUAGE: {{ x["question"] }} ({{ x["output_type"] }}, {{ output_type }})
            A: {{ x["answer"] }}

            {% endfor -%}

            Q: {{ question }} {{ answer_type }}({{ output_type }})
            A:"""
CHAT = """\\
            {{ question }} in LANGUAGE, {{ output_type}}.
        """


def official_file(comma: str = ",") -> str:
    """A file in the shape of the official one, with invented content; ``comma`` stands between examples."""
    parts = ['"""Text."""\nimport textwrap\n\nTOKENS = {"x": ("y", "z")}\n']
    for name, template in (("fewshot", TEMPLATE), ("chat", CHAT)):
        entries = [
            f'    "{each.name}": textwrap.dedent(\n        """{template.replace("LANGUAGE", each.name)}"""\n    ),\n'
            for each in LANGUAGES
        ]
        parts.append(f"{name} = {{\n{''.join(entries)}}}\n")
    examples = [
        f'    "{each.name}" : [\n'
        + "".join(
            f'        {{"question": "How many {{{{ {n} }}}}?", "answer": "{n}", "output_type": "number {n}"}}{comma}\n'
            for n in range(5)
        )
        + "        ],\n"
        for each in LANGUAGES
    ]
    parts.append(f"fewshot_examples = {{\n{''.join(examples)}}}\n")
    return "\n".join(parts)


@pytest.fixture(params=[",", ""], ids=["with commas", "without commas"])
def checkout(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "prompts.py").write_text(official_file(request.param), encoding="utf-8")
    return tmp_path


def official_render(template: str, **values: object) -> str:
    """As the official code does it."""
    return jinja2.Template(template, keep_trailing_newline=True).render(**values)


@pytest.mark.parametrize("shots", [0, 2, 5])
def test_base_prompts_are_what_the_official_code_makes(checkout: Path, shots: int) -> None:
    settings, data = PromptSettings("base", shots, official=checkout), open_sample()
    examples = [
        {"question": f"How many {{{{ {n} }}}}?", "answer": f"{n}", "output_type": f"number {n}"} for n in range(5)
    ]
    made = list(make_prompts(data, CONFIGS, settings))
    rows = [(config, row) for config in CONFIGS for row in data.rows(config.name)]
    assert len(made) == len(rows) == 302
    for prompt, (config, row) in zip(made, rows, strict=True):
        template = textwrap.dedent(TEMPLATE.replace("LANGUAGE", config.question.name))
        assert prompt.prompt == official_render(template, **{**row, "few_shot": examples[:shots]})
        assert prompt.fewshot == tuple(f"official-{n + 1}" for n in range(shots))


def test_chat_prompts_are_what_the_official_code_makes(checkout: Path) -> None:
    settings, data = PromptSettings("chat", official=checkout), open_sample()
    for prompt in make_prompts(data, CONFIGS, settings):
        row = next(row for row in data.rows(prompt.config.name) if row["id"] == prompt.id)
        template = textwrap.dedent(CHAT.removeprefix("\\\n").replace("LANGUAGE", prompt.config.question.name))
        assert prompt.messages == ({"role": "user", "content": official_render(template, **row)},)


def test_the_file_itself_may_be_named(checkout: Path) -> None:
    file = checkout / "examples" / "prompts.py"
    assert read_official_prompts(file) == read_official_prompts(checkout)


def test_more_examples_than_it_holds_are_an_error(checkout: Path) -> None:
    with pytest.raises(PromptError, match="holds 5 examples in arabic, not 6; --shots 5 shows what there is"):
        list(make_prompts(open_sample(), CONFIGS, PromptSettings("base", 6, official=checkout)))


def test_it_is_in_the_description(checkout: Path) -> None:
    found = PromptSettings(official=checkout).describe()
    assert found["prompts"] == f"official-{read_official_prompts(checkout).sha256[:12]}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "fewshot lacks arabic, bengali, cantonese"),
        ("fewshot = {'arabic': open('/etc/passwd').read()}", "expected texts, lists and dictionaries, found open"),
        ("fewshot = {", "cannot be read as Python"),
        ("fewshot = 7", "expected texts, lists and dictionaries, found 7"),
        (official_file().replace('"urdu"', '"ordu"'), "lacks urdu"),
        ("\udce4", "holds no official prompts"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_run(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "prompts.py"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(OfficialPromptsError, match=message):
        read_official_prompts(path)


def test_a_template_reaches_nothing_but_its_row(tmp_path: Path) -> None:
    path = tmp_path / "prompts.py"
    path.write_text(official_file().replace("{{ answer_type }}", "{{ ''.__class__.__mro__ }}"), encoding="utf-8")
    with pytest.raises(jinja2.exceptions.SecurityError):
        list(make_prompts(open_sample(), CONFIGS[:1], PromptSettings("base", 1, official=path)))
