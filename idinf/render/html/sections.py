"""The tables of a page: verdicts, records, terms of R, stages, the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idinf.formulas.legend import legend
from idinf.render.html.content import Content, Shown, Stage
from idinf.render.html.markup import Markup, tag
from idinf.render.html.numbers import aligned, r_text, short

__all__ = [
    "legend_list",
    "records_table",
    "space_list",
    "stages_table",
    "strip",
    "strip_key",
    "terms_table",
]

_VERDICTS = {True: "good", False: "bad", None: "undetermined"}

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


def strip(content: Content) -> Markup:
    """One mark for each n: good, bad or undetermined; the table of stages says the same in words."""
    marks = [
        tag(
            "i",
            class_=_VERDICTS[stage.good] + (" first" if stage.n == content.n0 else ""),
            data_n=str(stage.n),
        )
        for stage in content.stages
    ]
    return tag("div", *marks, class_="strip", aria_hidden="true")


def strip_key(content: Content) -> Markup:
    """What the marks of the strip mean, as far as they occur."""
    found = {stage.good for stage in content.stages}
    marks = [(name, name) for good, name in _VERDICTS.items() if good in found]
    marks += [] if content.n0 is None else [("good first", "n0")]
    return Markup(" ".join(f"{tag('i', class_=style)} {meaning}" for style, meaning in marks))


def records_table(content: Content) -> Markup:
    """The records with a place for their state at the n of the slider."""
    if not content.records:
        return tag(
            "p", f"No hypothesis with R ≤ {short(content.complete_up_to_r)} is right on the empty word."
        )
    bodies = [_record_rows(place, shown, content) for place, shown in enumerate(content.records)]
    head = tag(
        "thead",
        tag(
            "tr",
            *(tag("th", title, scope="col") for title in ("R", "wrong at", "on the word", "at this n")),
        ),
    )
    caption = tag(
        "caption",
        "Records: each is right on longer words than every cheaper one, until it is wrong",
    )
    return tag("table", caption, head, *bodies, id="records")


def _record_rows(place: int, shown: Shown, content: Content) -> Markup:
    fail = f"> {2 * content.max_n}" if shown.fail is None else str(shown.fail)
    word = Markup("–")
    if shown.counterexample is not None:
        text = shown.counterexample or "ε"
        word = tag(
            "button",
            text,
            type="button",
            class_="word",
            data_word=shown.counterexample,
            data_hypothesis=str(place),
            aria_label=f"Compute this hypothesis on {text}",
        )
    numbers = tag(
        "tr",
        tag("th", r_text(shown.r), scope="row", class_="number"),
        tag("td", fail, class_="number"),
        tag("td", word, class_="word"),
        tag("td", class_="state"),
    )
    formula = tag("tr", tag("td", tag("code", shown.text), colspan="4", class_="formula"))
    return tag("tbody", numbers, formula, data_hypothesis=str(place))


def legend_list(content: Content) -> Markup:
    """What the signs of the formulas mean."""
    lines = legend([shown.formula for shown in content.hypotheses if shown.formula is not None])
    symbol = content.alphabet[0]
    where = "word" if content.asked is None or not content.asked.everywhere else "prefix read so far"
    meanings = [f"#{symbol} is the number of {symbol} in the {where}; last is its last symbol", *lines]
    return tag("ul", *(tag("li", f"{line}.") for line in meanings), class_="legend")


def terms_table(content: Content) -> Markup:
    """R of every hypothesis, term by term; zero everywhere is left out."""
    shown = content.hypotheses
    names = [
        name
        for name in dict.fromkeys(n for h in shown for n in h.terms)
        if any(h.terms.get(name) for h in shown)
    ]
    heads = [tag("th", "term", scope="col")]
    heads += [
        tag("th", _label(place, hypothesis), scope="col", class_="number", data_hypothesis=str(place))
        for place, hypothesis in enumerate(shown)
    ]
    rows = []
    for name in names:
        sign, meaning = _TERMS.get(name, (name, ""))
        header = tag("th", tag("b", sign), " ", tag("span", meaning, class_="meaning"), scope="row")
        cells = (aligned(hypothesis.terms.get(name, 0.0)) for hypothesis in shown)
        rows.append(_numbers(header, cells))
    total = _numbers(tag("th", tag("b", "R"), " the sum", scope="row"), (r_text(h.r) for h in shown))
    left_out = [sign for name, (sign, _) in _TERMS.items() if name not in names]
    table = tag(
        "table",
        tag("caption", f"The terms of R ({content.aggregate} over layers and heads)"),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        tag("tfoot", total),
        id="terms",
    )
    note = f"Zero for all of them and left out: {', '.join(left_out)}." if left_out and shown else ""
    return Markup(_scrolling(table, "Terms of R") + tag("p", note, class_="note"))


def stages_table(content: Content) -> Markup:
    """What is selected at every n; equal lines are joined."""
    rows: list[tuple[list[int], tuple[str, ...]]] = []
    for stage in content.stages:
        cells = _stage_cells(stage)
        if rows and rows[-1][1] == cells:
            rows[-1][0].append(stage.n)
        else:
            rows.append(([stage.n], cells))
    titles = ("n", "R*ₙ", "selected", "wrong by 2n", "verdict", "shortest counterexample")
    head = tag("tr", *(tag("th", title, scope="col") for title in titles))
    body = [
        tag(
            "tr",
            tag("th", _range(numbers), scope="row", class_="number"),
            *(tag("td", cell, class_="number" if k < 3 else None) for k, cell in enumerate(cells)),
        )
        for numbers, cells in rows
    ]
    caption = tag("caption", "What the procedure selects, for every n")
    return _scrolling(tag("table", caption, tag("thead", head), tag("tbody", *body), id="stages"), "Every n")


def space_list(content: Content) -> Markup:
    """The bounds of the space that was searched."""
    pairs = [
        tag("div", tag("dt", _SPACE.get(key, key)), tag("dd", short(value)))
        for key, value in content.space.items()
    ]
    tolerance = "1/(2n)" if content.tolerance is None else short(content.tolerance)
    pairs.append(tag("div", tag("dt", "tolerance"), tag("dd", tolerance)))
    return tag("dl", *pairs, class_="space")


def _label(place: int, shown: Shown) -> str:
    return f"record {place + 1}" if shown.record else "upper bound"


def _stage_cells(stage: Stage) -> tuple[str, ...]:
    verdict = _VERDICTS[stage.good]
    if stage.r_star is None:
        return f"> {short(stage.r_star_lower)}", "–", "–", verdict, "–"
    at_least = "" if stage.num_selected_exact else "≥ "
    word = "–" if stage.counterexample is None else stage.counterexample or "ε"
    return (
        r_text(stage.r_star),
        f"{at_least}{stage.num_selected}",
        f"{at_least}{stage.num_selected_bad}",
        verdict,
        word,
    )


def _numbers(header: Markup, cells: Iterable[str]) -> Markup:
    return tag("tr", header, *(tag("td", cell, class_="number") for cell in cells))


def _scrolling(table: Markup, name: str) -> Markup:
    """A table in a region of its own that scrolls, also by keyboard."""
    return tag("div", table, class_="scroll", role="region", tabindex="0", aria_label=name)


def _range(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
