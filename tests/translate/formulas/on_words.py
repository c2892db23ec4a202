"""Conditions and formulas evaluated on words, from what each of their signs means; exact fractions."""

from dataclasses import dataclass
from fractions import Fraction

from idinf.nets.attention import compute_scaled_weight
from idinf.spec.spec import Answer
from idinf.translate.formulas.condition import (
    AtLeastOf,
    Average,
    BackIn,
    Cases,
    ConstantCondition,
    CountInequality,
    LengthIn,
    UnitHolds,
)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of a word, as conditions see it.

    *Places* are the symbols, the residues 0..Δ−1 of the length if Δ > 1, the units.

    Attributes
    ----------
    last : int or None
        Code of the last symbol; None for ε.
    counts : (|Σ| + Δ' + m,) tuple of int
        Number of non-empty prefixes of this one at which each place is 1.
    units : (m,) tuple of bool
        Which units hold at the last position.
    columns : (i,) tuple of tuple of int
        The 0/1 places at each position 1..i; at the last one perhaps without the units still to come.
    N : int
        Length of the whole word plus one, on which attention weights depend.
    """

    last: int | None
    counts: tuple[int, ...]
    units: tuple[bool, ...]
    columns: tuple[tuple[int, ...], ...] = ()
    N: int = 1


def holds(condition, prefix) -> bool:
    """Whether a condition holds at the end of a prefix."""
    match condition:
        case ConstantCondition(value):
            return value
        case BackIn(0, codes, positive):
            return (prefix.last in codes) is positive
        case BackIn(distance, codes, positive):
            column = prefix.columns[-1 - distance] if distance < len(prefix.columns) else None
            return (column is not None and any(column[code] for code in codes)) is positive
        case LengthIn(period, residues):
            return len(prefix.columns) % period in residues
        case UnitHolds(unit, positive):
            return prefix.units[unit] is positive
        case CountInequality(terms, threshold):
            return sum(factor * prefix.counts[place] for place, factor in terms) >= threshold
        case Average(parts, bound, positive, own):
            total = Fraction(sum(factor for unit, factor in own if prefix.units[unit]))
            for weighting, terms in parts:
                weights = weights_of(weighting, prefix)
                shares = (
                    weight * sum(factor for place, factor in terms if column[place])
                    for weight, column in zip(weights[1:], prefix.columns, strict=True)
                )
                total += Fraction(sum(shares), sum(weights))
            return (total > bound) is positive
        case AtLeastOf(number, parts):
            return sum(holds(part, prefix) for part in parts) >= number
        case Cases(rows, otherwise):
            fitting = (part for guard, part in rows if holds(guard, prefix))
            return holds(next(fitting, otherwise), prefix)
    raise AssertionError(condition)


def weights_of(weighting, prefix) -> list[int]:
    """Weights of SOS and of the positions of a prefix, in units of 2^-p."""
    start, keys = weighting.start, list(weighting.keys)
    for unit, value, more, others in weighting.asked:
        if prefix.units[unit] is value:
            start, keys = start + more, [*keys, *others]
    logits = [start, *(sum(logit for place, logit in keys if column[place]) for column in prefix.columns)]
    for distance, logit in enumerate(weighting.phi[: len(logits)]):
        logits[-1 - distance] += logit
    return [compute_scaled_weight(prefix.N, logit, weighting.precision) for logit in logits]


def accepted(formula, word) -> bool:
    """Whether a formula accepts a word, ε like any other."""
    return holds(formula.accept, prefixes(formula, word)[-1])


def next_symbols_of(formula, word) -> tuple[tuple[str, ...], ...]:
    """The next symbols after every prefix of a word, those of the reference."""
    sets = [
        tuple(symbol for symbol, condition in formula.outputs if holds(condition, prefix))
        for prefix in prefixes(formula, word)
    ]
    return tuple(sets if formula.answer is Answer.SET else [named[:1] for named in sets])


def prefixes(formula, word) -> list[Prefix]:
    """Every prefix of a word, ε first; averages are those in words of this length; SOS is not counted."""
    residues = formula.period if formula.period > 1 else 0
    places = range(len(formula.alphabet) + residues + len(formula.units))
    columns: list[tuple[int, ...]] = []
    found = []
    for i, code in enumerate((None, *word)):
        if code is not None:
            symbols = (int(code == k) for k in range(len(formula.alphabet)))
            columns.append((*symbols, *(int(i % formula.period == residue) for residue in range(residues))))
        values: tuple[bool, ...] = ()
        for unit in (*formula.units, None):
            counts = tuple(sum(column[k] for column in columns if k < len(column)) for k in places)
            prefix = Prefix(code, counts, values, tuple(columns), len(word) + 1)
            if unit is not None:
                values += (holds(unit, prefix),)
                if columns and code is not None:
                    columns[-1] += (int(values[-1]),)
        found.append(prefix)
    return found
