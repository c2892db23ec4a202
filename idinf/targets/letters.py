"""Letters that a target does not tell apart, and the target with one symbol for all of them.

No word of {a, b, c}*ac{a, b, c}* changes sides where a b becomes a d, if there were a d: such letters are
*alike*, which is an equivalence, and one of each class is its symbol. Write π for reading every letter as its
symbol, and s for the embedding of words over symbols among all words, so π(s(w)) = w.

*One embedding for a class costs nothing.* Let h be a Limit Transformer over the symbols. With E_σ = E_π(σ) it
is one over all letters: h∘π. It has the R of h, as ‖E_σ‖ enters by its maximum alone, and a word w has the
answer that π(w) has; so fail(h∘π) against the target is fail(h) against the merged target. Conversely let h
be a Limit Transformer over all letters. Without the rows of other letters it is one over the symbols, h∘s:
R(h∘s) ≤ R(h), as no norm of a part of a matrix is larger, and fail(h∘s) ≥ fail(h), as its words are some of
all. Hence R*_n of the merged target is R*_n of the target, for every n, in every family that is closed under
both steps: all Limit Transformers; or the one-hot family with one coordinate for each class of any partition
of the letters in which no class has two symbols. (Symbols that share an embedding are yet another family.)

*n0.* By the same two steps a good n of such a family is a good n of the merged target, so n0 of the family is
at least the n0 that is reported. It is equal iff, from there on, nothing that is selected answers two words
of one π differently up to length 2n. That may happen: for {a, b, c}*, where all letters are alike, a net that
miscounts words with both a and b at great length is wrong on no word over a alone.

*One embedding for each letter* is another family. There a value x of a class of c letters stands c times in a
row of V or A, so it weighs √c · x in ‖V‖ and ‖A‖: R*_n is at least that of the merged target, and at most R
of its hypothesis with all entries repeated. ``letters = "apart"`` searches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from idinf.base.words import Alphabet
from idinf.crasp import building as b
from idinf.crasp import circuit as c
from idinf.crasp import syntax as s
from idinf.crasp.syntax import format_program
from idinf.spec.spec import Answer, Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget


def merge_letters(spec: Spec, target: Target) -> tuple[Spec, Target]:
    """The spec and the target over one symbol for each class of letters that are alike; the same if none are.

    Of next symbols, where letters are answers too, and of a domain nothing is merged.

    >>> from idinf.spec.reader import parse_spec
    >>> spec = parse_spec('name = "ab"\\nalphabet = "abcd"\\nregex = ".*ab.*"')
    >>> merged, machine = merge_letters(spec, build_target(spec))
    >>> merged.alphabet.symbols, merged.alphabet.classes, machine.table.tolist()
    (('a', 'b', 'c'), {'c': ('c', 'd')}, [[1, 0, 0], [1, 2, 0], [2, 2, 2]])
    """
    if spec.answer is not Answer.ACCEPT or spec.domain is not None:
        return spec, target
    symbols = find_symbols(target)
    if symbols == tuple(range(len(symbols))):
        return spec, target
    names, kept = spec.alphabet.symbols, sorted(set(symbols))
    alike = tuple((names[code], names[first]) for code, first in enumerate(symbols) if code != first)
    alphabet = Alphabet(tuple(names[code] for code in kept), spec.alphabet.spaced, alike)
    if isinstance(target, RegularTarget):
        machine = target.over(alphabet)
        return replace(spec, alphabet=alphabet, kind=Kind.DFA, definition=machine.automaton), machine
    assert isinstance(target, CountingTarget)
    text = format_program(_restrict(target.program, alphabet))
    merged = replace(spec, alphabet=alphabet, definition=text)
    return merged, build_target(merged)


def find_symbols(target: Target) -> tuple[int, ...]:
    """For every code the least one that the target does not tell from it.

    Of a counting program letters are told apart if some part of it is true of one alone, or counts one more
    often: what is found alike is alike, and more may be.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("a", "b", "c"))
    >>> program = read_program('accept = 2 * # "a" >= # "b" + # "c"', sigma)
    >>> find_symbols(CountingTarget(program, sigma))
    (0, 1, 1)
    """
    if isinstance(target, RegularTarget):
        views: Sequence[object] = [tuple(column) for column in target.table.T.tolist()]
    elif isinstance(target, CountingTarget):
        views = _view_letters(target.circuit, len(target.alphabet))
    else:
        views = range(len(target.alphabet))
    return tuple(views.index(view) for view in views)


def _view_letters(circuit: c.ProgramCircuit, size: int) -> list[object]:
    """Each letter as the parts of a circuit see it that are no mere sets of letters."""
    sets = c.find_letter_sets(circuit, size)
    seen: list[list[int]] = [[] for _ in range(size)]

    def see(terms: Sequence[tuple[int, int]]) -> None:
        """A sum over some parts: each letter by the sum of its own."""
        own = np.zeros(size, dtype=object)
        for factor, part in terms:
            own += factor * np.array(sets[part]) if part in sets else 0
        for row, value in zip(seen, own.tolist(), strict=True):
            row.append(value)

    for number, node in circuit.nodes:
        match node:
            case c.ThresholdTest(form):
                see(form)
            case _ if number not in sets:
                for linear in c.list_linears(node):
                    see(linear.form)
                counted = {part for linear in c.list_linears(node) for _, part in linear.form}
                for part in c.list_parts(node):
                    if part not in counted:
                        see([(1, part)])
    see([(1, circuit.output)])
    return [tuple(row) for row in seen]


def _restrict(program: s.ProgramTree, alphabet: Alphabet) -> s.ProgramTree:
    """The program on words over the symbols alone, where no other letter occurs."""

    def own(part: s.Expression) -> s.Expression:
        part = s.replace_parts(part, own)
        match part:
            case s.Symbol(symbol) if symbol not in alphabet.symbols:
                return b.FALSE
            case s.Disjunction(left, right):
                return b.any_of((left, right))
            case s.Conjunction(left, right):
                return b.all_of((left, right))
            case s.Negated(operand):
                return b.negated(operand)
            case s.Count(_, b.FALSE):
                return s.Number(0)
            case s.Added(1, left, s.Number(0)):
                return left
        return part

    return s.ProgramTree(tuple(replace(row, expression=own(row.expression)) for row in program.definitions))
