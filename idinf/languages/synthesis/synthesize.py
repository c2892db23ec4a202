"""From a regular language to a short C-RASP program that is proved to decide it.

A program is made shorter part by part, tried on words first, and proved in the end. So is one of the words
outside, whose negation may be the shorter program.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.crasp import syntax as s
from idinf.crasp.building import negated
from idinf.crasp.interpreter import WordBatch, compute_prefix_labels, lay_out_words
from idinf.crasp.syntax import ProgramTree
from idinf.errors import BudgetError, SpecError
from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import build_monoid
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.letters import Letters
from idinf.languages.synthesis.program import write_program
from idinf.languages.synthesis.shortening import Definitions, iter_shorter, measure
from idinf.targets.regular import MOST_STATES, RegularTarget

#: Work of the proof that a program is right as constructed, and of all proofs that shorter ones are.
PROOF_WORK, SIMPLIFYING_WORK = 10_000_000, 1_000_000

#: Short words, at most: all of one length, and so all shorter ones as their prefixes. At most so long.
MOST_SHORT, LONGEST = 1000, 12

#: Walks from state to state, and their length: at least so long, and so many times the number of states.
WALKS, STRIDE, LAPS = 1500, 40, 3

#: Every so manieth word is asked first.
FIRST = 20

#: Parts of programs times prefixes that are a step of work, about a millisecond; at most so many steps.
CELLS_OF_STEP, MAX_STEPS = 400_000, 1_000_000

#: Prefixes that take as long as to make the program that is tried.
MAKING_CELLS = 10_000


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
    *_, shortest = iter_synthesized(machine, work, proving, trying, count)
    return shortest


def iter_synthesized(
    machine: RegularTarget,
    work: int = SIMPLIFYING_WORK,
    proving: int = PROOF_WORK,
    trying: int = MAX_STEPS,
    count: Callable[[int], None] = lambda work: None,
    is_late: Callable[[], bool] = lambda: False,
) -> Iterator[SynthesizedProgram]:
    """Write ever shorter programs, all of them proved; arguments as of `synthesize`.

    `is_late`: whether to leave it at what is short enough, and to prove that.
    """
    letters = Letters.of(machine)
    merged = letters.merge(machine)
    notes = _find_notes(merged, count)
    sides = [_write_side(merged, notes, accepts) for accepts in (True, False)]
    written = [side for side in sides if side is not None]
    count(1)
    sample, proof = Sample(merged, trying, count), AffineProof(merged, work, count)

    def admits(program: ProgramTree) -> bool:
        return not is_late() and sample.admits(program)

    ways = [list(iter_shorter(side, letters, admits)) for side in written] if work else []
    ways.sort(key=lambda way: measure(way[-1], letters))
    proved = 0
    for way in (*(way[-1:] for way in ways), *ways):
        for definitions in _iter_proved(way, letters, sample.admits, proof.decides):
            proved += 1
            yield SynthesizedProgram(letters.spell_out(definitions), *notes)
        if proved:
            return
    if not written or not AffineProof(merged, proving, count).decides(ProgramTree(written[0])):
        raise BudgetError(
            f"{len(machine.table)} states are too many for a program with a proof; expected a smaller "
            "automaton; give another language"
        )
    yield SynthesizedProgram(letters.spell_out(written[0]), *notes)


def _find_notes(machine: RegularTarget, count: Callable[[int], None]) -> tuple[int, int]:
    """The number of symbols before the present one that a program looks at, and the modulus of positions."""
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
    return found.notes


def _write_side(machine: RegularTarget, notes: tuple[int, int], accepts: bool) -> Definitions | None:
    """A program of the words of a language, or the negation of one of all others."""
    accepting = machine.accepting if accepts else ~machine.accepting
    program = write_program(RegularTarget(machine.alphabet, machine.table, accepting), *notes)
    if program is None:
        return None
    if accepts:
        return program.definitions
    *others, last = program.definitions
    return (*others, replace(last, expression=negated(last.expression)))


def _iter_proved(
    way: list[Definitions],
    letters: Letters,
    admits: Callable[[ProgramTree], bool],
    proves: Callable[[ProgramTree], bool],
) -> Iterator[Definitions]:
    """A step of a way to a shorter program that is proved, and shorter ones, each of them proved.

    Only the last step is proved if that can be; otherwise one before it is looked for by halving.
    """
    proved, unproved = -1, len(way)
    at = unproved - 1
    while unproved - proved > 1:
        if proves(ProgramTree(way[at])):
            proved = at
        else:
            unproved = at
        at = (proved + unproved) // 2
    if proved == len(way) - 1:
        yield way[proved]
    elif proved >= 0:
        yield from iter_shorter(way[proved], letters, lambda program: admits(program) and proves(program))


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
        walks = _draw_walks(machine, max(STRIDE, LAPS * len(machine.table)))
        words = [*itertools.product(range(size), repeat=length), *map(tuple, walks.tolist())]
        # Few words tell most programs apart from the language: they are asked first.
        self._parts = [
            (batch, _labels(machine, batch)) for batch in map(lay_out_words, (words[::FIRST], words))
        ]

    def admits(self, program: s.ProgramTree) -> bool:
        """True if a program agrees with the language on all of these words, as far as work is left."""
        return all(self._agrees(program, *part) for part in self._parts)

    def _agrees(self, program: s.ProgramTree, batch: WordBatch, labels: NDArray[Any]) -> bool:
        parts = sum(1 for row in program.definitions for _ in s.iter_parts(row.expression))
        steps = 1 + parts * (batch.codes.size + MAKING_CELLS) // CELLS_OF_STEP if self.left > 0 else 0
        self.left -= steps
        self.count(steps)
        if not steps:
            return False
        place = 0
        for found in compute_prefix_labels(program, self.alphabet, batch):
            inside = np.arange(len(found))[:, None] <= batch.lengths[place : place + found.shape[1]]
            expected = labels[: len(found), place : place + found.shape[1]]
            if ((found != expected) & inside).any():
                return False
            place += found.shape[1]
        return True


def _draw_walks(machine: RegularTarget, length: int) -> NDArray[np.int64]:
    """Words that go from state to state in the shortest ways, with symbols drawn or repeated in between.

    They go as if the drawn symbols were not there, and half of them as if they began at another state: words
    that lack something, or have it twice. Of automata with more than `MOST_STATES` states there are none.
    """
    table, (states, size) = machine.table, machine.table.shape
    if states > MOST_STATES:
        return np.zeros((0, 0), dtype=np.int64)
    far = np.where(np.eye(states, dtype=np.bool_), 0, states)
    for _ in range(states):
        far = np.minimum(far, 1 + far[table].min(axis=1))
    drawn_from = np.random.RandomState(0)  # whose numbers are the same everywhere

    def draw(bound: int) -> NDArray[np.int64]:
        return np.asarray(drawn_from.randint(bound, size=WALKS, dtype=np.int64))

    now, goal = draw(2) * draw(states), draw(states)
    words = np.zeros((WALKS, length), dtype=np.int64)
    for position in range(length):
        new = (now == goal) | (far[now, goal] == states)
        goal = np.where(new, draw(states), goal)
        now = np.where(far[now, goal] == states, draw(states), now)
        kind, drawn = draw(8), draw(size)
        way = far[table[now], goal[:, None]].argmin(axis=1)
        symbols = np.where(kind == 0, drawn, np.where(kind == 1, words[:, position - 1], way))
        words[:, position], now = symbols, np.where(kind == 0, now, table[now, symbols])
    return words


def _labels(machine: RegularTarget, batch: WordBatch) -> NDArray[Any]:
    """The answer of the language to every prefix, shape (positions + 1, words)."""
    states = np.zeros((batch.codes.shape[1] + 1, len(batch)), dtype=np.int64)
    for position, codes in enumerate(batch.codes.T):
        states[position + 1] = machine.table[states[position], codes]
    return machine.accepting[states]
