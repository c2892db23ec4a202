"""``idinf lab continuity`` distance, modulus, learn and isolate."""

from __future__ import annotations

from fractions import Fraction

import click

from idinf import lab
from idinf.base.numbers import align, format_down
from idinf.commands.bounded import bounded
from idinf.commands.options import number_option
from idinf.commands.terminal import show_rows, show_text
from idinf.lab.continuity.learning import MOST_EVERY
from idinf.lab.continuity.predictors import Interval
from idinf.lab.continuity.sequences import MOST_PREFIX

_predictor_argument = click.argument("predictor", metavar="PREDICTOR")
_sequence_argument = click.argument("sequence", metavar="SEQ")
_alphabet_option = click.option(
    "--alphabet",
    metavar="SYMBOLS",
    default="01",
    show_default=True,
    help="The symbols of laplace and kt, one character each.",
)


def _show_interval(value: Interval) -> str:
    """Write an exact number as a fraction, and an interval by decimals that are rounded outwards."""
    if value.is_exact:
        return str(value.low)
    low, high = format_down(value.low, 9), _show_up(value.high)
    return f"{low}..{high}"


def _show_up(value: Fraction) -> str:
    """Write a number rounded up to 9 decimals.

    >>> _show_up(Fraction(1, 3)), _show_up(Fraction(-1, 3)), _show_up(Fraction(0))
    ('0.333333334', '-0.333333333', '0')
    """
    if not value:
        return "0"
    opposite = format_down(-value, 9)
    return opposite.removeprefix("-") if opposite.startswith("-") else f"-{opposite}"


@click.command("distance")
@click.argument("one", metavar="SEQ")
@click.argument("other", metavar="SEQ")
@number_option("-n --length", "N", "Length of the prefixes.", least=1, most=MOST_PREFIX, default=1024)
@click.option("--alphabet", metavar="SYMBOLS", help="The symbols of both sequences, one character each.")
@bounded
def distance(one: str, other: str, length: int, alphabet: str | None) -> None:
    """Print d_H and d* of two prefixes, the limit inferior of d_H, and whether the two are equal in the end.

    d_H is the share of places that differ. d* is d_H without the last place, and 1 more if the last symbols
    differ. The limit is exact where both sequences become periodic and for those that have names; elsewhere
    the least and the largest d_H from N to 2N stand there, which are no limits.

    \b
    Examples:
      idinf lab continuity distance '(01)' '(0011)'
      idinf lab continuity distance thue-morse thue-morse@5
    """
    a, b = lab.sequence(one, alphabet=alphabet), lab.sequence(other, alphabet=alphabet)
    found = lab.compare_sequences(a, b, n=length)
    prefix = found.prefix
    rows = [
        (f"d_H at {prefix.n}", str(prefix.hamming)),
        (f"d* at {prefix.n}", f"{prefix.star} (last symbols {'agree' if prefix.same_last else 'differ'})"),
        ("d_H", str(found.limit)),
        ("because", found.limit.proof or "no closed form is known"),
        ("equal in the end", str(found.equal)),
    ]
    show_text("\n".join(align(rows)))


@click.command("modulus")
@_predictor_argument
@number_option("-n --length", "N", "Length of the prompts.", least=2, most=256, default=32)
@number_option(
    "--differences", "K", "Places that may differ: 1, 2, …, K, below N.", least=1, most=256, default=4
)
@click.option("--delta", metavar="E", help="Let the share E of N differ instead, and print one row.")
@_alphabet_option
@bounded
def modulus(predictor: str, length: int, differences: int, delta: str | None, alphabet: str) -> None:
    """Print how far answers are apart at most, for prompts of length N with one last symbol.

    Answers depend on counts and the last symbol, so all pairs are compared: the column `gap` is the maximum,
    a fraction, or an interval that encloses it. The last column is a proved bound for all prompts of any
    length with that d_H; where it is 1 it says nothing.

    \b
    Examples:
      idinf lab continuity modulus laplace --length 64
      idinf lab continuity modulus net.json --length 16 --differences 2
      idinf lab continuity modulus kt --delta 1/8
    """
    found = lab.predictor(predictor, alphabet=alphabet)
    rows = [
        (
            str(row.differences),
            _show_interval(row.gap),
            *row.pair,
            _show_up(found.growth.at(Fraction(row.differences, length))),
        )
        for row in lab.modulus(found, n=length, differences=differences, delta=delta)
    ]
    if delta is not None:
        rows = rows[-1:]
    show_rows(rows, ("k", "gap", "prompt", "and", "bound for k/n"))


