"""What a model is asked: the wording of 31 languages, what is shown of which example, and the command."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import edit_rows
from jinja2 import UndefinedError, meta
from multiloko_scripts.cli import main

from multiloko_metric.languages import CONFIGS, LANGUAGES, Language, parse_config
from multiloko_runs import prompts
from multiloko_runs.prompts import Prompt, PromptError, PromptSettings, make_prompts
from multiloko_runs.question_keys import question_key
from multiloko_source.sample import open_sample
from multiloko_source.source import open_source

KEYS = {"question", "kind", "answer", "text", "instruction", "chat", "open_book"}
CUES = ("question", "kind", "answer", "text")
SCRIPTS = {
    "Arab": {"ARABIC"},
    "Beng": {"BENGALI"},
    "Cyrl": {"CYRILLIC"},
    "Deva": {"DEVANAGARI"},
    "Hans": {"CJK"},
    "Hant": {"CJK"},
    "Hebr": {"HEBREW"},
    "Jpan": {"CJK", "HIRAGANA", "KATAKANA"},
    "Khmr": {"KHMER"},
    "Kore": {"HANGUL"},
    "Latn": {"LATIN"},
    "Thai": {"THAI"},
}
FULL_STOPS = {
    "bn": "।",
    "hi": "।",
    "ja": "。",
    "yue": "。",
    "zh-hans": "。",
    "zh-hant": "。",
    "km": "។",
    "ur": "۔",
    "th": "",
}
WIDE_COLONS = {"ja", "yue", "zh-hans", "zh-hant"}
WRONG_COMMA = {"Arab": ",;?", "Jpan": ",?", "Hans": ",?", "Hant": ",?"}
MARKS = ".,;:!?。，；：！？、।؟،؛۔៖។"


def wording(language: Language) -> dict[str, str]:
    return prompts._content()["wording"][language.name]  # type: ignore[no-any-return]


def made(folder: Path | None = None, name: str = "fr", **settings: Any) -> list[Prompt]:
    data = open_source(folder) if folder else open_sample()
    return list(make_prompts(data, [parse_config(name)], PromptSettings(**settings)))


def asked(prompt: Prompt) -> str:
    if prompt.messages is None:
        assert prompt.prompt is not None
        return prompt.prompt
    return "\n".join(message["content"] for message in prompt.messages)


class TestWording:
    def test_every_language_has_all_of_it(self) -> None:
        assert set(prompts._content()["wording"]) == {language.name for language in LANGUAGES}
        for language in LANGUAGES:
            assert set(wording(language)) == KEYS
            assert all(text == text.strip() and text for text in wording(language).values()), language.name
            assert all(unicodedata.is_normalized("NFC", text) for text in wording(language).values()), language.name

    @pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
    def test_no_letter_is_of_another_script(self, language: Language) -> None:
        for text in wording(language).values():
            found = {unicodedata.name(letter).split()[0] for letter in text if letter.isalpha()}
            assert found <= SCRIPTS[language.script] | ({"ARABIC"} if language.script == "Arab" else set()), text

    @pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
    def test_punctuation_is_that_of_the_language(self, language: Language) -> None:
        stop = FULL_STOPS.get(language.code, ".")
        for name in ("instruction", "chat", "open_book"):
            text = wording(language)[name]
            assert text.endswith(stop) if stop else text[-1].isalpha() or unicodedata.category(text[-1]) in ("Mn", "Lm")
            assert not set(text) & set(WRONG_COMMA.get(language.script, "")), text
            assert not re.search(rf"[{MARKS}]\s*[{MARKS}]", text), text
            if stop not in (".", ""):
                assert "." not in text
        colon = "：" if language.code in WIDE_COLONS else "៖" if language.code == "km" else ":"
        for name in CUES:
            assert wording(language)[name].endswith(f" {colon}" if language.code == "fr" else colon)

    def test_no_two_languages_share_a_sentence(self) -> None:
        for name in ("instruction", "chat", "open_book"):
            texts = [wording(language)[name] for language in LANGUAGES]
            assert len(set(texts)) == len(LANGUAGES)

    def test_simplified_and_traditional_are_kept_apart(self) -> None:
        simplified = "".join(wording(next(each for each in LANGUAGES if each.code == "zh-hans")).values())
        for code in ("zh-hant", "yue"):
            traditional = "".join(wording(next(each for each in LANGUAGES if each.code == code)).values())
            assert not set("问题类简单写里释") & set(traditional)
        assert not set("問題類簡單寫裡釋") & set(simplified)

    def test_a_template_asks_for_nothing_that_is_not_there(self) -> None:
        with pytest.raises(UndefinedError):
            prompts._environment().from_string("{{ answer_type }}").render()
        for name in ("asked", "base", "chat"):
            source = prompts._content()["templates"][name]
            known = {"wording", "gap", "text", "question", "kind", "task", "examples", "asked"}
            assert meta.find_undeclared_variables(prompts._environment().parse(source)) <= known


class TestBase:
    def test_it_reads_as_meant(self) -> None:
        first = made(style="base", shots=2)[0]
        assert first.messages is None
        assert first.fewshot == ("fewshot-1", "fewshot-2")
        assert first.prompt == (
            "Chaque question est suivie d'une réponse courte.\n\n"
            "Question : Quel jour célèbre-t-on la fête nationale en France\u00a0?\n"
            "Type de réponse : une date\n"
            "Réponse : 14 juillet\n\n"
            "Question : Quel fleuve traverse Paris\u00a0?\n"
            "Type de réponse : un fleuve\n"
            "Réponse : la Seine\n\n"
            "Question : À quelle date le viaduc de Millau a-t-il été ouvert à la circulation\u00a0?\n"
            "Type de réponse : une date\n"
            "Réponse :"
        )

    def test_full_width_colons_need_no_space(self) -> None:
        prompt = asked(made(name="ja", style="base", shots=1)[0])
        assert "\n質問：" in prompt
        assert prompt.endswith("\n答え：")
        assert "： " not in prompt

    def test_each_example_has_its_own_kind_of_answer(self, sample: Path) -> None:
        edit_rows(sample / "spanish" / "dev.jsonl", lambda row: {**row, "output_type": "ONLY THE QUERY'S"})
        for prompt in made(sample, "es", style="base", shots=2):
            examples, _, query = asked(prompt).rpartition("Pregunta:")
            assert "ONLY THE QUERY'S" not in examples
            assert examples.count("Tipo de respuesta:") == 2
            assert query.count("Tipo de respuesta: ONLY THE QUERY'S") == 1

    def test_examples_are_those_of_the_question_language(self) -> None:
        assert "Kind of answer:" in asked(made(name="fr-en-human", style="base", shots=2)[0])
        english = [row["question"] for row in open_sample().rows("en", "fewshot")]
        assert len(english) == 5
        for name in ("fr-en-human", "ar-en-machine", "en"):
            assert all(question in asked(made(name=name, style="base")[0]) for question in english)
        assert "Type de réponse :" in asked(made(name="en-fr-machine", style="base", shots=2)[0])

    def test_too_few_examples_are_an_error(self) -> None:
        with pytest.raises(PromptError, match=r"holds \d+ examples in french, not 99; --shots \d+ shows what there is"):
            made(style="base", shots=99)

    def test_five_are_shown_unless_told_otherwise(self) -> None:
        assert (PromptSettings("base").examples, PromptSettings("chat").examples) == (5, 0)


class TestChat:
    def test_it_reads_as_meant(self) -> None:
        first = made()[0]
        assert first.prompt is None
        assert first.messages == (
            {
                "role": "user",
                "content": "Répondez à la question en français, le plus brièvement possible. Écrivez seulement la "
                "réponse, sans phrase complète ni explication.\n\n"
                "Question : À quelle date le viaduc de Millau a-t-il été ouvert à la circulation\u00a0?\n"
                "Type de réponse : une date",
            },
        )

    def test_examples_are_turns(self) -> None:
        messages = made(shots=2)[0].messages
        assert messages is not None
        assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
        assert messages[1]["content"] == "14 juillet"
        assert sum("Répondez" in message["content"] for message in messages) == 1


@pytest.mark.parametrize("style", ["base", "chat"])
class TestRows:
    @pytest.mark.parametrize("kind", [None, "", "  "])
    def test_without_a_kind_of_answer(self, style: str, kind: str | None, sample: Path) -> None:
        edit_rows(sample / "french" / "dev.jsonl", lambda row: {**row, "output_type": kind})
        prompt = asked(made(sample, style=style, shots=0)[0])
        assert "Type de réponse" not in prompt
        assert "None" not in prompt
        assert not re.search(r"[ \t]$|\n\n\n", prompt, re.MULTILINE)

    def test_text_of_rows_is_no_template(self, style: str, sample: Path) -> None:
        text = "{{ 7 * 7 }} {% for x in y %} {# ? #} <b>&"
        edit_rows(sample / "french" / "dev.jsonl", lambda row: {**row, "question": text, "output_type": text})
        assert asked(made(sample, style=style, shots=0)[0]).count(text) == 2

    def test_no_mark_is_doubled(self, style: str) -> None:
        data = open_sample()
        for prompt in make_prompts(data, CONFIGS, PromptSettings(style, 2)):
            for line in asked(prompt).splitlines():
                assert not re.search(r"([?？؟。।])\s*[.?？؟。।]|[:：៖]\s*[:：៖]|\.\s*\.(?!\.)", line), line

    def test_open_book_puts_the_paragraph_in_front(self, style: str, sample: Path) -> None:
        row = next(open_source(sample).rows("fr"))
        prompt = asked(made(sample, style=style, shots=0, open_book=True)[0])
        assert prompt.index(f"Texte : {row['text']}\nQuestion : {row['question']}")
        assert "La réponse se trouve dans le texte." in prompt
        assert row["text"] not in asked(made(sample, style=style, shots=0)[0])

    def test_without_a_paragraph_there_is_no_open_book(self, style: str, sample: Path) -> None:
        edit_rows(sample / "french" / "dev.jsonl", lambda row: {**row, "text": None})
        with pytest.raises(PromptError, match=r"fr '0482_viaduc_de_millau[.]txt' has no paragraph"):
            made(sample, style=style, shots=0, open_book=True)


class TestKeys:
    def test_they_are_short_and_different(self) -> None:
        keys = [prompt.key for prompt in make_prompts(open_sample(), CONFIGS, PromptSettings())]
        assert len(set(keys)) == len(keys) == 302
        assert max(map(len, keys)) <= 64
        assert all(parse_config(key.partition(":")[0]) in CONFIGS for key in keys)

    def test_longest(self) -> None:
        longest = max(CONFIGS, key=lambda config: len(config.name))
        assert len(question_key(longest, "x" * 200)) <= 43

    def test_both_normal_forms_of_an_id_have_one(self) -> None:
        french = parse_config("fr")
        assert question_key(french, "e\u0301") == question_key(french, "é")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"style": "poem"}, "no style 'poem'"),
        ({"shots": -1}, "0 or more, found -1"),
        ({"official": Path(), "open_book": True}, "no place for the paragraph"),
        ({"official": Path(), "shots": 5}, "no examples"),
    ],
)
def test_settings_that_contradict(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PromptError, match=message):
        PromptSettings(**settings)


def test_what_describes_them() -> None:
    found = PromptSettings("base", 3, open_book=True).describe()
    assert found == {"prompts": found["prompts"], "style": "base", "shots": 3, "open_book": True}
    assert re.fullmatch(r"multiloko-[0-9a-f]{12}", found["prompts"])


class TestCommand:
    def test_lines(self, tmp_path: Path) -> None:
        assert main(["prompts", "--sample", "--translated", "-o", str(tmp_path / "prompts.jsonl")]) == 0
        rows = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 302
        assert list(rows[0]) == ["key", "config", "id", "messages", "fewshot", "prompts", "style", "shots", "open_book"]

    def test_batch(self, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--format", "openai-batch", "--style", "base", "--shots", "2", "--model", "m", "--max-tokens", "9"]
        assert main(["prompts", "--sample", "--configs", "fr,yue", "--limit", "1", *options]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["custom_id"].partition(":")[0] for row in rows] == ["yue", "fr"]  # the data's order
        assert rows[0]["url"] == "/v1/completions"
        body = rows[0]["body"]
        assert (body["model"], body["max_tokens"], body["temperature"], body["stop"]) == ("m", 9, 0.0, ["\n"])
        assert body["prompt"].endswith("答案：")

    @pytest.mark.parametrize(("style", "limit", "stop"), [("base", 128, ["\n"]), ("chat", 2048, None)])
    def test_a_request_always_has_its_limit(
        self, style: str, limit: int, stop: list[str] | None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = ["--format", "openai-batch", "--style", style, "--shots", "0"]
        assert main(["prompts", "--sample", "--configs", "fr", "--limit", "1", *options]) == 0
        body = json.loads(capsys.readouterr().out)["body"]
        assert (body["max_tokens"], body.get("stop")) == (limit, stop)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--configs", ","], "names no config"),
            (["--configs", "frr"], "no config is called 'frr'"),
            (["--configs", "fr", "--translated"], "--translated is for all"),
            (["--style", "base", "--shots", "77"], "--shots 5 shows what there is"),
            (["--subset", "test"], "has no test questions of ar"),
            (["--official", "nowhere"], "nowhere holds no official prompts"),
        ],
    )
    def test_what_is_wrong_is_said(
        self, options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["prompts", "--sample", "-o", str(tmp_path / "out"), *options]) == 2
        assert message in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
