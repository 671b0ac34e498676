"""Publishing to a Hub on loopback, with the real client: what is pushed, in which order, and what is never shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_server import HubServer
from multiloko_scripts.cli import main
from multiloko_scripts.publish import default_tag

# The client's own: huggingface_hub 2.4 uploads in a way that its HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

DATASET = "owner/multiloko"
METRIC = "owner/multiloko_metric_space"
REAL = ("--dataset", DATASET, "--partial", "--no-verify")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Data to publish: French, its translation into English, and few-shot examples of both."""
    folder = tmp_path / "data"
    for name, count in {
        "french/dev": 3,
        "french/dev_translated_human_english": 3,
        "french/knowledge_fewshot": 1,
        "english/knowledge_fewshot": 1,
    }.items():
        rows = [{"id": f"{n}.txt", "question": f"Q{n}?", "targets": [str(n), "un"]} for n in range(count)]
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture
def publish(capsys: pytest.CaptureFixture[str], data: Path) -> Callable[..., Published]:
    def run(*arguments: str, source: tuple[str, ...] | None = None) -> Published:
        code = main(["publish", *(("-d", str(data)) if source is None else source), *arguments])
        output = capsys.readouterr()
        assert "hf_owner" not in output.out + output.err  # the token
        return Published(code, output.out, output.err)

    return run


class Published:
    def __init__(self, code: int, printed: str, said: str) -> None:
        self.code, self.printed, self.said = code, printed, said


Publish = Callable[..., Published]


