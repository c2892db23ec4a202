"""The lesson as `idinf demo --open` serves it, in a real browser: new languages, a stop, no network."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("marimo", reason="marimo is not installed: pip install -e '.[lesson]'")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

SERVE = "import sys; from idinf.lesson.door import open_lesson; open_lesson(sys.argv[1], no_browser=True)"

#: Milliseconds that a search may take here.
LONG_MS = 90_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The lesson, served; a Ctrl-C ends it, and all that it started."""
    command = [sys.executable, "-c", SERVE, "regex:(ab|c)*a"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        line = server.stdout.readline().strip()
        yield line
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
        assert server.stdout.read() == ""


@pytest.fixture
def lesson(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Open it; what asks for anything but this server, or fails in a script, fails the test."""
    pages, complaints, requests = [], [], []
    root = address.partition("?")[0]

    def opened(**options: Any) -> Any:
        page = browser.new_page(**options)
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        page.get_by_role("button", name="Take this language").wait_for(timeout=LONG_MS)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith((root, "data:", "blob:"))] == []


def take(page: Any, target: str, alphabet: str = "") -> None:
    """Write a language, and take it."""
    page.get_by_label("Language: regex").fill(target)
    page.get_by_label("Alphabet").fill(alphabet)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Take this language").click()


def search(page: Any, guess: str | None = None) -> None:
    """Guess, or skip that, and search."""
    page.get_by_role("heading", name="The language").wait_for(timeout=LONG_MS)
    assert page.get_by_text("C-RASP[]").count() == 0
    if guess is not None:
        page.get_by_label("Guess first").select_option(label=guess)
    page.get_by_role("button", name="Search", exact=True).click()


def report_page(page: Any) -> Any:
    """The page of the report, once it is ready in its frame."""
    page.get_by_role("heading", name="The page of the report").wait_for(timeout=LONG_MS)
    frame = page.frame_locator("iframe[sandbox]")
    frame.locator("html[data-ready]").wait_for(timeout=LONG_MS)
    return frame


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_a_language_nobody_tuned_for(lesson: Callable[..., Any], width: int, scheme: str) -> None:
    page = lesson(viewport={"width": width, "height": 2400}, color_scheme=scheme)
    take(page, "regex:(ab|c)*a", "abc")
    search(page, "Yes, from n = 2 on")
    page.get_by_text("Complete up to R = 9.5.").wait_for(timeout=LONG_MS)  # a step, while the next one runs
    assert page.get_by_role("button", name="Stop the search").is_visible()
    assert page.get_by_role("cell", name="accept iff last = a", exact=True).is_visible()
    frame = report_page(page)
    for said in ("in C-RASP[periodic, local]", "n₀ ≥ 3, R* in (10, 13.95]", "You guessed n₀ = 2. Too early"):
        assert page.locator(".lesson").get_by_text(said).first.is_visible()
    assert page.get_by_role("button", name="Stop the search").count() == 0
    slider = frame.get_by_role("slider").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)  # it keeps its state in its address, which it may
    assert slider.input_value() == "3"
    with page.expect_download() as saved:
        page.get_by_text("Save this page").click()
    assert saved.value.suggested_filename == "ab-c-a.html"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("document.querySelector('.dark') !== null")
    assert dark is (scheme == "dark")


def test_stop_ends_the_search(lesson: Callable[..., Any]) -> None:
    page = lesson()
    page.get_by_label("Search up to R").select_option(label="11, a minute")
    take(page, "regex:(ab|c)*a", "abc")
    search(page)
    page.get_by_text("Complete up to R = 9.").wait_for(timeout=LONG_MS)
    page.get_by_role("button", name="Stop the search").click()
    page.get_by_text("You stopped the search. What it proves by then:").wait_for(timeout=8000)
    assert page.get_by_text("Not decided: interrupted.").is_visible()
    assert page.get_by_text("what lies above was not searched").first.is_visible()
    report_page(page)


def test_it_is_usable_by_keyboard_and_without_violations(lesson: Callable[..., Any], axe: str) -> None:
    page = lesson(bypass_csp=True)
    page.get_by_label("Language: regex").focus()
    for _ in range(3):  # alphabet, R, the button
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    search = page.get_by_role("button", name="Search", exact=True)
    search.wait_for(timeout=LONG_MS)
    page.get_by_label("Guess first").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The page of the report").wait_for(timeout=LONG_MS)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {iframes: false})")  # the page of a report has a test of its own
    assert len(found["passes"]) > 20
    # Cells of the frontend stand outside of landmarks, which is a recommendation.
    assert [each["id"] for each in found["violations"] if each["id"] != "region"] == []
