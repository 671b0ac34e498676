"""The metric as evaluate loads and calls it, on every supported version of datasets."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import pytest
from conftest import Python
from multiloko_scripts.registration import register_metric

import multiloko_metric
from multiloko_metric.averages import mean
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import Scorer
from multiloko_source.files import modules_cache

pytestmark = pytest.mark.matrix

FOLDER = Path(multiloko_metric.__file__).parent
PREDICTIONS = ["the Seine", "Loire", "", "1994"]
REFERENCES = [["Seine", "La Seine"], ["Rhône", "le Rhône"], ["x"], ["1994", "mille neuf cent"]]
LANGUAGES = ["fr", "french", "de", "fr-en-human"]


@pytest.fixture
def metric() -> Any:
    return load()


def load(profile: str | None = None, **options: Any) -> Any:
    return evaluate.load(str(FOLDER), *([profile] if profile else []), **options)


def expected(profile: str, languages: list[str]) -> dict[str, float]:
    """Means by the scorer itself, over the given answers."""
    scorer = Scorer(profile)
    scores = [scorer.score(*each) for each in zip(PREDICTIONS, REFERENCES, languages, strict=True)]
    return {name: mean(scores, name) for name in PROFILES[profile].metrics}


def test_it_is_called_as_it_is_loaded(metric: Any) -> None:
    assert metric.name == "multiloko"


# What it computes.


def test_the_means_of_the_answers(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {name: result[name] for name in expected("unicode", ["french"] * 4)} == expected("unicode", ["french"] * 4)
    assert result["em"] == 0.5
    assert result["signature"]["profile"] == "unicode"
    assert "per_language" not in result
    assert not any(name.startswith(("average", "gap")) for name in result)


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_profile(profile: str) -> None:
    result = load(profile).compute(predictions=PREDICTIONS, references=REFERENCES, languages="fr")
    assert {name: result[name] for name in PROFILES[profile].metrics} == expected(profile, ["french"] * 4)
    assert result["signature"]["profile"] == profile
    assert ("contains" in result) == (profile != "release")


def test_the_alias_is_the_default(metric: Any) -> None:
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    assert load("official").compute(**given) == metric.compute(**given) == load("unicode").compute(**given)


def test_one_string_is_one_target(metric: Any) -> None:
    as_text = metric.compute(predictions=["a", "b"], references=["a", "c"])
    as_lists = metric.compute(predictions=["a", "b"], references=[["a"], ["c"]])
    assert as_text == as_lists
    assert as_text["em"] == 0.5


def test_other_iterables_than_lists(metric: Any) -> None:
    result = metric.compute(
        predictions=(each for each in ("a", "b")), references=(("a",), {"b"}), languages=iter(["fr", "fr"])
    )
    assert (result["em"], result["average_em"]) == (1.0, 1.0)


def test_with_one_language_the_gap_is_a_number_at_the_top(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages="fr")
    assert result["gap_em"] == 0.0
    assert result["groups"]["local"]["scores"]["em"]["gap"] is None


def test_with_languages_the_groups_and_each_language(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages=LANGUAGES)
    assert {name: means["em"] for name, means in result["per_language"].items()} == {
        "fr": 0.5,
        "de": 0.0,
        "fr-en-human": 1.0,
    }
    # Only the local ones are averaged: two answers of fr, one of de.
    assert result["em"] == pytest.approx(1 / 3)
    assert (result["average_em"], result["max_em"], result["min_em"], result["gap_em"]) == (0.25, 0.5, 0.0, 0.5)
    assert list(result).index("gap_em") == list(result).index("average_em") + 3
    assert result["groups"]["to_english_human"]["scores"]["em"]["average"] == 1.0
    assert json.loads(json.dumps(result)) == result


def test_one_name_for_all_and_one_for_each(metric: Any) -> None:
    one = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages="FRENCH")
    each = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages=["fr"] * 4)
    assert one == each
    assert list(one["per_language"]) == ["fr"]


def test_translated_ones_alone_are_averaged_among_themselves(metric: Any) -> None:
    result = metric.compute(predictions=["a", "b"], references=["a", "x"], languages=["fr-en-human", "en-fr-machine"])
    assert result["em"] == result["average_em"] == 1.0


def test_the_scores_of_each_answer(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages=LANGUAGES, per_example=True)
    scorer = Scorer("unicode")
    answers = zip(PREDICTIONS, REFERENCES, strict=True)
    assert result["per_example"] == [scorer.score(*answer).to_dict() for answer in answers]
    assert [each["em"] for each in result["per_example"]] == [1.0, 0.0, 0.0, 1.0]


def test_ids_pair_the_same_questions_in_two_languages(metric: Any) -> None:
    given: dict[str, Any] = {
        "predictions": ["a", "x", "x", "b"],
        "references": ["a", "b", "a", "b"],
        "languages": ["fr", "fr", "fr-en-human", "fr-en-human"],
    }
    paired = metric.compute(**given, ids=["1", "2", "2", "1"])["overlaps"]
    assert len(paired) == 1
    assert metric.compute(**given)["overlaps"] == []
    with pytest.raises(ValueError, match="there are 3 ids for 4 predictions"):
        metric.compute(**given, ids=["1", "2", "3"])


def test_the_numbers_are_those_of_the_command(metric: Any, tmp_path: Path, sample_folder: Path) -> None:
    from multiloko_scripts.cli import main

    from multiloko_source.sample import sample_predictions
    from multiloko_source.source import open_source

    source = open_source(sample_folder)
    answers = [json.loads(line) for line in sample_predictions().read_text(encoding="utf-8").splitlines()]
    targets = {
        (name, row["id"]): row["targets"]
        for name in {answer["language"] for answer in answers}
        for row in source.rows(name)
    }
    result = metric.compute(
        predictions=[answer["prediction"] for answer in answers],
        references=[targets[answer["language"], answer["id"]] for answer in answers],
        languages=[answer["language"] for answer in answers],
        ids=[answer["id"] for answer in answers],
    )
    assert (
        main(["score", "-d", str(sample_folder), "-p", str(sample_predictions()), "-o", str(tmp_path / "o.json")]) == 0
    )
    scored = json.loads((tmp_path / "o.json").read_text())
    assert result["groups"] == scored["groups"]
    assert result["effects"] == scored["effects"]
    assert result["configs"] == scored["configs"]


# Adding first.


def test_added_in_batches_and_one_by_one(metric: Any) -> None:
    at_once = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages=LANGUAGES)
    metric.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2], languages=LANGUAGES[:2])
    metric.add_batch(predictions=PREDICTIONS[2:], references=REFERENCES[2:], languages=LANGUAGES[2:])
    assert metric.compute() == at_once
    for prediction, reference, language in zip(PREDICTIONS, REFERENCES, LANGUAGES, strict=True):
        metric.add(prediction=prediction, reference=reference, language=language)
    assert metric.compute() == at_once
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0], language=LANGUAGES[0])
    assert metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:], languages=LANGUAGES[1:]) == at_once


def test_added_without_languages(metric: Any) -> None:
    metric.add(prediction="a", reference="a")
    metric.add_batch(predictions=["b"], references=["x"])
    assert metric.compute()["em"] == 0.5


def test_nothing_was_added(metric: Any) -> None:
    with pytest.raises(ValueError, match="nothing to score"):
        metric.compute()


# What it refuses.

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"predictions": ["a", None], "references": ["a", "b"]}, r"predictions\[1\] must be text, found None; a missing"),
    ({"predictions": ["a", 5], "references": ["a", "b"]}, r"predictions\[1\] must be text, found 5"),
    ({"predictions": [["a"]], "references": ["a"]}, r"predictions\[0\] must be text, found \['a'\]"),
    ({"predictions": "a", "references": ["a"]}, "predictions must be a list, one for every question; found 'a'"),
    ({"predictions": 5, "references": ["a"]}, "predictions must be a list"),
    ({"predictions": [], "references": []}, "predictions is empty"),
    ({"predictions": ["a"], "references": []}, "references is empty"),
    ({"predictions": ["a"]}, "references must be a list"),
    ({"references": ["a"]}, "predictions must be a list"),
    ({"predictions": ["a"], "references": "a"}, "references must be a list"),
    ({"predictions": ["a"], "references": [None]}, r"references\[0\] must be text or a list of texts, found None"),
    ({"predictions": ["a"], "references": [5]}, r"references\[0\] must be text or a list of texts, found 5"),
    ({"predictions": ["a"], "references": [{"a": 1}]}, r"references\[0\] must be text or a list of texts"),
    ({"predictions": ["a"], "references": [[]]}, r"references\[0\] is an empty list"),
    ({"predictions": ["a"], "references": [["a", None]]}, r"references\[0\]\[1\] must be text, found None"),
    ({"predictions": ["a"], "references": [["a", 1]]}, r"references\[0\]\[1\] must be text, found 1"),
    ({"predictions": ["a", "b"], "references": ["a"]}, "there are 2 predictions, 1 references, 2 languages"),
    ({"predictions": ["a"], "references": ["a"], "languages": ["fr", "de"]}, "1 references, 2 languages"),
    ({"predictions": ["a"], "references": ["a"], "languages": [None]}, r"languages\[0\] must be text, found None"),
    ({"predictions": ["a"], "references": ["a"], "languages": 5}, "languages must be a list"),
    ({"predictions": ["a"], "references": ["a"], "languages": []}, "languages is empty"),
    (
        {"predictions": ["a"], "references": ["a"], "languages": "frensh"},
        "no config is called 'frensh' .nearest: french",
    ),
    ({"predictions": ["a"], "references": ["a"], "languages": "all"}, "all 31 local sets together"),
    ({"predictions": ["a"] * 2, "references": ["a"] * 2, "languages": ["fr", ""]}, r"languages\[1\] is empty"),
    ({"predictions": ["a\ud800"], "references": ["a"]}, r"predictions\[0\].*surrogate"),
    ({"predictions": ["a"], "references": ["a\ud800"]}, r"references\[0\].*surrogate"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named(metric: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric.compute(**given)
    # The next answers are scored as if nothing had been.
    assert metric.compute(predictions=["a", "b"], references=["a", "x"])["em"] == 0.5


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_batch_leaves_those_before_it(metric: Any, given: dict[str, Any], message: str) -> None:
    metric.add(prediction="a", reference="a")
    with pytest.raises(ValueError, match=message):
        metric.add_batch(**given)
    assert metric.compute(predictions=["b"], references=["x"])["em"] == 0.5


@pytest.mark.parametrize("profile", ["variants", "lenient"])
def test_profiles_that_need_a_language_say_so(profile: str) -> None:
    metric = load(profile)
    with pytest.raises(ValueError, match="language"):
        metric.compute(predictions=["a"], references=["a"])
    assert metric.compute(predictions=["b"], references=["x"], languages="fr")["em"] == 0.0


def test_no_profile_is_called_like_that() -> None:
    with pytest.raises(ValueError, match="unicod"):
        load("unicod")


def test_an_option_that_there_is_not(metric: Any) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        metric.compute(predictions=["a"], references=["a"], nonsense=1)
    assert metric.compute(predictions=["b"], references=["x"])["em"] == 0.0


# Several processes.

# evaluate takes seconds to import, so the processes are forked from one that has it.
SEVERAL = """
import json, multiprocessing
import evaluate

