"""HTML pages that explain one report, or two side by side: self-contained, and computed in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from idinf.experiments.bounds import ZERO, SpaceBounds, WholeClass
from idinf.experiments.spec import Answer
from idinf.formulas.legend import list_legend
from idinf.numbers import MISSING, format_number, format_r, format_word, typeset
from idinf.render.html.glossary import explain, render_notes
from idinf.render.html.markup import (
    Markup,
    fill_part,
    fill_template,
    render_heads,
    render_tag,
    shorten_numbers,
)
from idinf.render.html.script_data import ShownHypothesis, build_script_data, collect_hypotheses
from idinf.render.html.theory import KnownClasses, render_theory
from idinf.render.readings import build_supervision, format_fail, format_stage, join_stages
from idinf.render.sentences import describe_question, describe_verdict, list_caveats, sentences
from idinf.report.value import Record, Report
from idinf.targets.supervised import SupervisedTarget

#: The script in the order in which its files stand one behind the other; `page.js` says what each is for.
SCRIPTS = tuple(
    f"{name}.js"
    for name in (
        *("forward", "target", "elements", "words", "selection", "what_if", "address", "scales", "frontier"),
        *("slider", "status", "records", "terms", "rule", "guess", "arcs", "trace", "computed", "notes", "page"),
    )
)

_INTRO = (
    "The learner sees {seen}, and picks among the [transformer|Limit Transformers] that are right on all of "
    "them one of least [r|R], or little more. n is [good|good] if all that it may pick is right up to length "
    "2n as well; [n0|n₀] is where n becomes good for good. Move n, and see what is left."
)

#: Signs and meanings of the terms of R.
_TERMS = {
    "layers_plus_heads": ("L + H", "layers, and the most heads in a layer"),
    "precision": ("p", "fractional bits"),
    "rank_V": ("rank V", "rank of the value matrices"),
    "norm_KQ": ("‖KᵀQ‖", "norm of the logit matrices"),
    "norm_V": ("‖V‖", "norm of the value matrices"),
    "norm_A": ("‖A‖", "what the units read"),
    "norm_B": ("‖B‖", "what the units write"),
    "norm_U": ("‖U‖", "norm of the output matrix"),
    "norm_p": ("‖p‖", "longest positional vector"),
    "norm_E": ("‖E‖", "longest embedding"),
    "norm_b": ("‖b‖", "biases of the units"),
    "phi": ("Σφ²", "squares of the local biases φ(k)"),
    "period": ("Δ", "period of the positions, if above 1"),
}

_SPACE = {
    "preset": "preset",
    "layers": "layers L ≤",
    "heads": "heads per layer ≤",
    "units": "units per layer ≤",
    "precision": "fractional bits p ≤",
    "period": "period Δ ≤",
    "reach": "reach τ of φ ≤",
    "logit_max": "φ at most",
    "content_max": "entries of KᵀQ at most",
    "max_r": "budget: R at most",
    "realisation": "realisation",
}


def render_page(report: Report, known: KnownClasses | None = None, home: str | None = None) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    The same report gives the same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run. ``home`` is where a link leads back to. Raises
    ReportFormatError if the target of the report defines nothing, or a hypothesis does not answer what it asks.
    """
    back = "" if home is None else render_tag("p", render_tag("a", "All targets", href=home), class_="note")
    return fill_template(
        "page.html",
        SCRIPTS,
        name=report.target.name,
        head=_render_head(report, "h1"),
        home=Markup(back),
        report=_render_side(report, known, control=_control(report.max_n)),
        version=report.idinf_version,
    )