class TestDataset:
    def test_is_private_and_gated_before_any_data_is_there(self, hub: HubServer, publish: Publish) -> None:
        done = publish(*REAL)
        assert done.code == 0, done.said
        repository = hub.dataset(DATASET)
        assert repository.private
        assert repository.gated == "auto"
        order = [line.split(" ")[1].rsplit("/", 1)[-1] for line in hub.log if line.startswith(("PUT", "POST"))]
        assert order[0] == "create"
        assert order[1] == "settings"
        assert [commit.title for commit in repository.commits] == ["initial commit", "multiloko 0.1.0"]
        assert "data/fr-en-human/dev-00000-of-00001.parquet" in repository.files
        assert b'load_dataset("owner/multiloko", "fr")' in repository.files["README.md"]
        assert repository.tags == {default_tag(): repository.commits[-1].sha}

    def test_prints_the_line_that_loads_it(self, hub: HubServer, publish: Publish) -> None:
        assert publish(*REAL).printed == f'load_dataset("{DATASET}", "fr")\n'

    def test_nothing_is_pushed_when_gating_is_refused(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("PUT .*/settings", 403, message="Not on this plan")
        done = publish(*REAL)
        assert done.code == 2
        assert "could not be gated, so nothing was pushed" in done.said
        assert "Not on this plan" in done.said
        assert len(hub.dataset(DATASET).commits) == 1

    def test_nothing_is_pushed_when_gating_does_not_take(
        self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub.ignored_settings.add("gated")
        done = publish(*REAL)
        assert done.code == 2
        assert "nothing was pushed" in done.said
        assert len(hub.dataset(DATASET).commits) == 1

    def test_second_run_with_nothing_new_makes_no_commit(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        done = publish(*REAL)
        assert done.code == 0
        assert "nothing new, no commit made" in done.said
        assert len(hub.dataset(DATASET).commits) == 2

    def test_one_changed_row_is_one_commit_and_old_files_go(self, hub: HubServer, publish: Publish, data: Path) -> None:
        publish(*REAL)
        before = hub.dataset(DATASET).files
        path = data / "french" / "dev.jsonl"
        path.write_text(path.read_text(encoding="utf-8").replace("Q1?", "Q1, really?"), encoding="utf-8")
        (data / "french" / "dev_translated_human_english.jsonl").unlink()
        done = publish(*REAL)
        assert done.code == 0
        repository = hub.dataset(DATASET)
        assert len(repository.commits) == 3
        changed = {name for name in repository.files if before.get(name) != repository.files[name]}
        assert changed == {"data/fr/dev-00000-of-00001.parquet", "README.md", "dataset_infos.json"}
        assert {name for name in before if name not in repository.files} == {
            "data/fr-en-human/dev-00000-of-00001.parquet",
            "data/fr-en-human/fewshot-00000-of-00001.parquet",
        }
        assert "stays where it was" in done.said  # the tag of this version marks the first push

    def test_files_that_somebody_added_stay(self, hub: HubServer, publish: Publish, data: Path) -> None:
        publish(*REAL)
        repository = hub.dataset(DATASET)
        repository.commit("main", "logo", {**repository.files, "assets/logo.png": b"png"})
        with (data / "french" / "dev.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"id": "new", "question": "?", "targets": ["x"]}) + "\n")
        assert publish(*REAL).code == 0
        assert repository.files["assets/logo.png"] == b"png"

    def test_branch_message_and_tag(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        done = publish(*REAL, "--revision", "next", "--message", "Try this", "--tag", "trial")
        assert done.code == 0, done.said
        repository = hub.dataset(DATASET)
        assert set(repository.branches) == {"main", "next"}
        assert repository.branches["next"] == repository.branches["main"] == repository.tags["trial"]  # nothing new
        assert done.printed == f'load_dataset("{DATASET}", "fr", revision="next")\n'

    def test_a_new_branch_leaves_main_alone(self, hub: HubServer, publish: Publish, data: Path) -> None:
        publish(*REAL)
        (data / "french" / "dev_translated_human_english.jsonl").unlink()
        publish(*REAL, "--revision", "next", "--message", "Try this")
        repository = hub.dataset(DATASET)
        assert "data/fr-en-human/dev-00000-of-00001.parquet" in repository.files
        assert "data/fr-en-human/dev-00000-of-00001.parquet" not in repository.at("next").files
        assert repository.at("next").title == "Try this"
        assert set(repository.tags) == {default_tag()}

    def test_dry_run_lists_and_pushes_nothing(self, hub: HubServer, publish: Publish) -> None:
        done = publish(*REAL, "--dry-run")
        assert done.code == 0
        assert hub.repositories == {}
        assert "would be created private; would be gated: auto" in done.printed
        size = next(line for line in done.printed.splitlines() if line.endswith("data/fr/dev-00000-of-00001.parquet"))
        assert size.split()[0] == "new"
        assert int(size.split()[1].replace(",", "")) > 1_000

    def test_dry_run_says_what_would_change(self, hub: HubServer, publish: Publish, data: Path) -> None:
        publish(*REAL)
        path = data / "french" / "dev.jsonl"
        path.write_text(path.read_text(encoding="utf-8").replace("Q1?", "Q1!"), encoding="utf-8")
        done = publish(*REAL, "--dry-run")
        states = {line.split()[-1]: line.split()[0] for line in done.printed.splitlines()[1:]}
        assert states["data/fr/dev-00000-of-00001.parquet"] == "changed"
        assert states["data/fr-en-human/dev-00000-of-00001.parquet"] == "same"
        assert len(hub.dataset(DATASET).commits) == 2

    def test_dry_run_needs_no_token(self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("HF_TOKEN")
        assert publish(*REAL, "--dry-run").code == 0

    def test_gating_that_was_made_stricter_by_hand_stays(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        hub.dataset(DATASET).gated = "manual"
        publish(*REAL)
        assert hub.dataset(DATASET).gated == "manual"
        publish(*REAL, "--gated", "off")
        assert hub.dataset(DATASET).gated is False

    def test_data_that_lack_questions_are_refused(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--dataset", DATASET)
        assert done.code == 2
        assert "--partial" in done.said
        assert hub.repositories == {}


class TestPublic:
    def test_needs_the_person_to_have_read_the_request(self, hub: HubServer, publish: Publish) -> None:
        done = publish(*REAL, "--public")
        assert done.code == 2
        assert "ask that it not be mirrored" in done.said
        assert "--request-read" in done.said
        assert hub.repositories == {}

    def test_opens_last(self, hub: HubServer, publish: Publish) -> None:
        done = publish(*REAL, "--public", "--request-read")
        assert done.code == 0, done.said
        assert not hub.dataset(DATASET).private
        assert hub.dataset(DATASET).gated == "auto"
        settings = [number for number, line in enumerate(hub.log) if line.endswith("/settings")]
        commit = next(number for number, line in enumerate(hub.log) if "/commit/" in line)
        assert settings[0] < commit < settings[-1]

    @pytest.mark.parametrize(("typed", "code"), [(DATASET, 0), ("yes", 2)])
    def test_asks_where_there_is_somebody_to_ask(
        self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
    ) -> None:
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        assert publish(*REAL, "--public").code == code
        assert bool(hub.repositories) == (code == 0)

    def test_a_public_repository_is_not_filled_by_accident(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        hub.dataset(DATASET).private = False
        done = publish(*REAL)
        assert done.code == 2
        assert "is public, so nothing was pushed" in done.said

    def test_metric_alone_needs_no_confirmation(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--metric", METRIC, "--public", "--no-verify", source=())
        assert done.code == 0, done.said
        assert not hub.space(METRIC).private


class Terminal:
    def __init__(self, line: str) -> None:
        self.line = line

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return f"{self.line}\n"


class TestSample:
    def test_is_public_and_says_what_it_is(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--dataset", DATASET, "--no-verify", source=("--sample",))
        assert done.code == 0, done.said
        repository = hub.dataset(DATASET)
        assert not repository.private
        assert repository.gated is False
        assert b"This is not MultiLoKo data" in repository.files["README.md"]
        assert sum(name.endswith(".parquet") for name in repository.files) == 2 * 152
        assert "the viewer shows owner/multiloko to everyone" in done.said

    def test_never_goes_where_real_data_are_or_were(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        done = publish("--dataset", DATASET, "--no-verify", source=("--sample",))
        assert done.code == 2
        assert "holds real data, also in its history" in done.said
        assert hub.dataset(DATASET).private

    def test_real_data_never_go_where_the_sample_is(self, hub: HubServer, publish: Publish) -> None:
        publish("--dataset", DATASET, "--no-verify", source=("--sample",))
        done = publish(*REAL, "--public", "--request-read")
        assert done.code == 2
        assert "holds the sample" in done.said


class TestMetric:
    def test_root_module_has_the_name_of_the_space(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--metric", METRIC, "--no-verify", source=())
        assert done.code == 0, done.said
        space = hub.space(METRIC)
        assert space.private
        assert {"multiloko_metric_space.py", "languages.py", "space/app.py", "README.md", "requirements.txt"} <= set(
            space.files
        )
        assert "multiloko_metric.py" not in space.files
        assert b'evaluate.load("owner/multiloko_metric_space", module_type="metric")' in space.files["README.md"]

    @pytest.mark.parametrize("name", ["owner/scoring", "owner/space", "owner/multiloko_runs", "owner/a.b"])
    def test_a_name_that_would_be_in_the_way_is_refused(self, hub: HubServer, publish: Publish, name: str) -> None:
        done = publish("--metric", name, source=())
        assert done.code == 2
        assert "cannot be called" in done.said
        assert hub.repositories == {}

    def test_both_are_looked_at_before_either_is_pushed(self, hub: HubServer, publish: Publish) -> None:
        publish("--metric", METRIC, "--no-verify", source=())
        space = hub.space(METRIC)
        space.commit("main", "else", {"app.py": b"something else"})
        done = publish(*REAL, "--metric", METRIC)
        assert done.code == 2
        assert "is taken" in done.said
        assert ("dataset", DATASET) not in hub.repositories

    def test_modules_of_an_earlier_version_go(self, hub: HubServer, publish: Publish) -> None:
        publish("--metric", METRIC, "--no-verify", source=())
        space = hub.space(METRIC)
        space.commit("main", "old", {**space.files, "former.py": b"", "notes/mine.txt": b""})
        publish("--metric", METRIC, "--no-verify", source=())
        assert "former.py" not in space.files
        assert "notes/mine.txt" in space.files


class TestErrors:
    """Each has its own message, ends with exit code 2 and leaves what was there."""

    def refused(self, publish: Publish, *arguments: str) -> str:
        done = publish(*REAL, *arguments)
        assert done.code == 2
        assert done.printed == ""
        return done.said

    def test_no_token(self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("HF_TOKEN")
        assert "there is no Hugging Face token: log in with" in self.refused(publish)

    def test_a_token_that_is_not_valid(self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_expired")
        said = self.refused(publish)
        assert "does not accept the token" in said
        assert "hf_expired" not in said

    def test_a_token_that_may_only_read(
        self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_reader")
        assert "may only read" in self.refused(publish)

    def test_somebody_elses_namespace(self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_stranger")
        assert "the token has no right to do this to owner/multiloko" in self.refused(publish)

    def test_name_taken_by_something_else(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        repository = hub.dataset(DATASET)
        repository.commit("main", "mine", {"thesis.csv": b"a,b"})
        assert "is taken by something else" in self.refused(publish)
        assert repository.files == {"thesis.csv": b"a,b"}

    def test_name_taken_by_what_the_token_may_not_see(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("POST /api/repos/create", 409, message="You already created this repo")
        assert "the name owner/multiloko is taken" in self.refused(publish)

    def test_gated_away_from_the_person(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("GET /api/datasets", 403, message="Access is restricted", headers={"X-Error-Code": "GatedRepo"})
        assert "is gated and the token has no access" in self.refused(publish)

    def test_rate_limit(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("POST .*/commit/", 429, times=99, headers={"Retry-After": "1"})
        said = self.refused(publish)
        assert "rate limit" in said
        assert "in 1 seconds" in said

    def test_somebody_else_pushed_meanwhile(self, hub: HubServer, publish: Publish) -> None:
        publish(*REAL)
        hub.dataset(DATASET).commit("main", "mine", {**hub.dataset(DATASET).files, "README.md": b""})
        hub.fail("POST .*/commit/", 412, message="A commit has happened since")
        assert "somebody else changed owner/multiloko meanwhile" in self.refused(publish)

    def test_trouble_at_the_hub(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("GET /api/whoami-v2", 500, times=99)
        assert "the Hub has trouble" in self.refused(publish)

    @pytest.mark.parametrize("where", ["PUT /lfs/", "POST .*/commit/", "POST .*/preupload/"])
    def test_connection_cut_in_the_middle_leaves_the_old_version(
        self, hub: HubServer, publish: Publish, data: Path, where: str
    ) -> None:
        publish(*REAL)
        before = dict(hub.dataset(DATASET).files)
        path = data / "french" / "dev.jsonl"
        path.write_text(path.read_text(encoding="utf-8").replace("Q1?", "Q1!"), encoding="utf-8")
        hub.fail(where, times=99)
        said = self.refused(publish)
        assert "was not changed: the connection to" in said
        assert hub.dataset(DATASET).files == before
        hub.failures.clear()
        assert publish(*REAL).code == 0
        assert hub.dataset(DATASET).files != before

    def test_names_without_an_owner(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--dataset", "multiloko")
        assert done.code == 2
        assert "expected OWNER/NAME" in done.said

    def test_nothing_named(self, hub: HubServer, publish: Publish) -> None:
        done = publish()
        assert done.code == 2
        assert "--dataset OWNER/NAME, --metric OWNER/NAME or both" in done.said


class TestViewer:
    def test_private_without_a_plan(self, hub: HubServer, publish: Publish) -> None:
        assert "the viewer does not show owner/multiloko: it is private" in publish(*REAL).said

    def test_private_with_a_plan(self, hub: HubServer, publish: Publish, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "hf_paid")
        assert "the viewer shows owner/multiloko to those who may see it" in publish(*REAL).said


@pytest.mark.matrix
class TestLoadingBack:
    """By the clients of this environment, in processes of their own."""

    def test_both_halves_private_and_gated(self, hub: HubServer, publish: Publish) -> None:
        done = publish("--dataset", DATASET, "--metric", "owner/multiloko", "--partial")
        assert done.code == 0, done.said
        assert done.said.count("loaded back, as it should be") == 2
        assert done.printed.splitlines() == [
            'load_dataset("owner/multiloko", "fr")',
            'evaluate.load("owner/multiloko", module_type="metric")',
        ]

    def test_what_does_not_load_is_an_error(self, hub: HubServer, publish: Publish) -> None:
        hub.fail("(GET|HEAD) .*/resolve/.*parquet", 404, times=999)
        done = publish("--dataset", DATASET, "--partial")
        assert done.code == 2
        assert "owner/multiloko was pushed, but `load_dataset" in done.said

    def test_streaming_and_the_next_version(
        self, hub: HubServer, publish: Publish, data: Path, python: Callable[..., object], home: Path
    ) -> None:
        code = (
            "import datasets, json\n"
            f"rows = datasets.load_dataset({DATASET!r}, 'fr', split='dev', streaming=True)\n"
            "print(json.dumps([row['question'] for row in rows]))"
        )
        publish(*REAL)
        first = json.loads(python(code).stdout)  # type: ignore[attr-defined]
        path = data / "french" / "dev.jsonl"
        path.write_text(path.read_text(encoding="utf-8").replace("Q1?", "Q1, really?"), encoding="utf-8")
        publish(*REAL)
        second = json.loads(python(code).stdout)  # type: ignore[attr-defined]
        assert (first, second) == (["Q0?", "Q1?", "Q2?"], ["Q0?", "Q1, really?", "Q2?"])
