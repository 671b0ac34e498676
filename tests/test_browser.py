"""The Space, opened and used in a headless Chromium, with a keyboard, on a phone and from right to left.

The Space runs as the Hub runs it: its folder alone, ``python space/app.py``. SPACE_PYTHON names the Python to run it
with, so that it can be one that has nothing but requirements.txt. SCREENSHOTS names a folder to keep pictures in.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from multiloko_scripts.publication import write_space

from multiloko_source.sample import sample_predictions

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
PYTHON = os.environ.get("SPACE_PYTHON", sys.executable)
SECONDS = 30
HOSTILE = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>${7*7} {{7*7}}"
DESKTOP = (1100, 900)
PHONE = (390, 844)


@contextmanager
def running(folder: Path, *command: str) -> Iterator[str]:
    """Run the Space and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_TEMP_DIR": f"{folder}-uploads",
    }
    environment = {**os.environ, **settings, "HF_HUB_OFFLINE": "1"}
    with (folder.parent / "space.log").open("w") as log:
        process = subprocess.Popen([PYTHON, *command], cwd=folder, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}/"
    try:
        until(lambda: answers(address) or process.poll() is not None, "the Space does not answer", seconds=120)
        assert process.poll() is None, (folder.parent / "space.log").read_text()
        yield address
    finally:
        process.terminate()
        process.wait()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False


def until(condition: Callable[[], Any], failure: str, seconds: float = SECONDS) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    pytest.fail(failure)


@pytest.fixture(scope="module")
def space_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    code = "import importlib.util as util, sys; sys.exit(util.find_spec('gradio') is None)"
    if subprocess.run([PYTHON, "-c", code], check=False).returncode:
        pytest.skip(f"{PYTHON} has no gradio: pip install -r multiloko_metric/requirements.txt")
    folder = tmp_path_factory.mktemp("space") / "multiloko"
    write_space("owner/multiloko", folder)
    return folder


@pytest.fixture(scope="module")
def address(space_folder: Path) -> Iterator[str]:
    with running(space_folder, "space/app.py") as found:
        yield found


class Visitor:
    """A person with a browser. Finds things by the words on them."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        self.driver = driver
        self.downloads = downloads

    def open(self, address: str, size: tuple[int, int] = DESKTOP) -> None:
        self.resize(size)
        self.driver.get(address)
        self.wait(lambda: self.button("Score the answer"))

    def resize(self, size: tuple[int, int]) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def wait(self, condition: Callable[[], Any]) -> Any:
        return WebDriverWait(self.driver, SECONDS).until(lambda _: condition())

    def all(self, css: str) -> list[Any]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, css))

    def button(self, words: str) -> Any:
        found = self.driver.find_elements(By.XPATH, f"//button[contains(., '{words}')]")
        return next((each for each in found if each.is_displayed()), None)

    def field(self, name: str) -> Any:
        """The field with that accessible name, the one that a screen reader says."""
        fields = (each for each in self.all("input, textarea") if each.is_displayed() and each.accessible_name == name)
        return next(fields, None)

    def text(self, result: str) -> str:
        return self.driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", result)

    def shown(self, result: str, words: str) -> str:
        self.wait(lambda: words in self.text(result))
        return self.text(result)

    def focused(self) -> Any:
        return self.driver.switch_to.active_element

    def tab_to(self, element: Any, presses: int = 40) -> None:
        """Go to an element as somebody without a mouse does."""
        for _ in range(presses):
            if self.focused() == element:
                return
            self.focused().send_keys(Keys.TAB)
        pytest.fail(f"{element.text or element.tag_name} cannot be reached with the Tab key")

    def fits(self, size: tuple[int, int]) -> bool:
        """Whether the page is no wider than the screen; only tables may be, and scroll by themselves."""
        return bool(self.driver.execute_script("return document.documentElement.scrollWidth") <= size[0])

    def picture(self, name: str, size: tuple[int, int]) -> None:
        if folder := os.environ.get("SCREENSHOTS"):
            height = self.driver.execute_script("return document.documentElement.scrollHeight")
            self.resize((size[0], height))
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))
            self.resize(size)


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    if not CHROMIUM or not DRIVER:
        pytest.skip("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(tmp_path)})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield Visitor(driver, tmp_path)
    finally:
        driver.quit()


@pytest.fixture
def files(tmp_path: Path, sample_folder: Path) -> tuple[Path, Path]:
    """The sample's answers for Arabic, and its Arabic questions."""
    wanted = [
        line
        for line in sample_predictions().read_text(encoding="utf-8").splitlines()
        if json.loads(line)["language"] == "ar"
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(wanted) + "\n", encoding="utf-8")
    shutil.copy(sample_folder / "arabic" / "dev.jsonl", tmp_path / "arabic.jsonl")
    return tmp_path / "answers.jsonl", tmp_path / "arabic.jsonl"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_type_an_arabic_answer_and_read_the_score(visitor: Visitor, address: str, size: tuple[int, int]) -> None:
    visitor.open(address, size)
    visitor.field("Answer of the model").send_keys("في القاهرة.")
    visitor.field("Targets, one a line").send_keys("القاهرة\nCairo")
    visitor.button("Score the answer").click()
    text = visitor.shown("#answer-result", "Not an exact match")
    assert "Contains a target0 to 1, higher is better1.000" in text
    direction = "return getComputedStyle(document.querySelector('textarea')).unicodeBidi"
    assert visitor.driver.execute_script(direction) == "plaintext"
    for details in visitor.all("#answer-result details"):
        visitor.driver.execute_script("arguments[0].open = true", details)
    visitor.picture(f"answer-{size[0]}", size)
    assert visitor.fits(size)


