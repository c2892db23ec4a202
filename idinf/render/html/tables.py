"""The tables of a page: records, the terms of R, what is selected at every n, and the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idinf.experiments.bounds import FAMILY, ZERO, SpaceBounds, WholeClass
from idinf.formulas.legend import list_legend
from idinf.numbers import MISSING, format_number, format_r, format_up_to, format_word, typeset
from idinf.render.html.markup import Markup, render_heads, render_tag, shorten_numbers
from idinf.render.html.script_data import ShownHypothesis
from idinf.render.readings import format_fail, format_stage, join_stages, list_worst, write_formula_if_one_hot
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
    "layers": "layers L ≤",
    "heads": "heads per layer ≤",
    "units": "units per layer ≤",
    "precision": "fractional bits p ≤",
    "period": "period Δ ≤",
    "reach": "reach τ of φ ≤",
    "logit_max": "φ at most",
    "content_max": "entries of KᵀQ at most",
    "max_r": "budget: R at most",
    "work": "budget: steps of work",
    "realisation": "realisation",
}


def render_records(report: Report) -> Markup:
    """Write the records with a place for their state at the n of the slider."""
    if not report.records:
        level = typeset(f"R {format_up_to(report.complete_up_to_r)}")
        none = f"No hypothesis with {level} is right on the empty word."
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


def render_legend(report: Report, shown: Sequence[ShownHypothesis], asked: SupervisedTarget | None) -> Markup:
    """Write what the signs of the formulas mean."""
    formulas = [hypothesis.formula for hypothesis in shown]
    formulas += [write_formula_if_one_hot(record.hypothesis) for record in report.worst]
    lines = list_legend([formula for formula in formulas if formula is not None])
    symbol = report.target.alphabet[0]
    where = "word" if asked is None or not asked.everywhere else "prefix read so far"
    meanings = [f"#{symbol} is the number of {symbol} in the {where}; last is its last symbol", *lines]
    return render_tag("ul", *(render_tag("li", f"{line}.") for line in meanings), class_="legend")


def render_terms(report: Report, shown: Sequence[ShownHypothesis]) -> Markup:
    """Write R of every hypothesis, term by term; zero everywhere is left out."""
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


def render_stages(report: Report) -> Markup:
    """Write what is selected at every n; equal lines are joined."""
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
    table = render_tag("table", caption, head, render_tag("tbody", *body), id="stages")
    worst = [
        render_tag(
            "li",
            f"n = {numbers}: ",
            render_tag("code", record.formula),
            f", R = {shorten_numbers(format_r(record.r))}, is selected, and wrong on "
            f"{format_word(record.counterexample)}.",
        )
        for numbers, record in list_worst(report)
    ]
    return Markup(_scrolling(table, "Every n") + (render_tag("ul", *worst, id="worst") if worst else ""))


def render_space(report: Report) -> Markup:
    """Write the space that was searched by the bounds that restrict it, and its budgets."""
    space, limits = report.space, report.space.limits
    whole = isinstance(space, WholeClass)
    budgets: dict[str, object] = {key: limits[key] for key in ("max_r", "work") if key in limits}
    restrictions = {} if isinstance(space, WholeClass) else space.restrictions
    bounds: dict[str, object] = {
        "space": "one-hot family" if space.preset == FAMILY else space.preset,
        **restrictions,
        **budgets,
        "realisation": "any" if whole else "one-hot",
    }
    pairs = [(_SPACE.get(key, key), format_number(value)) for key, value in bounds.items()]
    if isinstance(space, SpaceBounds) and space.threshold == ZERO:
        pairs += [("threshold", "0"), ("match", space.match)]
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
