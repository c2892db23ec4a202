"""``idinf continuity`` learn, isolate, dilemma and contrast."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.continuity_studies import (
    alphabet_option,
    net_hypothesis_argument,
    predictor_argument,
    show_interval,
    show_up,
)
from idinf.commands.options import check_plot, encode_plot, number_option, plot_option
from idinf.commands.terminal import check_output, check_stdout, print_beside, show_text, write_output
from idinf.continuity.isolation import MOST_EVERY
from idinf.library import continuity as library
from idinf.library import sequences
from idinf.numbers import align, format_down

_sequence_argument = click.argument("sequence", metavar="SEQ")


@click.command("learn")
@predictor_argument
@_sequence_argument
@click.option("--epsilon", metavar="E", default="1/2", show_default=True, help="The confidence ε, above 0.")
@number_option("--up-to", "N", "Follow prompts up to that length.", least=1, most=1 << 14, default=64)
@alphabet_option
@bounded
def learn(predictor: str, sequence: str, epsilon: str, up_to: int, alphabet: str) -> None:
    """Say whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    The confidence after n symbols is the probability of the next one minus the largest other one. If the
    sequence becomes periodic, it is decided for all n with laplace and kt, and with nets of one layer unless
    ε is too near the limit; elsewhere only what was seen up to N is said (up to 128 for nets of more layers).

    \b
    Examples:
      idinf continuity learn laplace '11(0)'
      idinf continuity learn random:1 thue-morse --epsilon 1/10
    """
    found = library.predictor(predictor, alphabet=alphabet)
    taken = sequences.sequence(sequence, alphabet="".join(found.alphabet.symbols))
    got = library.learnability(found, taken, epsilon=epsilon, up_to=up_to)
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
        ("limit inferior", "-" if got.limit is None else show_interval(got.limit)),
        (f"confidence at {got.up_to}", show_interval(got.confidence)),
    ]
    show_text("\n".join(align(rows)))


@click.command("isolate")
@predictor_argument
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
@alphabet_option
@bounded
def isolate(
    predictor: str, sequence: str, changes: tuple[int, ...], assume: str | None, alphabet: str
) -> None:
    """Compute a δ such that nothing within d_H < δ of a learned sequence is learned, and look at changes.

    The sequence has to become periodic, and answers to depend on counts and the last symbol. In a row, b is
    the sequence with every k-th place changed. Its gap is how far answers to prompts of both stay apart
    where next symbols differ and last ones agree (- if there is no such place); its confidence is above 0 iff
    it is eventually learned. With --assume there are no rows, and any SEQ and net will do.

    \b
    Examples:
      idinf continuity isolate laplace '(0)'
      idinf continuity isolate random:1 '(0)' --every 64 --every 128
      idinf continuity isolate net.json thue-morse --assume 1/2
    """
    found = library.predictor(predictor, alphabet=alphabet)
    taken = sequences.sequence(sequence, alphabet="".join(found.alphabet.symbols))
    got = library.isolation(found, taken, every=changes, assume=assume)
    state = "not learned" if got.confidence.high <= 0 else "not proved to be learned"
    radius = f"- (the sequence is {state}, so nothing is claimed)"
    if got.radius is not None:
        is_short = got.radius.denominator < 10**6
        radius = str(got.radius) if is_short else format_down(got.radius, 9)
    confidence = show_interval(got.confidence) + " (assumed)" * (assume is not None)
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
            "-" if row.gap is None else show_interval(row.gap),
            show_interval(row.confidence),
            "yes" if row.confidence.low > 0 else "no" if row.confidence.high <= 0 else "not decided",
        )
        for row in got.rows
    ]
    show_text("\n".join([*align(facts), "", *align(rows, ">>")]))


@click.command("dilemma")
@predictor_argument
@_sequence_argument
@number_option("--most", "K", "The largest k.", least=2, most=64, default=24)
@click.option("-o", "--output", metavar="FILE.html", required=True, help="Where to write the page.")
@alphabet_option
@bounded
def dilemma(predictor: str, sequence: str, most: int, output: str, alphabet: str) -> None:
    """Write a page on which k moves: which of a sequence and its change at every k-th place is learned?

    It is one HTML file that needs no network, and has everything in a table for readers without scripts.

    \b
    Examples:
      idinf continuity dilemma laplace '(0)' -o dilemma.html
    """
    check_stdout()
    check_output(output)
    found = library.predictor(predictor, alphabet=alphabet)
    taken = sequences.sequence(sequence, alphabet="".join(found.alphabet.symbols))
    write_output(output, library.dilemma(found, taken, most=most))


@click.command("contrast")
@net_hypothesis_argument
@predictor_argument
@number_option("--up-to", "K", "k = 1, 2, 4, 8 and so on, up to K.", least=1, most=128, default=64)
@alphabet_option
@plot_option("Draw both gaps, too")
@bounded
def contrast(hypothesis: str, predictor: str, up_to: int, alphabet: str, figure: str | None) -> None:
    """Ask a hypothesis and a predictor about k + 2 equal symbols, and the same with another one among them.

    A verdict is a threshold of a number, U y at the last position. Heaviside units and logits with log N let
    that number jump by as much at every k; the answers of a predictor that is continuous approach each other,
    at least as fast as the bound. Both have to be over the same symbols.

    \b
    Examples:
      idinf continuity contrast tomita-1 laplace
      idinf continuity contrast tomita-1 random:1 --plot contrast.svg
      idinf continuity contrast contains-ab kt --alphabet ab
    """
    check_stdout()
    check_plot(figure)
    found = library.predictor(predictor, alphabet=alphabet)
    rows = library.contrast(hypothesis, found, lengths=[2**power for power in range(up_to.bit_length())])
    table = [("k", "verdicts differ", "jump of U y", "gap", "bound")]
    table += [
        (
            str(row.k),
            "yes" if row.verdict else "no",
            str(row.jump),
            show_interval(row.gap),
            show_up(row.bound),
        )
        for row in rows
    ]
    one, two = rows.symbols
    prompts = f"prompts  {one}^(k+2) and {one}^k {two} {one}"
    print_beside("\n".join([prompts, "", *align(table, ">")]) + "\n", encode_plot(figure, rows.plot))
