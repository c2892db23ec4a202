"""``idinf lab lemma``: limits of programs on words of one symbol, and programs behind a morphism."""

from __future__ import annotations

from typing import Any

import click

from idinf.api.languages import read_target
from idinf.api.programs import program as take_program
from idinf.api.settings import NamedTarget
from idinf.base.numbers import align
from idinf.base.quoting import list_some, quote, shorten
from idinf.base.words import Alphabet
from idinf.commands.bounded import bounded
from idinf.commands.options import asks, number_option, program_argument
from idinf.commands.terminal import show_text
from idinf.crasp.checker import Sort, check
from idinf.crasp.interpreter import compute_values
from idinf.crasp.inverse_images import LETTER, FoolingPair, find_fooling_pair
from idinf.crasp.programs import LoadedProgram, load
from idinf.crasp.runs import Eventual, Piece, compute_eventual_values
from idinf.errors import SpecError
from idinf.targets.regular import RegularTarget

#: Lengths on which the interpreter runs beside: all up to the longest of these two.
CHECKED_BEYOND, CHECKED_AT_MOST = 64, 4096

#: Symbols of a word that are shown, and characters of a padded one.
SHOWN, SHOWN_PADDED = 60, 200

#: Longest word on which a fooling pair is checked.
LONGEST = 2**20


@click.command("eventual")
@program_argument
@asks(NamedTarget, without=("values", "name"))
@click.option("--symbol", metavar="A", show_default="each one in turn", help="The symbol that words repeat.")
@bounded
def eventual(program: str, asked: dict[str, Any], symbol: str | None) -> None:
    """Compute from which n on a C-RASP program answers alike on all words a^n, of every depth.

    Without moduli every count is linear in n from some n on and every Boolean constant, so no such program
    tells even n from odd n (Lemma 37; local counts are allowed). The answer is the least such n, exact for
    all n. Every operation is compared with the interpreter, up to a length that is printed.

    With --symbol the value of every operation is shown, too.

    \b
    Examples:
      idinf lab lemma eventual dyck-1
      idinf lab lemma eventual my.crasp --symbol a
    """
    loaded = load(program)
    alphabet = loaded.alphabet(asked.get("alphabet"))
    if symbol is not None:
        _check_symbol(symbol, alphabet)
    lines = []
    for one in alphabet.symbols if symbol is None else (symbol,):
        with loaded.blamed():
            found = compute_eventual_values(loaded.program, one)
        if symbol is not None:
            lines += _operations(found)
        verdict = "accept" if found[-1].pieces[-1].offset else "reject"
        reach = _compare(loaded, alphabet, one, found)
        lines.append(
            f"{one}^n  {verdict} for every n >= {found[-1].since}  (equals the interpreter up to n = {reach})"
        )
    show_text("\n".join(lines))


def _check_symbol(symbol: str, alphabet: Alphabet) -> None:
    if symbol not in alphabet.symbols:
        raise click.BadParameter(
            f"{quote(symbol)} is not in the alphabet; expected one of: {list_some(alphabet.symbols)}; "
            "correct it, or give --alphabet",
            param_hint="--symbol",
        )


def _operations(found: tuple[Eventual, ...]) -> list[str]:
    """A row for every piece of every operation."""
    rows = [("operation", "from n", "value")]
    for operation in found:
        for place, piece in enumerate(operation.pieces):
            shown = str(bool(piece.offset)).lower() if operation.sort is Sort.BOOLEAN else _line(piece)
            rows.append((operation.name if place == 0 else "", str(piece.start), shown))
    return [*align(rows, "<>"), ""]


def _line(piece: Piece) -> str:
    """The value slope · n + offset."""
    if not piece.slope:
        return str(piece.offset)
    factor = {1: "n", -1: "-n"}.get(piece.slope, f"{piece.slope}·n")
    sign, offset = ("+", piece.offset) if piece.offset > 0 else ("-", -piece.offset)
    return f"{factor} {sign} {offset}" if piece.offset else factor


def _compare(loaded: LoadedProgram, alphabet: Alphabet, symbol: str, found: tuple[Eventual, ...]) -> int:
    """Compare every operation with the interpreter on one long word; up to which n."""
    last = max(operation.since for operation in found)
    reach = min(last + CHECKED_BEYOND, CHECKED_AT_MOST)
    word = (alphabet.symbols.index(symbol),) * reach
    for operation, row in zip(found, compute_values(loaded.program, alphabet, word), strict=True):
        wrong = [n for n, value in enumerate(row.at) if operation.at(n) != value]
        if wrong:
            raise ArithmeticError(f"{operation.name} on {symbol}^{wrong[0]} differs from the interpreter")
    return reach


