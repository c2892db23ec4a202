"""Where steps first go wrong: words that lead to one place with the same counters are followed as one.

Majority has 2^32 words of length 32, and 33 ways to count their symbols. So the claim that a hypothesis is
right up to some length is checked on all words of it, without going through them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from idinf.base.words import Word
from idinf.proofs.check.joint_steps import JointPlace, JointSteps
from idinf.proofs.check.target_steps import Unprovable

#: Places with counters that are followed, at most: a second.
MOST = 20_000


_Configuration = tuple[JointPlace, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class WordComparison:
    """All words up to ``length``, followed: the shortlex-least that steps get wrong, None if none is."""

    joint: JointSteps
    length: int
    wrong: Word | None

    @classmethod
    def of(
        cls, joint: JointSteps, upto: int, beat: Callable[[], None] = lambda: None, most: int = MOST
    ) -> WordComparison:
        """Follow words until one is wrong, or ``most`` configurations were met, or up to a length.

        Of words that lead to one configuration only the least is kept. What comes after them is the same, so
        the first word that is found wrong is the least one. ``beat`` is called before every configuration.

        Raises `Unprovable` if there are no steps, or a wrong answer makes a longer word wrong, which need not
        be the next.
        """
        if joint.target.everywhere and joint.target.domain is not None:
            raise Unprovable("next symbols count in words of a domain, which are longer")
        place, counters, said = joint.start
        if not said.agree:
            return cls(joint, 0, ())
        level: dict[_Configuration, Word] = {(place, counters): ()}
        followed = 0
        for length in range(1, upto + 1):
            followed += len(level)
            if followed > most:
                return cls(joint, length - 1, None)
            longer: dict[_Configuration, Word] = {}
            for (place, counters), word in level.items():  # by their least words
                beat()
                for step in joint.open_steps(place, counters):  # by symbol
                    after = (*word, step.symbol)
                    if not step.said.agree:
                        return cls(joint, length, after)
                    grown = tuple(count + more for count, more in zip(counters, step.growth, strict=True))
                    longer.setdefault((step.to, grown), after)
            level = longer
        return cls(joint, upto, None)
