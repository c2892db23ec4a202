"""Nets of a whole class as arrays: the vector chosen for each token, answers, fail lengths, and formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet
from idinf.errors import BudgetError
from idinf.nets.attention import AttentionPattern, compute_scaled_weight
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.search.exact_check.nets import NetBatch
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.rows import SHARED, ArrayRecord
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import BoolArray, FloatArray, Units
from idinf.translate.formulas.condition import (
    Average,
    BackIn,
    Cases,
    Condition,
    ConstantCondition,
    Weighting,
    list_terms,
)
from idinf.translate.formulas.formula import Formula
from idinf.translate.formulas.formula import write_formula as write_one_hot
from idinf.whole.token_sets import AnswerRule, TokenSet

#: Integers below this are exact in float64.
EXACT = 1 << 53

#: Answers that are worked out at once.
CELLS = 1 << 22

#: Words that nets are asked first.
FIRST_WORDS = 16

#: Nets of one token set that are held at once, at most: a few hundred megabytes.
MOST_CHOICES = 4_000_000


@dataclass(frozen=True, eq=False)
class Functions(ArrayRecord):
    """N nets of one token set, with their R and fails."""

    tokens: TokenSet = field(metadata=SHARED)
    phi: tuple[int, ...] = field(metadata=SHARED)  #: in units of 2^-p
    choice: IntArray  #: (N, 1 + |Σ|): the place of the vector of each token, $ first
    r: FloatArray  #: (N,)
    fail: IntArray  #: (N,): −1 if there is none up to the horizon
    outputs: NDArray[np.uint8]  #: (N, B): answers on all short words, packed

    def write(self, index: int, alphabet: Alphabet) -> LimitTransformer:
        """Write one net; exact."""
        return self.tokens.write(alphabet, self.choice[index].tolist(), self.phi)

    def nets(self) -> NetBatch:
        """The same functions for the exact check, as gates over one head."""
        return as_nets(self.tokens, self.choice, self.phi)


def as_nets(tokens: TokenSet, choice: IntArray, phi: tuple[int, ...] = ()) -> NetBatch:
    """Write chosen nets as Heaviside units over one head, (N, T); exact.

    Of three questions low is read twice: for `AnswerRule.OR` 2 low + gate + high > 1, for `AnswerRule.AND`
    2 low − gate + high > 1.
    """
    own, sums = tokens.own[choice], tokens.sums[choice]  # (N, T, Q)
    if tokens.period > 1:  # features are tokens, then residues
        own, sums = (
            np.concatenate([part, np.broadcast_to(more, (len(choice), *more.shape))], axis=1)
            for part, more in ((own, tokens.by_residue), (sums, np.zeros_like(tokens.by_residue)))
        )
    places = [0] if tokens.joined is AnswerRule.ALONE else [0, 0, 1, 2]
    signs = (
        [1] if tokens.joined is AnswerRule.ALONE else [1, 1, -1 if tokens.joined is AnswerRule.AND else 1, 1]
    )
    number, threshold = len(choice), 0 if tokens.joined is AnswerRule.ALONE else 1
    one, none = np.full((number, 1), 2**tokens.precision), np.zeros(number, dtype=np.int64)
    units = tuple(Units(tokens.precision, sums[..., k], one, own[..., k], none) for k in places)
    shape = LayerShape((AttentionPattern(phi=phi),), len(units))
    structure, rows = Structure((shape,), tokens.precision, tokens.period), np.array(signs, dtype=np.int64)
    return NetBatch(structure, (), units, np.tile(rows, (number, 1)), np.full(number, threshold))


@dataclass(frozen=True, eq=False)
class WeighedWords:
    """Short words as nets with one φ see them: the weight of each token in all, and the last token.

    Mutable: it remembers nets that were listed.
    """

    words: ShortWords
    rows: IntArray  #: (W,): which words
    weights: IntArray  #: (W, 1 + |Σ|), in units of 2^-p; counts where there is no φ
    totals: IntArray  #: (W,): their sum over all positions; the length with $ where there is no φ
    #: The token of every short word that is chosen last: from then on the word can be asked.
    newest: IntArray
    #: Nets that are right on all words with no more distances than a φ has, by token set and φ.
    listed: dict[tuple[TokenSet, tuple[int, ...]], IntArray] = field(default_factory=dict)

    @staticmethod
    def of(words: ShortWords) -> WeighedWords:
        """Count the tokens of all words: without a φ every position weighs 1."""
        tree, tokens = words.tree, np.arange(words.symbols + 1)
        counts = tree.accumulate((tree.symbol == tokens[:, None]).astype(np.int16))
        weights = np.ascontiguousarray(counts.T.astype(np.int64))
        newest = tree.symbol.copy()
        for begin, end in zip(tree.starts[1:-1], tree.starts[2:], strict=True):
            newest[begin:end] = np.maximum(newest[begin:end], newest[tree.parent[begin:end]])
        return WeighedWords(words, np.arange(len(weights)), weights, weights.sum(axis=1), newest)

    def by(self, phi: tuple[int, ...], precision: int, rows: slice = slice(None)) -> WeighedWords:
        """Weigh some words by a φ, where these count: position j of N weighs round_p(N^φ(N − 1 − j))."""
        chosen, tree = self.rows[rows], self.words.tree
        weights, lengths = self.weights[rows] << precision, tree.lengths[chosen]
        for distance, logit in enumerate(phi):
            here = np.flatnonzero(lengths >= distance) if logit else ()
            if len(here):
                N = np.arange(1, lengths.max() + 2)
                added = [_scaled_weight(n, logit, precision) - (1 << precision) for n in N.tolist()]
                tokens = tree.symbol[tree.ancestor(distance)[chosen[here]]]
                weights[here, tokens] += np.array(added)[lengths[here]]
        return WeighedWords(self.words, chosen, weights, weights.sum(axis=1), self.newest)

    def answers(self, tokens: TokenSet, choice: IntArray, rows: IntArray | slice = slice(None)) -> BoolArray:
        """Answers of nets on some words, (N, T) to (N, rows); tokens that the words lack may be missing."""
        tree, chosen = self.words.tree, self.rows[rows]
        number, totals = choice.shape[1], self.totals[rows]
        asked = np.zeros((number, len(chosen)), dtype=np.int64)
        asked[tree.symbol[chosen], np.arange(len(chosen))] = totals
        both = np.concatenate([self.weights[rows, :number].T, asked])  # (2T, W)
        read = np.concatenate([tokens.sums[choice], tokens.own[choice]], axis=1)  # (N, 2T, Q)
        # Sums of integers below 2^53 are exact in float64, and fast.
        largest = 2 * int(abs(read).max(initial=0)) + int(abs(tokens.by_residue).max())
        kind = np.float64 if largest * int(totals.max(initial=0)) < EXACT else np.int64
        found = read.swapaxes(1, 2).reshape(-1, 2 * number).astype(kind) @ both.astype(kind)
        residues = tokens.by_residue[tree.lengths[chosen] % tokens.period] * totals[:, None]  # (W, Q)
        questions = found.reshape(len(choice), read.shape[2], -1) + residues.T > 0
        return join(questions.swapaxes(1, 2), tokens.joined)

    def are_right(self, tokens: TokenSet, choice: IntArray, rows: IntArray) -> BoolArray:
        """Mask of nets that are right on some words, (N, T) to (N,): few words first, more for right nets."""
        alive, start, size = np.arange(len(choice)), 0, FIRST_WORDS
        while start < len(rows) and len(alive):
            part = rows[start : start + size]
            given = self.answers(tokens, choice[alive], part)
            alive = alive[(given == self.words.labels[self.rows[part]]).all(axis=1)]
            start, size = start + size, 4 * size
        right = np.zeros(len(choice), dtype=np.bool_)
        right[alive] = True
        return right

    def list_right(
        self,
        tokens: TokenSet,
        length: int,
        checkpoint: Callable[[], None] = lambda: None,
        most: int = MOST_CHOICES,
    ) -> IntArray:
        """All choices that are right on the words up to a length, (N, 1 + |Σ|).

        The words are all short ones, or the first of them, all that have such a length. Tokens are chosen one
        by one, and each word is asked once all of its tokens are chosen.

        Raises `BudgetError` if there are more than ``most``.
        """
        choice: IntArray = np.zeros((1, 0), dtype=np.int64)
        number, fits = len(tokens.vectors), self.words.ends[self.rows] <= length
        for token in range(self.words.symbols + 1):
            rows = np.flatnonzero(fits & (self.newest[self.rows] == token))
            kept: list[IntArray] = [np.zeros((0, token + 1), dtype=np.int64)]
            each, number_kept = max(1, CELLS // (number * max(1, len(rows)))), 0
            for start in range(0, len(choice), each):
                checkpoint()
                begun = choice[start : start + each]
                part = np.concatenate(
                    [np.repeat(begun, number, axis=0), np.tile(np.arange(number), len(begun))[:, None]],
                    axis=1,
                )
                kept.append(part[self.are_right(tokens, part, rows)])
                number_kept += len(kept[-1])
                if number_kept > most:
                    raise BudgetError(
                        f"more than {most:,} nets with R = {tokens.r:.6f} are right on all words up "
                        f"to length {length} over {token} of {self.words.symbols} symbols; lower --max-r"
                    )
            choice = np.concatenate(kept)
        return choice


#: Of a few lengths and logits, over and over.
_scaled_weight = lru_cache(maxsize=1 << 16)(compute_scaled_weight)


def join(questions: BoolArray, joined: AnswerRule) -> BoolArray:
    """The answer to the questions of nets, (..., Q) to (...)."""
    if joined is AnswerRule.ALONE:
        return questions[..., 0]
    low, gate, high = np.moveaxis(questions, -1, 0)
    return np.asarray(low | (gate & high) if joined is AnswerRule.OR else low & (high | ~gate))


def name_choices(tokens: TokenSet, choice: IntArray) -> IntArray:
    """Numbers, (N, Q · 2T), equal only for equal functions: each question divided by its common divisor."""
    both = np.concatenate([tokens.own[choice], tokens.sums[choice]], axis=1)  # (N, 2T, Q)
    if tokens.period > 1:
        both = np.concatenate(
            [both, np.broadcast_to(tokens.by_residue, (len(both), *tokens.by_residue.shape))], 1
        )
    divisor = np.gcd.reduce(both, axis=1, keepdims=True)
    return (both // np.maximum(divisor, 1)).reshape(len(choice), both[0].size if len(both) else 0)


def write_formula(nets: NetBatch, alphabet: Alphabet) -> str:
    """Write the condition under which one net of one layer accepts.

    >>> from idinf.whole.functions import as_nets
    >>> from idinf.whole.token_sets import list_token_sets
    >>> import numpy as np
    >>> tokens = list_token_sets(5.6)[2]
    >>> tokens.sums[:, 0].tolist()
    [0, 1, -1, 0, 0]
    >>> write_formula(as_nets(tokens, np.array([[0, 2, 1]])), Alphabet(("a", "b")))
    'accept iff #b - #a > 0'
    """
    phi = nets.structure.layers[0].heads[0].phi
    if any(value < 0 for value in phi):
        return str(_weigh(nets, alphabet, phi))
    return str(write_one_hot(_as_one_hot(nets, alphabet, phi)))


def _as_one_hot(nets: NetBatch, alphabet: Alphabet, phi: tuple[int, ...]) -> OneHotTransformer:
    """Write a one-hot net of the same function, of much larger R."""
    channels: list[tuple[int, ...]] = []
    units = []
    for unit in nets.top:
        sums, own = unit.channel[0].tolist(), unit.own[0].tolist()
        reads: tuple[tuple[int, int, int], ...] = ()
        if any(sums):
            reads = ((0, len(channels), 1 << nets.structure.precision),)
            channels.append(tuple(sums))
        units.append(OneHotUnit(reads, tuple(own), 0))
    heads = (OneHotHead(tuple(channels), AttentionPattern(phi=phi)),) if channels else ()
    layer = OneHotLayer(heads, tuple(units))
    signs, threshold = tuple(nets.signs[0].tolist()), int(nets.threshold[0])
    return OneHotTransformer(
        alphabet, nets.structure.precision, (layer,), signs, threshold, nets.structure.period
    )


def _weigh(nets: NetBatch, alphabet: Alphabet, phi: tuple[int, ...]) -> Formula:
    """Write the one question of a net with a negative φ, which the one-hot family does not have.

    The average of values is the value of SOS plus the average of the differences from it.
    """
    [unit] = nets.top
    (start, *values), (at_start, *own) = unit.channel[0].tolist(), unit.own[0].tolist()
    terms = list_terms({place: value - start for place, value in enumerate(values)})
    parts = ((Weighting(phi=phi, precision=nets.structure.precision), terms),) if terms else ()

    def asks(last: int) -> Condition:
        bound = Fraction(-last - start)
        return Average(parts, bound) if parts else ConstantCondition(bound < 0)

    rows = tuple((BackIn(0, (code,)), asks(last)) for code, last in enumerate(own))
    accept: Condition = Cases(rows, ConstantCondition(at_start + start > 0))
    if len({at_start, *own}) == 1:  # ε is as any other word then
        accept = asks(at_start)
    return Formula(alphabet, (), accept)
