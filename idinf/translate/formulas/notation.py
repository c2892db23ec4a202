"""Conditions as text: ``#1 - #0 >= 0``, ``last = a and i even``, ``avg[φ(1)=1](#a) > 1/2``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.base.words import Alphabet
from idinf.translate.formulas import condition as c
from idinf.translate.formulas.condition import Condition, Terms, Weighting

#: Words of the notation, which a symbol of more than one character could be mistaken for.
_WORDS = frozenset(
    "and at avg else empty even false given in last least mod nonempty not odd of or true".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Notation:
    """The notation of symbols, lengths modulo Δ (``period``) and units.

    >>> Notation(Alphabet(("a", "b"))).condition(c.CountInequality(((0, -1), (1, 2)), 1))
    '2 #b - #a > 0'
    """

    alphabet: Alphabet
    period: int = 1

    def symbol(self, code: int) -> str:
        """A symbol; in quotes where its signs could be read as part of the formula."""
        name = self.alphabet.symbols[code]
        return name if name.isalnum() and name not in _WORDS else f'"{name}"'

    def unit(self, index: int) -> str:
        """A unit, counted from 1; its name is never that of a symbol."""
        prefix = "u"
        while any(symbol.startswith(prefix) and symbol != prefix for symbol in self.alphabet.symbols):
            prefix += "_"
        return f"{prefix}{index + 1}"

    def condition(self, condition: Condition) -> str:
        """A condition as text."""
        match condition:
            case c.ConstantCondition(value):
                return "true" if value else "false"
            case c.BackIn(0, codes, positive) if len(codes) == len(self.alphabet):
                return "nonempty" if positive else "empty"
            case c.BackIn(distance, codes, positive):
                name = f"last-{distance}" if distance else "last"
                return _among(name, [self.symbol(code) for code in codes], positive)
            case c.LengthIn(period, residues):
                return _length(period, residues)
            case c.UnitHolds(unit, positive):
                return self.unit(unit) if positive else f"not {self.unit(unit)}"
            case c.CountInequality():
                return self._inequality(condition)
            case c.Average():
                return self._average(condition)
            case c.AtLeastOf(number, parts):
                if condition.is_between:
                    return f"at least {number} of ({', '.join(map(self.condition, parts))})"
                return (" and " if condition.is_all else " or ").join(self._parts(condition))
            case c.Cases(rows, otherwise):
                texts = [f"{self.condition(guard)}: {self.condition(part)}" for guard, part in rows]
                return "{" + ", ".join([*texts, f"else: {self.condition(otherwise)}"]) + "}"

    def _parts(self, group: c.AtLeastOf) -> list[str]:
        """The parts of a group, groups within it in brackets, opposite inequalities as one comparison."""
        sign = "=" if group.is_all else "!="
        texts = []
        for part in pair_opposites(group):
            if isinstance(part, tuple):
                texts.append(f"{self._sum(part[0])} {sign} {part[1]}")
            elif isinstance(part, c.AtLeastOf) and not part.is_between and len(pair_opposites(part)) > 1:
                texts.append(f"({self.condition(part)})")
            else:
                texts.append(self.condition(part))
        return texts

    def _inequality(self, condition: c.CountInequality) -> str:
        terms, threshold = condition.terms, condition.threshold
        all_negative = all(factor < 0 for _, factor in terms)
        if threshold < 0 or all_negative:
            left = self._sum(tuple((place, -factor) for place, factor in terms))
            return f"{left} = 0" if all_negative and threshold == 0 else f"{left} <= {-threshold}"
        is_difference = any(factor < 0 for _, factor in terms)
        bound = "> 0" if threshold == 1 and is_difference else f">= {threshold}"
        return f"{self._sum(terms)} {bound}"

    def _sum(self, terms: Terms) -> str:
        ordered = sorted(terms, key=lambda term: term[1] < 0)  # begins with a minus only if it has to
        return _signed([(factor, count) for count, factor in self._keys(tuple(ordered))])

    def _count(self, place: int) -> str:
        residue = place - len(self.alphabet)
        num_residues = self.period if self.period > 1 else 0
        if residue < 0:
            return self.symbol(place)
        if residue < num_residues:
            return f"({_length(self.period, (residue,))})"
        return self.unit(residue - num_residues)

    def _average(self, condition: c.Average) -> str:
        """Sums of averages on the left, one comparison with a bound >= 0 if there is a choice."""
        sums = (condition.own, *(terms for _, terms in condition.parts))
        all_negative = all(factor < 0 for terms in sums for _, factor in terms)
        sign = -1 if all_negative or condition.bound < 0 else 1
        averages = [
            f"avg{self.weighting(weighting)}"
            f"({self._sum(tuple((place, sign * factor) for place, factor in terms))})"
            for weighting, terms in condition.parts
        ]
        own = [(sign * factor, self.unit(unit)) for unit, factor in condition.own]
        text = _signed(own, " + ".join(averages), "- ")
        comparison = {(1, True): ">", (1, False): "<=", (-1, True): "<", (-1, False): ">="}
        return f"{text} {comparison[sign, condition.positive]} {sign * condition.bound}"

    def weighting(self, weighting: Weighting) -> str:
        """Keys with a logit other than 0, and the precision where weights are rounded."""
        logits = [("$", weighting.start), *self._keys(weighting.keys)]
        for unit, value, start, keys in weighting.asked:
            given = f" given {self.condition(c.UnitHolds(unit, value))}"
            logits += [(f"{key}{given}", logit) for key, logit in [("$", start), *self._keys(keys)]]
        logits += [(f"φ({distance})", logit) for distance, logit in enumerate(weighting.phi)]
        scale = 1 << weighting.precision
        logits.append(("p", weighting.precision * scale))
        entries = ", ".join(f"{key}={Fraction(logit, scale)}" for key, logit in logits if logit)
        return f"[{entries}]" if entries else ""

    def _keys(self, terms: Terms) -> list[tuple[str, int]]:
        return [(f"#{self._count(place)}", factor) for place, factor in terms]


def _length(period: int, residues: tuple[int, ...]) -> str:
    """The length i of the prefix modulo Δ."""
    if period == 2:
        return "i odd" if residues == (1,) else "i even"
    return _among(f"i mod {period}", [str(residue) for residue in residues])


def _among(name: str, options: list[str], positive: bool = True) -> str:
    """A condition as text: a name has one of some options, or none of them."""
    if len(options) == 1:
        return f"{name} {'=' if positive else '!='} {options[0]}"
    return f"{name} {'in' if positive else 'not in'} {{{', '.join(options)}}}"


def _signed(terms: list[tuple[int, str]], text: str = "", minus: str = "-") -> str:
    """Σ factor · name behind a text; ``minus`` begins a sum that nothing stands before."""
    for factor, name in terms:
        sign = (" + " if factor > 0 else " - ") if text else ("" if factor > 0 else minus)
        text += f"{sign}{'' if abs(factor) == 1 else f'{abs(factor)} '}{name}"
    return text


def pair_opposites(group: c.AtLeastOf) -> list[Condition | tuple[Terms, int]]:
    """The parts, two opposite inequalities as one sum and the value that they single out.

    By "and" the sum is to be the value, x >= 2 and x <= 2; by "or" it is not to be, x >= 3 or x <= 1.

    >>> pair_opposites(c.AtLeastOf(2, (c.CountInequality(((0, 1),), 2), c.CountInequality(((0, -1),), -2))))
    [(((0, 1),), 2)]
    """
    together = 0 if group.is_all else 2
    paired: list[Condition | tuple[Terms, int]] = []
    left = list(group.parts)
    while left:
        part = left.pop(0)
        if isinstance(part, c.CountInequality):
            opposite = tuple((place, -factor) for place, factor in part.terms)
            partner = c.CountInequality(opposite, together - part.threshold)
            if partner in left:
                left.remove(partner)
                value = part.threshold - together // 2
                is_negative = value < 0 or (value == 0 and part.terms[0][1] < 0)
                paired.append((opposite, -value) if is_negative else (part.terms, value))
                continue
        paired.append(part)
    return paired
