"""The Space: what its page shows, that what people type stays text, and that its folder works alone."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from multiloko_scripts.publication import write_space

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import UnknownConfigError, parse_config
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import METRICS, Scorer
from multiloko_metric.space import handlers
from multiloko_metric.space.result_html import METRIC_TITLES, PARTITION_TITLES, element, said, table, trace_view
from multiloko_source.questions import GoldFileError, read_gold_file

FOLDER = Path(__file__).parent.parent / "multiloko_metric"
HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>&amp;\'"'


class Page(HTMLParser):
    """The elements and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


class TestMarkup:
    def test_text_is_escaped_wherever_it_stands(self) -> None:
        whole = table([HOSTILE], [[HOSTILE]], caption=HOSTILE).html + element("p", said(HOSTILE), title=HOSTILE).html
        page = Page(whole)
        assert set(page.tags) <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "bdi"}
        assert page.text.count(HOSTILE) == 4
        assert ("title", HOSTILE) in page.attributes

    def test_every_text_has_its_own_direction(self) -> None:
        assert said("القاهرة").html.startswith("<bdi")

    def test_nothing_is_said_to_be_empty(self) -> None:
        assert Page(said("").html).text == "(empty)"


class TestTraceView:
    @pytest.mark.parametrize("profile", PROFILES)
    def test_every_metric_and_every_text_is_shown(self, profile: str) -> None:
        scorer = Scorer(profile)
        page = Page(trace_view(scorer.trace("في القاهرة!", ["القاهرة", "Cairo"], "arabic")))
        for metric in scorer.score("x", ["x"], "arabic").to_dict():
            assert METRIC_TITLES[metric] in page.text
        for text in ("في القاهرة!", "Target 1: القاهرة", "Target 2: Cairo"):
            assert text in page.text

    def test_says_which_target_won_as_it_was_written(self) -> None:
        page = Page(trace_view(Scorer("unicode").trace("the thames.", ["London", "The Thames!"], "english")))
        assert "Right: exact match: the answer equals The Thames!." in page.text
        assert "compared: thames with thames" in page.text

    def test_says_that_folding_made_it_right(self) -> None:
        assert "after folding" in Page(trace_view(Scorer("lenient").trace("١٩٢٣", ["1923"], "arabic"))).text

    def test_rules_that_changed_something_are_listed_with_what_they_made(self) -> None:
        trace = Scorer("unicode").trace("The Thames", ["thames"], "english")
        page = Page(trace_view(trace))
        changed = [step for step in trace.readings[0].prediction.steps if step.text != "The Thames"]
        assert f"{changed[0].rule} the thames" in page.text
        assert page.tags.count("details") == 2
        assert page.tags.count("li") == 3 + 1 + 1  # lower case, article, its space; what was compared, of both texts

    def test_blank_answer_and_blank_targets(self) -> None:
        assert (
            "There is no target to compare with" in Page(trace_view(Scorer("variants").trace("", [" "], "french"))).text
        )

    def test_hostile_text_stays_text(self) -> None:
        page = Page(trace_view(Scorer("unicode").trace(HOSTILE, [HOSTILE], "english")))
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert HOSTILE in page.text

    def test_titles_cover_every_metric(self) -> None:
        assert tuple(METRIC_TITLES) == METRICS or set(METRIC_TITLES) == set(METRICS)
        assert len(PARTITION_TITLES) == 5


