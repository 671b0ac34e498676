"""The prompts of the official repository, read from a checkout as data: its code is never run.

``examples/prompts.py`` holds three dictionaries by language: templates with examples for base models (``fewshot``), for
chat models (``chat``), and five examples (``fewshot_examples``, not those of the data set). What the official
``create_examples.py`` makes of them is made here, to the byte, with its faults: those are the leaderboard's prompts.
"""

from __future__ import annotations

import ast
import hashlib
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import LANGUAGES

if TYPE_CHECKING:
    from jinja2 import Template

FILE = Path("examples") / "prompts.py"
_NAMES = ("fewshot", "chat", "fewshot_examples")
_NO_COMMA = re.compile(r"^([ \t]*\{.*\})[ \t]*$(?=\n[ \t]*\{)", re.MULTILINE)


class OfficialPromptsError(MultiLoKoError):
    """No official prompts where they were looked for."""


@dataclass(frozen=True)
class OfficialPrompts:
    """What one version of the official prompts holds, by official name of the language."""

    fewshot: Mapping[str, str]
    chat: Mapping[str, str]
    examples: Mapping[str, Sequence[Mapping[str, str]]]
    sha256: str
    """Of the file."""

    def base_prompt(self, row: Mapping[str, Any], language: str, shots: int) -> str:
        """Return what a base model is given: as many of the language's examples, then the question of the row."""
        return _render(self.fewshot[language], {**row, "few_shot": self.examples[language][:shots]})

    def chat_prompt(self, row: Mapping[str, Any], language: str) -> str:
        """Return what a chat model is asked."""
        return _render(self.chat[language], row)


def read_official_prompts(path: Path) -> OfficialPrompts:
    """Read the prompts of a checkout of the official repository, or of its file ``examples/prompts.py`` itself.

    The file of the first release lacks commas between some examples, and is read all the same.

    Raises:
        OfficialPromptsError: there is no such file, or it does not hold what is expected.
    """
    file = path / FILE if path.is_dir() else path
    try:
        content = file.read_bytes()
        source = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise OfficialPromptsError(f"{path} holds no official prompts: expected {FILE} in it ({error})") from error
    found = {name: _literal(node, file) for name, node in _assignments(source, file).items()}
    for name in _NAMES:
        value = found.get(name)
        missing = [each.name for each in LANGUAGES if not isinstance(value, dict) or each.name not in value]
        if missing:
            raise OfficialPromptsError(f"{file}: {name} lacks {', '.join(missing[:3])}; is it the official file?")
    fewshot, chat, examples = (found[name] for name in _NAMES)
    return OfficialPrompts(fewshot, chat, examples, hashlib.sha256(content).hexdigest())


def _assignments(source: str, file: Path) -> dict[str, ast.expr]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        try:
            tree = ast.parse(_NO_COMMA.sub(r"\1,", source))
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise OfficialPromptsError(f"{file}: cannot be read as Python ({error})") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise OfficialPromptsError(f"{file}: cannot be read as Python ({error})") from error
    return {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in _NAMES
    }


def _literal(node: ast.expr, file: Path) -> Any:
    """The value of literals, in which ``textwrap.dedent`` of a text may stand for the text."""
    if isinstance(node, ast.Dict):
        items = zip(node.keys, node.values, strict=True)
        return {_literal(key, file): _literal(value, file) for key, value in items if key}
    if isinstance(node, ast.List):
        return [_literal(item, file) for item in node.elts]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "textwrap.dedent" and len(node.args) == 1:
        return textwrap.dedent(str(_literal(node.args[0], file)))
    found = ast.unparse(node)[:60]
    raise OfficialPromptsError(f"{file}:{node.lineno}: expected texts, lists and dictionaries, found {found}")


def _render(template: str, values: Mapping[str, Any]) -> str:
    """As the official code renders: what a template asks for and a row has not becomes nothing."""
    return _compiled(template).render(**values)


@cache
def _compiled(template: str) -> Template:
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(keep_trailing_newline=True).from_string(template)
