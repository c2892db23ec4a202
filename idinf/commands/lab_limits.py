"""``idinf lab lemma eventual`` and ``fooling-pair``: what no program can do on words of one symbol."""

from __future__ import annotations

import click

from idinf.base.numbers import align
from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet
from idinf.commands.bounded import bounded
from idinf.commands.options import alphabet_option, program_argument
from idinf.commands.terminal import show_text
from idinf.crasp.checker import Sort, check
from idinf.crasp.interpreter import compute_values
from idinf.crasp.inverse_images import LETTER, FoolingPair, find_fooling_pair
from idinf.crasp.programs import LoadedProgram, load
from idinf.crasp.runs import Eventual, Piece, compute_eventual_values

#: Lengths on which the interpreter runs beside: all up to the longest of these two.
CHECKED_BEYOND, CHECKED_AT_MOST = 64, 4096

#: Symbols of a word that are shown.
SHOWN = 60

#: Longest word on which a fooling pair is checked.
LONGEST = 2**20


@click.command("eventual")
@program_argument
@alphabet_option
@click.option("--symbol", metavar="A", show_default="each one in turn", help="The symbol that words repeat.")
@bounded
def eventual(program: str, given: Alphabet | None, symbol: str | None) -> None:
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
    alphabet = loaded.alphabet(given)
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
@alphabet_option
@click.option(
    "--symbol",
    metavar="A",
    show_default="the last of the alphabet",
    help="The symbol whose parity is asked for.",
)
@bounded
def fooling(program: str, given: Alphabet | None, symbol: str | None) -> None:
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
    alphabet = loaded.alphabet(given)
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
