"""``idinf lab lemma inverse-image`` and ``neutral``: programs read on words that a morphism maps."""

from __future__ import annotations

import click

from idinf.api.languages import read_target
from idinf.api.programs import program as take_program
from idinf.base.quoting import quote, shorten
from idinf.base.words import Alphabet
from idinf.commands.bounded import bounded
from idinf.commands.options import alphabet_option, number_option, program_argument
from idinf.commands.terminal import show_text
from idinf.errors import SpecError
from idinf.targets.regular import RegularTarget

#: Characters of a word that are shown.
SHOWN = 200


@click.command("inverse-image")
@program_argument
@click.argument("pairs", metavar="SYMBOL=WORD...", nargs=-1, required=True)
@alphabet_option
@bounded
def inverse_image(program: str, pairs: tuple[str, ...], given: Alphabet | None) -> None:
    """Write the C-RASP program that accepts a word w iff PROGRAM accepts h(w).

    Each SYMBOL=WORD says what h maps a symbol to; all words have one length. The new program is over these
    symbols, and has an operation for every place of WORD (Lemma 42).

    \b
    Examples:
      idinf lab lemma inverse-image dyck-1 x=ab y=ba
      idinf lab lemma inverse-image aa-star x=aaa > thrice.crasp
    """
    images: dict[str, str] = {}
    for pair in pairs:
        symbol, sign, word = pair.partition("=")
        if not sign or symbol in images:
            expected = f"one word for {quote(symbol)}" if sign else "SYMBOL=WORD"
            raise click.UsageError(f"{quote(pair)}; expected {expected}, as in x=ab")
        images[symbol] = word
    click.echo(take_program(program, alphabet=given).inverse_image(images).text, nl=False)


@click.command("neutral")
@program_argument
@click.option("--symbol", metavar="E", required=True, help="The neutral symbol, with which words are padded.")
@click.option("--language", metavar="TARGET", help="One with this neutral symbol: where is PROGRAM wrong?")
@click.option("--behind", metavar="B", help="Ask for B right behind a word that PROGRAM accepts (Lemma 36).")
@number_option("--max-n", "N", "Compare all words up to length N.", least=0, most=1000, default=64)
@alphabet_option
@bounded
def neutral(
    program: str, symbol: str, language: str | None, behind: str | None, max_n: int, given: Alphabet | None
) -> None:
    """Read a C-RASP program on words padded with a neutral symbol, where positional relations do not help.

    h maps every symbol to itself and so many E that no modulus and no chain of distances tells more than
    counts do; the program on h(w) is then one of C-RASP[] on w (Lemma 34), which is printed alone.

    With --language it is compared with a regular language in which E is neutral. A word w on which the two
    differ gives a word h(w) on which PROGRAM is wrong; the interpreter runs on it. Where no program of
    C-RASP[] decides the language, as for .*be*b.* with the neutral symbol e (Lemma 35), there is such a word.

    \b
    Examples:
      idinf lab lemma neutral contains-ab-abc --symbol c
      idinf lab lemma neutral contains-ab-abc --symbol c --language 'regex:.*ac*b.*'
      idinf lab lemma neutral ends-in-b.crasp --symbol e --behind b --language 'regex:.*be*b.*' --alphabet abe
    """
    asked = take_program(program, alphabet=given)
    if behind is not None:
        asked = asked.followed_by(behind)
    h, counting = asked.padded(symbol)
    if language is None:
        click.echo(f"// on h(w), {h}\n{counting.text}", nl=False)
        return
    other = read_target(language, alphabet=asked.alphabet)
    machine = other.decider
    if not isinstance(machine, RegularTarget) or not machine.is_neutral(asked.alphabet.symbols.index(symbol)):
        raise SpecError(
            f"--language {quote(language)}: symbol {quote(symbol)} is not neutral; expected a regular one in "
            "which it may be put in and left out anywhere; allow it behind every symbol"
        )
    found = counting.difference(other, max_n)
    lines = [
        f"program   {asked.name}{f' followed by {behind}' if behind else ''}, {asked.facts.class_name}",
        f"h         {h}",
        f"on h(w)   {len(counting.facts.operations)} operations, {counting.facts.class_name}",
        f"language  {other.name}  ({symbol} is neutral)",
        f"w         {found}",
    ]
    if found.word is not None:
        padded = h(asked.alphabet.encode(found.word))
        text = asked.alphabet.decode(padded)
        verdict = text in asked
        if verdict != (found.accepted_by == counting.name):
            raise ArithmeticError(f"the program on h(w) differs from {asked.name}")
        said = "accepts" if verdict else "rejects"
        lines.append(f"h(w)      {shorten(text, SHOWN)}: the program {said} it, and is wrong")
    show_text("\n".join(lines))
