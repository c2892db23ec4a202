"""Formulas are true: tree and text against the hypothesis, on all words up to length 6."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.reports.formula import Formula, formula_of
from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.transformers.reference import accepts
from idinf.words import Alphabet, words_up_to

#: Longest words for 1, 2 and 3 symbols.
LENGTHS = {1: 8, 2: 6, 3: 4}


@st.composite
def _layer(draw, features, precision):
    """A layer with at most one head; small entries, often 0, so that few formulas are constant."""
    entry = st.sampled_from([0, 0, 0, 1, -1, 2, -2])
    vector = st.tuples(*[entry] * features)
    units, channels = draw(st.integers(1, 2)), []
    shared = units == 2 and draw(st.booleans())
    reads = []
    for _ in range(units):
        if shared or draw(st.booleans()):
            if not (shared and channels):
                channels.append(draw(vector.filter(any)))
            factor = draw(st.sampled_from([1, -1, 3])) if shared else 1 << precision
            reads.append(((0, len(channels) - 1, factor),))
        else:
            reads.append(())
    heads = (GatedHead(tuple(channels)),) if channels else ()
    bias = st.sampled_from([0, 0, 0, 1, -1])
    return GatedLayer(heads, tuple(GatedUnit(read, draw(vector), draw(bias)) for read in reads))


@st.composite
def hypotheses(draw):
    size, precision, layers = draw(st.integers(1, 3)), draw(st.integers(0, 2)), []
    features = 1 + size
    for _ in range(draw(st.integers(1, 3))):
        layers.append(draw(_layer(features, precision)))
        features += len(layers[-1].units)
    signs = draw(st.tuples(*[st.sampled_from([1, -1])] * len(layers[-1].units)))
    threshold = draw(st.integers(-2, 1))
    return GatedTransformer(Alphabet(tuple("abc"[:size])), precision, tuple(layers), signs, threshold)


def answer(hypothesis, word):
    """What a hypothesis says of a word, by its definition with integer counts, position by position."""
    columns = [[int(k == code + 1) for k in range(1 + len(hypothesis.alphabet))] for code in (-1, *word)]
    outputs = []
    for number, layer in enumerate(hypothesis.layers):
        counts, outputs = [0] * len(columns[0]), []
        for position, column in enumerate(columns):
            counts = [a + b for a, b in zip(counts, column, strict=True)]
            bits = []
            for u, unit in enumerate(layer.units):
                own = sum(a * b for a, b in zip(unit.s, column, strict=True)) + unit.b
                total = (position + 1) * own * 2**hypothesis.precision
                for values in hypothesis.effective_values(number, u):
                    total += sum(a * b for a, b in zip(values, counts, strict=True))
                bits.append(int(total > 0))
            outputs.append(bits)
        columns = [column + bits for column, bits in zip(columns, outputs, strict=True)]
    return sum(a * b for a, b in zip(hypothesis.signs, outputs[-1], strict=True)) > hypothesis.threshold


class Reader:
    """Reads the text of a formula back and evaluates it: what people see is checked, not only the tree."""

    def __init__(self, text, symbols):
        self.symbols = symbols
        *definitions, accept = text.split("; ")
        self.units = [definition.split(" := ") for definition in definitions]
        self.accept = accept.removeprefix("accept iff ")

    def holds(self, word):
        counts = dict.fromkeys((*self.symbols, *(name for name, _ in self.units)), 0)
        values = self._values("", counts)
        for symbol in word:
            counts[symbol] += 1
            values = self._values(symbol, counts)
        return self._evaluate(self.accept, word[-1:], counts, values)

    def _values(self, last, counts):
        values = {}
        for name, text in self.units:
            values[name] = self._evaluate(text, last, counts, values)
            counts[name] += values[name] and last != ""
        return values

    def _evaluate(self, text, last, counts, values):
        self.tokens = re.findall(r":|[(){},]|#\w+|[<>!]?=|[<>]|[+-]|\w+", text)
        self.last, self.counts, self.values = last, counts, values
        result = self._group()
        assert not self.tokens, text
        return result

    def _next(self, *expected):
        if self.tokens and (not expected or self.tokens[0] in expected):
            return self.tokens.pop(0)
        return None

    def _group(self):
        result, word = self._atom(), None
        while self.tokens and self.tokens[0] in ("and", "or"):
            assert word in (None, self.tokens[0]), "and and or are mixed without brackets"
            word = self._next()
            other = self._atom()
            result = (result and other) if word == "and" else (result or other)
        return result

    def _atom(self):
        if self._next("("):
            result = self._group()
            assert self._next(")")
            return result
        if self._next("{"):
            return self._cases()
        if self._next("not"):
            return not self.values[self._next()]
        first = self.tokens[0]
        if first in ("true", "false", "empty", "nonempty"):
            return {"true": True, "false": False, "empty": not self.last, "nonempty": bool(self.last)}[
                self._next()
            ]
        if first == "last":
            return self._guard()
        if first in self.values:
            return self.values[self._next()]
        return self._comparison()

    def _guard(self):
        assert self._next("last")
        positive = self._next("=", "!=", "in", "not")
        if positive == "not":
            assert self._next("in")
        symbols = [self._next()]
        if symbols == ["{"]:
            symbols = [self._next()]
            while self._next(","):
                symbols.append(self._next())
            assert self._next("}")
        return (self.last in symbols) is (positive in ("=", "in"))

    def _cases(self):
        rows = []
        while True:
            guard = True if self._next("else") else self._guard()
            assert self._next(":")
            rows.append((guard, self._group()))
            if not self._next(","):
                break
        assert self._next("}")
        return next(value for guard, value in rows if guard)

    def _comparison(self):
        total, sign = 0, 1
        while self.tokens[0] not in ("=", "!=", ">=", "<=", ">"):
            sign = {"+": 1, "-": -1}.get(self.tokens[0], sign)
            self._next("+", "-")
            factor = int(self._next()) if self.tokens[0].isdigit() else 1
            total += sign * factor * self.counts[self._next().removeprefix("#")]
        operator, bound = self._next(), int(self._next())
        comparisons = {
            "=": total == bound,
            "!=": total != bound,
            ">=": total >= bound,
            "<=": total <= bound,
            ">": total > bound,
        }
        return comparisons[operator]


@settings(max_examples=200, deadline=None)
@given(hypotheses())
def test_tree_and_text_say_what_the_hypothesis_says(hypothesis) -> None:
    formula = formula_of(hypothesis)
    reader = Reader(str(formula), hypothesis.alphabet.symbols)
    for word in words_up_to(len(hypothesis.alphabet), LENGTHS[len(hypothesis.alphabet)]):
        expected = answer(hypothesis, word)
        assert formula.holds(word) is expected, str(formula)
        assert reader.holds(hypothesis.alphabet.decode(word)) is expected, str(formula)


@settings(max_examples=25, deadline=None)
@given(hypotheses())
def test_the_formula_agrees_with_the_reference(hypothesis) -> None:
    formula, dense = formula_of(hypothesis), hypothesis.to_dense()
    for word in words_up_to(len(hypothesis.alphabet), 3):
        assert formula.holds(word) is accepts(dense, word)


def one_layer(s, b=0, values=None, signs=(-1,), threshold=-1, precision=0):
    heads = (GatedHead((values,)),) if values else ()
    reads = ((0, 0, 1 << precision),) if values else ()
    layer = GatedLayer(heads, (GatedUnit(reads, s, b),))
    return GatedTransformer(Alphabet(("a", "b")), precision, (layer,), signs, threshold)


@pytest.mark.parametrize(
    ("hypothesis", "text"),
    [
        (one_layer((0, 0, 0)), "accept iff true"),
        (one_layer((0, 0, 0), signs=(1,), threshold=0), "accept iff false"),
        (one_layer((1, 0, 0), signs=(1,), threshold=0), "accept iff empty"),
        (one_layer((1, 0, 0)), "accept iff nonempty"),
        (one_layer((0, 1, 0)), "accept iff last != a"),
        (one_layer((0, 1, 0), signs=(1,), threshold=0), "accept iff last = a"),
        (one_layer((0, 0, 0), values=(0, 1, -1)), "accept iff #b - #a >= 0"),
        (one_layer((0, 0, 0), values=(3, 2, -4)), "accept iff 2 #b - #a >= 2"),
        (one_layer((0, 0, 0), values=(1, -2, 0), signs=(1,), threshold=0), "accept iff #a = 0"),
        # s on one symbol alone: the inequality differs with the last symbol, and ε goes with "else"
        (
            one_layer((0, 0, -1), values=(1, 2, -1), signs=(1,), threshold=0),
            "accept iff {last = b: #a - 2 #b > 0, else: 2 #a - #b >= 0}",
        ),
        # ε is told apart, because SOS has an s of its own
        (
            one_layer((-1, 0, 0), values=(1, 2, -1), signs=(1,), threshold=0),
            "accept iff nonempty and 2 #a - #b >= 0",
        ),
    ],
)
def test_texts(hypothesis, text) -> None:
    assert str(formula_of(hypothesis)) == text


def two_layers(lower, values, s=(0, 0, 0, 0)):
    layers = (lower, GatedLayer((GatedHead((values,)),), (GatedUnit(((0, 0, 1),), s, 0),)))
    return GatedTransformer(Alphabet(("a", "b")), 0, layers, (-1,), -1)


def test_a_unit_that_is_read_has_a_name() -> None:
    lower = GatedLayer((GatedHead(((0, -1, 1),)),), (GatedUnit(((0, 0, 1),), (0, 0, 0), 0),))
    formula = formula_of(two_layers(lower, (0, -1, 1, 2)))
    assert str(formula) == "u1 := #b - #a > 0; accept iff #a - #b - 2 #u1 >= 0"
    assert [formula.holds(word) for word in ((), (0, 1), (1, 0), (0,))] == [True, True, False, True]


def test_a_unit_that_only_looks_at_the_last_symbol_is_a_count_of_symbols() -> None:
    lower = GatedLayer((), (GatedUnit((), (1, 1, 0), 0),))  # holds at SOS and at every a
    assert str(formula_of(two_layers(lower, (-2, 0, -1, 2)))) == "accept iff #b - 2 #a >= 0"


def test_a_unit_that_nothing_reads_is_left_out() -> None:
    lower = GatedLayer((GatedHead(((0, -1, 1),)),), (GatedUnit(((0, 0, 1),), (0, 0, 0), 0),))
    assert formula_of(two_layers(lower, (0, -1, 1, 0))).units == ()


def test_two_units_are_read_as_and_or_and_not() -> None:
    head = GatedHead(((-1, 1, 0), (-1, 0, 1)))
    units = (GatedUnit(((0, 0, 1),), (0, 0, 0), 0), GatedUnit(((0, 1, 1),), (0, 0, 0), 0))
    texts = {}
    for signs in ((1, 1), (1, -1), (-1, -1)):
        for threshold in (-2, -1, 0, 1):
            layers = (GatedLayer((head,), units),)
            hypothesis = GatedTransformer(Alphabet(("a", "b")), 0, layers, signs, threshold)
            texts[signs, threshold] = str(formula_of(hypothesis)).removeprefix("accept iff ")
    assert texts[(1, 1), 0] == "#a >= 2 or #b >= 2"
    assert texts[(1, 1), 1] == "#a >= 2 and #b >= 2"
    assert texts[(1, -1), 0] == "#a >= 2 and #b <= 1"
    assert texts[(1, -1), -1] == "#a >= 2 or #b <= 1"
    assert texts[(-1, -1), -1] == "#a <= 1 and #b <= 1"
    assert texts[(-1, -1), -2] == "#a <= 1 or #b <= 1"
    assert texts[(1, 1), -1] == "true"
    assert texts[(1, -1), 1] == "false"


def test_a_formula_is_a_value() -> None:
    formula = formula_of(one_layer((0, 0, 0)))
    assert formula == Formula(Alphabet(("a", "b")), (), formula.accept)
    assert hash(formula) == hash(formula_of(one_layer((0, 0, 0))))
