"""HTML pages that load nothing: one report explained, two side by side, and the trace of a program.

Pages of reports compute in the browser; the page of a trace has the values of every operation on a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from idinf.base.numbers import format_number, format_up_to, format_word
from idinf.crasp.interpreter import Trace
from idinf.crasp.programs import LoadedProgram
from idinf.crasp.syntax import format_expression
from idinf.report.value import Report
from idinf.show.html.guided_steps import tell_steps, write_data, write_exercises
from idinf.show.html.script_data import ShownHypothesis, build_script_data, collect_hypotheses
from idinf.show.html.templates import render_template
from idinf.show.report_facts import (
    build_supervision,
    format_stage,
    join_stages,
    list_worst,
    write_formula_if_one_hot,
)
from idinf.show.sentences import (
    describe_expectation,
    describe_question,
    describe_theory,
    headline,
    list_caveats,
    sentences,
    tell_space,
)
from idinf.spec.bounds import APART, FAMILY, ZERO, SpaceBounds, WholeClass
from idinf.spec.spec import Answer
from idinf.targets.supervised import SupervisedTarget
from idinf.translate.formulas.legend import list_legend
from idinf.version import __version__

#: The files of the script in their order; `page.js` says the purpose of each.
SCRIPTS = tuple(
    f"{name}.js"
    for names in (
        ("forward", "target", "elements", "words", "selection", "address", "scales"),
        ("frontier", "slider", "status", "records", "terms", "guess", "questions"),
        ("lesson", "exercises", "arcs", "trace", "computed", "notes", "page"),
    )
    for name in names
)


@dataclass(frozen=True, slots=True)
class KnownClasses:
    """Known classes of a target."""

    rows: Sequence[tuple[str, str, str]]  #: class, verdict and reason
    inside: str  #: the verdict on C-RASP[periodic, local]


def render_page(
    report: Report, known: KnownClasses | None = None, links: Mapping[str, str] | None = None
) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    Where a smaller space answers beside an open one, both are shown side by side. The same report gives the
    same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run.

    ``links`` are other pages of a site, as texts with addresses. Raises ReportFormatError if the target of
    the report defines nothing, or a hypothesis has another kind of answer.
    """
    if report.smaller:
        return render_pair((report, report.smaller[0]), (known, known), links)
    return render_template(
        "page.html",
        SCRIPTS,
        side=_describe(report, known),
        exercises=write_exercises([report]),
        links=links or {},
        version=report.idinf_version,
    )


def render_pair(
    reports: tuple[Report, Report],
    known: tuple[KnownClasses | None, KnownClasses | None],
    links: Mapping[str, str] | None = None,
) -> str:
    """Write two reports side by side, as `render_page` does one, with one n for both.

    Each side is the page of one report, in a shadow tree of its own.
    """
    names = [report.target.name for report in reports]
    if names[0] == names[1]:
        places = [tell_space(report.space) for report in reports]
        if places[0] == places[1]:
            places = ["first", "second"]
        names = [f"{name} ({place})" for name, place in zip(names, places, strict=True)]
    first = _describe(reports[0], known[0], names[0])
    sides = [first, _describe(reports[1], known[1], names[1], is_second=True)]
    seen = sides[0]["seen"]
    is_same = seen == sides[1]["seen"]
    if is_same:  # said once, above both
        sides = [{**side, "seen": None} for side in sides]
    last_n = min(report.max_n for report in reports)
    further = [f"{name} to {r.max_n}" for name, r in zip(names, reports, strict=True) if r.max_n > last_n]
    versions = sorted({report.idinf_version for report in reports})
    return render_template(
        "pair.html",
        SCRIPTS,
        name=f"{names[0]} beside {names[1]}",
        sides=sides,
        exercises=write_exercises(reports),
        seen=seen if is_same else None,
        links=links or {},
        last_n=last_n,
        further=further[0] if further else None,
        version=" and ".join(versions),
    )


def check_report(report: Report) -> None:
    """Refuse, as `render_page` does, a report of which no page can be made."""
    asked = build_supervision(report.target)
    collect_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)


