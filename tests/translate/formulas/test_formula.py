"""Formulas are true: tree and text against the hypothesis, on all words up to length 6."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.base.words import words_up_to
from idinf.nets.attention import compute_scaled_weight
from idinf.nets.reference import accepts
from idinf.translate.formulas.formula import write_formula
from tests.asked_for import few
from tests.search.word_by_word import answer, random_family_net
from tests.translate.formulas.on_words import accepted

#: Longest words for 1, 2 and 3 symbols.
LENGTHS = {1: 8, 2: 6, 3: 4}


def random_hypothesis(rng):
    """A member of the family of any shape."""
    widths = tuple(rng.integers(1, 4, int(rng.integers(1, 4))).tolist())
    size, precision, period = int(rng.integers(1, 4)), int(rng.integers(0, 3)), int(rng.integers(1, 4))
    kinds = ("uniform", "uniform", "phi", "phi", "both")
    return random_family_net(rng, size, widths, precision, period, kinds)


hypotheses = st.integers(0, 2**32).map(lambda seed: random_hypothesis(np.random.default_rng(seed)))


TOKENS = re.compile(r"avg|p=\d+|φ\(\d\)|last-\d|#\(i [^)]*\)|[][:(){},$]|#\w+|[<>!]?=|[<>]|[+-]|\d+/\d+|\w+")


COMPARISONS = ("=", "!=", ">=", "<=", ">", "<")


class Reader:
    """Reads the text of a formula back and evaluates it: what people see is checked, not only the tree."""

    def __init__(self, text, symbols):
        self.symbols = symbols
        *definitions, accept = text.split("; ")
        self.units = [definition.split(" := ") for definition in definitions]
        self.accept = accept.removeprefix("accept iff ")

    def holds(self, word):
        self.N = len(word) + 1
        self.columns = []  # what is 1 at each position: the symbol, and the units by name
        values = self._values("")
        for symbol in word:
            self.columns.append({symbol: 1})
            values = self._values(symbol)
        return self._evaluate(self.accept, word[-1:], values)

    def _values(self, last):
        values = {}
        for name, text in self.units:
            values[name] = self._evaluate(text, last, values)
            if last:
                self.columns[-1][name] = int(values[name])
        return values

    def _evaluate(self, text, last, values):
        self.tokens = TOKENS.findall(text)
        self.last, self.values = last, values
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
        if self._next("at"):
            return self._at_least()
        first = self.tokens[0]
        if first in ("true", "false", "empty", "nonempty"):
            return {"true": True, "false": False, "empty": not self.last, "nonempty": bool(self.last)}[
                self._next()
            ]
        if first.startswith("last"):
            return self._is_in()
        if first == "i":
            return self._length(len(self.columns))
        if first in self.values and self.tokens[1:2] not in [[x] for x in (*COMPARISONS, "+", "-")]:
            return self.values[self._next()]
        return self._comparison()

    def _at_least(self):
        assert self._next("least")
        number = int(self._next())
        assert self._next("of")
        assert self._next("(")
        parts = [self._group()]
        while self._next(","):
            parts.append(self._group())
        assert self._next(")")
        return sum(parts) >= number

    def _names(self):
        """One name, or several in braces."""
        names = [self._next()]
        if names == ["{"]:
            names = [self._next()]
            while self._next(","):
                names.append(self._next())
            assert self._next("}")
        return names

    def _is_in(self):
        back = int(self._next().removeprefix("last").removeprefix("-") or 0)
        positive = self._next("=", "!=", "in", "not")
        if positive == "not":
            assert self._next("in")
        there = self.columns[-1 - back] if back < len(self.columns) else {}
        return any(symbol in there for symbol in self._names()) is (positive in ("=", "in"))

    def _length(self, i):
        assert self._next("i")
        if self.tokens[0] in ("even", "odd"):
            return i % 2 == ("even", "odd").index(self._next())
        assert self._next("mod")
        period = int(self._next())
        assert self._next("=", "in")
        return i % period in map(int, self._names())

    def _cases(self):
        rows = []
        while True:
            guard = True if self._next("else") else self._group()
            assert self._next(":")
            rows.append((guard, self._group()))
            if not self._next(","):
                break
        assert self._next("}")
        return next(value for guard, value in rows if guard)

    def _place(self, token):
        """Where a counted thing is: 0 or 1 at every position."""
        name = token.removeprefix("#")
        if not name.startswith("("):
            return [column.get(name, 0) for column in self.columns]
        rest, self.tokens = self.tokens, []
        found = []
        for i in range(1, len(self.columns) + 1):
            self.tokens = TOKENS.findall(name.strip("()"))
            found.append(int(self._length(i)))
        self.tokens = rest
        return found

    def _sum(self, weights, ends):
        """Σ factor · Σ weight at the positions of a place, up to a token that ends it."""
        total, sign = 0, 1
        while self.tokens[0] not in ends:
            sign = {"+": 1, "-": -1}.get(self.tokens[0], sign)
            self._next("+", "-")
            factor = int(self._next()) if self.tokens[0].isdigit() else 1
            if self._next("avg"):
                total += sign * factor * self._average()
                continue
            if self.tokens[0] in self.values:
                total += sign * factor * self.values[self._next()]
                continue
            there = self._place(self._next())
            total += sign * factor * sum(w * x for w, x in zip(weights, there, strict=True))
        return total

    def _number(self):
        return (-1 if self._next("-") else 1) * Fraction(self._next())

    def _average(self):
        logits, precision = [Fraction(0)] * (len(self.columns) + 1), 0
        if self._next("["):
            while not self._next("]"):
                self._next(",")
                name = self._next()
                if name.startswith("p="):
                    precision = int(name[2:])
                    continue
                applies = True
                if self._next("given"):
                    positive = not self._next("not")
                    applies = self.values[self._next()] is positive
                assert self._next("=")
                logit = self._number() * applies
                if name == "$":
                    logits[0] += logit
                elif name.startswith("φ"):
                    if int(name[2]) < len(logits):
                        logits[-1 - int(name[2])] += logit
                else:
                    logits = [old + logit * x for old, x in zip(logits, [0, *self._place(name)], strict=True)]
        weights = [compute_scaled_weight(self.N, int(logit * 2**precision), precision) for logit in logits]
        assert self._next("(")
        total = self._sum(weights[1:], (")",))
        assert self._next(")")
        return Fraction(total, sum(weights))

    def _comparison(self):
        total = self._sum([1] * len(self.columns), COMPARISONS)
        operator = self._next(*COMPARISONS)
        bound = self._number()
        return {
            "<": total < bound,
            "=": total == bound,
            "!=": total != bound,
            ">=": total >= bound,
            "<=": total <= bound,
            ">": total > bound,
        }[operator]


def check_readings(hypothesis, lengths) -> None:
    formula = write_formula(hypothesis)
    reader = Reader(str(formula), hypothesis.alphabet.symbols)
    for word in words_up_to(len(hypothesis.alphabet), lengths[len(hypothesis.alphabet)]):
        expected = answer(hypothesis, word)
        assert accepted(formula, word) is expected, str(formula)
        assert reader.holds(hypothesis.alphabet.decode(word)) is expected, str(formula)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(hypotheses)
def test_tree_and_text_say_what_the_hypothesis_says_on_longer_words(hypothesis) -> None:
    check_readings(hypothesis, LENGTHS)


@settings(max_examples=few(10, 25), deadline=None)
@given(hypotheses)
def test_the_formula_agrees_with_the_reference(hypothesis) -> None:
    formula, dense = write_formula(hypothesis), hypothesis.to_dense()
    for word in words_up_to(len(hypothesis.alphabet), 3):
        assert accepted(formula, word) is accepts(dense, word)
