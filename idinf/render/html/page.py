"""HTML pages that explain one report, or two side by side: self-contained, and computed in the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping

from idinf.experiments.spec import Answer
from idinf.numbers import typeset
from idinf.render.html.glossary import explain, render_notes
from idinf.render.html.markup import (
    Markup,
    fill_part,
    fill_template,
    render_tag,
    shorten_numbers,
)
from idinf.render.html.script_data import build_script_data, collect_hypotheses
from idinf.render.html.tables import (
    render_legend,
    render_records,
    render_space,
    render_stages,
    render_terms,
)
from idinf.render.html.theory import KnownClasses, render_theory
from idinf.render.readings import build_supervision
from idinf.render.sentences import (
    describe_question,
    headline,
    list_caveats,
    sentences,
    tell_space,
)
from idinf.report.value import Report
from idinf.targets.supervised import SupervisedTarget

#: The script in the order in which its files stand one behind the other; `page.js` says what each is for.
SCRIPTS = tuple(
    f"{name}.js"
    for name in (
        *(
            "forward",
            "target",
            "average",
            "elements",
            "words",
            "selection",
            "what_if",
            "address",
            "scales",
            "frontier",
        ),
        *(
            "slider",
            "status",
            "records",
            "terms",
            "gates",
            "rule",
            "guess",
            "arcs",
            "trace",
            "computed",
            "notes",
        ),
        "page",
    )
)

_INTRO = (
    "The learner sees {seen}, and picks among the [transformer|Limit Transformers] that are right on all of "
    "them one of least [r|R], or little more. n is [good|good] if all that it may pick is right up to length "
    "2n as well; [n0|n₀] is where n becomes good for good. Move n, and see what is left."
)


def render_page(
    report: Report, known: KnownClasses | None = None, links: Mapping[str, str] | None = None
) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    Where a smaller space answers beside an open one, both are shown side by side. The same report gives the
    same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run.

    Parameters
    ----------
    known : KnownClasses, optional
        The classes that the target is in.
    links : mapping of str, optional
        Other pages of a site: what a link says, and where it leads.

    Raises
    ------
    ReportFormatError
        If the target of the report defines nothing, or a hypothesis does not answer what it asks.
    """
    if report.smaller is not None:
        return render_pair((report, report.answers[-1]), (known, known), links)
    return fill_template(
        "page.html",
        SCRIPTS,
        name=report.target.name,
        head=_render_head(report, "h1", intro=_render_intro(report)),
        links=_render_links(links),
        report=_render_side(report, known, control=_control(report.max_n)),
        version=report.idinf_version,
    )


def render_pair(
    reports: tuple[Report, Report],
    known: tuple[KnownClasses | None, KnownClasses | None],
    links: Mapping[str, str] | None = None,
) -> str:
    """Write two reports side by side, as `render_page` does one, with one n for both.

    Each side is what the page of one report is, in a shadow tree of its own.
    """
    names = [report.target.name for report in reports]
    if names[0] == names[1]:
        places = [tell_space(report.space) for report in reports]
        if places[0] == places[1]:
            places = ["first", "second"]
        names = [f"{name} ({place})" for name, place in zip(names, places, strict=True)]
    intros = [_render_intro(report) for report in reports]
    is_same = intros[0] == intros[1]
    left, right = (
        Markup(
            render_tag(
                "header", _render_head(report, "h2", Markup("") if is_same else intro, name), tabindex="-1"
            )
            + _render_side(report, of_one, beside=name)
        )
        for report, of_one, intro, name in zip(reports, known, intros, names, strict=True)
    )
    last_n = min(report.max_n for report in reports)
    further = [f"{name} to {r.max_n}" for name, r in zip(names, reports, strict=True) if r.max_n > last_n]
    versions = sorted({report.idinf_version for report in reports})
    return fill_template(
        "pair.html",
        SCRIPTS,
        name=f"{names[0]} beside {names[1]}",
        intro=intros[0] if is_same else Markup(""),
        links=_render_links(links),
        notes=render_notes(),
        range=f"n goes as far as both were examined, to {last_n}; {further[0]}." if further else "",
        control=_control(last_n, Markup('<p id="verdicts" class="key"></p>\n')),
        first=names[0],
        second=names[1],
        left=left,
        right=right,
        version=" and ".join(versions),
    )


def check_report(report: Report) -> None:
    """Refuse, as `render_page` does, a report of which no page can be made."""
    asked = build_supervision(report.target)
    collect_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)


def _control(last_n: int, verdicts: str = "") -> Markup:
    return fill_part("control.html", last_n=str(last_n), verdicts=verdicts)


def _render_links(links: Mapping[str, str] | None) -> Markup:
    if not links:
        return Markup("")
    parts = (render_tag("a", text, href=address) for text, address in links.items())
    return render_tag("nav", *parts, class_="note", aria_label="Other pages")


def _render_intro(report: Report) -> Markup:
    """What the procedure does, for those who do not know it."""
    return render_tag(
        "p", explain(_INTRO.format(seen=_seen(build_supervision(report.target)))), class_="intro"
    )


def _render_head(report: Report, level: str, intro: Markup, name: str | None = None) -> Markup:
    """What a report is about."""
    target = report.target
    return fill_part(
        "report_head.html",
        title=render_tag(level, target.name if name is None else name),
        lead=shorten_numbers(typeset(headline(report))),
        intro=intro,
        alphabet=" ".join(target.alphabet),
        source="\n\n".join(filter(None, (target.source.strip(), "\n".join(describe_question(target))))),
    )


def _render_side(
    report: Report,
    known: KnownClasses | None,
    control: str = "",
    beside: str | None = None,
) -> Markup:
    """The sections of a report; where it stands beside another one they name it."""
    asked = build_supervision(report.target)
    shown = collect_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)
    target, data = report.target, build_script_data(report, shown, asked)
    can_guess = data["target"] is not None and (asked is None or not asked.everywhere)
    return fill_part(
        "report.html",
        data=_inert(json.dumps(data, separators=(",", ":"))),
        beside=Markup("") if beside is None else render_tag("span", f" · {beside}", class_="beside"),
        control=control,
        alphabet=" ".join(target.alphabet),
        word_hint="separated by blanks" if target.spaced else "written without blanks",
        second_title="Guess first" if can_guess else "What the learner goes through",
        revealed=Markup("" if can_guess else " open"),
        reveal=f"{'Show' if can_guess else 'The records:'} what the learner goes through",
        records=render_records(report),
        legend=render_legend(report, shown, asked),
        theory=render_theory(report, known),
        outcome=Markup(
            "".join(render_tag("p", shorten_numbers(typeset(text))) for text in sentences(report))
        ),
        terms=render_terms(report, shown),
        stages=render_stages(report),
        space=render_space(report),
        limits=render_tag(
            "ul", *(render_tag("li", shorten_numbers(typeset(text))) for text in list_caveats(report))
        ),
        notes=render_notes(),
    )


def _inert(text: str) -> Markup:
    """JSON that no HTML parser reads as a tag or a comment."""
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _seen(asked: SupervisedTarget | None) -> str:
    """What the procedure sees, as far as the page says it in one sentence."""
    if asked is None:
        return "every word up to length n with its label"
    words = "every word" if asked.domain is None else "every word that counts"
    label = "what follows each prefix" if asked.everywhere else "its label"
    return f"{words} up to length n with {label}"
