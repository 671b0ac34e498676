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

_SYLLABLES = {
    "Latn": "an ba ce di é fo gu hi ja ka la më no ø pa qui re são ta un ví wa xi yo zü the a de el ná".split(),
    "Cyrl": "ба ве го ди жа зе ки ла мо на по ра се ту фи ча шо ю я".split(),
    "Arab": "با تا ثر جم حي خد دا ذر را زي سل شم صا طا عب غز فا قط كر لا مي نو ها وي ال".split(),
    "Hebr": "א בי ג דו ה ו ז חי ט יו כ ל מ ני ס ע פ צ ק ר ש ת".split(),
    "Deva": "क कि खा ग घो चा ज टी डा त था दे न प फ ब भा म य रा ल वि श स ह".split(),
    "Beng": "ক কি খা গ চা জ টি ড ত দে ন প ব ভা ম য র লা শ স হ".split(),
    "Thai": "กา ขอ คน งา จะ ชา ดี ตน ถา ทำ นา บี ปา ผล พา มา ยา รา ลา วา สา หา อา".split(),
    "Khmr": "ក ខា គី ង ច ជា ដ ត ថា ទី ន ប ព ភ ម យ រា ល វ ស ហ អ".split(),
    "Hans": list("天地人山水火木金土日月风云龙马车船国家学校文化历史音乐电影"),
    "Hant": list("天地人山水火木金土日月風雲龍馬車船國家學校文化歷史音樂電影"),
    "Jpan": list("あいうえおかきくけこさしすせそたちつてとアイウエオカキクケコ東京大阪山川田中"),
    "Kore": list("가나다라마바사아자차카타파하서울부산대구인천광주한국"),
}
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
        other = randomness.choice([first.split()[0], f"{_word(randomness, script)} {first}", f"{first}.", first.title()])
        targets.append(other if randomness.random() < 0.6 else _words(randomness, script))
    return targets


def _answer(randomness: random.Random, script: str, targets: list[str]) -> str:
    chosen = randomness.choice(targets)
    if randomness.random() < SHARE_RIGHT:
        return randomness.choice([chosen, chosen, f"{chosen}.", chosen.upper(), f"  {chosen}"])
    wrong = _words(randomness, script)
    return randomness.choice([wrong, wrong, wrong, "", f"{chosen} {wrong}", f"The answer is {wrong}.", f"{wrong}, {wrong}"])


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
