"""Which tokens of a prompt each player has: the first ones are those of the player of the largest number."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from idinf.errors import CompositionError
from idinf.quoting import quote
from idinf.words import Word


@dataclass(frozen=True, slots=True)
class Places:
    """How many tokens each player has, that of the largest number first, $ counted.

    Raises
    ------
    CompositionError
        If a player has none.

    Examples
    --------
    >>> Places((3, 1, 1)).of
    {1: range(0, 3), 0: range(3, 4), -1: range(4, 5)}
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise CompositionError(
                f"players = {quote(list(self.sizes))}; expected at least 1 token for each; move some"
            )

    @classmethod
    def spread(cls, players: int, tokens: int) -> Places:
        """One token each for players −1 and 0, the others as evenly as possible, the first ones more."""
        if tokens < players:
            raise CompositionError(
                f"the prompt has {tokens} tokens with $; expected at least {players}, one for each of the "
                f"players -1..{players - 2} of a net of {players - 2} layers; give a longer one"
            )
        each, more = divmod(tokens - 2, players - 2)
        return cls((*(each + (place < more) for place in range(players - 2)), 1, 1))

    @property
    def tokens(self) -> int:
        """All tokens."""
        return sum(self.sizes)

    @property
    def of(self) -> dict[int, range]:
        """The positions of each player."""
        ends = [0, *itertools.accumulate(self.sizes)]
        return {len(self.sizes) - 2 - k: range(ends[k], ends[k + 1]) for k in range(len(self.sizes))}

    def inputs(self, word: Word) -> dict[int, tuple[int, ...]]:
        """The tokens of each player: 0 is $, and 1 + k the symbol of code k.

        Raises
        ------
        CompositionError
            If the prompt has another number of tokens.
        """
        if len(word) + 1 != self.tokens:
            raise CompositionError(
                f"players have {self.tokens} tokens; expected {len(word) + 1}, those of the prompt with $; "
                "say how many each has, the first ones first"
            )
        row = (0, *(1 + code for code in word))
        return {player: row[own.start : own.stop] for player, own in self.of.items()}
