"""The meaning of the signs of printed formulas, one line for each kind that occurs; and structures."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.base.numbers import format_amount
from idinf.nets.one_hot import OneHotTransformer
from idinf.translate.formulas.condition import UNWEIGHTED, Average, BackIn, LengthIn, iter_atoms
from idinf.translate.formulas.formula import Formula
from idinf.translate.formulas.notation import Notation


def list_legend(formulas: Sequence[Formula]) -> list[str]:
    """Lines that explain the signs of some formulas over one alphabet; none for counts of symbols alone."""
    if not formulas:
        return []
    found = [
        atom for formula in formulas for unit in (*formula.units, formula.accept) for atom in iter_atoms(unit)
    ]
    averages = [atom for atom in found if isinstance(atom, Average)]
    weightings = [weighting for atom in averages for weighting, _ in atom.parts]
    u1 = Notation(formulas[0].alphabet).unit(0)
    lines = []
    if any(atom.own for atom in averages):
        lines.append(f"{u1} in a sum: 1 if it holds at the end, else 0")
    if any(formula.units for formula in formulas):
        lines.append(f"#{u1} counts the non-empty prefixes where {u1} holds; {u1} alone: it holds at the end")
    if any(isinstance(atom, LengthIn) for atom in found) or any(
        "(i " in str(formula) for formula in formulas
    ):
        lines.append("i is the length of the prefix that is read, at the end the length of the word")
    if any("#(i " in str(formula) for formula in formulas):
        lines.append("#(i ...) counts the non-empty prefixes whose length i is like that")
    if any(isinstance(atom, BackIn) and atom.distance for atom in found):
        lines.append("last-k is the symbol k places before the last; where there is none, it is no symbol")
    if weightings:
        lines.append(
            "avg(x) is the mean of x over SOS and all positions of the prefix: #a is 1 at an a, "
            "0 elsewhere; at SOS everything is 0"
        )
    if any(weighting != UNWEIGHTED for weighting in weightings):
        lines.append(
            "avg[...] weighs a position by N to the power of the sum of the entries that apply to it: φ(k) "
            "to the one k places before the last, #a to an a, $ to SOS; N is the length of the whole word + 1"
        )
    if any(weighting.asked for weighting in weightings):
        lines.append(f"x given {u1}: the entry applies to averages taken where {u1} holds")
    if any(weighting.precision for weighting in weightings):
        lines.append("p=k there: each weight is rounded to a multiple of 2^-k, half to even")
    return lines


def describe_structure(hypothesis: OneHotTransformer) -> str:
    """Heads and units of every layer, and p, Δ, τ in one line."""
    depth = len(hypothesis.layers)
    heads = " + ".join(str(len(layer.heads)) for layer in hypothesis.layers)
    units = " + ".join(str(len(layer.units)) for layer in hypothesis.layers)
    return (
        f"{format_amount(depth, 'layer')}; heads {heads}; units {units}; "
        f"precision {hypothesis.precision}, period {hypothesis.period}, reach {hypothesis.reach}"
    )
