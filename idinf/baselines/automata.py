"""From which n on learners of finite automata have a regular target, given all words up to n with labels."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idinf.errors import IdinfError
from idinf.targets.explored import explore
from idinf.targets.regular import RegularTarget
from idinf.words import Word, words_up_to

if TYPE_CHECKING:
    from aalpy.automata import Dfa, DfaState  # type: ignore[import-not-found,import-untyped,unused-ignore]

#: Samples are not made larger: RPNI takes about a second for so many words.
MAX_WORDS = 1 << 16

#: Lengths that are tried above the bound of `settle_length`.
BEYOND = 2


class BaselineError(IdinfError, RuntimeError):
    """A baseline cannot be run: what is missing, and how to get it."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Baseline:
    """RPNI on one target.

    Examples
    --------
    >>> Baseline((True, False, True, True)).since, Baseline((True, False)).since
    (2, None)
    """

    #: Entry n: whether RPNI's automaton for all words up to length n is the target. It may be right by
    #: chance and wrong again. There is an entry for n = 0.
    right: tuple[bool, ...]

    @property
    def tried(self) -> int:
        """Samples of all words up to length 0..tried were given."""
        return len(self.right) - 1

    @property
    def since(self) -> int | None:
        """The least n such that RPNI is right for every n' from n to `tried`; None if it is wrong there."""
        wrong = [n for n, right in enumerate(self.right) if not right]
        since = wrong[-1] + 1 if wrong else 0
        return since if since <= self.tried else None


def settle_length(target: RegularTarget) -> int:
    """2k − 2 for a target of k states: all words up to there leave one automaton of at most k states.

    Two automata of k and at most k states that differ do so on a word of length at most 2k − 2, because
    Moore's refinement of both together ends after so many steps. Any learner that returns a smallest
    consistent automaton has the target from there on.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> settle_length(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    4
    """
    return 2 * len(target.table) - 2


def measure_baseline(target: RegularTarget, max_words: int = MAX_WORDS) -> Baseline:
    """Give RPNI larger and larger samples.

    The largest has all words up to `settle_length` + `BEYOND`, or as many lengths as `max_words` words hold.
    From `settle_length` on (from 1 on, for one state) a sample is characteristic. RPNI takes states by the
    length of the shortest word to them, at most k − 1, and merges the state after one more symbol with an
    earlier one: all k − 2 symbols that may tell two states apart come after it, so it is the right one.
    Errors are those of `has_rpni_learned`.
    """
    size = len(target.alphabet)
    lengths = range(settle_length(target) + BEYOND + 1)
    fitting = itertools.takewhile(lambda n: sum(size**k for k in range(n + 1)) <= max_words, lengths)
    return Baseline(tuple(has_rpni_learned(target, n) for n in fitting))


def has_rpni_learned(target: RegularTarget, n: int) -> bool:
    """Whether RPNI's automaton for all words up to length n, as AALpy learns it, is the target; exact.

    Transitions the automaton lacks go to a rejecting sink.

    Raises
    ------
    BaselineError
        If AALpy is not installed.
    """
    try:
        from aalpy.learning_algs import run_RPNI  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise BaselineError(
            "RPNI needs AALpy, which is not installed; expected the extra 'baselines'; "
            "pip install 'idinf[baselines]'"
        ) from None
    return _is_target(run_RPNI(_sample(target, n), "dfa", print_info=False), target)


def _sample(target: RegularTarget, n: int) -> list[tuple[Word, bool]]:
    """All words up to length n with their labels, in shortlex order."""
    table, accepting = target.table.tolist(), target.accepting.tolist()

    def state_after(word: Word) -> int:
        return functools.reduce(lambda state, code: table[state][code], word, 0)

    return [(word, accepting[state_after(word)]) for word in words_up_to(len(target.alphabet), n)]


def _is_target(learned: Dfa, target: RegularTarget) -> bool:
    """Whether two automata accept the same words: all pairs of states reached together."""

    def after(pair: tuple[DfaState | None, int]) -> list[tuple[DfaState | None, int]]:
        state, own = pair
        transitions = {} if state is None else state.transitions
        states = [transitions.get(code) for code in range(len(target.alphabet))]
        return list(zip(states, target.table[own].tolist(), strict=True))

    pairs, _, _ = explore((learned.initial_state, 0), lambda met: map(after, met))
    return all((state is not None and state.is_accepting) == target.accepting[own] for state, own in pairs)
