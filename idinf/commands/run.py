"""``idinf run``: answers of a target, a program or a hypothesis on words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from idinf.api.languages import Hypothesis, Language, Program, read_target
from idinf.api.settings import NamedTarget
from idinf.base.files import check_writable
from idinf.base.words import Word
from idinf.commands.bounded import bounded
from idinf.commands.options import asks, number_option, record_option, words_argument
from idinf.commands.words import iter_batches, iter_words
from idinf.crasp.interpreter import WordBatch
from idinf.errors import HypothesisFormatError
from idinf.nets.dense import DenseTransformer
from idinf.nets.generation import MOST, Step
from idinf.show.text.labels import label_texts, next_text

_JUDGED = {True: "right", False: "wrong", None: "*"}


@click.command()
@click.argument("target")
@words_argument
@asks(NamedTarget)
@record_option
@number_option(
    "--offset", "O", "Of an ordinary transformer: let words begin at position O.", least=0, default=0
)
@click.option(
    "--continue", "goes_on", is_flag=True, help="Let a hypothesis go on after WORD by its own answers."
)
@click.option(
    "--automaton",
    metavar="FILE",
    help="Write the minimal automaton of a regular TARGET instead: .att or .jff.",
)
@number_option("--most", "K", "Of --continue: generate at most K symbols.", least=1, default=MOST)
@number_option("--seed", "S", "Of --continue: take one of several next symbols at random.", least=0)
@click.option(
    "--target", "judge", metavar="TARGET", help="Of --continue: judge by it.", show_default="of the report"
)
@bounded
def run(
    target: str,
    words: tuple[str, ...],
    asked: dict[str, Any],
    record: int | None,
    offset: int,
    goes_on: bool,
    automaton: str | None,
    most: int,
    seed: int | None,
    judge: str | None,
) -> None:
    """Say what TARGET says of words, exactly.

    TARGET is as for `idinf identify`, or an ordinary transformer (.json). Prints WORD<TAB>accept or
    WORD<TAB>reject, one line per word. The word '' is the empty word; with - words are read from stdin, one
    per line. What asks for next symbols answers at every position: the sets after every prefix, the empty one
    first, separated by blanks, as in * 1,$ - with $ for the end, - for no symbol and * where any will do. A
    word outside the domain of a target is marked.

    With --continue a hypothesis about next symbols is fed its own answers after WORD: the symbols, separated
    by blanks, then $ for the end, - where nothing is named, or ... after K symbols. Where the target is
    known, a third column says of each step whether just its next symbols are named: right, wrong, or * where
    it does not judge. At every step the hypothesis reads the word so far alone, so N grows with it; one that
    is right, whose weights depend on N, may take wrong steps.

    \b
    Examples:
      idinf run majority 0011 001 ''
      idinf run 'accept iff #1 - #0 >= 0' - < words.txt
      idinf run 'regex:(ab)*' abab
      idinf run report.json --record 2 0011
      idinf run report.json --continue 0110# 001#
      idinf run dyck.att --alphabet abc abab aabc
      idinf run tomita-4 --automaton tomita-4.jff
    """
    if automaton is not None:
        if words or goes_on or offset:
            raise click.UsageError("--automaton answers no words; leave words, --continue and --offset out")
        check_writable(automaton)
    found = read_target(target, **asked, record=record)
    if not goes_on and (seed is not None or judge is not None):
        raise click.UsageError("--seed and --target are about --continue; add it, or leave them out")
    if automaton is not None:
        found.automaton(automaton)
        return
    lines = _continued(found, words, most, seed, judge) if goes_on else _answered(found, words, offset)
    for line in lines:
        click.echo(line, nl=False)


def _answered(found: Language, words: tuple[str, ...], offset: int) -> Iterator[str]:
    net = found.definition
    if isinstance(net, DenseTransformer):
        yield from (f"{text}\t{_ask(net, word, offset)}\n" for text, word in iter_words(net.alphabet, words))
        return
    if offset:
        raise click.UsageError("--offset is about ordinary transformers; leave it out")
    for texts, batch in iter_batches(found.alphabet, words):
        labels, counted = _label(found, batch)
        outside = ("" if is_inside else "\toutside the domain" for is_inside in counted)
        lines = zip(texts, labels, outside, strict=True)
        yield "".join(f"{text}\t{label}{mark}\n" for text, label, mark in lines)


def _label(found: Language, batch: WordBatch) -> tuple[list[str], list[bool]]:
    """Answers of a program or a target on words, and flags of words in its domain."""
    if isinstance(found, Program):
        from idinf.crasp.interpreter import compute_labels

        accepted = compute_labels(found.loaded.program, found.alphabet, batch).tolist()
        return ["accept" if each else "reject" for each in accepted], [True] * len(accepted)
    return label_texts(found.machine, batch)


def _ask(net: DenseTransformer, word: Word, offset: int) -> str:
    """Answer of a transformer on a word."""
    from idinf.nets import reference

    if net.output is not None:
        return next_text(reference.name_next_symbols(net, word, offset))
    return "accept" if reference.accepts(net, word, offset) else "reject"


def _continued(
    found: Language, words: tuple[str, ...], most: int, seed: int | None, judge: str | None
) -> Iterator[str]:
    if not isinstance(found, Hypothesis):
        raise HypothesisFormatError(f"{found.name}: no hypothesis about next symbols; --continue needs one")
    spec = found.asked if judge is None else read_target(judge).spec
    for text, _ in iter_words(found.alphabet, words or ("",)):
        made = found.generate(text, most=most, seed=seed, target=spec)
        yield f"{text}\t{made}" + ("" if spec is None else f"\t{_judge_steps(made.steps)}") + "\n"


def _judge_steps(steps: tuple[Step, ...]) -> str:
    return " ".join(_JUDGED[step.right] for step in steps)
