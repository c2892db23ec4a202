"""A site in a browser: links, values, sorting, pictures, and which pairs it shows."""

import re
from dataclasses import replace

import pytest

from idinf.api.pages import site
from idinf.base.numbers import MISSING
from idinf.show.html.gallery import GalleryEntry, choose_pairs
from idinf.show.html.page import KnownClasses
from tests.show.reports import golden, opened, renamed, with_stages

NAMES = ("parity", "majority", "dyck-1")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """The first page of a site of three reports."""
    return site(*map(golden, NAMES), folder=tmp_path_factory.mktemp("web") / "site")


def test_pairs_are_chosen_by_theory():
    yes, no = (KnownClasses((("in AC0", verdict, ""),), "yes") for verdict in ("yes", "no"))
    outside, open_one = replace(no, inside="no"), renamed(opened(), "x")
    cheap = with_stages(golden("majority"), *golden("majority").stages[:1])

    def entry(name, report, known):
        return GalleryEntry(renamed(report, name), known, name, f"targets/{name}.html")

    entries = [
        entry("unlike", cheap, yes),
        entry("far", golden("dyck-1"), no),
        entry("dear", golden("majority"), no),
        entry("cheap", cheap, no),
        entry("open", open_one, no),
        entry("untold", cheap, None),
        *(entry(f"out{k}", open_one, outside) for k in range(8)),
    ]
    found = choose_pairs(entries, "pairs")
    assert [pair.outside.name for pair in found] == [f"out{k}" for k in range(6)]
    assert [pair.learned.name for pair in found] == ["cheap", "dear", "unlike"] * 2
    assert found[0].address == "pairs/cheap+out0.html"
    assert choose_pairs(entries[:4], "pairs") == choose_pairs(entries[4:], "pairs") == ()


def table(page):
    return page.eval_on_selector_all(
        "#benchmark-table tbody tr", "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )


def test_the_first_page_of_a_site(open_file, index):
    page = open_file(index)
    assert "3 targets: 2 identified for every n, 1 without n₀." in page.inner_text("header")
    for name, row in zip(NAMES, table(page), strict=True):
        report = golden(name)
        last = report.stages[-1]
        r_star = f"> {last.r_star_lower:g}" if last.r_star is None else f"{last.r_star:.3f}"
        n0 = MISSING if report.n0 is None else str(report.n0)
        inside = "✕ no" if name == "parity" else "✓ yes"
        expected = [name, inside, report.outcome.value, n0, r_star, str(report.max_n)]
        assert row == [*expected, str(len(report.records)), report.space.name]
    titles = page.eval_on_selector_all("#benchmark-table .r", "all => all.map((one) => one.title)")
    assert titles == [f"{golden(name).stages[-1].r_star:.9f}" for name in NAMES[1:]]
    assert page.inner_text(".cards li >> nth=1 >> code") == golden("majority").selected.formula
    assert page.locator(".cards li >> nth=0 >> code").count() == 0  # of an open run nothing is learned
    # pictures: a line for each record, and the verdicts
    for place, name in enumerate(NAMES):
        report, card = golden(name), f".cards li >> nth={place} >> "
        last = report.stages[-1].n
        assert page.locator(f"{card}.point").count() == len(report.records)
        out = [record for record in report.records if not record.fits(last)]
        assert page.locator(f"{card}.cross").count() == len(out)
        widths = {
            verdict: page.locator(f"{card}.verdict.{verdict}").count()
            for verdict in ("good", "bad", "undetermined")
        }
        shown = {stage.verdict for stage in report.stages}
        assert {verdict for verdict, count in widths.items() if count} == shown
    # columns are sorted by mouse and keys
    names = lambda: [row[0] for row in table(page)]  # noqa: E731
    page.click("#benchmark-table thead button >> nth=0")
    assert names() == sorted(NAMES)
    assert page.get_attribute("#benchmark-table th >> nth=0", "aria-sort") == "ascending"
    page.focus("#benchmark-table thead button >> nth=4")
    page.keyboard.press("Enter")
    assert names() == ["majority", "parity", "dyck-1"]  # 8.414, above 9.5, 9.825
    page.keyboard.press("Space")
    assert names() == ["dyck-1", "parity", "majority"]
    assert page.get_attribute("#benchmark-table th >> nth=4", "aria-sort") == "descending"
    assert page.get_attribute("#benchmark-table th >> nth=0", "aria-sort") is None
    assert page.inner_text("#sorted") == "Sorted by R* at max n, largest first."
    # every link resolves and leads back
    links = page.eval_on_selector_all("a", "links => links.map((link) => link.getAttribute('href'))")
    assert not [link for link in links if re.match(r"/|[a-z]+:", link)]  # relative ones only
    for link in {link for link in links if not link.startswith("#")}:
        assert (index.parent / link).is_file()
    assert all(page.locator(link).count() == 1 for link in links if link.startswith("#"))
    page.click("#gallery >> text=majority")
    assert page.title() == "majority: what the procedure selects"
    page.click("text=All targets")
    assert page.title() == "idinf: what the procedure learns"
