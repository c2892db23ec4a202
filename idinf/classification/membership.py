"""Membership of a regular language in C-RASP[] and in C-RASP[periodic,local]."""

from __future__ import annotations

from itertools import product

from idinf.classification.annotation import annotated_separable, long_windows, moduli, with_residues
from idinf.classification.findings import Finding, no, shown, unknown, yes
from idinf.classification.groups import cycle_lengths
from idinf.classification.local_words import local_tables
from idinf.classification.monoid import TransitionMonoid
from idinf.classification.potentials import inseparable
from idinf.classification.reductions import inseparable_idempotent, neutral_symbol
from idinf.targets.regular import RegularTarget

__all__ = ["in_crasp", "in_crasp_periodic_local"]

#: Windows that are tried symbol by symbol.
WINDOWS = 4


def in_crasp(machine: RegularTarget) -> Finding:
    """Decide membership in C-RASP[].

    Notes
    -----
    Implements the decision procedure of [D26]_ on the minimal complete DFA.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> for symbols in ("ab", "abc"):
    ...     in_crasp(RegularTarget.from_regex(".*ab.*", Alphabet(tuple(symbols)))).verdict.value
    'yes'
    'no'
    """
    pair = inseparable(machine.table)
    if pair is None:
        return yes("in every component of the minimal DFA counts tell all states apart ([D26])")
    return no(
        f"states {pair[0]} and {pair[1]} of the minimal DFA reach each other, and no count that is the same "
        "around every cycle tells them apart ([D26])"
    )


def in_crasp_periodic_local(machine: RegularTarget, monoid: TransitionMonoid, crasp: Finding) -> Finding:
    """Prove or refute membership in C-RASP[periodic,local], or say that neither is done.

    Parameters
    ----------
    machine : RegularTarget
    monoid : TransitionMonoid
        Of its table.
    crasp : Finding
        Membership in C-RASP[], decided.

    Examples
    --------
    >>> from idinf.classification.monoid import transition_monoid
    >>> from idinf.words import Alphabet
    >>> for text in ("(aa)*", "b*(ab*ab*)*"):
    ...     machine = RegularTarget.from_regex(text, Alphabet(("a", "b")))
    ...     found = in_crasp_periodic_local(machine, transition_monoid(machine.table), in_crasp(machine))
    ...     found.verdict.value
    'yes'
    'no'
    """
    if crasp.is_yes:
        return yes("in C-RASP[], which needs no predicates")
    neutral = neutral_symbol(machine.table)
    if neutral is not None:
        return no(
            f"{machine.alphabet.symbols[neutral]} moves no state, and with such a neutral symbol predicates "
            "add nothing to C-RASP[] ([HYB25] Lemmas 34, 35, 41), in which it is not"
        )
    # The cheap proof first, then what is likely for a large DFA, then what takes long.
    found = long_windows(machine.table)
    if found is not None:
        return _annotated(*found)
    element = inseparable_idempotent(monoid) if monoid.is_complete else _inseparable_power(monoid)
    if element is not None:
        word = shown(machine.alphabet.decode(monoid.word(element)))
        return no(
            f"a power of u = {word} is idempotent; among words of one length it is a neutral symbol for a "
            "language outside C-RASP[] ([D26]), so the predicates do not help ([HYB25] Lemmas 34, 42)"
        )
    tried = moduli(machine.table, cycle_lengths(monoid))
    for modulus in tried:
        table = with_residues(machine.table, modulus)
        found = None if table is None else long_windows(table)
        if found is not None:
            return _annotated(*found)
    for window, modulus in product(range(1, WINDOWS + 1), tried):
        if annotated_separable(machine.table, window, modulus):
            return _annotated(window, modulus)
    size = "" if monoid.is_complete else f"; the syntactic monoid has more than {len(monoid)} elements"
    return unknown(f"no proof with a window and a modulus, no reduction to a neutral symbol{size}")


def _annotated(window: int, modulus: int) -> Finding:
    notes = [f"the last {window} symbols"] * (window > 0) + [f"i modulo {modulus}"] * (modulus > 1)
    return yes(
        f"in C-RASP[] once every position i shows {' and '.join(notes)} ([D26]), which local and periodic "
        "predicates do ([HYB25] Lemma 42)"
    )


def _inseparable_power(monoid: TransitionMonoid) -> int | None:
    return next((element for element, table in local_tables(monoid) if inseparable(table) is not None), None)
