"""What hypotheses of the searched family are made of: heads, units, layers, and rows of next symbols.

Numbers are integers in units of 2^-p, vectors run over the features of a layer.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.experiments.spec import Answer
from idinf.transformers.attention import UNIFORM, AttentionPattern


@dataclass(frozen=True, slots=True)
class OneHotHead:
    """A head: it averages each of its channels over the positions up to the query, by its attention.

    Parameters
    ----------
    channels : tuple of (F,) tuple of int
        At least one value vector over the features of the layer, none of them zero.
    pattern : AttentionPattern
        What the weights depend on; uniform if not given.
    """

    channels: tuple[tuple[int, ...], ...]
    pattern: AttentionPattern = UNIFORM


@dataclass(frozen=True, slots=True)
class OneHotUnit:
    """One Heaviside unit: [ Σ A · channel average + s · features of its own position + b > 0 ].

    Parameters
    ----------
    reads : tuple of (head, channel, A entry)
        In ascending order of head, at most one channel per head; the entry is exactly 2^p (the number
        1) on a channel no other unit reads, and any integer but 0 on a shared one.
    s : (F,) tuple of int
    b : int
    """

    reads: tuple[tuple[int, int, int], ...]
    s: tuple[int, ...]
    b: int


@dataclass(frozen=True, slots=True)
class OneHotLayer:
    """Zero or more heads and at least one unit; only these units read the heads."""

    heads: tuple[OneHotHead, ...]
    units: tuple[OneHotUnit, ...]


@dataclass(frozen=True, slots=True)
class NextReads:
    """Which unit of the last layer each next symbol reads: the rows of U of a hypothesis about next symbols.

    The row of an output is ± the coordinate of one unit, or zero. All rows that are not zero have one sign.
    With + the threshold is 0: a symbol is a member where its unit is 1, and with a zero row never. With − it
    is −1: a member where its unit is 0, and with a zero row always. For one symbol instead of a set no two
    rows read the same unit, the threshold is 0, and the first row of the largest value wins; with + row 0 is
    zero, with − the first rows are not, and all after them are.

    Parameters
    ----------
    kind : Answer
    units : tuple of int
        For every symbol of the alphabet and then end-of-string its unit, −1 for a zero row.
    """

    kind: Answer
    units: tuple[int, ...]
