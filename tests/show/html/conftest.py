"""A real browser where there is one, and pages opened in it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from idinf.api.pages import report_page
from idinf.report.value import Report
from idinf.show.html.page import render_page

#: Names under which systems install the browser, and how it starts: quiet, and without its own services.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; tests that ask for it are skipped where it is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser found: none of {', '.join(BROWSERS)} is on the path")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Any]:
    """A window for all pages that ask for no other one."""
    with browser.new_context() as shared:
        yield shared


@pytest.fixture
def open_file(browser: Any, context: Any) -> Iterator[Callable[..., Any]]:
    """Open the file of a page; what the page complains about or asks for fails the test."""
    pages, complaints, requests = [], [], []

    def opened(path: Path, at: str = "", /, **options: Any) -> Any:
        page = browser.new_page(**options) if options else context.new_page()  # with a context of its own
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{path.as_uri()}{at}")
        assert page.get_attribute("html", "data-ready") is not None, complaints
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


@pytest.fixture
def open_page(open_file: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Open the page of a report, or of two side by side, from a file."""

    def opened(report: Report | tuple[Report, Report], at: str = "", /, **options: Any) -> Any:
        path = tmp_path / "page.html"
        text = render_page(report) if isinstance(report, Report) else report_page(*report)
        path.write_text(text, encoding="utf-8")
        return open_file(path, at, **options)

    return opened
