"""Questions with their targets: of a config of a source or of what is installed, or from one file.

What scoring needs of a row, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config, parse_config, parse_language

from .json_lines import json_rows
from .rows import Row, parse_targets
from .source import DEV


class Question(NamedTuple):
    """What is needed of a question to score an answer to it.

    A named tuple and no dataclass: it is made in about half the time, once for every row of the gold.
    """

    targets: Sequence[str]
    """Acceptable answers."""
    output_type: str | None = None
    """Kind of answer expected, in the question's language: "une date"."""
    question: str = ""
    """Its text, by which answers are joined that have no id; "" where it is not known."""


Gold = Callable[[Config], "dict[str, Question] | None"]
"""Questions of a config by id, in file order; None where there is no gold for it."""


class Data(Protocol):
    """What a source and the installed data have in common."""

    @property
    def location(self) -> str:
        """Where the data are, for messages."""

    @property
    def fingerprint(self) -> str:
        """Hash of their content."""

    def splits(self, name: str) -> tuple[str, ...]:
        """Splits of a config; empty where there is nothing of it."""

    def rows(self, name: str, split: str = DEV) -> Iterator[Row]:
        """Rows of a split."""


class GoldFileError(MultiLoKoError):
    """A file of questions that cannot be read."""


def questions_of(data: Data, subset: str, config: Config) -> dict[str, Question] | None:
    """Return the questions of a config by id, in file order; None where ``data`` has none of that subset.

    Raises:
        GoldFileError: two of them share an id.
    """
    if subset not in data.splits(config.name):
        return None
    found: dict[str, Question] = {}
    for row in data.rows(config.name, subset):
        if row["id"] in found:
            raise GoldFileError(f"{data.location}: {config.path(subset)} holds the id {row['id']!r} twice")
        found[row["id"]] = Question(tuple(row["targets"]), row["output_type"], row["question"])
    return found


def read_gold_file(path: Path, config: str | None = None) -> Gold:
    """Return the questions of a file: JSON lines, a JSON array, or Parquet, with ``id`` and ``targets``.

    Args:
        path: the file.
        config: config of all its rows. Without it each row says which: in ``language`` (a config name), or in
            ``source_language``, ``question_language`` and ``translation_type``, as the rows of the data set do.

    Raises:
        GoldFileError: a row lacks something, or a question is there twice; the message has the row.
        MultiLoKoError: targets are no list of texts.
        UnknownConfigError: a name is no config's.
    """
    whole = parse_config(config) if config else None
    questions: dict[Config, dict[str, Question]] = {}
    for place, row in _parquet_rows(path) if path.suffix.lower() == ".parquet" else json_rows(path):
        where = f"{path}:{place}"
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise GoldFileError(f"{where}: expected a question with id and targets, found {str(row)[:60]!r}")
        of_config = questions.setdefault(whole or _config(row, where), {})
        if row["id"] in of_config:
            raise GoldFileError(f"{where}: the id {row['id']!r} is there twice")
        output_type = row.get("output_type")
        of_config[row["id"]] = Question(
            tuple(parse_targets(row.get("targets"), where)),
            str(output_type) if output_type else None,
            str(row.get("question") or ""),
        )
    if not questions:
        raise GoldFileError(f"{path} holds no question")
    return questions.get


def _config(row: dict[str, Any], where: str) -> Config:
    if row.get("language"):
        return parse_config(str(row["language"]))
    if not row.get("source_language") or not row.get("question_language"):
        advice = "choose the config of the file, or add a column 'language' with the name of one, such as 'fr'"
        raise GoldFileError(f"{where}: the row does not say which config it belongs to; {advice}")
    source, question = (parse_language(str(row[name])) for name in ("source_language", "question_language"))
    translation = f"-{question.code}-{row.get('translation_type')}" if source != question else ""
    return parse_config(source.code + translation)


def _parquet_rows(path: Path) -> Iterator[tuple[int, Any]]:
    import pyarrow as pa  # most files are not Parquet
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path).to_pylist()
    except pa.ArrowInvalid as error:
        raise GoldFileError(f"{path}: not a Parquet file ({error})") from error
    yield from enumerate(rows, start=1)
