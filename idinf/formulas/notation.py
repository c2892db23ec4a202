"""Conditions as text: ``#1 - #0 >= 0``, ``last = a and i even``, ``avg[φ(1)=1](#a) > 1/2``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.formulas import condition as c
from idinf.formulas.average import Average, Weighting
from idinf.formulas.condition import AllOf, AnyOf, Condition, CountInequality
from idinf.words import Alphabet

#: Words of the notation, which a symbol of more than one character could be mistaken for.
_WORDS = frozenset(
    "and at avg else empty even false given in last least mod nonempty not odd of or true".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Notation:
    """How symbols, lengths modulo Δ (``period``) and units are written.

    Examples
    --------
    >>> Notation(Alphabet(("a", "b"))).condition(CountInequality(((0, -1), (1, 2)), 1))
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
            case c.LastIn(codes, positive) if len(codes) == len(self.alphabet):
                return "nonempty" if positive else "empty"
            case c.LastIn(codes, positive):
                return self._is_in("last", codes, positive)
            case c.BackIn(distance, codes, positive):
                return self._is_in(f"last-{distance}", codes, positive)
            case c.LengthIn(period, residues):
                return _length(period, residues)
            case c.UnitHolds(unit, positive):
                return self.unit(unit) if positive else f"not {self.unit(unit)}"
            case CountInequality():
                return self._inequality(condition)
            case Average():
                return self._average(condition)
            case c.AtLeastOf(number, parts):
                return f"at least {number} of ({', '.join(self.condition(part) for part in parts)})"
            case AllOf() | AnyOf():
                word = "and" if isinstance(condition, AllOf) else "or"
                return f" {word} ".join(self._parts(condition))
            case c.Cases(rows, otherwise):
                texts = [f"{self.condition(guard)}: {self.condition(part)}" for guard, part in rows]
                return "{" + ", ".join([*texts, f"else: {self.condition(otherwise)}"]) + "}"

    def _parts(self, group: AllOf | AnyOf) -> list[str]:
        """The parts of a group, groups within it in brackets, opposite inequalities as one comparison."""
        texts: list[str] = []
        left = list(group.parts)
        while left:
            part = left.pop(0)
            partner = next((other for other in left if _are_opposite(part, other, group)), None)
            if isinstance(part, CountInequality) and isinstance(partner, CountInequality):
                left.remove(partner)
                texts.append(self._equation(part, partner, group))
            elif isinstance(part, AllOf | AnyOf) and len(self._parts(part)) > 1:
                texts.append(f"({self.condition(part)})")
            else:
                texts.append(self.condition(part))
        return texts

    def _is_in(self, name: str, codes: tuple[int, ...], positive: bool) -> str:
        return _among(name, [self.symbol(code) for code in codes], positive)

    def _inequality(self, condition: CountInequality) -> str:
        terms, threshold = condition.terms, condition.threshold
        all_negative = all(factor < 0 for _, factor in terms)
        if threshold < 0 or all_negative:
            left = self._sum(tuple((place, -factor) for place, factor in terms))
            return f"{left} = 0" if all_negative and threshold == 0 else f"{left} <= {-threshold}"
        is_difference = any(factor < 0 for _, factor in terms)
        bound = "> 0" if threshold == 1 and is_difference else f">= {threshold}"
        return f"{self._sum(terms)} {bound}"

    def _equation(self, one: CountInequality, other: CountInequality, group: AllOf | AnyOf) -> str:
        """Two opposite inequalities as one comparison: x >= 2 and x <= 2, or x >= 3 or x <= 1."""
        sign, value = ("=", one.threshold) if isinstance(group, AllOf) else ("!=", one.threshold - 1)
        terms = one.terms
        if value < 0 or (value == 0 and terms[0][1] < 0):
            terms, value = other.terms, -value
        return f"{self._sum(terms)} {sign} {value}"

    def _sum(self, terms: tuple[tuple[int, int], ...]) -> str:
        """Positive terms first, so that a sum never begins with a minus if it need not."""
        ordered = [term for term in terms if term[1] > 0] + [term for term in terms if term[1] < 0]
        return _signed([(factor, f"#{self._count(place)}") for place, factor in ordered])

    def _count(self, place: int) -> str:
        residue = place - len(self.alphabet)
        num_residues = self.period if self.period > 1 else 0
        if residue < 0:
            return self.symbol(place)
        if residue < num_residues:
            return f"({_length(self.period, (residue,))})"
        return self.unit(residue - num_residues)

    def _average(self, condition: Average) -> str:
        """Sums of averages on the left, one comparison with a bound >= 0 if there is a choice."""
        sums = (condition.own, *(terms for _, terms in condition.parts))
        all_negative = all(factor < 0 for terms in sums for _, factor in terms)
        sign = -1 if all_negative or condition.bound < 0 else 1
        averages = [
            f"avg{self._weighting(weighting)}"
            f"({self._sum(tuple((place, sign * factor) for place, factor in terms))})"
            for weighting, terms in condition.parts
        ]
        own = [(sign * factor, self.unit(unit)) for unit, factor in condition.own]
        text = _signed(own, " + ".join(averages), "- ")
        comparison = {(1, True): ">", (1, False): "<=", (-1, True): "<", (-1, False): ">="}
        return f"{text} {comparison[sign, condition.positive]} {sign * condition.bound}"

    def _weighting(self, weighting: Weighting) -> str:
        """What has a logit other than 0, and the precision where weights are rounded."""
        scale = 1 << weighting.precision
        logits = [("$", weighting.start), *((f"#{self._count(k)}", logit) for k, logit in weighting.keys)]
        for unit, value, start, keys in weighting.asked:
            given = f" given {'' if value else 'not '}{self.unit(unit)}"
            logits += [(f"${given}", start), *((f"#{self._count(k)}{given}", logit) for k, logit in keys)]
        logits += [(f"φ({distance})", logit) for distance, logit in enumerate(weighting.phi)]
        entries = [f"{name}={Fraction(logit, scale)}" for name, logit in logits if logit]
        entries += [f"p={weighting.precision}"] if weighting.precision else []
        return f"[{', '.join(entries)}]" if entries else ""


def _length(period: int, residues: tuple[int, ...]) -> str:
    """The length i of the prefix modulo Δ."""
    if period == 2:
        return "i odd" if residues == (1,) else "i even"
    return _among(f"i mod {period}", [str(residue) for residue in residues])


def _among(name: str, options: list[str], positive: bool = True) -> str:
    """Whether something is one of some options."""
    if len(options) == 1:
        return f"{name} {'=' if positive else '!='} {options[0]}"
    return f"{name} {'in' if positive else 'not in'} {{{', '.join(options)}}}"


def _signed(terms: list[tuple[int, str]], text: str = "", minus: str = "-") -> str:
    """Σ factor · name behind a text; ``minus`` begins a sum that nothing stands before."""
    for factor, name in terms:
        sign = (" + " if factor > 0 else " - ") if text else ("" if factor > 0 else minus)
        text += f"{sign}{'' if abs(factor) == 1 else f'{abs(factor)} '}{name}"
    return text


def _are_opposite(one: Condition, other: Condition, group: AllOf | AnyOf) -> bool:
    """Whether two inequalities single out one value of their left side, by "and" in, by "or" out."""
    if not (isinstance(one, CountInequality) and isinstance(other, CountInequality)):
        return False
    opposite = tuple((place, -factor) for place, factor in one.terms)
    together = 0 if isinstance(group, AllOf) else 2
    return other.terms == opposite and one.threshold + other.threshold == together