def work(number):
    {work}

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool({count}, maxtasksperchild=1) as pool:
        print(json.dumps(pool.map(work, range({count}), chunksize=1)))
"""


def test_three_processes_share_the_work(metric: Any, home: Path, python: Python) -> None:
    rows = list(zip(PREDICTIONS, REFERENCES, LANGUAGES, strict=True))
    work = (
        f"metric = evaluate.load({str(FOLDER)!r}, num_process=3, process_id=number, experiment_id='shared')\n"
        f"    for prediction, reference, language in {rows!r}[number::3]:\n"
        "        metric.add(prediction=prediction, reference=reference, language=language)\n"
        "    return metric.compute()"
    )
    first, *others = json.loads(python(SEVERAL.format(work=work, count=3)).stdout.splitlines()[-1])
    assert others == [None, None]
    whole = metric.compute(predictions=PREDICTIONS, references=REFERENCES, languages=LANGUAGES)
    assert first["groups"] == whole["groups"]
    assert first["em"] == whole["em"]


@pytest.mark.parametrize("how", ["registered", pytest.param("path", marks=pytest.mark.slow)])
def test_eight_processes_at_once_on_default_settings(home: Path, python: Python, how: str) -> None:
    register_metric()
    place = "multiloko" if how == "registered" else str(FOLDER)
    work = (
        f"metric = evaluate.load({place!r})\n"
        "    right = ['a'] * number + ['b'] * (8 - number)\n"
        "    given = {'predictions': right, 'references': ['a'] * 8, 'languages': 'fr'}\n"
        "    return [metric.compute(**given)['em'] for _ in range(5)]"
    )
    found = json.loads(python(SEVERAL.format(work=work, count=8)).stdout.splitlines()[-1])
    assert found == [[number / 8] * 5 for number in range(8)]


@pytest.mark.slow
def test_eight_programs_at_once(home: Path, elsewhere: Path) -> None:
    register_metric()
    code = (
        "import sys, evaluate\n"
        "metric = evaluate.load('multiloko')\n"
        "right = ['a'] * int(sys.argv[1]) + ['b'] * (8 - int(sys.argv[1]))\n"
        "print(metric.compute(predictions=right, references=['a'] * 8, languages='fr')['em'])"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(number)], cwd=elsewhere, stdout=subprocess.PIPE, text=True)
        for number in range(8)
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [float(each.splitlines()[-1]) for each in outputs] == [number / 8 for number in range(8)]


# Loading.


def test_registered_it_loads_from_any_folder(home: Path, python: Python) -> None:
    folder = register_metric()
    assert modules_cache() in folder.parents
    finished = python(
        "import evaluate\n"
        "print(evaluate.load('multiloko').compute(predictions=['a'], references=['a'])['em'])\n"
        "print(evaluate.load('multiloko', 'variants').compute("
        "predictions=['a'], references=['a'], languages='fr')['signature']['profile'])"
    )
    assert finished.stdout.splitlines() == ["1.0", "variants"]


def test_registered_it_needs_nothing_of_ours(home: Path, python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    register_metric()
    finished = python(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('multiloko', 'multiloko_metric', 'multiloko_source', 'multiloko_scripts'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "import evaluate\n"
        "print(evaluate.load('multiloko').compute(predictions=['a'], references=['a'], languages='fr')['average_em'])"
    )
    assert finished.stdout.splitlines() == ["1.0"]


def test_registering_again_changes_nothing_and_another_version_replaces_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = register_metric()
    before = (first / "multiloko.py").stat().st_mtime_ns
    assert register_metric() == first
    assert (first / "multiloko.py").stat().st_mtime_ns == before
    copy = Path(shutil.copytree(FOLDER, tmp_path / "newer"))
    (copy / "languages.py").write_text((copy / "languages.py").read_text() + "\n# newer\n")
    monkeypatch.setattr(multiloko_metric, "__file__", str(copy / "__init__.py"))
    second = register_metric()
    assert second != first
    assert not first.exists()
    assert [path.name for path in second.parent.iterdir() if path.is_dir()] == [second.name]


def test_a_copy_of_the_folder_loads(tmp_path: Path) -> None:
    copy = shutil.copytree(
        FOLDER, tmp_path / "somewhere/multiloko_metric", ignore=shutil.ignore_patterns("__pycache__")
    )
    assert evaluate.load(str(copy)).compute(predictions=["a"], references=["a"])["em"] == 1.0


def test_every_sibling_is_named_in_the_adapter() -> None:
    """evaluate copies the siblings that the adapter itself imports, found by a regular expression, line by line."""
    named = set(
        re.findall(r"^from\s+\.(\w+)\s+import\s+[^#\n]+$", (FOLDER / "multiloko_metric.py").read_text(), re.MULTILINE)
    )
    seen: set[str] = set()
    waiting = {"multiloko_metric"}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        tree = ast.parse((FOLDER / f"{name}.py").read_text())
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1}
        waiting |= {each for each in imported if each} - seen
    assert seen - {"multiloko_metric"} <= named
    assert named <= {path.stem for path in FOLDER.glob("*.py")}


def test_it_imports_nothing_else_of_ours() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0].startswith("multiloko") for name in names), path.name
            assert not (isinstance(node, ast.ImportFrom) and node.level > 1), path.name


def test_the_example_of_the_card_is_right(metric: Any) -> None:
    text = metric.inputs_description
    examples = re.search(r">>> result = metric\.compute\((.*)\)\n", text)
    assert examples
    assert "(1.0, 1.0)" in text
    result = metric.compute(predictions=["the Seine"], references=[["Seine", "La Seine"]], languages="fr")
    assert (result["em"], result["average_em"]) == (1.0, 1.0)
