"""The names: 31 languages, 151 configs, in codes and official keys."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloko_metric.languages import CONFIGS, LANGUAGES, PARTITIONS, UnknownConfigError, parse_config, parse_language
from multiloko_source.expected import CONFIG_NAMES

CODES = (
    "arabic ar, bengali bn, cantonese yue, czech cs, dutch nl, english en, farsi fa, french fr, german de, hebrew he, "
    "hindi hi, indonesian id, italian it, japanese ja, khmer km, korean ko, malay ms, marathi mr, polish pl, "
    "portuguese pt, romanian ro, russian ru, simplified_mandarin zh-hans, spanish es, swedish sv, tagalog tl, thai th, "
    "traditional_mandarin zh-hant, turkish tr, urdu ur, vietnamese vi"
)


def test_the_languages_and_their_codes() -> None:
    named = ", ".join(f"{language.name} {language.code}" for language in LANGUAGES)
    assert named == CODES


def test_how_many_configs_there_are() -> None:
    assert len(CONFIGS) == 31 + 60 + 60
    assert [config.partition for config in CONFIGS] == [
        partition for partition, count in zip(PARTITIONS, (31, 30, 30, 30, 30), strict=True) for _ in range(count)
    ]
    assert len({config.name for config in CONFIGS} | {config.key for config in CONFIGS}) == 2 * 151
    assert ("all", *(config.name for config in CONFIGS)) == CONFIG_NAMES


@pytest.mark.parametrize(
    ("name", "key", "path"),
    [
        ("fr", "french", "french/dev.jsonl"),
        ("fr-en-human", "french_translated_human_english", "french/dev_translated_human_english.jsonl"),
        ("en-fr-machine", "english_translated_machine_french", "english/dev_translated_machine_french.jsonl"),
        ("zh-hans", "simplified_mandarin", "simplified_mandarin/dev.jsonl"),
        (
            "zh-hant-en-machine",
            "traditional_mandarin_translated_machine_english",
            "traditional_mandarin/dev_translated_machine_english.jsonl",
        ),
        (
            "en-zh-hans-human",
            "english_translated_human_simplified_mandarin",
            "english/dev_translated_human_simplified_mandarin.jsonl",
        ),
    ],
)
def test_a_config_by_name_and_by_official_key(name: str, key: str, path: str) -> None:
    config = parse_config(name)
    assert (config.name, config.key, config.path()) == (name, key, path)
    assert parse_config(key) is config
    assert parse_config(f" {key.upper()}\n") is config
    assert config.path("test") == path.replace("/dev", "/test")


def test_every_config_is_found_by_both_of_its_names() -> None:
    for config in CONFIGS:
        assert parse_config(config.name) is config
        assert parse_config(config.key) is config
        assert config.translation is None or "en" in {config.source.code, config.question.code}


@pytest.mark.parametrize(
    ("wrong", "suggested"),
    [
        ("frensh", "french"),
        ("fr-en-humna", "fr-en-human"),
        ("zh-han", "zh-hans"),
        ("simplified_mandarine", "simplified_mandarin"),
        ("french_translated_human_inglish", "french_translated_human_english"),
    ],
)
def test_an_unknown_name_gets_the_nearest_real_ones(wrong: str, suggested: str) -> None:
    with pytest.raises(UnknownConfigError, match="no config is called") as caught:
        parse_config(wrong)
    assert suggested in str(caught.value)
    assert "multiloko list" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["en-en-human", "fr-de-human", "fr-en", "fr-fr-human", "", "de-en-human-", "fr_en_human"]
)
def test_what_looks_like_a_config_but_is_none(name: str) -> None:
    with pytest.raises(UnknownConfigError):
        parse_config(name)


def test_all_is_no_language_of_a_prediction() -> None:
    with pytest.raises(UnknownConfigError, match="all 31 local sets"):
        parse_config("ALL")


@given(st.text(max_size=30))
def test_any_text_is_a_config_or_a_clear_error(text: str) -> None:
    try:
        config = parse_config(text)
    except UnknownConfigError as error:
        message = str(error)
        assert repr(text) in message
    else:
        assert text.strip().lower() in {config.name, config.key}


def test_a_language_by_code_and_by_name() -> None:
    assert parse_language("French") is parse_language("fr")
    assert parse_language("zh-Hant").title == "Traditional Mandarin"
    with pytest.raises(UnknownConfigError, match="no language is called 'fr-en-human'"):
        parse_language("fr-en-human")


def test_a_config_from_another_process_is_the_same() -> None:
    for config in CONFIGS:
        copied = pickle.loads(pickle.dumps(config))
        assert (copied, copied.name, copied.partition) == (config, config.name, config.partition)


def test_what_get_dataset_config_names_answers_is_no_config() -> None:
    with pytest.raises(UnknownConfigError, match=r"get_dataset_config_names .* `multiloko list --json` and .*CONFIGS"):
        parse_config("default")
