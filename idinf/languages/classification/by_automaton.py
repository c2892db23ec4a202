"""Classes that the minimal DFA alone decides: R-trivial, piecewise testable, finite and cofinite."""

from __future__ import annotations

import numpy as np

from idinf.languages.classification.components import measure_levels, number_components
from idinf.languages.classification.findings import Finding, no, word_to, yes
from idinf.targets.machine import IntArray
from idinf.targets.regular import RegularTarget


def decide_r_trivial(machine: RegularTarget) -> Finding:
    """Decide whether the syntactic monoid is R-trivial: iff the minimal DFA is partially ordered.

    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> [decide_r_trivial(RegularTarget.from_regex(text, sigma)).verdict.value for text in ("a*b.*", "(ab)*")]
    ['yes', 'no']
    """
    component = number_components(machine.table)
    order = np.argsort(component, kind="stable")
    repeated = np.flatnonzero(component[order][1:] == component[order][:-1])
    if not len(repeated):
        return yes("the minimal DFA is partially ordered: no state is met again once left (Brzozowski, Fich)")
    one, other = order[repeated[0] : repeated[0] + 2].tolist()
    return no(
        f"after {word_to(machine, one)} and after {word_to(machine, other)} the minimal DFA is in two states "
        "that reach each other (Brzozowski, Fich)"
    )


def decide_piecewise_testable(machine: RegularTarget, ordered: Finding) -> Finding:
    """Decide piecewise testability, a J-trivial monoid: partially ordered and confluent.

    Partially ordered, a DFA is confluent iff for any two symbols a and b every state has one place where
    reading a and b ends: then q·a and q·b meet on words over {a, b}, and conversely, by Newman's lemma.

    >>> from idinf.base.words import Alphabet
    >>> for symbols in ("ab", "abc"):
    ...     machine = RegularTarget.from_regex(".*ab.*", Alphabet(tuple(symbols)))
    ...     decide_piecewise_testable(machine, decide_r_trivial(machine)).verdict.value
    'yes'
    'no'
    """
    if not ordered.is_yes:
        return no(f"not R-trivial, as a J-trivial monoid is (Simon 1975): {ordered.reason}")
    table, symbols = machine.table, machine.alphabet.symbols
    for one in range(len(symbols)):
        for other in range(one):
            ends = _ends(table[:, one], table[:, other])
            split = ends[table[:, one]] != ends[table[:, other]]
            if split.any():
                state = int(np.argmax(split))
                return no(
                    f"after {word_to(machine, state)}, words over {symbols[other]} and {symbols[one]} that "
                    "begin differently never meet in the minimal DFA (Simon 1975; Klíma, Polák 2013)"
                )
    return yes("the minimal DFA is partially ordered and confluent (Simon 1975; Klíma, Polák 2013)")


def is_finite_or_cofinite(machine: RegularTarget) -> bool:
    """Whether the words of the language, or those outside it, are finitely many.

    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a",))
    >>> [is_finite_or_cofinite(RegularTarget.from_regex(text, sigma)) for text in ("aa", "aa+", "(aa)*")]
    [True, True, False]
    """
    table = machine.table
    component = number_components(table)
    on_cycle = np.flatnonzero(measure_levels(table, component)[1][component])
    # Only one state may lie on a cycle, and it is a sink then: some state always does.
    return len(on_cycle) == 1 and bool((table[on_cycle] == on_cycle).all())


def _ends(one: IntArray, other: IntArray) -> IntArray:
    """Where reading one and other in turn ends, from every state of a partially ordered DFA; (V,)."""
    power = other[one]
    for _ in range(len(one).bit_length()):
        power = power[power]
    return power
