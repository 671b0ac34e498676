"""Text of all scripts for property tests, made of what tells the profiles apart."""

from __future__ import annotations

from hypothesis import strategies as st

from multiloko_metric.languages import LANGUAGES

NAMES = [language.name for language in LANGUAGES]
# What texts are made of: words that share parts, articles, frames and copula, every punctuation, digits of several
# scripts, combining marks, joiners, characters beyond the first plane and a lone surrogate, as JSON can hold.
PIECES = [
    *("a", "an", "the", "der", "il", "los", "ang", "ال", "ה", "answer is ", "answer is", "です", "جواب", "ہے"),
    *("new", "york", "newark", "قطب", "زاده", "لبنانية", "الجبل", "天氣", "很好", "みかん", "ไทย", "ភាសា"),
    *("2010", "١٩٤٧", "१९४७", "１２３", "①", "²", "𝟏", "\u2212", "ｶﾞ", "￦", "hòa", "hoà", "l'eau", "l’"),
    *("کی", "كى", "م\u064e", "ש\u05c1", "\u0640", "é", "e\u0301", "\u0307", "İ", "ı", "I", "ß", "SS", "Σ", "ς"),
    *("😀", "\ud83d"),
    *(" ", "  ", "\n", "\u00a0", "\u3000", "\x1c", "\u200b", "\u200c", "\u200d"),
    *(".", "-", "'", "_", "。", "．", "！", "؟", "।", "〜", "\u3030", "$", "＄", "−"),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
texts = st.one_of(pieces, st.text(max_size=24), pieces.map(lambda text: (text + "ab ") * 12))
target_lists = st.lists(texts, max_size=8)
