"""Invented questions' answers and targets of realistic lengths, seeded: the same rows on every machine.

Words are strings of syllables in the script of each language; they mean nothing. Lengths follow what is known of the
real data: a median target of 9 characters, 1 to 10 targets a question, 36 % of the answers right.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from multiloko_metric.languages import CONFIGS, Config

SHARE_RIGHT = 0.36
QUESTIONS = 250
LONG_LENGTHS = (300, 2000)

_TEXT_OF_SYLLABLES = {
    "Latn": "an ba ce di é fo gu hi ja ka la më no ø pa qui re são ta un ví wa xi yo zü the a de el ná",
    "Cyrl": "ба ве го ди жа зе ки ла мо на по ра се ту фи ча шо ю я",
    "Arab": "با تا ثر جم حي خد دا ذر را زي سل شم صا طا عب غز فا قط كر لا مي نو ها وي ال",
    "Hebr": "א בי ג דו ה ו ז חי ט יו כ ל מ ני ס ע פ צ ק ר ש ת",
    "Deva": "क कि खा ग घो चा ज टी डा त था दे न प फ ब भा म य रा ल वि श स ह",
    "Beng": "ক কি খা গ চা জ টি ড ত দে ন প ব ভা ম য র লা শ স হ",
    "Thai": "กา ขอ คน งา จะ ชา ดี ตน ถา ทำ นา บี ปา ผล พา มา ยา รา ลา วา สา หา อา",
    "Khmr": "ក ខា គី ង ច ជា ដ ត ថា ទី ន ប ព ភ ម យ រា ល វ ស ហ អ",
    "Hans": "天 地 人 山 水 火 木 金 土 日 月 风 云 龙 马 车 船 国 家 学 校 文 化 历 史 音 乐 电 影",
    "Hant": "天 地 人 山 水 火 木 金 土 日 月 風 雲 龍 馬 車 船 國 家 學 校 文 化 歷 史 音 樂 電 影",
    "Jpan": "あ い う え お か き く け こ さ し す せ た ち て と ア イ ウ エ オ カ キ ク 東 京 大 阪 山 川 田 中",
    "Kore": "가 나 다 라 마 바 사 아 자 차 카 타 파 하 서 울 부 산 대 구 인 천 광 주 한 국",
}
_SYLLABLES = {script: text.split() for script, text in _TEXT_OF_SYLLABLES.items()}
_UNSPACED = {"Thai", "Khmr", "Hans", "Hant", "Jpan"}


@dataclass(frozen=True)
class Row:
    """One question with an answer."""

    config: Config
    id: str
    prediction: str
    targets: list[str]

    @property
    def language(self) -> str:
        """Official name of the language the question is asked in."""
        return self.config.question.name


def short_rows(configs: int, questions: int = QUESTIONS, seed: int = 1) -> list[Row]:
    """Return rows with short answers, ``questions`` a config."""
    return _rows(configs, questions, seed, long=False)


def long_rows(configs: int, questions: int = QUESTIONS, seed: int = 2) -> list[Row]:
    """Return rows whose answers have 300 to 2,000 characters."""
    return _rows(configs, questions, seed, long=True)


def _rows(configs: int, questions: int, seed: int, *, long: bool) -> list[Row]:
    randomness = random.Random(seed)
    rows = []
    for config in CONFIGS[:configs]:
        for number in range(questions):
            targets = _targets(randomness, config.question.script)
            answer = _answer(randomness, config.question.script, targets)
            prediction = _text(randomness, config.question.script, answer) if long else answer
            rows.append(Row(config, f"{number:04d}_{config.source.code}.txt", prediction, targets))
    return rows


def _targets(randomness: random.Random, script: str) -> list[str]:
    """Return a target and others like it: a part of it, it with a word more, a number."""
    first = str(randomness.randrange(1, 2030)) if randomness.random() < 0.2 else _words(randomness, script)
    targets = [first]
    for _ in range(min(9, int(randomness.expovariate(0.55)))):
        more = f"{_word(randomness, script)} {first}"
        other = randomness.choice([first.split()[0], more, f"{first}.", first.title()])
        targets.append(other if randomness.random() < 0.6 else _words(randomness, script))
    return targets


def _answer(randomness: random.Random, script: str, targets: list[str]) -> str:
    chosen = randomness.choice(targets)
    if randomness.random() < SHARE_RIGHT:
        return randomness.choice([chosen, chosen, f"{chosen}.", chosen.upper(), f"  {chosen}"])
    wrong = _words(randomness, script)
    in_a_sentence = f"The answer is {wrong}."
    return randomness.choice([wrong, wrong, wrong, "", f"{chosen} {wrong}", in_a_sentence, f"{wrong}, {wrong}"])


def _text(randomness: random.Random, script: str, answer: str) -> str:
    """Return a text that begins or ends with ``answer``, or, as a model that rambles, does not hold it."""
    length = randomness.randint(*LONG_LENGTHS)
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        words.append(_word(randomness, script) + randomness.choice(["", "", "", "", ",", "."]))
    filler = ("" if script in _UNSPACED else " ").join(words)[:length]
    return randomness.choice([f"{answer}. {filler}", f"{filler} {answer}", filler])


def _words(randomness: random.Random, script: str) -> str:
    joint = "" if script in _UNSPACED else " "
    return joint.join(_word(randomness, script) for _ in range(randomness.choice([1, 1, 1, 2, 2, 3])))


def _word(randomness: random.Random, script: str) -> str:
    return "".join(randomness.choices(_SYLLABLES[script], k=randomness.randint(2, 5)))
