"""The protocol of Theorem 12, run: Alice has `$` and the first m symbols, Bob the rest, both know n and m.

For every head Alice sends how many of her positions have each key, and the sum of their values; with φ also
the key and value of her last τ positions, one by one. Bob weighs what he received by his own queries. He sees
nothing of her symbols but the bits, and his activations are compared with those of the whole forward pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.base.linear_algebra import multiply
from idinf.base.words import Word
from idinf.errors import SpecError
from idinf.lab.communication.bits import BitReader
from idinf.lab.communication.codebook import add, build_books
from idinf.lab.communication.party import Share, read_share, run_layer, share_of, write_activations
from idinf.nets import reference
from idinf.nets.dense import Matrix
from idinf.nets.limit_transformer import LimitTransformer


@dataclass(frozen=True, slots=True)
class Exchange:
    """One run of the protocol."""

    word: Word
    split: int  #: m, the symbols Alice has
    messages: tuple[str, ...]  #: her bits for each layer, as characters 0 and 1
    compared: int  #: numbers of Bob that were compared with the reference
    equal: bool  #: whether all of them were the same
    #: Bob's verdict; None for a hypothesis about next symbols, and where Bob has no symbol.
    accepted: bool | None

    @property
    def bits(self) -> int:
        """The length of all messages together."""
        return sum(map(len, self.messages))


def exchange(transformer: LimitTransformer, word: Word, split: int) -> Exchange:
    """Run the protocol on a split word, and compare Bob with the reference.

    Implements the protocol of Theorem 12 of [HYB25]_, exactly: all that Bob computes are fractions. Raises
    SpecError if the split lies outside of the word, and AlphabetMismatchError or BudgetError as
    `reference.trace`.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> majority = load("majority")
    >>> net = compile_program(majority.program, majority.alphabet()).to_dense()
    >>> exchange(net, (0, 1, 1, 0), 2)
    Exchange(word=(0, 1, 1, 0), split=2, messages=('011',), compared=22, equal=True, accepted=True)
    """
    if not 0 <= split <= len(word):
        raise SpecError(
            f"split = {split}; expected a number of symbols from 0 to {len(word)}, the length of the word; "
            "move it"
        )
    whole = reference.trace(transformer, word)
    messages = alice(transformer, len(word), word[:split])
    layers = bob(transformer, len(word), split, word[split:], messages)
    compared, equal = 0, True
    for mine, theirs in zip(layers, whole.layers, strict=True):
        for name in ("mixed", "activations", "outputs"):
            rows, wanted = getattr(mine, name), getattr(theirs, name)[split + 1 :]
            compared += sum(map(len, wanted))
            equal = equal and rows == wanted
    accepted = None
    if transformer.output is None and split < len(word):
        logits = multiply(transformer.unembedding, layers[-1].outputs[-1])
        accepted = logits[transformer.accept_row] > transformer.threshold
        equal = equal and accepted == whole.accepted
    return Exchange(word, split, messages, compared, equal, accepted)


def alice(transformer: LimitTransformer, length: int, prefix: Word) -> tuple[str, ...]:
    """Her messages, one for each layer: they depend on her symbols and on n, the whole length, alone."""
    stream = _inputs(transformer, 0, (0, *(1 + code for code in prefix)))
    messages = []
    for layer, books in zip(transformer.layers, build_books(transformer), strict=True):
        heads = zip(books, layer.heads, strict=True)
        shares = ((book, share_of(book, head, stream)) for book, head in heads)
        bits = (part for book, share in shares for part in write_activations(book, share, len(stream)))
        messages.append("".join(bits))
        nothing = (Share(),) * len(books)
        stream = run_layer(layer, books, nothing, stream, length + 1, transformer.precision).outputs
    return tuple(messages)


def bob(
    transformer: LimitTransformer, length: int, split: int, suffix: Word, messages: tuple[str, ...]
) -> tuple[reference.LayerTrace, ...]:
    """His activations at split + 1..n, from his symbols and messages; a ValueError if one does not fit."""
    stream = _inputs(transformer, split + 1, tuple(1 + code for code in suffix))
    done = []
    for layer, books, message in zip(transformer.layers, build_books(transformer), messages, strict=True):
        reader = BitReader(message)
        shares = tuple(read_share(reader, book, split + 1) for book in books)
        if not reader.done:
            raise ValueError(f"the message of {len(message)} bits goes on after what was expected")
        done.append(run_layer(layer, books, shares, stream, length + 1, transformer.precision))
        stream = done[-1].outputs
    return tuple(done)


def prove_bound(transformer: LimitTransformer) -> tuple[int, int] | None:
    """(F, D): on every word Alice sends at most F · ⌈log₂(m + 2)⌉ + D bits; None if nothing is proved.

    Theorem 12 of [HYB25]_ with its constant, for hypotheses whose heads read finitely many keys and values.

    >>> from idinf.crasp.programs import load
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> dyck = load("dyck-1")
    >>> prove_bound(compile_program(dyck.program, dyck.alphabet()).to_dense())
    (2, 3)
    """
    if list_unbounded_heads(transformer):
        return None
    bounds = [book.bound() for row in build_books(transformer) for book in row]
    return sum(fields for fields, _ in bounds), sum(rest for _, rest in bounds)


def list_unbounded_heads(transformer: LimitTransformer) -> tuple[tuple[int, int, str], ...]:
    """Heads for which no bound is proved: layer and head, both from 1, and whether keys or values are why."""
    return tuple(
        (number, place, "keys" if book.keys is None else "values")
        for number, row in enumerate(build_books(transformer), start=1)
        for place, book in enumerate(row, start=1)
        if not book.is_finite
    )


def _inputs(transformer: LimitTransformer, first: int, tokens: tuple[int, ...]) -> Matrix:
    """y^(0) at the positions of one party, `first` being that of its first row; $ is token 0."""
    return tuple(
        add(transformer.embedding[token], transformer.positions[i % transformer.period])
        for i, token in enumerate(tokens, start=first)
    )