def test_keyboard_only(visitor: Visitor, address: str) -> None:
    visitor.open(address)
    visitor.tab_to(visitor.field("Language of the question"))
    visitor.focused().send_keys(Keys.CONTROL + "a")
    visitor.focused().send_keys("Thai")
    visitor.focused().send_keys(Keys.ENTER)
    visitor.tab_to(visitor.field("Profile"))
    visitor.focused().send_keys(Keys.CONTROL + "a")
    visitor.focused().send_keys("lenient")
    visitor.focused().send_keys(Keys.ENTER)
    visitor.tab_to(visitor.field("Answer of the model"))
    visitor.focused().send_keys("๒๕๖๗")
    visitor.tab_to(visitor.field("Targets, one a line"))
    visitor.focused().send_keys("2567")
    visitor.tab_to(visitor.button("Score the answer"))
    visitor.focused().send_keys(Keys.ENTER)
    visitor.shown("#answer-result", "Right: exact match: the answer equals 2567, after folding.")
    summary = visitor.wait(lambda: visitor.all("#answer-result summary"))[0]
    visitor.tab_to(summary)
    visitor.focused().send_keys(Keys.ENTER)
    visitor.wait(lambda: visitor.all("#answer-result details[open]"))


def test_text_is_never_html_nor_a_template(visitor: Visitor, address: str) -> None:
    visitor.open(address)
    visitor.field("Answer of the model").send_keys(HOSTILE)
    visitor.field("Targets, one a line").send_keys(HOSTILE)
    visitor.button("Score the answer").click()
    assert HOSTILE in visitor.shown("#answer-result", "Right")
    assert not visitor.all("#answer-result img, #answer-result script")
    assert visitor.driver.title == "MultiLoKo metric"


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_upload_a_file_and_download_the_result(
    visitor: Visitor, address: str, files: tuple[Path, Path], size: tuple[int, int]
) -> None:
    visitor.open(address, size)
    visitor.driver.find_element(By.XPATH, "//button[@role='tab' and contains(., 'Score a file')]").click()
    visitor.wait(lambda: visitor.button("Score the file"))
    for path in files:  # each field that has a file is replaced by its name
        visitor.all("input[type=file]")[0].send_keys(str(path))
        visitor.wait(lambda: path.stem in visitor.driver.find_element(By.TAG_NAME, "body").text)  # noqa: B023 - now
    config = visitor.field("Config of the questions")
    config.click()
    config.send_keys(Keys.CONTROL + "a")
    config.send_keys("ar: Arabic")
    config.send_keys(Keys.ENTER)
    visitor.button("Score the file").click()
    text = visitor.shown("#file-result", "Local questions")
    assert "Not run, 30 of 31 languages" in text
    visitor.picture(f"file-{size[0]}", size)
    assert visitor.fits(size)
    visitor.all("#file-result a.download")[0].click()
    saved = visitor.downloads / "multiloko-scores.json"
    until(saved.exists, "nothing was downloaded")
    result = until(lambda: saved.read_text(encoding="utf-8") and json.loads(saved.read_text(encoding="utf-8")), "empty")
    assert list(result["configs"]) == ["ar"]
    assert f"{result['configs']['ar']['means']['em'] * 100:.2f}" in text


def test_too_large_a_file_is_refused(visitor: Visitor, address: str, tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    large.write_bytes(b" " * (21 << 20))
    visitor.open(address)
    visitor.driver.find_element(By.XPATH, "//button[@role='tab' and contains(., 'Score a file')]").click()
    visitor.wait(lambda: visitor.button("Score the file"))
    visitor.all("input[type=file]")[0].send_keys(str(large))
    visitor.wait(lambda: "exceed the maximum" in visitor.driver.find_element(By.TAG_NAME, "body").text)


def test_uploads_are_removed(space_folder: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, 'space'); import app\n"
        "from pathlib import Path; app.load_package(Path('.').resolve())\n"
        "import multiloko_metric.space.page as page; page.SWEEP_SECONDS = page.KEPT_SECONDS = 1; page.launch()"
    )
    uploads = Path(f"{space_folder}-uploads")
    with running(space_folder, "-c", code) as address:
        body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="mine.csv"\r\n\r\nsecret\r\n--x--\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        request = urllib.request.Request(f"{address}gradio_api/upload", body, headers)
        with urllib.request.urlopen(request) as response:
            (stored,) = json.load(response)
        assert Path(stored).is_relative_to(uploads)
        until(lambda: not Path(stored).exists(), "the uploaded file is still there")


def test_the_folder_alone_is_a_metric(space_folder: Path, tmp_path: Path) -> None:
    code = (
        "import evaluate, sys; metric = evaluate.load(sys.argv[1], module_type='metric')\n"
        "print(metric.compute(predictions=['a'], references=[['a']], languages='fr')['average_em'])"
    )
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [PYTHON, "-c", code, str(space_folder)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "1.0"
