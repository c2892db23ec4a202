"""What a hypothesis of the searched family says of many words of one length, by the features of the search.

Words share their prefixes, and N is the same for all of them; so a head with logits is weighed once for each
prefix instead of once for each position of each word.
"""

from __future__ import annotations

import numpy as np

from idinf.errors import HypothesisFormatError, PrecisionError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot
from idinf.search.exact_check.nets import answers, nets_of
from idinf.search.short_words.features import Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import PrefixTree, ShortWords
from idinf.targets.machine import BoolArray, IntArray

#: Heads of a layer whose denominators the features of the search clear.
MOST_HEADS = 2


def answer_by_prefixes(net: LimitTransformer, words: IntArray) -> BoolArray | None:
    """Say what `answer_words` says; None outside of the family, or where integers leave float64.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> answer_by_prefixes(compile_source("majority").transformer, np.array([[0, 1, 1], [0, 0, 1]]))
    array([ True, False])
    """
    try:
        nets = nets_of(to_one_hot(net))
        structure, symbols = nets.structure, nets.space.symbols
        if any(len(shape.heads) > MOST_HEADS for shape in structure.layers):
            return None
        tree, places = _share_prefixes(words, symbols)
        none = np.zeros(0, dtype=np.bool_)
        every = ShortWords(symbols, words.shape[1], tree, none, np.zeros(0, dtype=np.int64), every_N=True)
        inputs = Inputs.first(every, structure.period)
        for layer, shape in zip((*nets.lower, nets.top), structure.layers, strict=True):
            inputs, features = inputs.hidden(shape.heads, structure.precision)
            bits = np.concatenate([unit_outputs(units, features) for units in layer])
            inputs = inputs.extend(bits)
    except (HypothesisFormatError, PrecisionError):
        return None
    rule = nets.signs, nets.threshold, structure.answer
    said = np.asarray(answers(bits.T[:, None], *rule), dtype=np.bool_)[:, 0][places]
    return said if net.output is not None else said[:, -1]


def _share_prefixes(words: IntArray, size: int) -> tuple[PrefixTree, IntArray]:
    """The prefixes of words (W, n), all for N = n + 1, and the row of each, (W, n + 1)."""
    place = np.zeros(len(words), dtype=np.int64)
    parents, symbols = [place[:1]], [place[:1]]
    starts, rows = [0, 1], [place]
    for column in words.T:
        kinds, place = np.unique(place * size + column, return_inverse=True)
        parents.append(starts[-2] + kinds // size)
        symbols.append(kinds % size + 1)
        rows.append(starts[-1] + place)
        starts.append(starts[-1] + len(kinds))
    every = np.arange(starts[-1])
    total = np.full(len(every), words.shape[1] + 1)
    tree = PrefixTree(
        np.concatenate(parents), np.concatenate(symbols), tuple(starts), total, every, final=every
    )
    return tree, np.stack(rows, axis=1)
