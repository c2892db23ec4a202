"""``idinf crasp run``: what a program answers on words."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.crasp_program import alphabet_option
from idinf.commands.word_batches import iter_batches
from idinf.words import Alphabet

__all__ = ["run_command"]


@click.command("run", short_help="Run a program on words.")
@click.argument("program", metavar="FILE|NAME|FORMULA")
@click.argument("words", metavar="[WORD...|-]", nargs=-1)
@alphabet_option
@bounded
def run_command(program: str, words: tuple[str, ...], given: Alphabet | None) -> None:
    """Run a C-RASP program on words, exactly.

    Prints WORD<TAB>accept or WORD<TAB>reject, one line per word. The word '' is the empty word; with -
    words are read from stdin, one per line, an empty line being the empty word. Words are written with
    blanks between symbols if some symbol has more than one character.

    \b
    Examples:
      idinf crasp run dyck-1 ab ba ''
      idinf crasp run my.cr --alphabet abc - < words.txt
      idinf crasp run 'accept iff #1 - #0 >= 0' 0110
    """
    from idinf.crasp.interpreter import labels
    from idinf.crasp.library import load

    loaded = load(program, given)
    alphabet = loaded.alphabet(given)
    for texts, batch in iter_batches(alphabet, words):
        verdicts = labels(loaded.program, alphabet, batch).tolist()
        answers = ("accept" if verdict else "reject" for verdict in verdicts)
        lines = (f"{text}\t{answer}\n" for text, answer in zip(texts, answers, strict=True))
        click.echo("".join(lines), nl=False)
