"""Random languages and hypotheses, and the judge that compares them one word at a time.

Importing it also opens the random nets of tests/search and the random programs of tests/targets.
"""

from fractions import Fraction

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.nets import reference
from idinf.nets.dense import Activation, Head, Layer, Mlp
from idinf.nets.limit_transformer import LimitTransformer
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts as accepted_by_machine
from idinf.targets.regular import RegularTarget


def program(text, symbols="ab"):
    """The language of a program."""
    alphabet = Alphabet(tuple(symbols))
    return CountingTarget(read_program(text, alphabet), alphabet)


def regex(text, symbols="ab"):
    """The language of a regex."""
    return RegularTarget.from_regex(text, Alphabet(tuple(symbols)))


def accepted(language, word):
    if isinstance(language, LimitTransformer):
        return reference.accepts(language, word)
    return accepted_by_machine(language, word)


def least_difference(one, other, length):
    """Shortlex-least word up to a length that exactly one side accepts, or None."""
    words = words_up_to(len(one.alphabet), length)
    return next((word for word in words if accepted(one, word) != accepted(other, word)), None)


def first_difference_of_answers(known, others):
    """The first word of two tables in shortlex order with two answers, or None."""
    return next((word for word in known if known[word] != others[word]), None)


def random_regex(rng, symbols, size=4):
    """Text of a regex of a few symbols."""
    if size <= 1:
        return str(rng.choice(list(symbols)))
    cut = int(rng.integers(1, size))
    one, other = random_regex(rng, symbols, cut), random_regex(rng, symbols, size - cut)
    return str(rng.choice([f"({one}|{other})", f"{one}{other}", f"({one}{other})*", f"({one})*({other})?"]))


def random_dense(rng, symbols, layers=2, precision=1, phi=False):
    """A dense net with ReLU units whose averages no head reads; coordinates 0..3 are finite, 4..7 are not."""
    width, finite = 8, 4

    def entries(rows, columns, allowed, largest=2):
        return tuple(
            tuple(
                Fraction(int(rng.integers(-largest, largest + 1)), 1 << precision)
                if allowed(r, c) and rng.random() < 0.6
                else Fraction(0)
                for c in range(columns)
            )
            for r in range(rows)
        )

    def layer():
        kinds = (Activation.HEAVISIDE, Activation.HEAVISIDE, Activation.RELU, Activation.RELU)
        heads = []
        for _ in range(int(rng.integers(0, 3))):
            zero = ((Fraction(0),) * width,)
            bias = tuple(Fraction(int(k), 1 << precision) for k in rng.integers(0, 3, 3)) if phi else ()
            heads.append(
                Head(zero, zero, entries(width, width, lambda r, c: r >= finite and c < finite), bias)
            )
        # The last unit is a ReLU of finite coordinates; the one before reads averages and writes to 4..7.
        A = entries(4, width, lambda r, c: r < 3 or c < finite)
        B = entries(width, 4, lambda r, c: c != 2 or r >= finite)
        b = entries(1, 4, lambda r, c: True)[0]
        return Layer(tuple(heads), Mlp(A, b, B, kinds))

    tokens = entries(1 + symbols, width, lambda r, c: c < finite)
    positions = entries(int(rng.integers(1, 3)), width, lambda r, c: c < finite)
    if len(set(positions)) == 1:
        positions = positions[:1]
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        precision,
        tokens,
        positions,
        tuple(layer() for _ in range(layers)),
        entries(1, width, lambda r, c: True),
    )


def random_one_layer(rng, symbols, periodic):
    """Two or three comparisons of counts, put together; the numbers are small, so many are equal."""

    def count():
        parts = [f'{int(rng.integers(1, 4))} * # "{rng.choice(list(symbols))}"' for _ in range(2)]
        if periodic and rng.random() < 0.5:
            parts.append(f'# (i mod 2 == {int(rng.integers(0, 2))} && "{symbols[0]}")')
        if rng.random() < 0.3:
            parts.append(f'(1 if "{symbols[-1]}" else # "{symbols[0]}")')
        if rng.random() < 0.2:
            parts.append(f'min(# "{symbols[0]}", 2 - #[j >= i] "{symbols[-1]}")')
        return f" {rng.choice(['+', '-'])} ".join(parts)

    def comparison():
        if rng.random() < 0.2:
            return f'"{rng.choice(list(symbols))}"'
        if periodic and rng.random() < 0.3:
            return "i mod 2 == 0"
        return f"{count()} {rng.choice(['<', '<=', '==', '>'])} {count()} + {int(rng.integers(-2, 3))}"

    names = [f"p{k}" for k in range(int(rng.integers(2, 4)))]
    lines = [f"{name} = {comparison()}" for name in names]
    junction = str(rng.choice([" && ", " || "]))
    return "\n".join([*lines, f"x = {junction.join(names)}"])


def holds_on(condition, conditions, part, word):
    """Whether a condition on the counts of a slice holds of a word, which must be of the slice."""
    counts = [0] * (part.symbols * part.modulus)
    for position, code in enumerate(word, start=1):
        counts[code * part.modulus + position % part.modulus] += 1
    point = (*counts, len(word) // part.modulus)[: part.size]
    decided = {k: row.holds(point) for k, row in conditions.inequalities_in(condition).items()}
    truth = conditions.truth(condition, decided)
    assert truth is not None
    return truth
