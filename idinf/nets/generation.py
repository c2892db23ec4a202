"""Generation: a hypothesis about next symbols reads its own answers, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from idinf.base.quoting import shorten
from idinf.base.words import Word
from idinf.nets import reference
from idinf.nets.dense import DenseTransformer
from idinf.spec.spec import END

if TYPE_CHECKING:
    from idinf.targets.supervised import SupervisedTarget

#: How many symbols are generated where nothing else is said.
MOST = 32


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a generation: the symbols named after the word so far, and the one that is taken."""

    named: tuple[str, ...]
    taken: str | None  #: None where nothing is named
    asked: tuple[str, ...] | None = None  #: symbols that a target names; None where none judges

    @property
    def right(self) -> bool | None:
        """True if exactly the symbols of the target are named; None where nothing is judged."""
        return None if self.asked is None else set(self.named) == set(self.asked)


@dataclass(frozen=True, slots=True)
class Generation:
    """The steps after a prompt, up to end-of-string, to where nothing is named, or to a bound."""

    prompt: str
    steps: tuple[Step, ...]

    @property
    def answer(self) -> tuple[str, ...]:
        """The symbols that were taken; the last is ``$`` iff the word ended."""
        return tuple(step.taken for step in self.steps if step.taken is not None)

    @property
    def ended(self) -> bool:
        """True if end-of-string was taken."""
        return self.answer[-1:] == (END,)

    @property
    def right(self) -> bool | None:
        """True if every judged step is right; None where none is judged."""
        judged = [step.right for step in self.steps if step.right is not None]
        return all(judged) if judged else None

    def __repr__(self) -> str:
        return f"<Generation {shorten(f'{self.prompt} → {self}')}>"

    def __str__(self) -> str:
        is_stuck = bool(self.steps) and self.steps[-1].taken is None
        return " ".join(self.answer if self.ended else (*self.answer, "-" if is_stuck else "..."))


def generate(
    transformer: DenseTransformer,
    prompt: Word,
    most: int,
    seed: int | None = None,
    target: SupervisedTarget | None = None,
) -> Generation:
    """Let a hypothesis about next symbols continue a prompt by at most some symbols, exactly.

    At every step it reads SOS and the word so far alone, so N = n + 1 grows with the word, and its answer at
    the last position counts. Of several symbols the first is taken, as the hypothesis lists them, or with
    a seed one at random. Costs ``most`` runs of `idinf.nets.reference.trace`; errors are its.
    """
    chosen = None if seed is None else Random(seed)
    alphabet = transformer.alphabet
    codes = {symbol: code for code, symbol in enumerate(alphabet.symbols)}
    word, steps = prompt, list[Step]()
    while len(steps) < most:
        named = reference.name_next_symbols(transformer, word)[-1]
        taken = None if not named else named[0] if chosen is None else chosen.choice(named)
        steps.append(Step(named, taken, None if target is None else target.asked(word)))
        if taken is None or taken == END:
            break
        word = (*word, codes[taken])
    return Generation(alphabet.decode(prompt), tuple(steps))
