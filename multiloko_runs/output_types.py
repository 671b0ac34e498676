"""The kind of answer a question expects, named alike in all languages.

In the gold it is written in the question's language ("une date", "un nome"). Across languages a question is of the kind
that the English version of the same question says ("a date").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from multiloko_metric.languages import ENGLISH, Config, Language, parse_config
from multiloko_source.questions import Data

OutputTypes = Mapping[str, Mapping[str, str]]
"""By name of the config and id of the question."""
_ARTICLE = re.compile(r"(?:an?|the) +(?=\S)")


def output_type_name(output_type: str | None) -> str:
    """Return a kind of answer as its group is called: "a  Date" is "date".

    Case is folded, white space made single, an English article at the beginning dropped, and text composed (NFC). What
    is absent or blank is ``""``.
    """
    text = " ".join(unicodedata.normalize("NFC", output_type or "").casefold().split())
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


def english_output_types(data: Data, subset: str, configs: Iterable[Config]) -> dict[str, dict[str, str]]:
    """Return the English names of the kinds of answer that the questions of some configs expect.

    They are read from ``X-en-human``, what is not there from ``X-en-machine``; for questions sourced in English from
    ``en``. The gold of each source language is read once, however many of its configs there are.

    Args:
        data: the gold.
        subset: of the questions.
        configs: of which the names are wanted.

    Returns:
        By name of the config, and id of the question, as `output_type_name` gives them. A question without an English
        partner, or whose partner has no kind, is not there.

    Raises:
        MultiLoKoError: the gold is malformed.
    """
    wanted = list(configs)
    sources = dict.fromkeys(config.source for config in wanted)
    by_source = {source: _of_source(data, subset, source) for source in sources}
    return {config.name: by_source[config.source] for config in wanted}


def _of_source(data: Data, subset: str, source: Language) -> dict[str, str]:
    partners = [ENGLISH.code] if source == ENGLISH else [f"{source.code}-en-human", f"{source.code}-en-machine"]
    found: dict[str, str] = {}
    for partner in map(parse_config, partners):
        if subset in data.splits(partner.name):
            for row in data.rows(partner.name, subset):
                if name := output_type_name(row["output_type"]):
                    found.setdefault(row["id"], name)
    return found