@click.command("learn")
@_predictor_argument
@_sequence_argument
@click.option("--epsilon", metavar="E", default="1/2", show_default=True, help="The confidence ε, above 0.")
@number_option("--up-to", "N", "Follow prompts up to that length.", least=1, most=1 << 14, default=64)
@_alphabet_option
@bounded
def learn(predictor: str, sequence: str, epsilon: str, up_to: int, alphabet: str) -> None:
    """Say whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    The confidence after n symbols is the probability of the next one minus the largest other one. If the
    sequence becomes periodic, it is decided for all n with laplace and kt, and with nets unless ε is too near
    the limit; elsewhere only what was seen up to N is said.

    \b
    Examples:
      idinf lab continuity learn laplace '11(0)'
      idinf lab continuity learn net.json thue-morse --epsilon 1/10
    """
    found = lab.predictor(predictor, alphabet=alphabet)
    taken = lab.sequence(sequence, alphabet="".join(found.alphabet.symbols))
    got = lab.learnability(found, taken, epsilon=epsilon, up_to=up_to)
    seen = f"up to n = {got.up_to}"
    if got.learned:
        answer = f"yes, from n0 = {got.n0} on, for all n" if got.n0 else "yes, for all n from a large one on"
    elif got.learned is False:
        answer = "no, the confidence is below it at infinitely many n"
    elif got.n0 is not None:
        answer = f"not decided; at least that from n = {got.n0} {seen}"
    else:
        answer = f"not decided; below it at n = {got.up_to}"
    some = {True: "yes", False: "no", None: "not decided"}[got.for_some]
    rows = [
        (f"learned with {got.epsilon}", answer),
        ("learned with some ε", some),
        ("limit inferior", "-" if got.limit is None else _show_interval(got.limit)),
        (f"confidence at {got.up_to}", _show_interval(got.confidence)),
    ]
    show_text("\n".join(align(rows)))


@click.command("isolate")
@_predictor_argument
@_sequence_argument
@click.option(
    "--every",
    "changes",
    type=click.IntRange(1, MOST_EVERY),
    multiple=True,
    default=(2, 3, 4, 8, 16, 32),
    show_default=True,
    metavar="K",
    help="Change every K-th place; may be given several times.",
)
@click.option("--assume", metavar="E", help="Take it as given that SEQ is learned with confidence E.")
@_alphabet_option
@bounded
def isolate(
    predictor: str, sequence: str, changes: tuple[int, ...], assume: str | None, alphabet: str
) -> None:
    """Compute a δ such that nothing within d_H < δ of a learned sequence is learned, and look at changes.

    The sequence has to become periodic. In a row, b is
    the sequence with every k-th place changed. Its gap is how far answers to prompts of both stay apart
    where next symbols differ and last ones agree (- if there is no such place); its confidence is above 0 iff
    it is eventually learned. With --assume there are no rows, and any SEQ will do.

    \b
    Examples:
      idinf lab continuity isolate laplace '(0)'
      idinf lab continuity isolate net.json '(0)' --every 64 --every 128
      idinf lab continuity isolate net.json thue-morse --assume 1/2
    """
    found = lab.predictor(predictor, alphabet=alphabet)
    taken = lab.sequence(sequence, alphabet="".join(found.alphabet.symbols))
    got = lab.isolation(found, taken, every=changes, assume=assume)
    state = "not learned" if got.confidence.high <= 0 else "not proved to be learned"
    radius = f"- (the sequence is {state}, so nothing is claimed)"
    if got.radius is not None:
        is_short = got.radius.denominator < 10**6
        radius = str(got.radius) if is_short else format_down(got.radius, 9)
    confidence = _show_interval(got.confidence) + " (assumed)" * (assume is not None)
    facts = [("confidence", confidence), ("radius", radius)]
    if assume is not None:
        show_text("\n".join(align(facts)))
        return
    rows = [("k", "distance", "within", "gap", "confidence on b", "b learned")]
    rows += [
        (
            str(row.every),
            str(row.distance),
            "yes" if row.inside else "no",
            "-" if row.gap is None else _show_interval(row.gap),
            _show_interval(row.confidence),
            "yes" if row.confidence.low > 0 else "no" if row.confidence.high <= 0 else "not decided",
        )
        for row in got.rows
    ]
    show_text("\n".join([*align(facts), "", *align(rows, ">>")]))
