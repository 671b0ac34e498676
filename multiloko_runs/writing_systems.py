"""In which script a text is written."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache

_EAST_ASIAN = "HAN AND KANA"
"""One script: Chinese and Japanese share characters, and a Japanese answer may have kana or none."""
_EAST_ASIAN_NAMES = frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO"})


@cache
def _script_of(letter: str) -> str | None:
    if not letter.isalpha():
        return None
    name = unicodedata.name(letter, "").partition(" ")[0]
    return _EAST_ASIAN if name in _EAST_ASIAN_NAMES else name or None


def scripts(text: str) -> Counter[str]:
    """Return how many letters of each script a text has, by the first word of their Unicode names: LATIN, THAI.

    Full-width and presentation forms count as the letters they stand for; digits, marks and punctuation count not.
    """
    found = Counter(map(_script_of, unicodedata.normalize("NFKC", text)))
    return Counter({script: count for script, count in found.items() if script})


def main_script(text: str) -> str | None:
    """Return the script that most letters of a text have, the first of equals; None for a text without letters."""
    every = set(map(_script_of, unicodedata.normalize("NFKC", text))) - {None}
    if len(every) < 2:  # most texts have one, and nothing needs to be counted
        return every.pop() if every else None
    found = scripts(text)
    return max(found, key=found.__getitem__)
