"""Text of all scripts for property tests, made of what tells the profiles apart."""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st

from multiloko_metric.languages import LANGUAGES
from multiloko_metric.variants import ARTICLES, PREFIX_ARTICLES

NAMES = [language.name for language in LANGUAGES]
# What texts are made of: words that share parts, articles, frames and copula, every punctuation, digits of several
# scripts, combining marks, joiners, characters beyond the first plane and a lone surrogate, as JSON can hold.
PIECES = [
    *("a", "an", "the", "der", "il", "los", "ang", "ال", "ה", "answer is ", "answer is", "です", "جواب", "ہے"),
    *("new", "york", "newark", "قطب", "زاده", "لبنانية", "الجبل", "天氣", "很好", "みかん", "ไทย", "ភាសា"),
    *("2010", "١٩٤٧", "१९४७", "１２３", "①", "²", "𝟏", "\u2212", "ｶﾞ", "￦", "hòa", "hoà", "l'eau", "l’"),
    *("کی", "كى", "م\u064e", "ש\u05c1", "\u0640", "é", "e\u0301", "\u0307", "İ", "ı", "I", "ß", "SS", "Σ", "ς"),
    *("ﻻ", "ﷲ", "ﷺ", "\ufe77", "שּׁ", "⼭", "أ", "إ", "آ", "\u0654", "ۀ", "هٔ", "ۃ", "ة", "\u0301", "ё", "е", "Ⅷ", "viii"),
    *("ş", "ţ", "Â", "î", "ü", "gü", "éi", "ôo", "œ", "æ", "ĳ", "´", "ʻ", "°", "ð", "Đ", "衞", "臺", "台", "\ufe0f"),
    *("हिन्", "दी", "ङ्क", "मेँ", "ऱ", "्", "ৎ", "त्", "เ", "ํ", "้", "า", "េ", "ា", "្", "ដ", "ត", "ឤ", "\u3164"),
    *("😀", "\ud83d"),
    *(" ", "  ", "\n", "\u00a0", "\u3000", "\x1c", "\u200b", "\u200c", "\u200d"),
    *(".", "-", "'", "_", "。", "．", "！", "؟", "।", "〜", "\u3030", "$", "＄", "−"),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
texts = st.one_of(pieces, st.text(max_size=24), pieces.map(lambda text: (text + "ab ") * 12))
target_lists = st.lists(texts, max_size=8)

# What the rules look for, glued so that it overlaps, repeats and touches: where two readings of a rule come apart.
SOUGHT = [
    *("answer is", "answer", "is", "The answer is", "ANSWER IS", "a", "an", "the", "A", "The", "です", "で", "す"),
    *dict.fromkeys(chain.from_iterable(ARTICLES.values())),
    *PREFIX_ARTICLES.values(),
    *("جواب", "ہے", "الكتاب", "הספר", "هر", "הר", "ال", "paris", "Δ", "東京", "１９", "۱۹", "9", "x", ""),
]
GLUE = [" ", "", "  ", "\t", "\n", "\u00a0", "\u3000", "\x1c", "\x85", "\u2028", "\u200b", "\u200c", "\u200d", "\ufeff"]
GLUE += ["-", ".", "_", "'", "’", "。", "·", "—", "\u0301", "\U00011047", "😀", "\ue5e5"]
FRAMES = [("", ""), ("the answer is ", ""), ("answer is ", ""), ("so answer is ", "です"), ("جواب ", " ہے"), ("«", "»")]


def _glued(tokens_and_glue: list[tuple[str, str]], times: int, frame: tuple[str, str]) -> str:
    text = "".join(token + glue for token, glue in tokens_and_glue)
    return frame[0] + text * times + frame[1]


adversarial_texts = st.builds(
    _glued,
    st.lists(st.tuples(st.sampled_from(SOUGHT), st.sampled_from(GLUE[:1] * 8 + GLUE)), max_size=6),
    st.integers(1, 3),
    st.sampled_from(FRAMES),
)
"""Texts put together from what the rules look for, with and without a frame around them, some repeated."""
