"""What theory adds to a page: the classes that a target is in with their reasons, and what follows for n0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idinf.numbers import typeset
from idinf.render.html.markup import Markup, render_tag, shorten_numbers
from idinf.render.sentences import describe_expectation, describe_theory
from idinf.report.value import Report

#: Marks beside verdicts; the words say the same.
_MARKS = {"yes": "✓", "no": "✕", "none": "✕", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class KnownClasses:
    """What is known of a target."""

    rows: Sequence[tuple[str, str, str]]  #: class, verdict and reason
    inside: str  #: the verdict on C-RASP[periodic, local]


def render_verdict(element: str, verdict: str) -> Markup:
    """Write a verdict with its mark, as an element.

    Examples
    --------
    >>> print(render_verdict("td", "yes"))
    <td class="verdict yes">✓ yes</td>
    """
    return render_tag(element, f"{_MARKS.get(verdict, '')} {verdict}".strip(), class_=f"verdict {verdict}")


def render_theory(report: Report, known: KnownClasses | None) -> Markup:
    """Write what theory adds to a report: sentences, then the classes with their reasons.

    The theorem is about languages of words, so of next symbols there are the classes alone.
    """
    if known is None:
        return render_tag("p", "Nothing is said here of the classes that this target is in.")
    target, told = report.target, []
    if target.mode == "accept" and target.domain is None:
        told = [describe_expectation(target.title, known.inside), *describe_theory(report, known.inside)]
    else:
        told = ["The classes are those of the language that the target is made of, not of what is asked."]
    first, *others = (
        render_tag("p", shorten_numbers(typeset(text)), class_=None if k else "answer")
        for k, text in enumerate(told)
    )
    rows = (
        render_tag(
            "div",
            render_tag("dt", name),
            render_verdict("dd", verdict),
            render_tag("dd", reason, class_="note"),
        )
        for name, verdict, reason in known.rows
    )
    classes = render_tag("dl", *rows, class_="classes")
    return Markup(first + "".join(others) + render_tag("h3", "Classes, and why") + classes)
