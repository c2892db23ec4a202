"""From a regular language to a short C-RASP program that is proved to decide it.

A program is made shorter part by part, tried on words first, and proved in the end.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.crasp import syntax as s
from idinf.crasp.building import FALSE, TRUE, all_of, any_of, compared, negated
from idinf.crasp.interpreter import WordBatch, compute_prefix_labels, lay_out_words
from idinf.crasp.syntax import ProgramTree, list_needed_definitions
from idinf.errors import BudgetError, SpecError
from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import build_monoid
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.program import write_program
from idinf.targets.regular import RegularTarget, draw_pumped_words

#: Work of the proof that a program is right as constructed, and of all proofs that shorter ones are.
PROOF_WORK, SIMPLIFYING_WORK = 10_000_000, 1_000_000

#: Short words, at most: all of one length, and so all shorter ones as their prefixes. At most so long.
MOST_SHORT, LONGEST = 1000, 12

#: Pumped words, at most, and their length in numbers of states.
MOST_PUMPED, LAPS = 200, 3

#: Parts of programs times prefixes that are a step of work, about a millisecond; at most so many steps.
CELLS_OF_STEP, MAX_STEPS = 400_000, 1_000_000

#: Prefixes that take as long as to make the program that is tried.
MAKING_CELLS = 10_000

#: Shorter programs that are tried, at most, before the first proof and after it.
MAX_TRIED = 1000

Definitions = tuple[s.Definition, ...]


@dataclass(frozen=True, slots=True)
class SynthesizedProgram:
    """A program of a regular language.

    `window, modulus`: how many symbols before the present one it looks at, and modulo what it counts
    positions.
    """

    program: ProgramTree
    window: int
    modulus: int


def synthesize(
    machine: RegularTarget,
    work: int = SIMPLIFYING_WORK,
    proving: int = PROOF_WORK,
    trying: int = MAX_STEPS,
    count: Callable[[int], None] = lambda work: None,
) -> SynthesizedProgram:
    """Write a program that accepts exactly the words of a regular language.

    `work`: what goes into making the program shorter, as `AffineProof` counts it; 0 leaves it as constructed.
    `proving`: what goes into a proof of the program as constructed, where it could not be made shorter.
    `trying`: steps of work that go into trying shorter programs on words. `count`: called with a number of
    steps of work before they are done; may raise to stop. Raises `SpecError` if the language is not proved to
    be in C-RASP[periodic,local]. `BudgetError` if the program is too large for a proof.

    Implements the construction behind [D26]_, with the notes of Lemma 42 of [HYB25]_. Proved by
    `AffineProof` after it was simplified; the work is bounded by counts, so the same
    language gives the same program everywhere.

    >>> from idinf.crasp.syntax import format_program
    >>> from idinf.base.words import Alphabet
    >>> machine = RegularTarget.from_regex("(a|b|c)*ab(a|b|c)*", Alphabet(("a", "b", "c")))
    >>> print(format_program(synthesize(machine).program), end="")
    accept = # ("b" && #[j = i-1] "a" >= 1) >= 1
    """
    found = in_crasp(machine)
    count(1)
    if not found.is_yes:

        def checkpoint() -> None:
            count(1)

        monoid = build_monoid(machine.table, checkpoint=checkpoint)
        found = in_crasp_periodic_local(machine, monoid, found, None, checkpoint)
    if found.notes is None:
        verdict = (
            "is not in C-RASP[periodic,local]" if found.is_no else "may not be in C-RASP[periodic,local]"
        )
        raise SpecError(
            f"the language {verdict}: {found.reason}; expected one that counts decide; give another"
        )
    program, shorter = write_program(machine, *found.notes), None
    count(1)
    if program is not None and work:
        sample = Sample(machine, trying, count)
        shorter = simplify(program, AffineProof(machine, work, count).decides, sample.admits)
    if program is not None and shorter is None and AffineProof(machine, proving, count).decides(program):
        shorter = program
    if shorter is None:
        raise BudgetError(
            f"{len(machine.table)} states are too many for a program with a proof; expected a smaller "
            "automaton; give another language"
        )
    return SynthesizedProgram(shorter, *found.notes)


class Sample:
    """Words and all their prefixes, with what a regular language says of each. Mutable: it counts its work.

    `steps`: steps of work after which nothing is admitted any more. `count`: called with a number of steps of
    work before they are done; may raise to stop.

    >>> from idinf.crasp.parser import parse
    >>> from idinf.base.words import Alphabet
    >>> sample = Sample(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    >>> sample.admits(parse('accept = # "a" == # "b" && # (# "b" > # "a" || # "a" > # "b" + 1) == 0'))
    True
    >>> sample.admits(parse('accept = # "a" == # "b"'))
    False
    """

    def __init__(
        self,
        machine: RegularTarget,
        steps: int = MAX_STEPS,
        count: Callable[[int], None] = lambda work: None,
    ) -> None:
        self.alphabet, size = machine.alphabet, len(machine.alphabet)
        self.left, self.count = steps, count
        length = next(n for n in itertools.count(1) if size ** (n + 1) > MOST_SHORT or n == LONGEST)
        longest = LAPS * len(machine.table) + length
        words = list(itertools.product(range(size), repeat=length))
        words += draw_pumped_words(machine, length + 1, longest, MOST_PUMPED)
        self.batch: WordBatch = lay_out_words(words)
        self._labels = _labels(machine, self.batch)

    def admits(self, program: s.ProgramTree) -> bool:
        """Whether a program says on all of these words what the language does, as far as work is left."""
        parts = sum(1 for row in program.definitions for _ in s.iter_parts(row.expression))
        steps = 1 + parts * (self.batch.codes.size + MAKING_CELLS) // CELLS_OF_STEP if self.left > 0 else 0
        self.left -= steps
        self.count(steps)
        if not steps:
            return False
        place = 0
        for found in compute_prefix_labels(program, self.alphabet, self.batch):
            inside = np.arange(len(found))[:, None] <= self.batch.lengths[place : place + found.shape[1]]
            expected = self._labels[: len(found), place : place + found.shape[1]]
            if ((found != expected) & inside).any():
                return False
            place += found.shape[1]
        return True


def _labels(machine: RegularTarget, batch: WordBatch) -> NDArray[Any]:
    """What the language says of every prefix, shape (positions + 1, words)."""
    states = np.zeros((batch.codes.shape[1] + 1, len(batch)), dtype=np.int64)
    for position, codes in enumerate(batch.codes.T):
        states[position + 1] = machine.table[states[position], codes]
    return machine.accepting[states]


def simplify(
    program: s.ProgramTree,
    proves: Callable[[s.ProgramTree], bool],
    admits: Callable[[s.ProgramTree], bool] = lambda _: True,
) -> s.ProgramTree | None:
    """Leave out whatever is not needed.

    Every part of every operation is tried to be left out, from the last operation to the first, until
    nothing more can go or `MAX_TRIED` were tried. What is admitted is left out at first, and only the
    shortest program is proved. If there is no proof, one on the way there that has one is made shorter step
    by step, with a proof of each step.

    `proves`: whether a program is proved to decide the language. `admits`: whether nothing known speaks
    against a program: quick, and true of every right one.

    A proved one, if there is one on the way from ``program`` to the shortest that is admitted.
    """
    first = _tidy(program.definitions)
    steps = [first, *_iter_shorter(first, admits)]
    proved, unproved = -1, len(steps)
    at = unproved - 1
    while unproved - proved > 1:
        if proves(s.ProgramTree(steps[at])):
            proved = at
        else:
            unproved = at
        at = (proved + unproved) // 2
    if proved < 0:
        return None
    if proved < len(steps) - 1:
        steps = [steps[proved], *_iter_shorter(steps[proved], lambda p: admits(p) and proves(p))]
    return s.ProgramTree(steps[-1])


def _iter_shorter(definitions: Definitions, keeps: Callable[[s.ProgramTree], bool]) -> Iterator[Definitions]:
    """Ever shorter programs that are kept, after at most `MAX_TRIED` tries."""
    best, begin, left = definitions, 0, MAX_TRIED
    while True:
        for k, candidate in enumerate(shorter_definitions(best)):
            if k < begin:
                continue
            if not left:
                return
            left -= 1
            if keeps(s.ProgramTree(candidate)):
                best, begin = _tidy(candidate), k
                yield best
                break
        else:
            if not begin:
                return
            begin = 0


def shorter_definitions(definitions: Definitions) -> Iterator[Definitions]:
    """Programs with one part less."""
    weaker = {d.name: tuple(_weakened(d.expression)) for d in definitions}
    for place in reversed(range(len(definitions))):
        definition = definitions[place]
        for expression in _parts_left_out(definition.expression, weaker):
            yield (
                *definitions[:place],
                replace(definition, expression=expression),
                *definitions[place + 1 :],
            )


def _weakened(expression: s.Expression) -> Iterator[s.Expression]:
    """A symbol, or whether it was ever read, of an operation that says so of some states alone."""
    match expression:
        case s.Conjunction():
            yield from (part for part in (expression.left, expression.right) if isinstance(part, s.Symbol))
        case s.Comparison(s.Relation.GE, s.Count(None, s.Conjunction() as inside) as count, s.Number(1)):
            for part in s.iter_parts(inside):
                if isinstance(part, s.Symbol):
                    yield compared([(s.Count(None, part, count.place), 1)], s.Relation.GE, 1)


def _parts_left_out(
    expression: s.Expression, weaker: Mapping[str, Sequence[s.Expression]]
) -> Iterator[s.Expression]:
    match expression:
        case s.Name(name):
            yield from weaker.get(name, ())
        case s.Conjunction() | s.Disjunction():
            yield from (expression.left, expression.right)
        case s.Comparison(relation, s.Count(predicate, operand) as count, s.Conditional(then)):
            # A count of what was before now: of all until now, of others, or of one more.
            yield compared([(count, 1)], relation, 0)
            yield TRUE
            for others in _parts_left_out(operand, {}) if isinstance(operand, s.Disjunction) else ():
                yield compared([(s.Count(predicate, others, count.place), 1)], relation, 0)
            if isinstance(then, s.Number):
                yield compared([(count, 1)], relation, then.value)
        case s.Comparison(relation, s.Count(None, operand), s.Number(bound)):
            # Whether something ever was, or never: whether it is now.
            if (relation, bound) == (s.Relation.GE, 1):
                yield operand
            if (relation, bound) in ((s.Relation.LT, 1), (s.Relation.EQ, 0)):
                yield negated(operand)
            yield from (TRUE, FALSE)
        case s.Comparison() | s.Periodic() | s.Negated():
            yield from (TRUE, FALSE)
    for name, part in s.name_parts(expression).items():
        for shorter in _parts_left_out(part, weaker):
            yield _with_parts(expression, {name: shorter})


def _with_parts(expression: s.Expression, parts: Mapping[str, s.Expression]) -> s.Expression:
    changed: s.Expression = replace(expression, **parts)  # type: ignore[arg-type]  # by the names of its fields
    return changed


def _tidy(definitions: Definitions) -> Definitions:
    """The same without constants, unread operations, and names of what is short or read once."""
    while True:
        uses = Counter(
            part.name
            for definition in definitions
            for part in s.iter_parts(definition.expression)
            if isinstance(part, s.Name)
        )
        known: dict[str, s.Expression] = {}
        same: dict[s.Expression, str] = {}
        kept = []
        for definition in definitions:
            expression = _folded(definition.expression, known)
            short = isinstance(expression, s.Name | s.Symbol | s.Truth | s.Periodic)
            if definition is not definitions[-1] and (short or uses[definition.name] == 1):
                known[definition.name] = expression
                continue
            if definition is not definitions[-1] and expression in same:
                known[definition.name] = s.Name(same[expression], expression.place)
                continue
            same[expression] = definition.name
            kept.append(replace(definition, expression=expression))
        tidy = list_needed_definitions(s.ProgramTree(tuple(kept)))
        if tidy == definitions:
            return tidy
        definitions = tidy


def _folded(expression: s.Expression, known: dict[str, s.Expression]) -> s.Expression:
    """With known names replaced, and constants folded."""
    if isinstance(expression, s.Name):
        return known.get(expression.name, expression)
    parts = {name: _folded(part, known) for name, part in s.name_parts(expression).items()}
    match expression:
        case s.Conjunction():
            return all_of(parts.values())
        case s.Disjunction():
            return any_of(parts.values())
        case s.Negated():
            return negated(parts["operand"])
    return _with_parts(expression, parts) if parts else expression
