"""The parts of a page that do not move: strip of verdicts, tables of records, terms and stages, the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from idinf.pages.content import Content, Shown, Stage
from idinf.pages.markup import Markup, tag
from idinf.reports.legend import legend

__all__ = [
    "legend_list",
    "limits",
    "outcome",
    "records_table",
    "space_list",
    "stages_table",
    "strip",
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


def records_table(content: Content) -> Markup:
    """The records with a place for their state at the n of the slider."""
    if not content.records:
        return tag(
            "p", f"No hypothesis with R ≤ {_bound(content.complete_up_to_r)} is right on the empty word."
        )
    bodies = [_record_rows(place, shown, content) for place, shown in enumerate(content.records)]
    head = tag(
        "thead",
        tag(
            "tr",
            *(
                tag("th", title, scope="col")
                for title in ("R", "first wrong at length", "on the word", "at this n")
            ),
        ),
    )
    caption = tag("caption", "Records: hypotheses that last longer than every cheaper one")
    return tag("table", caption, head, *bodies, id="records")


def _record_rows(place: int, shown: Shown, content: Content) -> Markup:
    fail = f"none up to {2 * content.max_n}" if shown.fail is None else str(shown.fail)
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
    meanings = [f"#{symbol} is the number of {symbol} in the word; last is its last symbol", *lines]
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
        cells = (_aligned(hypothesis.terms.get(name, 0.0)) for hypothesis in shown)
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


def outcome(content: Content) -> Markup:
    """The outcome in sentences, and what an open run proves."""
    return Markup("".join(tag("p", sentence) for sentence in _outcome_sentences(content)))


def _outcome_sentences(content: Content) -> Iterable[str]:
    max_n, r = content.max_n, _bound(content.complete_up_to_r)
    complete = f"The enumeration is complete up to R = {r}: every hypothesis of the space below was covered up to there"
    if content.outcome == "open":
        yield f"Open: {content.stop_reason}. {complete}; what lies above was not searched."
        yield from _proved(content, r)
        return
    if content.outcome == "not-identified":
        yield (
            f"Not identified: at n = {max_n} a selected hypothesis is wrong on a word of length ≤ {2 * max_n}, "
            f"so there is no n0 in [1, {max_n}]."
        )
    else:
        yield (
            f"Identified: n0 = {_count(content.n0)}. From there on, for every n ≤ {max_n}, every selected hypothesis is "
            "right on all words up to length 2n."
        )
    if content.outcome == "identified-for-all-n":
        yield "This is proved for every n, not only up to the largest one examined."
    yield (
        f"{complete}. That is the stop bound: nothing of larger R can be selected at any n ≤ {max_n}. "
        f"Every fail length is exact up to {2 * max_n}."
    )
    yield (
        "If only the first hypothesis in a fixed order is picked instead of all that are selected, "
        f"n0 = {_count(content.n0_canonical)}."
    )


def _proved(content: Content, r: str) -> Iterable[str]:
    unknown = next((stage.n for stage in content.stages if stage.r_star is None), None)
    bracket = content.bracket
    if unknown is not None:
        yield (
            f"Proved: R*ₙ > {r} for every n ≥ {unknown}, because no hypothesis of this space with R ≤ {r} agrees "
            f"with {content.name} on all words up to length {unknown}."
        )
    else:
        yield (
            f"R*ₙ is known for every n ≤ {content.max_n}; some selected sets reach above R = {r} and are known in part."
        )
    if bracket is None:
        return
    if bracket.r_upper is not None and bracket.upper_length is not None:
        yield (
            f"A hypothesis with R = {r_text(bracket.r_upper)} is right on all words up to length "
            f"{bracket.upper_length}. It is an upper bound, not proved minimal"
            + (
                f": R* at n = {content.max_n} lies in ({_bound(bracket.r_lower)}, {r_text(bracket.r_upper)}]."
                if unknown is not None and bracket.upper_length >= content.max_n
                else "."
            )
        )
    elif unknown is not None:
        yield "No correct hypothesis is known, so there is no upper bound."
    if bracket.stop_bound_upper is not None:
        yield (
            f"A run that is complete up to R = {r_text(bracket.stop_bound_upper)} decides every n ≤ {content.max_n}."
        )
    if bracket.n0_lower is not None:
        yield f"n0 is not decided; if there is one, n0 ≥ {bracket.n0_lower}."


def space_list(content: Content) -> Markup:
    """The bounds of the space that was searched."""
    pairs = [
        tag("div", tag("dt", _SPACE.get(key, key)), tag("dd", _plain(value)))
        for key, value in content.space.items()
    ]
    tolerance = "1/(2n)" if content.tolerance is None else _plain(content.tolerance)
    pairs.append(tag("div", tag("dt", "tolerance"), tag("dd", tolerance)))
    return tag("dl", *pairs, class_="space")


def limits(content: Content) -> Markup:
    """What this does not show."""
    max_n = content.max_n
    items = [
        "Only the space above was searched. A hypothesis outside it, or the same function written with other "
        "matrices, may have a smaller R.",
        "This is not a trained model. n0 belongs to the idealized procedure, which minimizes R over Limit "
        "Transformers; gradient descent may do something else.",
        f"It speaks of n from 1 to {max_n} and of words up to length {2 * max_n}. That a hypothesis has no fail up "
        "to there is not a proof for all lengths.",
        "The table holds one hypothesis for each record. More functions may be selected than it shows; the counts "
        "at each n are those of the report.",
    ]
    if content.outcome == "open":
        items.append(
            "The run is open: it proves lower bounds and nothing more. It is not a proof that the language cannot "
            "be learned."
        )
    if any(not shown.record for shown in content.hypotheses):
        items.append("The upper bound is a correct hypothesis that was found or given, not a minimum.")
    return tag("ul", *(tag("li", item) for item in items))


def r_text(value: float) -> str:
    """R with 9 decimals, as it is compared."""
    return f"{value:.9f}"


def _label(place: int, shown: Shown) -> str:
    return f"record {place + 1}" if shown.record else "upper bound"


def _stage_cells(stage: Stage) -> tuple[str, ...]:
    verdict = _VERDICTS[stage.good]
    if stage.r_star is None:
        return f"> {_bound(stage.r_star_lower)}", "–", "–", verdict, "–"
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


def _count(value: int | None) -> str:
    return "none" if value is None else str(value)


def _bound(value: float) -> str:
    return f"{value:.9f}".rstrip("0").removesuffix(".")


def _aligned(value: float) -> Markup:
    """A number without trailing zeros, which still take their place: points stand below each other."""
    text = _bound(value)
    rest = r_text(value).removeprefix(text)
    return Markup(escape(text) + tag("span", rest, class_="ghost", aria_hidden="true"))


def _plain(value: object) -> str:
    return _bound(value) if isinstance(value, float) else str(value)
