"""Text, page, walkthrough and figures of a report say the same of its outcome, and nothing against it."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from idinf.base.numbers import typeset
from idinf.report.value import Outcome, Report
from idinf.show.figures.kinds import draw
from idinf.show.figures.runs import draw_curve, draw_frontier
from idinf.show.html.page import render_page
from idinf.show.sentences import describe_verdict, list_caveats, sentences
from idinf.show.text.answer import render_answer
from idinf.show.text.walkthrough import Table, tell
from tests.show.figures.drawn import said
from tests.show.reports import of_every_outcome

REPORTS = of_every_outcome()

#: What would contradict an outcome; n₀ and ≤ are written as n0 and <= before it is looked for.
AGAINST = {
    Outcome.IDENTIFIED_FOR_ALL_N: (
        r"n0 = \d+( in the one-hot family,)? for n <=",
        r"not a proof",
        r"nothing is claimed",
        r"and of no longer ones",
        r"says nothing",
        r"not identified",
        r"\bopen\b",
        r"no n0",
    ),
    Outcome.IDENTIFIED: (
        r"n0 = \d+( in the one-hot family,)? for every n\b",
        r"[Ff]or all n\b",
        r"not identified",
        r"\bopen\b",
        r"no n0",
    ),
    Outcome.NOT_IDENTIFIED: (r"n0 = \d", r"(?<!not )\bidentified\b", r"\bopen\b", r"learned:"),
    Outcome.OPEN: (r"\bidentified\b", r"n0 = \d", r"so there is no n0", r"none exists", r"stop bound:"),
    Outcome.NEVER: (r"\bidentified\b", r"n0 = \d", r"n0 >= \d", r"\bopen\b", r"stop bound:"),
}


class Visible(HTMLParser):
    """The texts of a page that are seen."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = False
        # Numbers in nine digits, which a reader can ask for.
        self.feed(re.sub(r'<span class="r" title="([^"]*)">.*?</span></span>', r"\1", page))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


def walkthrough(report: Report) -> str:
    blocks = [block for step in tell(report) for block in (step.title, *step.blocks)]
    cells = [" ".join(sum(block.rows, ())) if isinstance(block, Table) else block for block in blocks]
    return "\n".join(cells)


RENDERED: dict[str, Callable[[Report], str]] = {
    "text": render_answer,
    "page": lambda report: " ".join(Visible(render_page(report)).texts),
    "walkthrough": walkthrough,
    "frontier": lambda report: said(draw_frontier(report)),
    "curve": lambda report: said(draw_curve([("x", report)])),
    "observed": lambda report: said(draw("observed", [("x", report)])),
}


def plain(text: str) -> str:
    """Without what sets figures and pages apart: their signs, and where lines end."""
    for sign, written in (("₀", "0"), ("ₙ", "_n"), ("≤", "<="), ("≥", ">=")):
        text = text.replace(sign, written)
    return " ".join(text.split())


@pytest.mark.thinned(8)
@pytest.mark.parametrize("outcome", Outcome, ids=lambda outcome: outcome.value)
@pytest.mark.parametrize("kind", RENDERED)
def test_nothing_contradicts_the_outcome(kind: str, outcome: Outcome) -> None:
    report = REPORTS[outcome]
    told = plain(RENDERED[kind](report))
    if kind == "observed":  # its last lines speak of published numbers
        assert plain(describe_verdict(report)) in told
        told = told.split("Predicted: n0")[0]
    for against in AGAINST[outcome]:
        assert not re.search(against, told), re.search(f".{{0,60}}{against}.{{0,60}}", told)
    if kind in ("text", "page", "walkthrough"):
        assert all(plain(sentence).removesuffix(".") in told for sentence in sentences(report))
    if kind in ("page", "walkthrough"):
        assert all(plain(sentence) in told for sentence in list_caveats(report))
    if kind in ("frontier", "curve"):
        assert plain(sentences(report)[0]) in told
    if kind in ("frontier", "curve"):
        assert plain(describe_verdict(report)) in told


@pytest.mark.thinned(3)
@pytest.mark.parametrize("outcome", Outcome, ids=lambda outcome: outcome.value)
def test_what_is_looked_for_could_be_found(outcome: Outcome) -> None:
    """Every pattern is met by what is said of another outcome, or of a sentence that was once written."""
    others = [plain(RENDERED["page"](report)) for known, report in REPORTS.items() if known is not outcome]
    others += ["That a hypothesis is right is not a proof for all lengths. It says nothing about n beyond."]
    others += ["so there is no n0; none exists; proved for all n. What is learned: x; stop bound: 9"]
    others += ["identified", "not identified"]
    assert all(any(re.search(against, other) for other in others) for against in AGAINST[outcome])


def test_signs_are_set_and_names_and_numbers_are_not() -> None:
    assert typeset("n0 = 3 for n <= 64") == "n₀ = 3 for n ≤ 64"
    assert typeset("R*_n for n in [3, 40] and R*_64; dyck-n01, a<=b") == (
        "R*ₙ for n in [3, 40] and R*₆₄; dyck-n01, a<=b"
    )
