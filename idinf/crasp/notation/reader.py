"""Formulas, as hypotheses are printed, read as programs: ``u1 := …; accept iff #1 - #0 >= 0``.

Units become operations, ``last-k = a`` a local count, ``at least`` a sum of truth values; an average of
weights other than 1 what it says for every N, if counts express that (`idinf.crasp.notation.sums`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.kinds import Kinds
from idinf.crasp.notation.sums import Entry, PrintedSum, Query, Weights, add
from idinf.crasp.parsing import MAX_DEPTH, TOO_DEEP, Grammar, Part, parse_with, read_integer
from idinf.errors import ProgramError
from idinf.quoting import quote


def read_formula(text: str, symbols: tuple[str, ...] | None = None) -> s.ProgramTree:
    """Read a formula.

    Parameters
    ----------
    text : str
    symbols : tuple of str or None
        The alphabet; None where words may have symbols that the formula does not name.

    Raises
    ------
    ProgramError
        If it does not parse, names a unit that is not defined, or has a sign that counts do not express; with
        line and column.

    Examples
    --------
    >>> from idinf.crasp.printer import format_program
    >>> print(format_program(read_formula("u1 := #a - #b >= 0; accept iff #u1 >= 2 and last-1 != a")), end="")
    u1 = # "a" >= # "b"
    accept = # u1 >= 2 && #[j = i-1] "a" == 0
    """
    whole = parse_with(text, _FORMULAS)
    inside = list(_inside(whole))
    named = {_symbol(part): None for part in inside if part.kind == "symbol"}
    moduli = [_modulus(part)[0] for part in inside if part.kind == "length"]
    reader = _Reader(Kinds((*named, None) if symbols is None else symbols, lcm(*moduli)))
    definitions = [reader.definition(part) for part in whole.parts if part.kind == "unit"]
    decides = next(part for part in reversed(whole.parts) if part.parts or part.kind == "UNIT")
    reader.last = True
    place = next(part.place for part in whole.parts if part.kind == "ACCEPT")
    accept = s.Definition("accept", reader.condition(decides, ()), place)
    program = s.ProgramTree((*definitions, accept))
    for definition in program.definitions:
        _check_depth(definition)
    return program


@dataclass
class _Reader:
    """The units read so far."""

    kinds: Kinds
    last: bool = False
    _features: dict[tuple[type, object], s.Expression] = field(default_factory=dict)

    def definition(self, part: Part) -> s.Definition:
        """One unit."""
        name, _, condition = part.parts
        if name.text in self.kinds.units:
            raise ProgramError(f"{name.place}: {quote(name.text)} is defined twice; expected a new name")
        expression = self.condition(condition, ())
        self.kinds.units[name.text] = expression
        return s.Definition(name.text, expression, name.place)

    def condition(self, part: Part, known: tuple[s.Expression, ...]) -> s.Expression:
        """A condition where others are known to hold."""
        match part.kind:
            case "any_of" | "all_of":
                return self._group(part, known)
            case "negated":
                return b.negated(self.condition(part.parts[-1], known))
            case "truth":
                return b.truth(part.parts[0].kind == "TRUE")
            case "emptiness":
                relation = s.Relation.GE if part.parts[0].kind == "NONEMPTY" else s.Relation.EQ
                return b.compared([(b.length, 1)], relation, int(part.parts[0].kind == "NONEMPTY"))
            case "symbol_at":
                return self._symbol_at(part)
            case "length":
                return b.any_of(self._residues(part))
            case "unit_holds":
                return self._unit(part.parts[0])
            case "at_least":
                _, _, number, _, *parts = part.parts
                votes = [(_vote(self.condition(inner, known)), 1) for inner in parts]
                return b.compared(votes, s.Relation.GE, read_integer(number))
            case "cases":
                return self._cases(list(part.parts), known)
        left, sign, right = part.parts
        difference = add(self._sum(left), -1, self._sum(right))
        return Query(self.kinds, known, self.last).compared(difference, s.Relation(sign.text))

    def _group(self, part: Part, known: tuple[s.Expression, ...]) -> s.Expression:
        """A part with an average is asked where the others leave the answer to it."""
        conjunction = part.kind == "all_of"
        plain: dict[int, s.Expression] = {}
        for k, inner in enumerate(part.parts):
            if not any(piece.kind == "average" for piece in _inside(inner)):
                plain[k] = self.condition(inner, known)
        known += tuple(read if conjunction else b.negated(read) for read in plain.values())
        parts = [plain.get(k) or self.condition(inner, known) for k, inner in enumerate(part.parts)]
        return b.all_of(parts) if conjunction else b.any_of(parts)

    def _cases(self, parts: list[Part], known: tuple[s.Expression, ...]) -> s.Expression:
        """The first case whose guard holds."""
        if len(parts) == 2:  # else
            return self.condition(parts[1], known)
        guard = self.condition(parts[0], known)
        then = self.condition(parts[1], (*known, guard))
        return b.chosen(guard, then, self._cases(parts[2:], (*known, b.negated(guard))))

    def _symbol_at(self, part: Part) -> s.Expression:
        words = [inner for inner in part.parts if inner.kind != "symbol"]
        named = b.any_of(self._feature(inner) for inner in part.parts if inner.kind == "symbol")
        positive = not any(word.kind == "NOT" for word in words)
        if words[-1].kind == "RELATION":
            positive = _equality(words[-1])
        distances = [read_integer(word) for word in words if word.kind == "INTEGER"]
        if distances:
            count = b.back(distances[0], named)
            return b.compared([(count, 1)], *((s.Relation.GE, 1) if positive else (s.Relation.EQ, 0)))
        return named if positive else b.negated(named)

    def _residues(self, part: Part) -> list[s.Expression]:
        modulus, residues = _modulus(part)
        return [
            self._once(s.Periodic("i", modulus, s.Relation.EQ, residue, part.place), (modulus, residue))
            for residue in residues
        ]

    def _unit(self, part: Part) -> s.Expression:
        if part.text not in self.kinds.units:
            raise ProgramError(
                f"{part.place}: {quote(part.text)} is not defined; expected a unit that a line "
                f"{quote(f'{part.text} := …')} before defines"
            )
        return self._once(s.Name(part.text, part.place), part.text)

    def _feature(self, part: Part) -> s.Expression:
        """A symbol, or the unit of that name."""
        if part.parts[0].kind == "SYMBOL" and part.text in self.kinds.units:
            return self._unit(part)
        symbol = _symbol(part)
        return self._once(s.Symbol(symbol, part.place), symbol)

    def _once(self, expression: s.Expression, key: object) -> s.Expression:
        """One copy of equal features, so that places do not tell them apart."""
        return self._features.setdefault((type(expression), key), expression)

    def _sum(self, part: Part) -> PrintedSum:
        """A sum of terms with signs."""
        total: PrintedSum = {}
        sign = 1
        for inner in part.parts:
            if inner.kind in ("PLUS", "MINUS"):
                sign = 1 if inner.kind == "PLUS" else -1
            else:
                total = add(total, sign, self._term(inner))
        return total

    def _term(self, part: Part) -> PrintedSum:
        parts = list(part.parts)
        factor = _fraction(parts.pop(0)) if parts[0].kind == "number" else Fraction(1)
        match part.kind:
            case "constant":
                return {("constant", b.TRUE): factor}
            case "indicator":
                return {("unit", self._unit(parts[0])): factor}
            case "count":
                return {("count", feature): factor for feature in self._counted(parts[0])}
        inner = self._sum(parts[-1])
        if any(kind != "count" for kind, _ in inner):
            raise ProgramError(f"{parts[-1].place}: an average of {quote(parts[-1].text)}; expected counts")
        entries = tuple(self._entry(entry) for entry in parts[1].parts) if len(parts) > 2 else ()
        weights = Weights(entries, "avg" + (parts[1].text if entries else ""), part.place)
        return {(weights, feature): factor * c for (_, feature), c in inner.items()}

    def _counted(self, part: Part) -> list[s.Expression]:
        return self._residues(part) if part.kind == "length" else [self._feature(part)]

    def _entry(self, part: Part) -> Entry:
        key, *rest = part.parts
        logit = _fraction(rest[-1]) * (-1 if rest[-2].kind == "MINUS" else 1)
        given: tuple[tuple[s.Expression, bool], ...] = ()
        if any(word.kind == "GIVEN" for word in rest):
            unit = next(word for word in rest if word.kind == "UNIT")
            given = ((self._unit(unit), not any(word.kind == "NOT" for word in rest)),)
        if key.kind == "PHI":
            return Entry(read_integer(rest[0]), given, logit)
        if key.kind in ("DOLLAR", "PRECISION"):
            return Entry("$" if key.kind == "DOLLAR" else "p", given, logit)
        features = self._counted(key)
        if len(features) > 1:
            raise ProgramError(f"{key.place}: several lengths at once; expected one residue")
        return Entry(features[0], given, logit)


def _check_depth(definition: s.Definition) -> None:
    """Refuse what later stages cannot recurse over: cases of averages are nested."""
    level: tuple[s.Expression, ...] = (definition.expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for expression in level for child in s.list_children(expression))
        if not level:
            return
    raise ProgramError(f"{level[0].place}: {TOO_DEEP}")


def _vote(condition: s.Expression) -> s.Expression:
    """1 where a condition holds, 0 elsewhere; a local count that is asked to be 1 is that itself."""
    match condition:
        case s.Comparison(s.Relation.GE, s.Count(s.Predicate()) as count, s.Number(1)):
            return count
    return b.indicator(condition, b.number(1))


def _inside(whole: Part) -> Iterator[Part]:
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(part.parts))


def _symbol(part: Part) -> str:
    return part.text[1:-1] if part.parts[0].kind == "STRING" else part.text


def _modulus(part: Part) -> tuple[int, list[int]]:
    """A modulus and the residues that are asked for."""
    if part.parts[0].kind in ("EVEN", "ODD"):
        return 2, [int(part.parts[0].kind == "ODD")]
    modulus, *residues = [read_integer(word) for word in part.parts if word.kind == "INTEGER"]
    relation = next((word for word in part.parts if word.kind == "RELATION"), None)
    if modulus < 1 or any(residue >= modulus for residue in residues):
        raise ProgramError(f"{part.place}: {quote(part.text)}; expected a modulus above the residue")
    if relation is not None and not _equality(relation):
        residues = [residue for residue in range(modulus) if residue not in residues]
    return modulus, residues


def _equality(relation: Part) -> bool:
    """Whether it is = and not ≠."""
    if s.Relation(relation.text) not in (s.Relation.EQ, s.Relation.NE):
        raise ProgramError(f"{relation.place}: unexpected {quote(relation.text)}; expected '=' or '!='")
    return relation.text != "!="


def _fraction(part: Part) -> Fraction:
    numbers = [read_integer(word) for word in part.parts]
    if len(numbers) > 1 and not numbers[1]:
        raise ProgramError(f"{part.place}: a fraction of denominator 0; expected one above 0")
    return Fraction(*numbers)


_FORMULAS = Grammar(
    "idinf.crasp.notation",
    {"INTEGER": "a number", "SYMBOL": "a symbol", "UNIT": "a unit", "RELATION": "a comparison"},
    {
        "ACCEPT": "'u1 := CONDITION;' or 'accept iff CONDITION', which decides words",
        "LAST": "a condition",
        "AVG": "a sum",
    },
    "units and then 'accept iff CONDITION'",
)