def render_pair(
    reports: tuple[Report, Report], known: tuple[KnownClasses | None, KnownClasses | None]
) -> str:
    """Write two reports side by side, as `render_page` does one, with one n for both.

    Each side is what the page of one report is, in a shadow tree of its own.
    """
    names = [report.target.name for report in reports]
    if names[0] == names[1]:
        names = [f"{name} ({place})" for name, place in zip(names, ("first", "second"), strict=True)]
    left, right = (
        Markup(
            render_tag("header", _render_head(report, "h2", name)) + _render_side(report, of_one, beside=name)
        )
        for report, of_one, name in zip(reports, known, names, strict=True)
    )
    last_n = min(report.max_n for report in reports)
    further = [f"{name} to {r.max_n}" for name, r in zip(names, reports, strict=True) if r.max_n > last_n]
    versions = sorted({report.idinf_version for report in reports})
    return fill_template(
        "pair.html",
        SCRIPTS,
        name=f"{names[0]} beside {names[1]}",
        range=f"n goes as far as both were examined, to {last_n}; {further[0]}." if further else "",
        control=_control(last_n, Markup('<p id="verdicts" class="key"></p>\n')),
        first=names[0],
        second=names[1],
        left=left,
        right=right,
        version=" and ".join(versions),
    )


def _control(last_n: int, verdicts: Markup = Markup("")) -> Markup:
    return fill_part("control.html", last_n=str(last_n), verdicts=verdicts)


def _render_head(report: Report, level: str, name: str | None = None) -> Markup:
    """What a report is about."""
    target = report.target
    return fill_part(
        "report_head.html",
        title=render_tag(level, target.name if name is None else name),
        lead=shorten_numbers(typeset(describe_verdict(report))),
        intro=explain(_INTRO.format(seen=_seen(build_supervision(target)))),
        alphabet=" ".join(target.alphabet),
        source="\n\n".join(filter(None, (target.source.strip(), "\n".join(describe_question(target))))),
    )


