"""What a page shows of a report, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from idinf.formulas.formula import Formula
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import SOS

__all__ = ["Bracket", "Content", "Shown", "Stage"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A hypothesis of the page.

    Attributes
    ----------
    r : float
    terms : mapping of str to float
        The terms of R.
    fail : int or None
        Least length of a word it gets wrong; None if there is none up to ``checked``.
    checked : int
        It is known to be right on all words up to this length, and at ``fail`` wrong.
    counterexample : str or None
        A word of length ``fail`` it gets wrong.
    record : bool
        Whether it is a record; otherwise it is the upper end of the bracket of an open run.
    text : str
        Its formula.
    formula : Formula or None
        None if the hypothesis is not written in the searched family.
    net : LimitTransformer
    """

    r: float
    terms: Mapping[str, float]
    fail: int | None
    checked: int
    counterexample: str | None
    record: bool
    text: str
    formula: Formula | None
    net: LimitTransformer

    def coordinates(self) -> list[str]:
        """Names of the d coordinates: features and channels in the one-hot form, else numbers."""
        net = self.net
        if self.formula is None:
            return [f"y[{place}]" for place in range(net.width)]
        names = [SOS, *net.alphabet.symbols]
        if net.period > 1:
            names += [f"i mod {net.period} = {residue}" for residue in range(net.period)]
        for number, layer in enumerate(net.layers, start=1):
            names += [f"unit {number}.{u}" for u in range(1, len(layer.mlp.b) + 1)]
        return names + [f"channel {place}" for place in range(1, net.width - len(names) + 1)]


@dataclass(frozen=True, slots=True)
class Stage:
    """What is selected at one n; the attributes are keys of the report."""

    n: int
    r_star: float | None
    r_star_lower: float
    num_selected: int
    num_selected_bad: int
    num_selected_exact: bool
    good: bool | None
    counterexample: str | None


@dataclass(frozen=True, slots=True)
class Bracket:
    """What an open run proves; the attributes are its keys, without the hypothesis."""

    r_lower: float
    r_upper: float | None
    upper_length: int | None
    stop_bound_upper: float | None
    n0_lower: int | None


@dataclass(frozen=True, slots=True)
class Content:
    """A report as far as a page shows it.

    ``asked`` is the target where that is not acceptance of every word, and ``asked_text`` says so in words.
    """

    name: str
    alphabet: tuple[str, ...]
    source: str
    asked: SupervisedTarget | None
    asked_text: str
    space: Mapping[str, object]
    aggregate: str
    tolerance: float | None
    max_n: int
    outcome: str
    n0: int | None
    n0_canonical: int | None
    complete_up_to_r: float
    stop_reason: str
    beyond: str | None
    stages: tuple[Stage, ...]
    bracket: Bracket | None
    hypotheses: tuple[Shown, ...]
    version: str

    @property
    def spaced(self) -> bool:
        """Whether words are written with blanks between symbols."""
        return any(len(symbol) > 1 for symbol in self.alphabet)

    @property
    def records(self) -> tuple[Shown, ...]:
        """The hypotheses that are records."""
        return tuple(shown for shown in self.hypotheses if shown.record)
