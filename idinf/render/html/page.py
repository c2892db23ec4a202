"""One HTML page that explains a report: self-contained, works from a file, computes in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from idinf.experiments.spec import Answer
from idinf.formulas.legend import legend
from idinf.numbers import MISSING, r_text, short, typeset, word_text
from idinf.render.html.markup import Markup, filled, heads, tag
from idinf.render.html.script_data import ShownHypothesis, script_data, shown_hypotheses
from idinf.render.readings import fail_text, joined_stages, stage_cells, supervision_of
from idinf.render.sentences import caveats, question_sentences, sentences, verdict
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


def page_text(report: Report) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    The same report gives the same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run. Raises ReportFormatError if the target of the report
    defines nothing, or a hypothesis does not answer what it asks.
    """
    asked = supervision_of(report.target)
    shown = shown_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)
    target = report.target
    return filled(
        "page.html",
        ("forward.js", "target.js", "page.js"),
        data=_inert(json.dumps(script_data(report, shown, asked), separators=(",", ":"))),
        name=target.name,
        alphabet=" ".join(target.alphabet),
        source="\n\n".join(filter(None, (target.source.strip(), "\n".join(question_sentences(target))))),
        seen=_seen(asked),
        lead=typeset(verdict(report)),
        max_n=str(report.max_n),
        word_hint="separated by blanks" if target.spaced else "written without blanks",
        strip=_strip(report),
        key=_strip_key(report),
        records=_records_table(report),
        legend=_legend_list(report, shown, asked),
        outcome=Markup("".join(tag("p", typeset(text)) for text in sentences(report))),
        terms=_terms_table(report, shown),
        stages=_stages_table(report),
        space=_space_list(report),
        limits=tag("ul", *(tag("li", typeset(text)) for text in caveats(report))),
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
        tag("i", class_=stage.verdict + (" first" if stage.n == report.n0 else ""), data_n=str(stage.n))
        for stage in report.stages
    ]
    return tag("div", *marks, class_="strip", aria_hidden="true")


def _strip_key(report: Report) -> Markup:
    """What the marks of the strip mean, as far as they occur."""
    found = {stage.verdict for stage in report.stages}
    marks: dict[str, str] = {name: name for name in ("good", "bad", "undetermined") if name in found}
    if report.n0 is not None:
        marks["good first"] = "n₀"
    return Markup(" ".join(f"{tag('i', class_=style)} {meaning}" for style, meaning in marks.items()))


def _records_table(report: Report) -> Markup:
    """The records with a place for their state at the n of the slider."""
    if not report.records:
        none = f"No hypothesis with R ≤ {short(report.complete_up_to_r)} is right on the empty word."
        return tag("p", none)
    bodies = [_record_rows(place, record, report) for place, record in enumerate(report.records)]
    caption = "Records: each is right on longer words than every cheaper one, until it is wrong"
    head = heads("R", "wrong at", "on the word", "at this n")
    return tag("table", tag("caption", caption), head, *bodies, id="records")


def _record_rows(place: int, record: Record, report: Report) -> Markup:
    word, text = Markup(MISSING), word_text(record.counterexample)
    if record.counterexample is not None:
        word = tag(
            "button",
            text,
            type="button",
            class_="word",
            data_word=record.counterexample,
            data_hypothesis=str(place),
            aria_label=f"Compute this hypothesis on {text}",
        )
    numbers = tag(
        "tr",
        tag("th", r_text(record.r), scope="row", class_="number"),
        tag("td", fail_text(record, report), class_="number"),
        tag("td", word, class_="word"),
        tag("td", class_="state"),
    )
    formula = tag("tr", tag("td", tag("code", record.formula), colspan="4", class_="formula"))
    return tag("tbody", numbers, formula, data_hypothesis=str(place))


def _legend_list(report: Report, shown: Sequence[ShownHypothesis], asked: SupervisedTarget | None) -> Markup:
    """What the signs of the formulas mean."""
    lines = legend([hypothesis.formula for hypothesis in shown if hypothesis.formula is not None])
    symbol = report.target.alphabet[0]
    where = "word" if asked is None or not asked.everywhere else "prefix read so far"
    meanings = [f"#{symbol} is the number of {symbol} in the {where}; last is its last symbol", *lines]
    return tag("ul", *(tag("li", f"{line}.") for line in meanings), class_="legend")


def _terms_table(report: Report, shown: Sequence[ShownHypothesis]) -> Markup:
    """R of every hypothesis, term by term; zero everywhere is left out."""
    terms = [hypothesis.terms.as_dict() for hypothesis in shown]
    names = [name for name in _TERMS if any(of_one[name] for of_one in terms)]
    labels = [f"record {number}" if h.is_record else "upper bound" for number, h in enumerate(shown, 1)]
    columns = [
        tag("th", label, scope="col", class_="number", data_hypothesis=str(place))
        for place, label in enumerate(labels)
    ]
    rows = []
    for name in names:
        sign, meaning = _TERMS[name]
        header = tag("th", tag("b", sign), " ", tag("span", meaning, class_="meaning"), scope="row")
        rows.append(_numbers(header, (_aligned(of_one[name]) for of_one in terms)))
    total = _numbers(tag("th", tag("b", "R"), " the sum", scope="row"), (r_text(h.r) for h in shown))
    table = tag(
        "table",
        tag("caption", f"The terms of R ({report.regularizer.aggregate.value} over layers and heads)"),
        tag("thead", tag("tr", tag("th", "term", scope="col"), *columns)),
        tag("tbody", *rows),
        tag("tfoot", total),
        id="terms",
    )
    left_out = [sign for name, (sign, _) in _TERMS.items() if name not in names]
    note = f"Zero for all of them and left out: {', '.join(left_out)}." if left_out and shown else ""
    return Markup(_scrolling(table, "Terms of R") + tag("p", note, class_="note"))


def _stages_table(report: Report) -> Markup:
    """What is selected at every n; equal lines are joined."""
    body = [
        tag(
            "tr",
            tag("th", numbers, scope="row", class_="number"),
            *(tag("td", cell, class_="number" if k < 3 else None) for k, cell in enumerate(cells)),
        )
        for numbers, cells in joined_stages(report, stage_cells)
    ]
    head = heads("n", "R*ₙ", "selected", "wrong by 2n", "verdict", "shortest counterexample")
    caption = tag("caption", "What the procedure selects, for every n")
    return _scrolling(tag("table", caption, head, tag("tbody", *body), id="stages"), "Every n")


def _space_list(report: Report) -> Markup:
    """The bounds of the space that was searched."""
    bounds = {"preset": report.space.preset, **report.space.to_dict(), "realisation": "one-hot"}
    pairs = [(_SPACE.get(key, key), short(value)) for key, value in bounds.items()]
    pairs.append(("tolerance", report.regularizer.window_text()))
    return tag("dl", *(tag("div", tag("dt", key), tag("dd", value)) for key, value in pairs), class_="space")


def _aligned(value: float) -> Markup:
    """A number without the zeros at its end, which still take their place: points stand below points."""
    text = short(value)
    ghost = tag("span", r_text(value).removeprefix(text), class_="ghost", aria_hidden="true")
    return Markup(text + ghost)


def _numbers(header: Markup, cells: Iterable[str]) -> Markup:
    return tag("tr", header, *(tag("td", cell, class_="number") for cell in cells))


def _scrolling(table: Markup, name: str) -> Markup:
    """A table in a region of its own that scrolls, also by keyboard."""
    return tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=name)