@click.command("fooling-pair")
@program_argument
@asks(NamedTarget, without=("values", "name"))
@click.option(
    "--symbol",
    metavar="A",
    show_default="the last of the alphabet",
    help="The symbol whose parity is asked for.",
)
@bounded
def fooling(program: str, asked: dict[str, Any], symbol: str | None) -> None:
    """Show that a C-RASP program is not PARITY: two words of different parity that it answers alike.

    A block h(a) holds the symbol once, and is so long that moduli and distances become places in it. On the
    words h(a)^n the program is one over the symbol a alone (Lemma 40), which is constant from some n on
    (Lemma 37): from there on h(a)^n and h(a)^(n+1) get one answer, and one of them is even (Lemma 41). The
    interpreter runs on both words, and on all shorter h(a)^n.

    \b
    Examples:
      idinf lab lemma fooling-pair majority
      idinf lab lemma fooling-pair my.crasp --alphabet 01 --symbol 1
    """
    loaded = load(program)
    alphabet = loaded.alphabet(asked.get("alphabet"))
    counted = alphabet.symbols[-1] if symbol is None else symbol
    _check_symbol(counted, alphabet)
    with loaded.blamed():
        found = find_fooling_pair(loaded.program, alphabet, counted)
    show_text("\n".join(_lines(loaded, alphabet, counted, found)))


def _lines(loaded: LoadedProgram, alphabet: Alphabet, counted: str, found: FoolingPair) -> list[str]:
    facts, times = loaded.facts, found.times
    verdict = "accept" if found.accepted else "reject"
    lines = [
        f"program   {loaded.origin}, {facts.class_name}, period {facts.period}, reach {facts.reach}",
        f"h(a)      {_shown(alphabet.decode(found.block))}  (length {len(found.block)})",
        f"unrolled  {len(found.unrolled.definitions)} operations over a, "
        f"{check(found.unrolled).class_name}: accepts a^n iff the program accepts h(a)^n",
        f"constant  {verdict} for every n >= {times}",
    ]
    for n in (times, times + 1):
        parity = "even" if n % 2 == 0 else "odd"
        word = _shown(alphabet.decode(found.block * n)) if n * len(found.block) <= LONGEST else "…"
        lines.append(f"h(a)^{n}  {word}  {n} of {counted}, {parity}: {verdict}")
    return [*lines, f"check     {_checked(loaded, alphabet, found)}"]


def _checked(loaded: LoadedProgram, alphabet: Alphabet, found: FoolingPair) -> str:
    """Run the interpreter on the two words, and once on the longer for all shorter ones."""
    longest = (found.times + 1) * len(found.block)
    if longest > LONGEST:
        return f"not run: a word of {longest} symbols, the interpreter takes at most {LONGEST}"
    # No position reads a later one: the last operation at position i is the verdict on the first i symbols.
    verdicts = compute_values(loaded.program, alphabet, found.block * (found.times + 1))[-1].at[
        :: len(found.block)
    ]
    decided = compute_eventual_values(found.unrolled, LETTER)[-1]
    if [decided.at(n) for n in range(found.times + 2)] != list(verdicts):
        raise ArithmeticError(f"the unrolled program differs from {loaded.origin}")
    return f"the interpreter answers so on h(a)^n for n = 0..{found.times + 1}"


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


@click.command("inverse-image")
@program_argument
@click.argument("pairs", metavar="SYMBOL=WORD...", nargs=-1, required=True)
@asks(NamedTarget, without=("values", "name"))
@bounded
def inverse_image(program: str, pairs: tuple[str, ...], asked: dict[str, Any]) -> None:
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
    click.echo(take_program(program, alphabet=asked.get("alphabet")).inverse_image(images).text, nl=False)


@click.command("neutral")
@program_argument
@click.option("--symbol", metavar="E", required=True, help="The neutral symbol, with which words are padded.")
@click.option("--language", metavar="TARGET", help="One with this neutral symbol: where is PROGRAM wrong?")
@click.option("--behind", metavar="B", help="Ask for B right behind a word that PROGRAM accepts (Lemma 36).")
@number_option("--max-n", "N", "Compare all words up to length N.", least=0, most=1000, default=64)
@asks(NamedTarget, without=("values", "name"))
@bounded
def neutral(
    program: str, symbol: str, language: str | None, behind: str | None, max_n: int, asked: dict[str, Any]
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
    taken = take_program(program, **asked)
    if behind is not None:
        taken = taken.followed_by(behind)
    h, counting = taken.padded(symbol)
    if language is None:
        click.echo(f"// on h(w), {h}\n{counting.text}", nl=False)
        return
    other = read_target(language, alphabet=taken.alphabet)
    machine = other.decider
    if not isinstance(machine, RegularTarget) or not machine.is_neutral(taken.alphabet.symbols.index(symbol)):
        raise SpecError(
            f"--language {quote(language)}: symbol {quote(symbol)} is not neutral; expected a regular one in "
            "which it may be put in and left out anywhere; allow it behind every symbol"
        )
    found = counting.difference(other, max_n)
    lines = [
        f"program   {taken.name}{f' followed by {behind}' if behind else ''}, {taken.facts.class_name}",
        f"h         {h}",
        f"on h(w)   {len(counting.facts.operations)} operations, {counting.facts.class_name}",
        f"language  {other.name}  ({symbol} is neutral)",
        f"w         {found}",
    ]
    if found.word is not None:
        padded = h(taken.alphabet.encode(found.word))
        text = taken.alphabet.decode(padded)
        verdict = text in taken
        if verdict != (found.accepted_by == counting.name):
            raise ArithmeticError(f"the program on h(w) differs from {taken.name}")
        said = "accepts" if verdict else "rejects"
        lines.append(f"h(w)      {shorten(text, SHOWN_PADDED)}: the program {said} it, and is wrong")
    show_text("\n".join(lines))