def _render_side(
    report: Report,
    known: KnownClasses | None,
    control: Markup = Markup(""),
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
        records=_records_table(report),
        legend=_legend_list(report, shown, asked),
        theory=render_theory(report, known),
        outcome=Markup(
            "".join(render_tag("p", shorten_numbers(typeset(text))) for text in sentences(report))
        ),
        terms=_terms_table(report, shown),
        stages=_stages_table(report),
        space=_space_list(report),
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


def _records_table(report: Report) -> Markup:
    """The records with a place for their state at the n of the slider."""
    if not report.records:
        none = f"No hypothesis with R ≤ {format_number(report.complete_up_to_r)} is right on the empty word."
        return render_tag("p", none)
    bodies = [_record_rows(place, record, report) for place, record in enumerate(report.records)]
    caption = "Records: each is right on longer words than every cheaper one, until it is wrong"
    head = render_heads("R", "wrong from", "on the word", "at this n")
    return render_tag("table", render_tag("caption", caption), head, *bodies, id="records")


def _record_rows(place: int, record: Record, report: Report) -> Markup:
    word, text = Markup(MISSING), format_word(record.counterexample)
    if record.counterexample is not None:
        word = render_tag(
            "button",
            text,
            type="button",
            class_="word",
            data_word=record.counterexample,
            data_hypothesis=str(place),
            aria_label=f"Compute this hypothesis on {text}",
        )
    numbers = render_tag(
        "tr",
        render_tag("th", shorten_numbers(format_r(record.r)), scope="row", class_="number"),
        render_tag("td", format_fail(record, report), class_="number"),
        render_tag("td", word, class_="word"),
        render_tag("td", class_="state"),
    )
    formula = render_tag(
        "tr", render_tag("td", render_tag("code", record.formula), colspan="4", class_="formula")
    )
    return render_tag("tbody", numbers, formula, data_hypothesis=str(place), data_lit=f"hypothesis:{place}")


def _legend_list(report: Report, shown: Sequence[ShownHypothesis], asked: SupervisedTarget | None) -> Markup:
    """What the signs of the formulas mean."""
    lines = list_legend([hypothesis.formula for hypothesis in shown if hypothesis.formula is not None])
    symbol = report.target.alphabet[0]
    where = "word" if asked is None or not asked.everywhere else "prefix read so far"
    meanings = [f"#{symbol} is the number of {symbol} in the {where}; last is its last symbol", *lines]
    return render_tag("ul", *(render_tag("li", f"{line}.") for line in meanings), class_="legend")


def _terms_table(report: Report, shown: Sequence[ShownHypothesis]) -> Markup:
    """R of every hypothesis, term by term; zero everywhere is left out."""
    terms = [hypothesis.terms.as_dict() for hypothesis in shown]
    names = [name for name in _TERMS if any(of_one[name] for of_one in terms)]
    labels = [f"record {number}" if h.is_record else "upper bound" for number, h in enumerate(shown, 1)]
    columns = [
        render_tag("th", label, scope="col", class_="number", data_hypothesis=str(place))
        for place, label in enumerate(labels)
    ]
    rows = []
    for name in names:
        sign, meaning = _TERMS[name]
        header = render_tag(
            "th", render_tag("b", sign), " ", render_tag("span", meaning, class_="meaning"), scope="row"
        )
        rows.append(_numbers(header, (format_r(of_one[name]) for of_one in terms), f"r:{name}"))
    total = _numbers(
        render_tag("th", render_tag("b", "R"), " the sum", scope="row"), (format_r(h.r) for h in shown)
    )
    table = render_tag(
        "table",
        render_tag("caption", f"The terms of R ({report.regularizer.aggregate.value} over layers and heads)"),
        render_tag("thead", render_tag("tr", render_tag("th", "term", scope="col"), *columns)),
        render_tag("tbody", *rows),
        render_tag("tfoot", total),
        id="terms",
    )
    left_out = [sign for name, (sign, _) in _TERMS.items() if name not in names]
    note = f"Zero for all of them and left out: {', '.join(left_out)}." if left_out and shown else ""
    return Markup(_scrolling(table, "Terms of R") + render_tag("p", note, class_="note"))


def _stages_table(report: Report) -> Markup:
    """What is selected at every n; equal lines are joined."""
    body = [
        render_tag(
            "tr",
            render_tag("th", numbers, scope="row", class_="number"),
            *(
                render_tag("td", shorten_numbers(cell, trim=False), class_="number" if k < 3 else None)
                for k, cell in enumerate(cells)
            ),
        )
        for numbers, cells in join_stages(report, format_stage)
    ]
    head = render_heads("n", "R*ₙ", "selected", "wrong by 2n", "verdict", "shortest counterexample")
    caption = render_tag("caption", "What the procedure selects, for every n")
    return _scrolling(render_tag("table", caption, head, render_tag("tbody", *body), id="stages"), "Every n")


def _space_list(report: Report) -> Markup:
    """The bounds of the space that was searched."""
    whole = isinstance(report.space, WholeClass)
    named = {"class" if whole else "preset": report.space.preset}
    bounds = {**named, **report.space.to_dict(), "realisation": "any" if whole else "one-hot"}
    pairs = [(_SPACE.get(key, key), format_number(value)) for key, value in bounds.items()]
    if isinstance(report.space, SpaceBounds) and report.space.threshold == ZERO:
        pairs += [("threshold", "0"), ("match", report.space.match)]
    pairs.append(("tolerance", report.regularizer.window_text()))
    return render_tag(
        "dl",
        *(render_tag("div", render_tag("dt", key), render_tag("dd", value)) for key, value in pairs),
        class_="space",
    )


def _numbers(header: Markup, cells: Iterable[str], lit: str | None = None) -> Markup:
    numbers = (render_tag("td", shorten_numbers(cell, trim=False), class_="number") for cell in cells)
    return render_tag("tr", header, *numbers, data_lit=lit)


def _scrolling(table: Markup, name: str) -> Markup:
    """A table in a region of its own that scrolls, also by keyboard."""
    return render_tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=name)
