"""``idinf crasp formula``: programs as formulas of majority logic."""

from __future__ import annotations

import click

from idinf.api.programs import program as take_program
from idinf.base.words import Alphabet
from idinf.commands.bounded import bounded
from idinf.commands.options import program_argument, target_options, words_argument
from idinf.commands.words import iter_words
from idinf.spec.parameters import Values


@click.command("formula")
@program_argument
@words_argument
@target_options
@bounded
def formula(
    program: str, words: tuple[str, ...], given: Alphabet | None, called: str | None, values: Values
) -> None:
    """Write a C-RASP program as a formula of majority logic, MAJ2[<, +1, mod], or ask it about words.

    Without words it prints the class of the formula, its abbreviations, and the sentence that accepts the
    same words as the program, ε included (Definition 30 and Proposition 31). Maj y ⟨P, 2 × Q⟩ says that P, Q
    and Q together hold at more than half of all positions y. P(y) is P(x) with x and y exchanged. A program
    without positional relations needs neither +1 nor mod.

    With words it prints WORD<TAB>accept or WORD<TAB>reject, as `idinf run` does, but evaluates the
    formula.

    \b
    Examples:
      idinf crasp formula majority
      idinf crasp formula dyck-1 abba ''
    """
    taken = take_program(program, alphabet=given, name=called, values=dict(values))
    found = taken.majority_formula()
    if not words:
        click.echo(f"{found.class_name}\n\n{found}")
        return
    for text, word in iter_words(taken.alphabet, words):
        click.echo(f"{text}\t{'accept' if found.accepts(word) else 'reject'}")
