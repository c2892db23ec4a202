"""Words that name states."""

from __future__ import annotations

from idinf.classification.findings import word_to
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet, words_up_to


def test_words_are_least_and_lead_to_their_states() -> None:
    machine = RegularTarget.from_regex("(ab|ba)*a?", Alphabet(("a", "b")))
    least: dict[int, str] = {}
    for word in words_up_to(2, 4):
        state = 0
        for code in word:
            state = int(machine.table[state, code])
        least.setdefault(state, machine.alphabet.decode(word) or "ε")
    assert least == {state: word_to(machine, state) for state in range(len(machine.table))}
