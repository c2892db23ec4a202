"""The depth of nested counts that a program of a language needs: the least one, or a bracket.

The depth is that of `idinf.crasp.checker`: `# "a" >= 1` has depth 1, and a count of positions where that
holds has depth 2. A count less what its own position adds is a count of what came before, at no depth. So a
program that knows its last symbol σ, and fixed words before and behind what it reads, can be written without
more depth; the least depth of L is therefore that of the languages Lσ⁻¹, which share the DFA of L with states
of equal rows merged (`idinf.languages.classification.membership.drop_last_symbol`). ε is told by Q_σ alone.

*Depth 0* reads the last symbol alone: the merged DFA has one state. *Depth 1* reads it and how often each
symbol occurs, so all states q of the merged DFA have q·ab = q·ba. Conversely, let L in C-RASP[] be such. It
is star-free, so whether a word is in Lσ⁻¹ depends on its numbers of symbols, each up to a threshold: depth 1.

*The lower end.* Let u and v be words, read as letters: a program can be followed through them without more
depth. Claim: for finitely many formulas of depth d and any V, behind any word x there are d + 1 blocks
y = u^p v^q u^r … (none if d = 0) with exponents as large as one likes, so that behind xy, on words of u and v
with at most V of each, the formulas depend on the last letter alone. By induction: the formulas inside have
this property behind d blocks, for a larger V. So counts of them grow by a constant with each u and each v,
and each comparison divides the plane of numbers of u and of v by a line. The lines are as many whatever V is,
so some square of any size is on one side of all of them; u^p v^q or v^q u^p leads into it, with one new block
(two from d = 0 to 1). Hence at depth d + 1 the numbers of u and v and the last letter decide behind xy. If
some state q behind it has q·uv ≠ q·vu in the merged DFA, L has no program of depth d + 1. Large powers of u
do the same, as L is aperiodic. Of k blocks a⁺b⁺a⁺… it follows that depth k - 1 is too little: the lower half
of the depth hierarchy of arXiv 2506.16055, section 4, proved here for any regular language.

*The upper end* is the least of three. A program has its own depth. Of a piecewise testable language
subsequences decide, of two symbols or at most as long as the longest way through the DFA without loops
(Klíma, Polák 2013), and k symbols in order take depth k. Any DFA of C-RASP[] has the program of [D26]: a
component that is entered at depth d tells its states at d + t where t rounds of labels do (t = 0 for one
state), is left at one more than what tells where, and the next one is entered then, or one deeper if there
are several.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from idinf.base.words import Word, words_up_to
from idinf.crasp.checker import Facts
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.languages.classification.by_automaton import Finding, number_components, show_word
from idinf.languages.classification.membership import (
    Note,
    annotate_states,
    drop_last_symbol,
    iter_component_parts,
    refine_classes,
)
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import BoolArray, IntArray, find_least_word
from idinf.targets.regular import RegularTarget

#: Words of different action that take the part of two letters; from so many states on the symbols alone.
MOST_WORDS, MOST_STATES = 24, 200

#: Words on which a program with infinitely many states is tried.
MOST_TRIED, LONGEST_TRIED = 3_000, 10

#: The paper of the lower end.
HIERARCHY = "arXiv 2506.16055, section 4"

#: What an upper end is: where there is a program, and where the shape of the automaton gives one.
GIVEN, D26 = "a program of that depth is given", "a program of arXiv 2608.13433"

#: Said of languages outside of C-RASP[].
WITH_PREDICATES = " (of C-RASP[periodic,local], where a local count is one, too)"


@dataclass(frozen=True, slots=True)
class Nesting:
    """The depth of counts is at least and at most so much; `least` None says that there is none."""

    least: int | None
    most: int | None
    reason: str

    @property
    def verdict(self) -> str:
        """A number, a bracket, none or unknown."""
        if self.least is None:
            return "none"
        if self.most is None:
            return f">= {self.least}" if self.least else "unknown"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    def to_dict(self) -> dict[str, str | int | None]:
        """The object of --json."""
        return {"verdict": self.verdict, "least": self.least, "most": self.most, "reason": self.reason}


#: Of what no program decides.
NOWHERE = Nesting(None, None, "in no class of programs")


def find_nesting(
    machine: RegularTarget, crasp: Finding, predicates: Finding, testable: Finding, facts: Facts | None = None
) -> Nesting:
    """Find the depth of counts of a regular language, of which three memberships are known.

    `facts`: of a program of it. Where the language is not in C-RASP[], the depth is that of
    C-RASP[periodic,local], where a local count is a nesting as well.

    >>> from idinf.spec.spec import Verdict
    >>> from idinf.base.words import Alphabet
    >>> machine = RegularTarget.from_regex("aa*bb*aa*", Alphabet(("a", "b")))
    >>> found = find_nesting(machine, *[Finding(Verdict.YES, "")] * 3)
    >>> found.least, found.most, found.verdict
    (3, 4, '3 to 4')
    """
    if predicates.is_no:
        return NOWHERE
    table, first = drop_last_symbol(machine.table)
    accepting = machine.accepting[machine.table[first]]
    if not crasp.is_yes:
        return _with_predicates(table, accepting, predicates.notes, facts)
    if len(table) == 1:
        return Nesting(0, 0, "the last symbol alone decides")
    swapped = find_order(table)
    if swapped is None:
        return Nesting(
            1, 1, "the last symbol and how often each one occurs decide, the former alone does not"
        )
    state, one, other = swapped
    alphabet = machine.alphabet
    least, why = (
        2,
        (
            f"after {show_word(alphabet, find_least_word(table, state))} the order of "
            f"{alphabet.symbols[one]} and {alphabet.symbols[other]} counts"
        ),
    )
    if (found := find_blocks(table)) is not None:
        least, u, v = found
        why = (
            f"after {least - 1} long blocks of {show_word(alphabet, u)} and {show_word(alphabet, v)} in turn "
            f"their order still counts ({HIERARCHY})"
        )
    ends = [(bound_by_components(table, accepting), D26)]
    if testable.is_yes:
        ends.append((2, "pairs of symbols in order decide (Blanchet-Sadri 1989; Masopust, Thomazo 2017)"))
        if not is_told_by_pairs(table):
            longest = measure_longest_way(table)
            ends[-1] = (longest, f"subsequences of {longest} symbols decide (Klíma, Polák 2013)")
    if facts is not None and facts.class_name == "C-RASP[]":
        ends.append((facts.depth, GIVEN))
    most, how = min(ends, key=lambda end: end[0])
    return Nesting(least, most, f"at least {least}: {why}; at most {most}: {how}")


def _with_predicates(
    table: IntArray, accepting: BoolArray, notes: tuple[int, int] | None, facts: Facts | None
) -> Nesting:
    """Depth 0 reads the last symbol and a residue: all symbols do the same in the merged DFA, a cycle."""
    if (table == table[:, :1]).all() and 0 in table[:, 0]:
        return Nesting(0, 0, f"the last symbol and the length modulo {len(table)} decide{WITH_PREDICATES}")
    why = "at least 1: the last symbol and a residue of the length do not decide"
    ends = [] if facts is None else [(facts.depth, GIVEN)]
    if notes is not None and (noted := bound_by_notes(table, accepting, *notes)) is not None:
        ends.append((noted, D26))
    if not ends:
        return Nesting(1, None, f"{why}; an upper end needs a program{WITH_PREDICATES}")
    most, how = min(ends, key=lambda end: end[0])
    return Nesting(1, most, f"{why}; at most {most}: {how}{WITH_PREDICATES}")


def bound_program(facts: Facts, target: CountingTarget | None) -> Nesting:
    """Bound the depth of what a program decides that is not seen to be regular.

    Two words with equal counts and last symbols that it tells apart show that no program of depth 1 does.
    Of next symbols, where no target is given, all operations count.

    >>> from idinf.base.words import Alphabet
    >>> from idinf.crasp.checker import check, read_program
    >>> sigma = Alphabet(("a", "b"))
    >>> program = read_program('below = # "a" < # "b" accept = # below == 0', sigma)
    >>> bound_program(check(program), CountingTarget(program, sigma)).verdict
    '2'
    """
    most = facts.depth if target else max(operation.depth for operation in facts.operations)
    written = f"at most {most}: {GIVEN}"
    if target is None or facts.class_name != "C-RASP[]":
        return Nesting(0, most, written)
    size, length = len(target.alphabet), 1
    while size ** (length + 1) <= MOST_TRIED and length < LONGEST_TRIED:
        length += 1
    words = [word for word in words_up_to(size, length) if word]
    labels = compute_labels(target.program, target.alphabet, lay_out_words(words)).tolist()
    met: dict[tuple[int, ...], tuple[Word, bool]] = {}
    least, why = 0, ""
    for word, label in zip(words, labels, strict=True):
        for depth, key in ((1, word[-1:]), (2, (word[-1], *sorted(word)))):
            other, said = met.setdefault((depth, *key), (word, label))
            if said != label and depth > least:
                pair = f"{show_word(target.alphabet, other)} and {show_word(target.alphabet, word)}"
                least, why = depth, f"at least {depth}: {pair} are told apart; "
    return Nesting(least, most, why + written)


def find_order(table: IntArray) -> tuple[int, int, int] | None:
    """A state and two symbols whose order matters there; None if all symbols commute.

    >>> find_order(np.array([[1, 0], [1, 2], [2, 2]])), find_order(np.array([[1, 0], [1, 1]]))
    ((0, 0, 1), None)
    """
    for one, other in product(range(table.shape[1]), repeat=2):
        differ = table[table[:, one], other] != table[table[:, other], one]
        if one < other and differ.any():
            return int(np.argmax(differ)), one, other
    return None


def find_blocks(table: IntArray) -> tuple[int, Word, Word] | None:
    """A depth above 2 that is needed, with the two words whose blocks show it; None if none shows it.

    Words of aperiodic action are tried in shortlex order, the first of each action.

    >>> find_blocks(np.array([[1, 4], [1, 2], [3, 2], [3, 4], [4, 4]]))   # a⁺b⁺a⁺
    (3, (0,), (1,))
    """
    words, actions = list_actions(table)
    powers = actions
    for _ in range(len(table).bit_length()):
        powers = np.take_along_axis(powers, powers, axis=1)
    best: tuple[int, Word, Word] | None = None
    for one, other in product(range(len(words)), repeat=2):
        u, v = actions[one], actions[other]
        orders = v[u] != u[v]
        if not orders.any():
            continue
        reached = powers[other][powers[one]]
        for depth in range(3, 2 * len(table) + 3):  # after depth - 1 blocks
            if not (orders[reached] | orders[u[reached]] | orders[v[reached]]).any():
                break
            if best is None or depth > best[0]:
                best = depth, words[one], words[other]
            reached = powers[one if depth % 2 else other][reached]
    return best


def list_actions(table: IntArray) -> tuple[list[Word], IntArray]:
    """The first words of different action on the states, and where they lead; (words, states)."""
    states, symbols = table.shape
    most = MOST_WORDS if states <= MOST_STATES else min(symbols, MOST_WORDS)
    found: dict[tuple[int, ...], Word] = {}
    frontier: list[tuple[Word, IntArray]] = [((), np.arange(states))]
    while frontier and len(found) < most:
        new = []
        for (word, action), code in product(frontier, range(symbols)):
            longer = table[action, code]
            if len(found) < most and tuple(longer.tolist()) not in found:
                found[tuple(longer.tolist())] = (*word, code)
                new.append(((*word, code), longer))
        frontier = new
    return list(found.values()), np.array(list(found))


def is_told_by_pairs(table: IntArray) -> bool:
    """True if subsequences of two symbols decide the state of a DFA of piecewise testable languages.

    Behind a word with a, an a more changes nothing before b and a: q·aba = q·ba, also without b.

    >>> is_told_by_pairs(np.array([[1, 0], [1, 2], [2, 2]]))   # Σ*ab Σ*
    True
    """
    number, symbols = table.shape
    for one in range(symbols):
        behind = np.zeros(number, dtype=np.bool_)
        behind[table[:, one]] = True
        while not behind[table[behind]].all():
            behind[table[behind]] = True
        again = table[:, one]
        for middle in (np.arange(number), *table.T):
            if (again[middle[again]] != again[middle])[behind].any():
                return False
    return True


def measure_longest_way(table: IntArray) -> int:
    """Edges of the longest way of a DFA whose only cycles are loops.

    >>> measure_longest_way(np.array([[1, 0], [1, 2], [2, 2]]))
    2
    """
    component = number_components(table)
    longest = np.zeros(len(table), dtype=np.int64)
    for state in np.argsort(component).tolist():  # what is led to first
        after = table[state][table[state] != state]
        longest[state] = 1 + longest[after].max() if len(after) else 0
    return int(longest[0])


def bound_by_notes(table: IntArray, accepting: BoolArray, window: int, modulus: int) -> int | None:
    """The same of the DFA that remembers the last symbols and a residue, at one more for looking back.

    None if it has too many states. Symbols that lead alike are remembered as one.

    >>> bound_by_notes(np.array([[1, 0], [2, 0], [2, 2]]), np.array([[False], [False], [True]]), 1, 1)   # aa
    4
    """
    noted = annotate_states(np.unique(table, axis=1), window, modulus)
    if noted is None:
        return None
    numbers: dict[Note, int] = {}
    known = np.array([numbers.setdefault(note, len(numbers)) for note in noted.notes])
    own = accepting[list(noted.states)]
    return bound_by_components(np.array(noted.table), own, known) + (window > 0)


def bound_by_components(table: IntArray, accepting: BoolArray, known: IntArray | None = None) -> int:
    """The depth of the program of [D26] of a separable DFA that several sets of states, (V, sets), accept.

    Positions show the class that is ``known`` of a state, (V,); none if it is not given.

    >>> bound_by_components(np.array([[1, 2], [2, 0], [2, 2]]), np.eye(3, dtype=bool)[:, :1])   # (ab)*
    2
    """
    component, rounds = number_components(table), list_rounds(table, known)
    entered = [0] * (int(component.max()) + 1)
    depths = np.zeros((*accepting.shape[1:], 2), dtype=np.int64)  # where one answer is what is said elsewhere
    for own in reversed(range(len(entered))):
        states = np.flatnonzero(component == own)
        ways: dict[int, int] = {}
        for column in table[states].T:
            for after in set(column[component[column] != own].tolist()):
                told = entered[own] + _told(rounds, states, column == after)
                ways[after] = max(ways.get(after, 0), told)
        left = 1 + max(ways.values()) if ways else 0
        for after in ways:
            place = int(component[after])
            entered[place] = max(entered[place], left + (len(ways) > 1))
        for number, answers in enumerate(accepting[states].T):
            depth = max(entered[own] + _told(rounds, states, answers), left)
            for rest in (False, True):
                if (answers != rest).any():
                    depths[number, int(rest)] = max(depths[number, int(rest)], depth)
    return int(depths.min(axis=1).max())


def list_rounds(table: IntArray, known: IntArray | None = None) -> list[IntArray]:
    """The classes of states that are told apart inside of components, round by round, from the known ones."""
    begin = number_components(table)
    if known is not None:
        begin = np.unique(np.stack([begin, known]), axis=1, return_inverse=True)[1].reshape(-1)
    rounds = [begin]
    parts = list(iter_component_parts(table))
    while True:
        classes = rounds[-1] * (len(table) + 1)
        for states, part in parts:
            own = np.unique(rounds[-1][states], return_inverse=True)[1]
            classes[states] += refine_classes(part, own)
        classes = np.unique(classes, return_inverse=True)[1]
        if classes.max() == rounds[-1].max():
            return rounds
        rounds.append(classes)


def _told(rounds: list[IntArray], states: IntArray, values: IntArray) -> int:
    """The round whose classes tell the values of the states of a component."""
    if len(states) == 1 or (values == values[0]).all():
        return 0
    for number, classes in enumerate(rounds):
        pairs = np.stack([classes[states], values], axis=1)
        if len(np.unique(pairs, axis=0)) == len(np.unique(classes[states])):
            return number
    raise RuntimeError("counts do not tell the states of a DFA of C-RASP[] apart")
