"""Membership of a regular language in C-RASP[] and in C-RASP[periodic,local]."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from idinf.languages.classification.annotation import find_long_windows, is_separable, list_moduli
from idinf.languages.classification.definite import EndLengths
from idinf.languages.classification.findings import Finding, no, show_word, unknown, word_to, yes
from idinf.languages.classification.groups import list_cycle_lengths
from idinf.languages.classification.monoid import TransitionMonoid
from idinf.languages.classification.noted import annotate_states
from idinf.languages.classification.potentials import drop_last_symbol, find_inseparable
from idinf.languages.classification.reductions import find_inseparable_idempotent, iter_local_tables
from idinf.targets.regular import RegularTarget

#: Windows that are tried symbol by symbol.
WINDOWS = 4


def in_crasp(machine: RegularTarget) -> Finding:
    """Decide membership in C-RASP[].

    Implements the decision procedure of [D26]_ on the minimal complete DFA, with the last symbol read as in
    Definition 8 of [HYB25]_: see `idinf.languages.classification.potentials.drop_last_symbol`.

    >>> from idinf.base.words import Alphabet
    >>> for symbols in ("ab", "abc"):
    ...     in_crasp(RegularTarget.from_regex(".*ab.*", Alphabet(tuple(symbols)))).verdict.value
    'yes'
    'no'
    """
    if find_inseparable(machine.table) is None:
        return yes("in every component of the minimal DFA counts tell all states apart ([D26])", (0, 1))
    merged, first = drop_last_symbol(machine.table)
    pair = find_inseparable(merged)
    if pair is None:
        return yes(
            "in every component of the minimal DFA counts tell apart all states that the last symbol, "
            "which a program reads, does not tell apart ([D26]; [HYB25] Definition 8)",
            (0, 1),
        )
    one, other = (int(first[state]) for state in pair)
    return no(
        f"after {word_to(machine, one)} and after {word_to(machine, other)} the minimal DFA is in two "
        "states that reach each other, and no counts that sum to 0 around every cycle tell them apart ([D26])"
    )


def in_crasp_periodic_local(
    machine: RegularTarget,
    monoid: TransitionMonoid,
    crasp: Finding,
    ends: EndLengths | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Finding:
    """Prove or refute membership in C-RASP[periodic,local], or say that neither is done.

    The monoid is that of the machine's table, ``crasp`` the membership in C-RASP[], decided,
    ``ends`` how many symbols at the ends of a word decide, if that is known. The checkpoint is called between
    the attempts; it may raise to stop.

    >>> from idinf.languages.classification.monoid import build_monoid
    >>> from idinf.base.words import Alphabet
    >>> for text in ("(aa)*", "b*(ab*ab*)*"):
    ...     machine = RegularTarget.from_regex(text, Alphabet(("a", "b")))
    ...     found = in_crasp_periodic_local(machine, build_monoid(machine.table), in_crasp(machine))
    ...     found.verdict.value
    'yes'
    'no'
    """
    if crasp.is_yes:
        return yes("in C-RASP[], which needs no predicates", crasp.notes)
    neutral = (machine.table == np.arange(len(machine.table))[:, None]).all(axis=0)  # (|Σ|,)
    if neutral.any():
        symbol = machine.alphabet.symbols[int(np.argmax(neutral))]
        return no(
            f"{symbol} moves no state, and with such a neutral symbol predicates "
            "add nothing to C-RASP[] ([HYB25] Lemmas 34, 35, 41), in which it is not"
        )
    if ends is not None:  # no cycle but in closed components, where the last symbols tell the state
        return _annotated(max(ends.last - 1, 0), 1)
    # The cheap proof first, then what is likely for a large DFA, then what takes long.
    merged, _ = drop_last_symbol(machine.table)
    found = find_long_windows(merged)
    if found is not None:
        return _annotated(*found)
    if monoid.is_complete:
        element = find_inseparable_idempotent(monoid, checkpoint)
    else:
        local = iter_local_tables(monoid)
        element = None
        for candidate, table in local:
            checkpoint()
            if find_inseparable(table) is not None:
                element = candidate
                break
    if element is not None:
        # The identity is a power of any symbol that permutes the states, and one does.
        permuting = (x for x in monoid.right[0].tolist() if monoid.r_class[x] == monoid.r_class[0])
        word = show_word(machine.alphabet, monoid.word(element or next(permuting)))
        return no(
            f"a power of u = {word} is idempotent; among words of one length it is a neutral symbol for a "
            "language outside C-RASP[] ([D26]), so the predicates do not help ([HYB25] Lemmas 34, 42)"
        )
    tried = list_moduli(merged, list_cycle_lengths(monoid))
    for modulus in tried:
        checkpoint()
        noted = annotate_states(merged, 0, modulus)
        found = None if noted is None else find_long_windows(np.array(noted.table))
        if found is not None:
            return _annotated(*found)
    for window, modulus in product(range(1, WINDOWS + 1), tried):
        checkpoint()
        if is_separable(merged, window, modulus):
            return _annotated(window, modulus)
    size = "" if monoid.is_complete else f"; {monoid.excess}"
    return unknown(f"no proof with a window and a modulus, no reduction to a neutral symbol{size}")


def _annotated(window: int, modulus: int) -> Finding:
    last = "the symbol before it" if window == 1 else f"the {window} symbols before it"
    notes = [last] * (window > 0) + [f"i modulo {modulus}"] * (modulus > 1)
    return yes(
        f"in C-RASP[] once every position i shows {' and '.join(notes)} ([D26]), which local and periodic "
        "predicates do ([HYB25] Lemma 42)",
        (window, modulus),
    )
