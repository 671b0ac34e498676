"""The page of the Space: try one answer, or score a file of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from ..languages import CONFIGS, LANGUAGES
from ..profiles import PROFILES, get_profile
from .handlers import MAX_CHARACTERS, explain_answer, score_file
from .result_html import config_title

MAX_UPLOAD = "20mb"
SWEEP_SECONDS = 60
KEPT_SECONDS = 600
"""Uploaded files are removed when they are older. Until then they can be scored again, with another profile."""
_COLUMN = 280
"""Least width of a column in pixels: a phone gets one."""
_PREDICTION_FILES = [".csv", ".jsonl", ".json", ".parquet"]
_GOLD_FILES = [".jsonl", ".json", ".parquet"]

_INTRO = """\
# MultiLoKo metric

Scores short answers to [MultiLoKo](https://arxiv.org/abs/2504.10356) questions as the official scorer does, to the last
bit, and shows why. What you type is not kept; uploaded files are removed within some ten minutes.
"""
_ROWS = "as its rows say"
_EXAMPLES = {
    "Arabic": ["arabic", "القاهرة.", "القاهرة\nقاهرة المعز\nCairo", "unicode"],
    "English": ["english", "The answer is the river Thames", "Thames\nRiver Thames", "unicode"],
    "French": ["french", "en 1889", "1889\nmille huit cent quatre-vingt-neuf", "variants"],
    "Japanese": ["japanese", "１９６４年です。", "1964年\n昭和39年", "lenient"],
}
_CSS = """
.gradio-container { max-width: 60rem !important; margin: 0 auto !important; }
textarea, input[type=text] { unicode-bidi: plaintext; text-align: start; }
/* A wide table scrolls by itself and widens nothing around it. */
.result .scroll { overflow-x: auto; contain: inline-size; margin: .25rem 0 1.25rem; }
.result table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.result .caption { font-weight: 600; margin-block: 1rem 0; }
.result th, .result td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; font-weight: 400;
  border-block-end: 1px solid var(--border-color-primary); }
.result thead th { font-weight: 600; white-space: nowrap; }
.result .number { text-align: end; white-space: nowrap; }
.result small { display: block; }
.result small, .result .quiet, .result .rule { opacity: .8; }
.result bdi.said { unicode-bidi: isolate; overflow-wrap: anywhere; white-space: pre-wrap;
  background: var(--background-fill-secondary); border-radius: .25rem; padding: 0 .25rem; }
.result .verdict, .result .problem, .result .warnings { border-inline-start: .3rem solid; padding: .6rem .9rem;
  margin-block: .5rem 1rem; background: var(--background-fill-secondary); border-radius: .25rem;
  white-space: pre-wrap; }
.result .right { border-color: #15803d; }
.result .wrong, .result .warnings { border-color: #b45309; }
.result .problem { border-color: #b91c1c; }
.result details { border-block-end: 1px solid var(--border-color-primary); padding-block: .35rem; }
.result summary { cursor: pointer; }
.result ul { padding-inline-start: 1.25rem; margin: .35rem 0; list-style: disc; }
.result ul.steps, .result ul.group { list-style: none; padding-inline-start: .25rem; }
.result .rule { display: inline-block; min-width: 7rem; }
.result h3 { font-weight: 600; margin-block: 1rem .25rem; }
.result h4 { font-weight: 600; margin-block: 1rem 0; }
.result a.download { display: inline-block; padding: .55rem 1rem; border-radius: .4rem; font-weight: 600;
  background: var(--button-primary-background-fill); color: var(--button-primary-text-color); text-decoration: none; }
.result :focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; }
"""


def build() -> gr.Blocks:
    """Return the page."""
    with gr.Blocks(
        title="MultiLoKo metric", analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEPT_SECONDS)
    ) as page:
        gr.Markdown(_INTRO)
        with gr.Tabs():
            with gr.Tab("Try an answer"):
                _answer_tab()
            with gr.Tab("Score a file"):
                _file_tab()
        _about_profiles()
    return page


def _profile_choice() -> gr.Dropdown:
    official = get_profile("official").name
    choices = [(f"{name} (official)" if name == official else name, name) for name in PROFILES]
    return gr.Dropdown(choices, value=official, label="Profile", min_width=_COLUMN)


def _about_profiles() -> None:
    with gr.Accordion("What the profiles do", open=False):
        gr.Markdown("\n".join(f"- **{profile.name}**: {profile.description}" for profile in PROFILES.values()))


def _answer_tab() -> None:
    with gr.Row():
        languages = [(language.title, language.name) for language in LANGUAGES]
        language = gr.Dropdown(languages, value="french", label="Language of the question", min_width=_COLUMN)
        profile = _profile_choice()
    with gr.Row():
        prediction = gr.Textbox(label="Answer of the model", lines=3, max_length=MAX_CHARACTERS, min_width=_COLUMN)
        targets = gr.Textbox(label="Targets, one a line", lines=3, max_length=MAX_CHARACTERS, min_width=_COLUMN)
    button = gr.Button("Score the answer", variant="primary")
    result = _result("answer-result")
    inputs = [language, prediction, targets, profile]
    gr.Examples(list(_EXAMPLES.values()), inputs, label="Examples", example_labels=list(_EXAMPLES))
    _on_click(button, explain_answer, inputs, result)


def _file_tab() -> None:
    gr.Markdown(
        "**Answers**: `language` or `config` (such as `fr` or `fr-en-human`), `id` and `prediction`, as CSV, JSON "
        "lines, a JSON array or Parquet. **Questions**: rows of the data set, or a file of the official folder such as "
        "`french/dev.jsonl`, as JSON lines, a JSON array or Parquet."
    )
    with gr.Row():
        predictions = gr.File(label="Answers", file_types=_PREDICTION_FILES, height=140, min_width=_COLUMN)
        gold = gr.File(label="Questions with targets", file_types=_GOLD_FILES, height=140, min_width=_COLUMN)
    with gr.Row():
        choices: list[tuple[str, str | None]] = [(_ROWS, None), *((config_title(each), each.name) for each in CONFIGS)]
        config = gr.Dropdown(
            choices, value=None, num_choices_shown=None, label="Config of the questions", min_width=_COLUMN
        )
        profile = _profile_choice()
    missing = gr.Radio(
        [("counts as an empty answer", "zero"), ("is left out, as the official script does", "skip")],
        value="zero",
        label="A question without an answer",
    )
    skip_unknown = gr.Checkbox(label="Leave out answers to what the file of questions does not have")
    button = gr.Button("Score the file", variant="primary")
    result = _result("file-result")
    _on_click(button, score_file, [predictions, gold, config, profile, missing, skip_unknown], result)


def _result(name: str) -> gr.HTML:
    return gr.HTML(elem_id=name, elem_classes="result", apply_default_css=False)


def _on_click(button: gr.Button, run: Callable[..., str], inputs: list[Any], result: gr.HTML) -> None:
    button.click(run, inputs, result, concurrency_limit=2, show_progress="minimal")


def launch(**options: Any) -> None:
    """Serve the page until the process ends; ``options`` are those of ``gradio.Blocks.launch``."""
    theme = gr.themes.Default(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    page = build()
    page.queue(max_size=32)
    # No history of runs, no interface for programs: what people type here is theirs.
    private = {"share": False, "run_history": False, "footer_links": ["gradio"]}
    page.launch(theme=theme, css=_CSS, max_file_size=MAX_UPLOAD, ssr_mode=False, **private, **options)
