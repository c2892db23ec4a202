"""``idinf generate``: a hypothesis about next symbols reads its own answers."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import hypothesis_argument, number_option, record_option
from idinf.commands.words import iter_words
from idinf.errors import HypothesisFormatError
from idinf.library.hypotheses import MOST, Hypothesis
from idinf.library.sources import read_target
from idinf.transformers.generation import Step

_JUDGED = {True: "right", False: "wrong", None: "*"}


@click.command()
@hypothesis_argument
@click.argument("prompts", metavar="[PROMPT...|-]", nargs=-1)
@record_option
@click.option("--target", metavar="TARGET", help="Judge the steps by it.", show_default="that of a report")
@number_option("--most", "K", "Generate at most K symbols.", least=1, default=MOST)
@number_option("--seed", "S", "Take one of several next symbols at random; without it the first.", least=0)
@bounded
def generate(
    hypothesis: str,
    prompts: tuple[str, ...],
    record: int | None,
    target: str | None,
    most: int,
    seed: int | None,
) -> None:
    """Feed a hypothesis its own next symbols after a prompt, exactly, until it names the end.

    Prints PROMPT<TAB>ANSWER, one line for each prompt; without any the prompt is the empty word, and with -
    prompts are read from stdin, one per line. The answer is the symbols, separated by blanks: $ is the end,
    - says that no next symbol was named, and ... that K symbols were generated.

    Where the target is known there is a third column, with one word for each step: right if just the next
    symbols of the target are named there, wrong if others are, * where the target does not judge.

    At every step the hypothesis reads the word so far alone, so N grows with it. A target judges a prefix
    with the N of the whole word, so a hypothesis that is right, whose weights depend on N, may take wrong
    steps.

    \b
    Examples:
      idinf generate report.json 0110# 001#
      idinf generate sort.json --target sort-next 0110#
      idinf generate report.json --record 2 --seed 1 --most 10
    """
    writer = read_target(hypothesis, record=record)
    if not isinstance(writer, Hypothesis):
        raise HypothesisFormatError(f"{writer.name}: expected a hypothesis about next symbols")
    judge = writer.asked if target is None else read_target(target).spec
    for text, _ in iter_words(writer.alphabet, prompts or ("",)):
        made = writer.generate(text, most=most, seed=seed, target=judge)
        click.echo(f"{text}\t{made}" + ("" if judge is None else f"\t{_verdicts(made.steps)}"))


def _verdicts(steps: tuple[Step, ...]) -> str:
    return " ".join(_JUDGED[step.right] for step in steps)