def _describe(
    report: Report, known: KnownClasses | None, name: str | None = None, is_second: bool = False
) -> dict[str, object]:
    """The values of one report; ``name`` differs from that of the report beside it."""
    asked = build_supervision(report.target)
    shown = collect_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)
    target, data = report.target, build_script_data(report, shown, asked)
    data["steps"] = tell_steps(report, None if known is None else known.inside, is_second)
    return {
        "report": report,
        "shown": shown,
        "name": target.name if name is None else name,
        "lead": headline(report),
        "seen": _seen(asked),
        "source": "\n\n".join(filter(None, (target.source.strip(), "\n".join(describe_question(target))))),
        "data": write_data(data),
        "can_guess": bool(data["rules"]),
        "complete": f"R {format_up_to(report.complete_up_to_r)}",
        "legend": _legend(report, shown, asked),
        "theory": [] if known is None else _theory(report, known),
        "classes": None if known is None else known.rows,
        "outcome": sentences(report),
        "stages": list(join_stages(report, format_stage)),
        "worst": list(list_worst(report)),
        "space": _space(report),
        "limits": list_caveats(report),
    }


def _seen(asked: SupervisedTarget | None) -> str:
    """Words and labels that the procedure sees, in one phrase."""
    if asked is None:
        return "every word up to length n with its label"
    words = "every word" if asked.domain is None else "every word that counts"
    label = "what follows each prefix" if asked.everywhere else "its label"
    return f"{words} up to length n with {label}"


def _legend(report: Report, shown: Sequence[ShownHypothesis], asked: SupervisedTarget | None) -> list[str]:
    """Meanings of the signs in formulas."""
    formulas = [hypothesis.formula for hypothesis in shown]
    formulas += [write_formula_if_one_hot(record.hypothesis) for record in report.worst]
    lines = list_legend([formula for formula in formulas if formula is not None])
    symbol = report.target.alphabet[0]
    where = "word" if asked is None or not asked.everywhere else "prefix read so far"
    return [f"#{symbol} is the number of {symbol} in the {where}; last is its last symbol", *lines]


def _theory(report: Report, known: KnownClasses) -> list[str]:
    """Sentences of theory; it is about languages of words, so next symbols have the classes alone."""
    target = report.target
    if target.mode == "accept" and target.domain is None:
        return [describe_expectation(target.title, known.inside), *describe_theory(report, known.inside)]
    return ["The classes are those of the language that the target is made of, not of what is asked."]


def _space(report: Report) -> list[tuple[str, str]]:
    """The space that was searched by the bounds that restrict it, and its budgets."""
    space, limits = report.space, report.space.limits
    bounds: dict[str, object] = {
        "space": "one-hot family" if space.preset == FAMILY else space.preset,
        **({} if isinstance(space, WholeClass) else space.restrictions),
        **{key: limits[key] for key in ("max_r", "work") if key in limits},
    }
    pairs = [(key, format_number(value)) for key, value in bounds.items()]
    if isinstance(space, SpaceBounds) and space.threshold == ZERO:
        pairs += [("threshold", "0"), ("match", space.match)]
    if isinstance(space, SpaceBounds) and space.letters == APART:
        pairs += [("letters", space.letters)]
    return [*pairs, ("tolerance", report.regularizer.window_text())]


def trace_page(loaded: LoadedProgram, trace: Trace) -> str:
    """Write the page of a trace of a program: a whole HTML document with its style inside and no script.

    The same trace gives the same text, and nothing of the program or the word can become markup.

    >>> from idinf.crasp.programs import load
    >>> from idinf.crasp.interpreter import trace_of
    >>> loaded = load("majority")
    >>> "accepted" in trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), (1,)))
    True
    """
    word, facts = format_word(trace.word), loaded.facts
    operations = zip(facts.operations, loaded.program.definitions, strict=True)
    return render_template(
        "trace.html",
        name=loaded.origin,
        word=word,
        lead=f"{word}: {'accepted' if trace.accepted else 'rejected'}",
        about=loaded.about,
        text=loaded.text.strip("\n"),
        symbols=trace.symbols,
        rows=trace.rows,
        operations=[
            (operation.name, format_expression(definition.expression), operation.sort.value, operation.depth)
            for operation, definition in operations
        ],
        version=__version__,
        class_name=facts.class_name,
        depth=facts.depth,
    )