class TestGoldFile:
    def test_rows_of_the_data_set_say_their_config(self, tmp_path: Path) -> None:
        row = {"id": "a", "targets": ["x"], "source_language": "french", "question_language": "english"}
        path = lines(tmp_path / "gold.jsonl", {**row, "translation_type": "human", "output_type": "a date"})
        found = read_gold_file(path)(parse_config("fr-en-human"))
        assert found is not None
        assert found["a"].targets == ("x",)
        assert found["a"].output_type == "a date"

    def test_official_file_needs_its_config(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "dev.jsonl", {"id": "a", "targets": ["x", 1994]})
        with pytest.raises(GoldFileError, match=r"dev\.jsonl:1: .*choose the config"):
            read_gold_file(path)
        found = read_gold_file(path, "french")(parse_config("fr"))
        assert found is not None
        assert found["a"].targets == ("x", "1994")

    def test_a_column_language_and_the_string_of_a_list(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.json"
        path.write_text(json.dumps([{"id": "a", "targets": '["x", "y"]', "language": "fr"}]), encoding="utf-8")
        found = read_gold_file(path)(parse_config("fr"))
        assert found is not None
        assert found["a"].targets == ("x", "y")
        assert read_gold_file(path)(parse_config("de")) is None

    def test_parquet(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows = [{"id": "a", "targets": ["x"], "source_language": "thai", "question_language": "thai"}]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "gold.parquet")
        assert read_gold_file(tmp_path / "gold.parquet")(parse_config("th")) is not None

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ({"targets": ["x"]}, "with id and targets"),
            ({"id": "a", "targets": []}, "a list of texts"),
            ({"id": "a"}, "a list of texts"),
            ([1], "with id and targets"),
        ],
    )
    def test_malformed_rows(self, tmp_path: Path, row: Any, message: str) -> None:
        with pytest.raises(MultiLoKoError, match=message):
            read_gold_file(lines(tmp_path / "gold.jsonl", row), "fr")

    def test_repeated_ids_empty_files_and_unknown_languages(self, tmp_path: Path) -> None:
        row = {"id": "a", "targets": ["x"]}
        with pytest.raises(GoldFileError, match=r"gold\.jsonl:2: the id 'a' is there twice"):
            read_gold_file(lines(tmp_path / "gold.jsonl", row, row), "fr")
        with pytest.raises(GoldFileError, match="holds no question"):
            read_gold_file(lines(tmp_path / "empty.jsonl"), "fr")
        with pytest.raises(UnknownConfigError):
            read_gold_file(lines(tmp_path / "gold.jsonl", {**row, "language": "klingon"}))
        (tmp_path / "bad.parquet").write_bytes(b"no")
        with pytest.raises(GoldFileError, match="not a Parquet file"):
            read_gold_file(tmp_path / "bad.parquet", "fr")


