"""The comparison of a unit at positions of one class, Σ of averages > bound, as the shortest condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from idinf.translate.formulas.average import UNWEIGHTED, Terms, Weighting, list_terms, read_average
from idinf.translate.formulas.condition import Condition, reduce_inequality


def exceeds(
    parts: Mapping[Weighting, Mapping[int, int]],
    bound: int,
    symbols: int,
    period: int,
    code: int,
    own: Mapping[int, int] | None = None,
) -> Condition:
    """The condition Σ weighted averages + Σ own units > bound, at positions i >= 1 whose symbol is ``code``.

    `parts`: for each weighting, what every place counts for; SOS counts 0. `symbols, period`: |Σ| and Δ.
    `own`: what each unit adds that holds at the position.

    Exact: an inequality between counts if every weight is the same (1 = share of SOS + shares of the
    symbols), a condition on the symbols before the last where a local head says no more, or an average.

    >>> exceeds({UNWEIGHTED: {0: 2, 1: -1}}, 0, symbols=2, period=1, code=0)
    CountInequality(terms=((0, 2), (1, -1)), threshold=1)
    """
    settled = {weighting: reduce_terms(weights, symbols, period) for weighting, weights in parts.items()}
    settled = {weighting: weights for weighting, weights in settled.items() if any(weights.values())}
    if own and any(own.values()):
        return read_average(settled, bound, own)
    if all(weighting == UNWEIGHTED for weighting in settled):
        counts = dict(settled.get(UNWEIGHTED, {}))
        for place in range(symbols):
            counts[place] = counts.get(place, 0) - bound
        return reduce_inequality(reduce_terms(counts, symbols, period), -bound)
    if len(settled) == 1:
        ((weighting, weights),) = settled.items()
        only_near = weighting == Weighting(phi=weighting.phi)
        if only_near and all(place < symbols for place, _ in list_terms(weights)):
            from idinf.translate.formulas.window import read_near  # uniform heads have no window

            values = [weights.get(place, 0) for place in range(symbols)]
            reading = read_near(weighting.phi, values, bound, code)
            if reading is not None:
                return reading
    return read_average(settled, bound)


def find_weighting(weighting: Weighting, symbols: int, period: int) -> Weighting:
    """Tell how a head weighs positions as simply as its rounding allows, with the same attention.

    A constant is subtracted where the softmax does not see it: weights of whole logits are exact powers of N,
    and others are rounded one by one.

    >>> find_weighting(Weighting(1, ((0, 1), (1, 2))), symbols=2, period=1).keys
    ((1, 1),)
    >>> find_weighting(Weighting(1, ((0, 1), (1, 2)), precision=1), symbols=2, period=1).keys
    ((0, 1), (1, 2))
    """
    start, keys = weighting.start, reduce_terms(dict(weighting.keys), symbols, period)
    tokens = [keys.get(place, 0) for place in range(symbols)]
    beyond = [value for place, value in keys.items() if place >= symbols]
    if not (weighting.phi or weighting.asked or any(beyond)) and set(tokens) == {start}:
        return UNWEIGHTED
    scale = 1 << weighting.precision
    extra = [value for _, _, more, others in weighting.asked for value in (more, *(x for _, x in others))]
    if any(value % scale for value in (start, *keys.values(), *weighting.phi, *extra)):
        return replace(weighting, keys=list_terms(keys))
    # All logits must stay >= 0: N^-1 would be rounded.
    shift = min(start, *tokens) if all(value >= 0 for value in (*beyond, *extra)) else 0
    shifted = {**keys, **{place: value - shift for place, value in enumerate(tokens)}}

    def whole(terms: Terms) -> Terms:
        """Logits in units of 1."""
        return tuple((place, value // scale) for place, value in terms)

    return Weighting(
        (start - shift) // scale,
        whole(list_terms(shifted)),
        tuple(value // scale for value in weighting.phi),
        tuple((unit, holds, more // scale, whole(others)) for unit, holds, more, others in weighting.asked),
    )


def reduce_terms(weights: Mapping[int, int], symbols: int, period: int) -> dict[int, int]:
    """Move a constant from the residues to the symbols, both of which sum to 1 at every position but SOS.

    Symbol 0, residues at places 1 and 2.

    >>> reduce_terms({0: -1, 1: 1, 2: 2}, symbols=1, period=2)
    {0: 0, 1: 0, 2: 1}
    """
    if period == 1:
        return dict(weights)
    residues: Sequence[int] = range(symbols, symbols + period)

    def moved(shift: int) -> dict[int, int]:
        """The same sum at every position but SOS."""
        changed = {place: weights.get(place, 0) + shift for place in range(symbols)}
        changed |= {place: weights.get(place, 0) - shift for place in residues}
        return {**weights, **changed}

    shifts = [
        0,
        *(weights.get(place, 0) for place in residues),
        *(-weights.get(k, 0) for k in range(symbols)),
    ]
    return min((moved(shift) for shift in shifts), key=lambda changed: sum(map(bool, changed.values())))
