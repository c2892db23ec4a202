"""The page of a judgement: its numbers, its words, and how it looks in a browser."""

import re
from dataclasses import replace
from html import unescape

import pytest

from idinf.trained.judgement import Follower, Judgement, Mistake, ModelShape, Sample
from idinf.trained.show.page import render_page
from idinf.trained.show.text import summarize
from idinf.trained.tree import Count
from tests.show.html.test_accessibility import axe, violations  # noqa: F401

WRONG = Mistake("abba", 4, 3, "ab", "a b", "b $")
LATE = Mistake("ab" * 40, 80, 0, "a", "-", "b")
FOLLOWED = Follower(2, 5.25, 3, "accept iff #a >= 1", 2, WRONG, "a $")
FIRST = Follower(1, 4.0, 0, "accept iff true", -1, WRONG, "a")
APART = Follower(3, 9.0, None, "accept iff #b > 1", -1, None, None, "it has <weights>")
COUNTS = ((0, 1, 0, 6.5, 0), (1, 0, 0, None, 0), (2, 4, 0, 0.5, 0), (3, 8, 0, 0.0, 1), (4, 16, 4, 0.002, 1))
FOUND = Judgement(
    "0.1.0",
    ModelShape("nets/<b>one</b>", 1, 2, 16, 90),
    "some words",
    ("a", "b"),
    "set",
    None,
    (0, 1, 2, 3),
    4,
    "the length 4 that was asked for",
    tuple(Count(*row) for row in COUNTS),
    (WRONG,),
    (Mistake("aab", 3, 1, "aa", "a", "b"),),
    (Sample("uniform", 5, 50, 1000, 0, (0.0, 0.0037), None), Sample("pumped", 5, 88, 12, 3, None, LATE)),
    "some words",
    (FIRST, FOLLOWED, APART),
    1.5,
)
RIGHT = replace(
    FOUND,
    counts=tuple(replace(count, wrong=0) for count in FOUND.counts),
    **{"mistakes": (), "differing": (), "samples": FOUND.samples[:1]},
)
PAGES = {
    "wrong": FOUND,
    "right": RIGHT,
    "drawn": replace(FOUND, counts=RIGHT.counts, mistakes=()),
    "long": replace(FOUND, counts=tuple(Count(n, 2**n, n, 10.0**-n, 0) for n in range(61)), exhaustive_to=60),
    "nothing": replace(RIGHT, counts=(), exhaustive_to=-1, samples=(), followers=(), report=None),
    "accept": replace(FOUND, answer="accept", answers=("n", "y"), alphabet=("up", "down"), mistakes=()),
}


def tell(found: Judgement) -> str:
    """The text of a page, with one blank between words."""
    body = render_page(found).partition("<body")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_what_is_found_is_told():
    text = tell(FOUND)
    for part in (
        f"{summarize(FOUND)}. Up to length 4 every word of the task was asked, 29 in all, at offsets 0..3",
        "; 4 of them are answered wrong. Why not further: the length 4 that was asked for.",
        "1,012 longer ones, up to length 88, were drawn at random or chosen; 3 of them are answered wrong.",
        "a 1 b 2 model a b right b $ b 3 a 4",
        "The model answers as accept iff #a >= 1 up to length 2, then as no record.",
        "accept iff #a >= 1 2 2 ab , a prefix of abba : model a b, record a $, right is b $; offset 3",
        "no end found not compared: it has <weights>",
        "4 16 4 0.2500 0.002 1 abba",
        "uniform 5 to 50 1,000 0 0.0000 to 0.0037 pumped 5 to 88 12 3 chosen: none abab",
        "2 are answered differently in float32. word offset behind float64 says float32 says aab 1 aa a b",
        "idinf judge 'nets/<b>one</b>' --target 'some words' --answer set --offset 0,1,2,3 --length 4",
    ):
        assert part in text, part


def test_nothing_is_claimed_of_what_was_not_asked():
    right, nothing, drawn = (tell(PAGES[name]) for name in ("right", "nothing", "drawn"))
    assert "none of them are answered wrong, which proves nothing about others." in right
    assert "None was found among the words that were asked." in right
    assert "Of no length were all words asked" in nothing
    assert "length -1" not in nothing
    assert "among those that were drawn; a shorter one beyond length 4 is possible" in drawn
    assert "abba" not in tell(replace(PAGES["drawn"], followers=()))
    assert "--answer accept --answers n,y --offset" in tell(PAGES["accept"])
    assert "answer accept (no is 'n', yes 'y') over up down" in str(PAGES["accept"])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "wrong" else pytest.mark.slow) for name in PAGES]
)
def test_a_page_is_inert_and_fits(browser, tmp_path, name):
    (path := tmp_path / "page.html").write_text(PAGES[name].page(), encoding="utf-8")
    assert "<script" not in path.read_text(encoding="utf-8")
    asked: list[str] = []
    for width in (375, 1280):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.on("console", lambda message: asked.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.eval_on_selector_all("details", "all => all.forEach((each) => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    assert set(asked) <= {path.as_uri(), "data:,"}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_violation(browser, axe, tmp_path, name, scheme):  # noqa: F811
    PAGES[name].page(tmp_path / "page.html")
    assert violations(browser, axe, (tmp_path / "page.html").as_uri(), scheme) == []