class TestActions:
    """What the buttons do; the buttons themselves are pressed in test_browser.py."""

    @pytest.fixture
    def score(self, tmp_path: Path) -> Callable[..., Page]:
        gold = lines(tmp_path / "gold.jsonl", *({"id": f"{n}", "targets": [f"answer {n}"]} for n in range(3)))

        def run(*answers: tuple[str, str, str | None], **options: Any) -> Page:
            rows = [{"language": language, "id": each, "prediction": text} for language, each, text in answers]
            path = lines(tmp_path / "answers.jsonl", *rows)
            chosen = {"config": "fr", "profile": "unicode", "missing": "zero", "skip_unknown": False, **options}
            return Page(handlers.score_file(str(path), str(gold), *chosen.values()))

        return run

    def result(self, page: Page) -> dict[str, Any]:
        address = dict(page.attributes)["href"]
        assert address is not None
        found: dict[str, Any] = json.loads(base64.b64decode(address.split(",", 1)[1]))
        return found

    def test_one_answer(self) -> None:
        assert "Right" in Page(handlers.explain_answer("arabic", "القاهرة.", "القاهرة\n\nCairo", "unicode")).text

    def test_targets_are_needed_and_limited(self) -> None:
        assert "at least one" in handlers.explain_answer("french", "x", " \n ", "unicode")
        assert "At most" in handlers.explain_answer(
            "french", "x", "\n".join("y" * (handlers.MAX_TARGETS + 1)), "unicode"
        )
        assert "At most" in handlers.explain_answer("french", "x" * (handlers.MAX_CHARACTERS + 1), "y", "unicode")

    def test_file_of_answers(self, score: Callable[..., Page]) -> None:
        page = score(("fr", "0", "Answer 0."), ("fr", "1", "wrong"))
        assert "2 of 3" in page.text
        assert "33.33" in page.text
        result = self.result(page)
        assert result["configs"]["fr"]["means"]["em"] == pytest.approx(1 / 3)
        assert result["signature"]["profile"] == "unicode"

    def test_average_and_gap_over_languages_and_effects(self, tmp_path: Path) -> None:
        configs = ("fr", "de", "fr-en-human")
        gold = lines(tmp_path / "gold.jsonl", *({"id": "a", "targets": ["x"], "language": each} for each in configs))
        answers = [{"language": each, "id": "a", "prediction": "x" if each == "fr" else "y"} for each in configs]
        path = lines(tmp_path / "answers.jsonl", *answers)
        page = Page(handlers.score_file(str(path), str(gold), None, "unicode", "zero", False))
        assert "Average 50.00 ± 100.00 (2 SE) over 2 of 31 languages" in page.text
        assert "Gap 100.00 = 100.00 French - 0.00 German" in page.text
        assert "+100.00" in page.text  # the mother tongue effect, on French
        assert page.text.count("scores from 0 to 100") == 2

    def test_languages_that_are_all_wrong(self, tmp_path: Path) -> None:
        gold = lines(
            tmp_path / "gold.jsonl", *({"id": "a", "targets": ["x"], "language": each} for each in ("fr", "de"))
        )
        answers = [{"config": each, "id": "a", "prediction": "y"} for each in ("fr", "de")]
        path = lines(tmp_path / "answers.jsonl", *answers)
        page = Page(handlers.score_file(str(path), str(gold), None, "unicode", "zero", False))
        assert "Average 0.00 over 2 of 31 languages; 2 answers, none right: 95 % 0.0 to 65.8" in page.text
        assert "Gap 0.00: all 2 languages are equal" in page.text
        assert "±" not in page.text

    def test_left_out_answers_count_as_asked_for(self, score: Callable[..., Page]) -> None:
        page = score(("fr", "0", "answer 0"), ("fr", "9", "?"), ("de", "1", "?"), missing="skip", skip_unknown=True)
        assert self.result(page)["configs"]["fr"]["means"]["em"] == 1.0

    def test_what_does_not_fit_is_explained_without_the_servers_paths(
        self, score: Callable[..., Page], tmp_path: Path
    ) -> None:
        page = score(("fr", "9", "?"))
        assert "answers.jsonl" in page.text
        assert "'9'" in page.text
        assert str(tmp_path) not in page.text
        assert ("role", "alert") in page.attributes

    def test_hostile_answers_stay_text(self, score: Callable[..., Page]) -> None:
        page = score((HOSTILE, HOSTILE, HOSTILE))
        assert "script" not in page.tags
        assert "img" not in page.tags

    def test_limits(self, score: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> None:
        assert "more than 10,000 characters" in score(("fr", "0", "x" * 10_001)).text
        monkeypatch.setattr(handlers, "MAX_ANSWERS", 1)
        assert "more than 1 answers" in score(("fr", "0", "x"), ("fr", "1", "x")).text

    def test_both_files_are_needed_and_may_be_gone(self, tmp_path: Path) -> None:
        assert "Choose both files" in handlers.score_file(None, None, None, "unicode", "zero", False)
        gone = str(tmp_path / "gone.jsonl")
        assert 'role="alert"' in handlers.score_file(gone, gone, "fr", "unicode", "zero", False)


class TestFolder:
    def test_card_names_an_app_that_is_there_and_the_version_of_the_requirements(self) -> None:
        card = (FOLDER / "README.md").read_text(encoding="utf-8")
        metadata = yaml.safe_load(card.split("---\n")[1])
        requirements = (FOLDER / "requirements.txt").read_text(encoding="utf-8")
        assert (FOLDER / metadata["app_file"]).is_file()
        assert f"gradio=={metadata['sdk_version']}\n" in requirements
        assert metadata["tags"] == ["evaluate", "metric"]
        pinned = [line for line in requirements.splitlines() if line and not line.startswith("#")]
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in pinned)

    def test_values_of_the_card_are_right(self) -> None:
        card = (FOLDER / "README.md").read_text(encoding="utf-8")
        pattern = r'(\w+)\.compute\(predictions=\["(.*?)"\], references=\[\["(.*?)"\]\].*?\)\["(\w+)"\] +# ([\d.]+)'
        examples = re.findall(pattern, card)
        assert len(examples) == 4
        for name, prediction, target, metric, value in examples:
            scorer = Scorer("unicode" if name == "metric" else name)
            assert getattr(scorer.score(prediction, [target], "arabic"), metric) == float(value), prediction

    def test_launcher_makes_a_package_of_a_folder_with_another_name(self, tmp_path: Path) -> None:
        write_space("owner/multiloko", tmp_path / "somewhere")
        code = (
            "import sys; sys.path.insert(0, 'somewhere/space'); import app; from pathlib import Path\n"
            "app.load_package(Path('somewhere').resolve())\n"
            "from multiloko_metric.space.result_html import trace_view; import multiloko_metric.scoring as scoring\n"
            "trace_view(scoring.Scorer('lenient').trace('a', ['a'], 'french')); print(scoring.__file__)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).parent.name == "somewhere"
