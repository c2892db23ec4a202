"""Where two languages first differ, or how far they are the same, and how this is known."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.equivalence.dense import DenseMachine, is_uniform, runs_as_machine
from idinf.equivalence.hypotheses import first_difference_of_hypotheses
from idinf.equivalence.languages import Decider
from idinf.equivalence.machines import Beat, all_pairs, first_difference
from idinf.equivalence.one_by_one import first_difference_one_by_one
from idinf.equivalence.one_layer import compare_one_layer
from idinf.errors import HypothesisFormatError, StatesExceeded
from idinf.runtime.limits import Stop, StopReason, TimeIsUp
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.one_hot import OneHotTransformer
from idinf.words import Word

#: Pairs of states up to which machines that need not be finite are tried for a proof: a quarter of a second.
CLOSURE_PAIRS = 5_000

#: Words that are compared one by one, at most.
MAX_WORDS = 20_000

#: How it is known.
SAME = "one definition"
PAIRS = "all pairs of states"
REACHABILITY = "joint reachability"
WORDS = "word by word"
PROGRAMS = "integer programs over counts of symbols"


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """The result of a comparison.

    Parameters
    ----------
    word : tuple of int or None
        The shortlex-least word that exactly one side accepts, None if none is known.
    up_to : int or None
        Both sides agree on all words up to this length, -1 if not even on ε; None: on all words.
    method : str
    stop_reason : str
        Why longer words were not compared; empty if the question was settled.
    is_least : bool
        False if the word is one of the shortest, but perhaps not the least of them.
    """

    word: Word | None
    up_to: int | None
    method: str
    stop_reason: str = ""
    is_least: bool = True


def compare(
    one: Decider,
    other: Decider,
    max_n: int,
    max_states: int,
    beat: Beat = lambda length: None,
    *,
    most_pairs: int = CLOSURE_PAIRS,
    most_words: int = MAX_WORDS,
) -> ComparedAnswer:
    """Compare two languages on all words up to length ``max_n``, and on longer ones where that is proved.

    Parameters
    ----------
    one, other : Target or LimitTransformer
        Over one alphabet.
    max_n : int
    max_states : int
        Bound on the joint states of one length.
    beat : callable
        Told how far words were compared, again and again; may raise `Stop`.
    most_pairs : int
        Pairs of states up to which machines that need not be finite are tried for a proof.
    most_words : int
        Words that are compared one by one.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> one, other = (RegularTarget.from_regex(text, Alphabet(("a", "b"))) for text in ("(ab)*", "()|a.*b"))
    >>> compare(one, other, 8, 1000)
    ComparedAnswer(word=(0, 0, 1), up_to=2, method='all pairs of states', stop_reason='', is_least=True)
    """
    run = _ComparisonRun(max_n, max_states, beat, most_pairs, most_words)
    try:
        return run.on_all_words(one, other) or run.up_to_max_n(one, other)
    except (Stop, TimeIsUp) as limit:
        return run.stopped(str(limit))
    except StatesExceeded as limit:
        run.reached = max(run.reached, limit.exact_to)
        return run.stopped(str(limit))
    except MemoryError:
        return run.stopped("the memory bound was reached; raise --memory or lower --max-n")
    except KeyboardInterrupt:
        return run.stopped(StopReason.INTERRUPTED.value)


class _ComparisonRun:
    """One comparison. Mutable: it notes how far it came, for the verdict of a run that is stopped."""

    def __init__(self, max_n: int, max_states: int, beat: Beat, most_pairs: int, most_words: int) -> None:
        self.max_n, self.max_states, self._beat = max_n, max_states, beat
        self.most_pairs, self.most_words = most_pairs, most_words
        self.reached, self.method = -1, REACHABILITY
        self._shortest: Word | None = None

    def beat(self, length: int) -> None:
        """Note that all words up to a length were compared."""
        self.reached = max(self.reached, length)
        self._beat(self.reached)

    def stopped(self, reason: str) -> ComparedAnswer:
        """What is known when a limit is reached."""
        if self._shortest is not None:
            return ComparedAnswer(self._shortest, len(self._shortest) - 1, PROGRAMS, reason, is_least=False)
        return ComparedAnswer(None, self.reached, self.method, reason)

    def on_all_words(self, one: Decider, other: Decider) -> ComparedAnswer | None:
        """What can be proved whatever the length is; None if nothing."""
        if _same(one, other):
            return ComparedAnswer(None, None, SAME)
        if not isinstance(one, LimitTransformer) and not isinstance(other, LimitTransformer):
            found = all_pairs(one, other, self._most_pairs(one, other), self.beat)
            if found is not False:
                word = None if found is True else found
                return ComparedAnswer(word, None if word is None else len(word) - 1, PAIRS)
        shortest = compare_one_layer(one, other, lambda: self.beat(self.reached))
        if shortest is True:
            return ComparedAnswer(None, None, PROGRAMS)
        if shortest is not False:
            self._shortest = shortest
            if len(shortest) > self.max_n:
                return ComparedAnswer(shortest, len(shortest) - 1, PROGRAMS, is_least=False)
        return None

    def up_to_max_n(self, one: Decider, other: Decider) -> ComparedAnswer:
        """The shortlex-least difference up to ``max_n``, by whatever runs both sides."""
        horizon, reason = self.max_n, ""
        hypotheses = [side for side in (one, other) if isinstance(side, LimitTransformer)]
        members = [_member(side) for side in hypotheses]
        family = [hypothesis for hypothesis in members if hypothesis is not None]
        targets = [side for side in (one, other) if not isinstance(side, LimitTransformer)]
        targets += [
            DenseMachine(side)
            for side, member in zip(hypotheses, members, strict=True)
            if member is None and runs_as_machine(side) and is_uniform(side)
        ]
        if len(family) == 2 or (family and targets):
            target = targets[0] if len(family) < 2 else None
            word = first_difference_of_hypotheses(family, target, horizon, self.max_states, self.beat)
        elif all(_runs(side) for side in (one, other)):
            word = self._by_machines(one, other)
        else:
            self.method = WORDS
            horizon = min(horizon, _longest(len(one.alphabet), self.most_words))
            word = first_difference_one_by_one(one, other, horizon, self.beat)
            if word is None and horizon < self.max_n:
                bound = f"on at most {self.most_words} words"
                reason = f"a hypothesis can only be run word by word, {bound}; lower --max-n"
        return ComparedAnswer(word, horizon if word is None else len(word) - 1, self.method, reason)

    def _by_machines(self, one: Decider, other: Decider) -> Word | None:
        """Run both as step machines, for one N after the other if one of them depends on N."""
        if all(not isinstance(side, LimitTransformer) or is_uniform(side) for side in (one, other)):
            pair = _machine(one, 1), _machine(other, 1)
            return first_difference(*pair, self.max_n, self.max_states, self.beat)
        for length in range(self.max_n + 1):
            pair = _machine(one, length + 1), _machine(other, length + 1)
            word = first_difference(*pair, length, self.max_states, self.beat, only_last=True)
            if word is not None:
                return word
            self.beat(length)
        return None

    def _most_pairs(self, one: Target, other: Target) -> int:
        """Finite machines are always run to the end."""
        if isinstance(one, RegularTarget) and isinstance(other, RegularTarget):
            return len(one.table) * len(other.table)
        return min(self.most_pairs, self.max_states)


def _same(one: Decider, other: Decider) -> bool:
    """Whether two sides are one hypothesis, or programs of one circuit."""
    if isinstance(one, CountingTarget) and isinstance(other, CountingTarget):
        return one.circuit == other.circuit
    return isinstance(one, LimitTransformer) and one == other


def _member(dense: LimitTransformer) -> OneHotTransformer | None:
    try:
        return to_one_hot(dense)
    except HypothesisFormatError:
        return None


def _runs(side: Decider) -> bool:
    return not isinstance(side, LimitTransformer) or runs_as_machine(side)


def _machine(side: Decider, N: int) -> Target:
    return DenseMachine(side, N) if isinstance(side, LimitTransformer) else side


def _longest(symbols: int, most: int) -> int:
    """The longest length up to which there are at most so many words."""
    length, words = 0, 1
    while words + symbols ** (length + 1) <= most:
        length += 1
        words += symbols**length
    return length
