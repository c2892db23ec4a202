"""One HTML page that explains a report: self-contained, works from a file, computes in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from idinf.experiments.bounds import ZERO, SpaceBounds, WholeClass
from idinf.experiments.spec import Answer
from idinf.formulas.legend import list_legend
from idinf.numbers import MISSING, format_number, format_r, format_word, typeset
from idinf.render.html.markup import Markup, fill_template, render_heads, render_tag
from idinf.render.html.script_data import ShownHypothesis, build_script_data, collect_hypotheses
from idinf.render.readings import build_supervision, format_fail, format_stage, join_stages
from idinf.render.sentences import describe_question, describe_verdict, list_caveats, sentences
from idinf.report.value import Record, Report
from idinf.targets.supervised import SupervisedTarget

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


def render_page(report: Report) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    The same report gives the same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run. Raises ReportFormatError if the target of the report
    defines nothing, or a hypothesis does not answer what it asks.
    """
    asked = build_supervision(report.target)
    shown = collect_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)
    target = report.target
    return fill_template(
        "page.html",
        ("forward.js", "target.js", "page.js"),
        data=_inert(json.dumps(build_script_data(report, shown, asked), separators=(",", ":"))),
        name=target.name,
        alphabet=" ".join(target.alphabet),
        source="\n\n".join(filter(None, (target.source.strip(), "\n".join(describe_question(target))))),
        seen=_seen(asked),
        lead=typeset(describe_verdict(report)),
        max_n=str(report.max_n),
        word_hint="separated by blanks" if target.spaced else "written without blanks",
        strip=_strip(report),
        key=_strip_key(report),
        records=_records_table(report),
        legend=_legend_list(report, shown, asked),
        outcome=Markup("".join(render_tag("p", typeset(text)) for text in sentences(report))),
        terms=_terms_table(report, shown),
        stages=_stages_table(report),
        space=_space_list(report),
        limits=render_tag("ul", *(render_tag("li", typeset(text)) for text in list_caveats(report))),
        version=report.idinf_version,
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


def _strip(report: Report) -> Markup:
    """One mark for each n: good, bad or undetermined; the table of stages says the same in words."""
    marks = [
        render_tag(
            "i", class_=stage.verdict + (" first" if stage.n == report.n0 else ""), data_n=str(stage.n)
        )
        for stage in report.stages
    ]
    return render_tag("div", *marks, class_="strip", aria_hidden="true")


def _strip_key(report: Report) -> Markup:
    """What the marks of the strip mean, as far as they occur."""
    found = {stage.verdict for stage in report.stages}
    marks: dict[str, str] = {name: name for name in ("good", "bad", "undetermined") if name in found}
    if report.n0 is not None:
        marks["good first"] = "n₀"
    return Markup(" ".join(f"{render_tag('i', class_=style)} {meaning}" for style, meaning in marks.items()))


def _records_table(report: Report) -> Markup:
    """The records with a place for their state at the n of the slider."""
    if not report.records:
        none = f"No hypothesis with R ≤ {format_number(report.complete_up_to_r)} is right on the empty word."
        return render_tag("p", none)
    bodies = [_record_rows(place, record, report) for place, record in enumerate(report.records)]
    caption = "Records: each is right on longer words than every cheaper one, until it is wrong"
    head = render_heads("R", "wrong at", "on the word", "at this n")
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
        render_tag("th", format_r(record.r), scope="row", class_="number"),
        render_tag("td", format_fail(record, report), class_="number"),
        render_tag("td", word, class_="word"),
        render_tag("td", class_="state"),
    )
    formula = render_tag(
        "tr", render_tag("td", render_tag("code", record.formula), colspan="4", class_="formula")
    )
    return render_tag("tbody", numbers, formula, data_hypothesis=str(place))


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
        rows.append(_numbers(header, (_aligned(of_one[name]) for of_one in terms)))
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
            *(render_tag("td", cell, class_="number" if k < 3 else None) for k, cell in enumerate(cells)),
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


def _aligned(value: float) -> Markup:
    """A number without the zeros at its end, which still take their place: points stand below points."""
    text = format_number(value)
    ghost = render_tag("span", format_r(value).removeprefix(text), class_="ghost", aria_hidden="true")
    return Markup(text + ghost)


def _numbers(header: Markup, cells: Iterable[str]) -> Markup:
    return render_tag("tr", header, *(render_tag("td", cell, class_="number") for cell in cells))


def _scrolling(table: Markup, name: str) -> Markup:
    """A table in a region of its own that scrolls, also by keyboard."""
    return render_tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=name)
