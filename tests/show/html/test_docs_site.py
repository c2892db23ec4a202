"""The site of the documents in a browser, opened from files (slow; skipped where MkDocs is not installed)."""

import pytest

from tests.show.html.test_accessibility import axe, violations  # noqa: F401
from tests.test_site import site  # noqa: F401

pytestmark = pytest.mark.slow

PAGES = (
    "index.html",
    "gallery.html",
    "docs/results/mlregtest.html",
    "docs/results/trained.html",
    "docs/results/rows.html",
    "docs/results/rows/mlregtest-runs.html",
)
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 375, "height": 812}


@pytest.fixture
def visit(browser, site):  # noqa: F811
    """Open a page of the site; what it asks for elsewhere, or complains about, fails the test."""
    contexts, complaints, requests = [], [], []

    def opened(name, **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((site / name).as_uri())
        return page

    yield opened
    for each in contexts:
        each.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_site_is_small(site) -> None:  # noqa: F811
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) <= 20_000_000


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(visit, name, viewport) -> None:
    page = visit(name, viewport=viewport)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_violation(browser, axe, site, name, scheme) -> None:  # noqa: F811
    assert violations(browser, axe, (site / name).as_uri(), scheme) == []


def test_without_scripts_a_table_is_whole(visit) -> None:
    page = visit("docs/results/rows/mlregtest.html", viewport=WIDE, java_script_enabled=False)
    assert page.locator("tbody tr").count() == 1_800
    assert page.locator(".rows button, .filter").count() == 0
    assert page.locator("tbody th").first.is_visible()
