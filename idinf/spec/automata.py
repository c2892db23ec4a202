"""Automata as people have them: AT&T text (.att) and JFLAP (.jff), read and written.

A file names the letters that it uses, so its alphabet may be a larger one; a missing transition rejects.
An automaton that is nondeterministic, or moves on the empty word, is made deterministic.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePath

from idinf.base.files import MIB, blaming, read_text, show_path
from idinf.base.quoting import list_some, quote, shorten
from idinf.base.words import Alphabet
from idinf.errors import ArgumentError, SpecError, UnsupportedBoundError
from idinf.spec.reader import MAX_NAME, check_name
from idinf.spec.spec import FiniteAutomaton, Kind, Spec

#: Bytes of a file, and its transitions: as many next states as an automaton may have.
MOST_BYTES, MOST_TRANSITIONS = 16 * MIB, 500_000

#: Moves that are followed to make an automaton deterministic: a second or two.
MOST_MOVES = 1_000_000

#: The empty word, as foma, HFST and OpenFst write it. A 0 is a letter, as in many alphabets: OpenFst takes it
#: for the empty word where all letters are numbers.
EMPTY = frozenset(("", "@0@", "@_EPSILON_SYMBOL_@", "<eps>", "<epsilon>", "ε"))

#: Symbols of foma and HFST that are no letters: a flag, or "any letter that is not named".
_SPECIAL = re.compile(r"@.+@")

#: Further names of the empty word, in small letters without marks of LaTeX.
_EMPTY_NAMES = frozenset(("ε", "ɛ", "λ", "eps", "epsilon", "varepsilon", "lambda", "empty"))


@dataclass(slots=True)
class _Drawing:
    """Content of a file up to a line; a fault names the line."""

    origin: str
    alphabet: Alphabet | None  #: the alphabet that the caller gave
    start: str | None = None
    states: dict[str, None] = field(default_factory=dict)
    accept: dict[str, None] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)  #: and the line where each is met first
    #: The next states by state and symbol, which is empty for a move on the empty word.
    moves: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    number: int = 0  #: of moves

    def fault(self, line: int, told: str) -> SpecError:
        """Make an error about a line."""
        return SpecError(f"{self.origin}: line {line}: {told}")

    def begin(self, line: int, state: str) -> None:
        """Take a state as the start."""
        if self.start is not None:
            raise self.fault(line, f"a second start, {quote(state)}; expected one; keep one")
        self.start = state
        self.states[state] = None

    def move(self, line: int, state: str, symbol: str, after: str) -> None:
        """Take a transition."""
        symbol = "" if symbol in EMPTY else symbol
        if symbol:
            self.symbols.setdefault(symbol, line)
        found = self.moves.setdefault((state, symbol), {})
        if after in found:
            told = f"a second transition from {quote(state)} to {quote(after)} with {quote(symbol)}"
            raise self.fault(line, f"{told}; expected it once; delete one")
        found[after] = self.states[state] = self.states[after] = None
        self.number += 1
        if self.number > MOST_TRANSITIONS:
            raise self.fault(line, f"more than {MOST_TRANSITIONS} transitions; expected fewer; use fewer")

    def check(self, form: str) -> None:
        """Refuse symbols that are no letters, or may be none unless they are named as such."""
        given = self.alphabet.symbols if self.alphabet else ()
        for symbol, line in self.symbols.items():
            doubt = _doubt(symbol, form)
            if _SPECIAL.fullmatch(symbol):
                raise self.fault(line, f"{quote(symbol)} is no letter in foma; expected one; leave it out")
            if doubt and symbol not in given:
                raise self.fault(line, f"{quote(symbol)} {doubt}; name it by --alphabet")
            try:
                Alphabet((symbol,), spaced=True)
            except SpecError as error:
                raise self.fault(line, str(error)) from None
            if given and symbol not in given:
                told = f"symbol {quote(symbol)} is not in the alphabet; expected one of: {list_some(given)}"
                raise self.fault(line, f"{told}; give it to --alphabet")

    def to_spec(self, name: str) -> Spec:
        """Make the target, deterministic, over the given alphabet or the symbols of the file, sorted."""
        if not self.states:
            raise SpecError("no state is named; expected an automaton; check the file")
        if self.start is None:
            raise SpecError("no start; expected <initial/>; mark a state")
        if not self.accept:
            told = "no final state; expected <final/> or, in .att, a line with one state"
            raise SpecError(f"{told}; mark one, which nothing reaches if all words are rejected")
        if not self.symbols and self.alphabet is None:
            raise SpecError("no symbol is named; expected an alphabet; give --alphabet")
        alphabet = self.alphabet or Alphabet(
            tuple(sorted(self.symbols)), any(len(s) > 1 for s in self.symbols)
        )
        if any(not symbol for _, symbol in self.moves) or len(self.moves) < self.number:
            automaton = _determinise(self.start, self.accept, self.moves)
        else:
            rows = tuple((state, symbol, after) for (state, symbol), (after,) in self.moves.items())
            automaton = FiniteAutomaton(tuple(self.states), self.start, tuple(self.accept), rows)
        return Spec(check_name(name), alphabet, Kind.DFA, automaton, origin=self.origin)


def is_automaton(path: str) -> bool:
    """True if a text is the path of a file of an automaton.

    >>> is_automaton("mine/stack.att"), is_automaton("stack.toml")
    (True, False)
    """
    return path.endswith(tuple(_FORMS))


def load_automaton(path: str, alphabet: Alphabet | None = None) -> Spec:
    """Load an automaton as a target with the name of its file, over its symbols or an ``alphabet`` with them.

    Raises `SpecError` if it is no such file, with the line; `UnsupportedBoundError` if it is nondeterministic
    and its deterministic form is too large.
    """
    expected = "expected an automaton in AT&T or JFLAP format; check the file"
    text = read_text(path, MOST_BYTES, SpecError, expected)
    drawing = _Drawing(show_path(path), alphabet)
    form = path[-4:]
    _FORMS[form][0](text, drawing)
    with blaming(path):
        drawing.check(form)
        return drawing.to_spec(shorten(" ".join(PurePath(path).stem.split()), MAX_NAME))


def check_form(path: str) -> None:
    """Refuse the path of an automaton to write whose ending is none of the forms."""
    if not is_automaton(path):
        raise ArgumentError(f"{show_path(path)}: expected an ending of: {list_some(_FORMS)}; rename it")


def dump_automaton(automaton: FiniteAutomaton, form: str) -> str:
    r"""Write an automaton as a text of a form, the ending of its files; states are numbered, the start is 0.

    It is read back as the same language over the symbols of its transitions. If no state is final, one is
    that nothing reaches.

    >>> automaton = FiniteAutomaton(("p", "q"), "p", ("q",), (("p", "a", "q"),))
    >>> dump_automaton(automaton, ".att")
    '0\t1\ta\ta\n1\n'
    """
    for symbol in {symbol for _, symbol, _ in automaton.transitions}:
        if symbol in EMPTY or _SPECIAL.fullmatch(symbol):
            raise ArgumentError(f"{quote(symbol)} is no letter in files of automata; expected one; rename it")
        if doubt := _doubt(symbol, form):
            raise ArgumentError(f"{form}: {quote(symbol)} {doubt}; rename it")
    number = {state: place for place, state in enumerate(dict.fromkeys((automaton.start, *automaton.states)))}
    rows = sorted((number[state], number[after], symbol) for state, symbol, after in automaton.transitions)
    accept = {number[state] for state in automaton.accept} or {len(number)}
    lines = _FORMS[form][1](len(number) + (not automaton.accept), accept, rows)
    return "".join(f"{line}\n" for line in lines)


def _doubt(symbol: str, form: str) -> str:
    """Say another meaning that a symbol may have, and the expected one; "" for most symbols.

    >>> _doubt("ab", ".jff"), _doubt("ab", ".att")
    ('may be several letters; expected one', '')
    """
    if unicodedata.normalize("NFKC", symbol).casefold().strip("$\\{}<>_") in _EMPTY_NAMES:
        return "may be the empty word; expected <eps> or a letter"
    return "may be several letters; expected one" if form == ".jff" and len(symbol) > 1 else ""


def _determinise(
    start: str, accept: Iterable[str], moves: Mapping[tuple[str, str], Mapping[str, None]]
) -> FiniteAutomaton:
    """The sets of states that words lead to, as states; a bound on the moves that are followed ends it."""
    following: dict[str, list[tuple[str, Mapping[str, None]]]] = {}
    for (state, symbol), found in moves.items():
        following.setdefault(state, []).append((symbol, found))
    left, final = MOST_MOVES, frozenset(accept)

    def close(states: Iterable[str]) -> tuple[str, ...]:
        """The states and those to which moves on the empty word lead."""
        nonlocal left
        met = dict.fromkeys(states)
        queue = list(met)
        for state in queue:
            for symbol, found in following.get(state, ()):
                left -= len(found)
                new = () if symbol else [other for other in found if other not in met]
                met.update(dict.fromkeys(new))
                queue += new
        return tuple(sorted(queue))

    numbers, rows = {close((start,)): "0"}, list[tuple[str, str, str]]()
    sets = list(numbers)
    for members in sets:
        met: dict[str, set[str]] = {}
        for state in members:
            for symbol, found in following.get(state, ()):
                if symbol:
                    met.setdefault(symbol, set()).update(found)
        for symbol, reached in met.items():
            closed = close(reached)
            if closed not in numbers:
                numbers[closed] = str(len(numbers))
                sets.append(closed)
            rows.append((numbers[members], symbol, numbers[closed]))
        if left < 0:
            raise UnsupportedBoundError(
                f"nondeterministic, and more than {len(numbers)} states when it is made deterministic; "
                "expected fewer; give a smaller automaton"
            )
    accepted = (name for members, name in numbers.items() if not final.isdisjoint(members))
    return FiniteAutomaton(tuple(numbers.values()), "0", tuple(accepted), tuple(rows))


# AT&T text


def _read_att(text: str, drawing: _Drawing) -> None:
    """Lines of transitions and final states, of which the first one begins with the start."""
    names, weights, gap = dict[str, str](), dict[str, tuple[int, str]](), False
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            gap = drawing.start is not None
            continue
        columns = row.rstrip("\r").split("\t") if "\t" in row else row.split()
        if gap or columns == ["--"]:
            raise drawing.fault(line, "a second automaton; expected one; give each its own file")
        if "" in columns or len(columns) > 5:
            told = f"{len(columns)} columns" + ", some empty" * ("" in columns)
            raise drawing.fault(line, f"{told}; expected 1 to 5: states, symbols, a weight; correct the line")
        for name in columns[: 2 if len(columns) > 2 else 1]:
            if name not in names:
                if not (name.isascii() and name.strip().isdecimal() and len(name) < 20):
                    raise drawing.fault(line, f"state {quote(name)}; expected a number; number the states")
                names[name] = str(int(name))
        state = names[columns[0]]
        if drawing.start is None:
            drawing.begin(line, state)
        weight = columns[-1] if len(columns) in (2, 5) else "0"
        if len(columns) > 3 and columns[2] != columns[3]:
            weight = columns[3]
            if len(columns) == 5 or _is_way(weight) is None:
                raise drawing.fault(line, _translates(columns[2], weight))
            weights.setdefault(weight, (line, columns[2]))
        is_way = weight == "0" or _is_way(weight)
        if is_way is None:
            raise drawing.fault(line, f"weight {quote(weight)}; expected a number; correct it")
        if is_way and len(columns) > 2:
            drawing.move(line, state, columns[2], names[columns[1]])
        elif is_way:
            drawing.accept[state] = drawing.states[state] = None
    for weight, (line, symbol) in weights.items():
        if weight in drawing.symbols or all(map(str.isdecimal, (weight, *drawing.symbols))):
            raise drawing.fault(line, _translates(symbol, weight))


def _translates(symbol: str, output: str) -> str:
    told = f"output {quote(output)} beside {quote(symbol)}; expected an acceptor"
    return f"{told}; write symbols twice, then weights"


def _is_way(weight: str) -> bool | None:
    """True if a transition with a weight exists, False with an infinite one; None if it is no number."""
    try:
        number = float(weight)
    except ValueError:
        return None
    return None if number != number else number != float("inf")


def _write_att(states: int, accept: set[int], rows: list[tuple[int, int, str]]) -> Iterable[str]:
    if not rows or rows[0][0] != 0:
        yield "0" if 0 in accept else "0\tInfinity"
    yield from (f"{state}\t{after}\t{symbol}\t{symbol}" for state, after, symbol in rows)
    yield from map(str, sorted(accept))


# JFLAP


def _read_jff(text: str, drawing: _Drawing) -> None:
    """Elements ``state`` and ``transition`` with their contents; entities have no place to be declared."""
    from xml.parsers import expat

    parser, tags = expat.ParserCreate(), list[str]()
    parser.buffer_text, parser.buffer_size = True, MIB
    #: Elements with line, attributes, and the texts of those in them.
    found: list[tuple[str, int, dict[str, str], dict[str, str]]] = [("structure", 1, {}, {})]

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if not tags and tag != "structure":
            told = f"<{shorten(tag, 40)}>; expected <structure>, as in files of JFLAP; check the file"
            raise drawing.fault(parser.CurrentLineNumber, told)
        tags.append(tag)
        if tag in ("state", "transition"):
            found.append((tag, parser.CurrentLineNumber, attributes, {}))
        else:
            found[-1][3].setdefault(tag, "")

    def read(content: str) -> None:
        if tags[-1] in found[-1][3]:
            found[-1][3][tags[-1]] += content

    def refuse(*_: object) -> None:
        raise drawing.fault(parser.CurrentLineNumber, "a document type; expected none; delete <!DOCTYPE")

    parser.StartElementHandler, parser.CharacterDataHandler = begin, read
    parser.EndElementHandler, parser.StartDoctypeDeclHandler = lambda tag: tags.pop(), refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        told = f"not valid XML: {expat.ErrorString(error.code)}; check that line"
        raise drawing.fault(error.lineno, told) from None
    kind = found[0][3].get("type", "").strip()
    if kind not in ("", "fa"):
        raise drawing.fault(1, f"type {quote(kind)}; expected fa, a finite automaton; give one")
    for tag, line, attributes, inner in found:
        if tag == "state":
            state = attributes.get("id", "")
            if not state or state in drawing.states:
                raise drawing.fault(line, f"state id {quote(state)}; expected a new one; number the states")
            drawing.states[state] = None
            if "initial" in inner:
                drawing.begin(line, state)
            if "final" in inner:
                drawing.accept[state] = None
    for tag, line, _, inner in found:
        if tag == "transition":
            ends = [inner.get(key, "").strip() for key in ("from", "to")]
            if not all(end in drawing.states for end in ends) or "read" not in inner:
                told = f"a transition {list_some(map(quote, ends), ' to ')}"
                raise drawing.fault(line, f"{told}; expected ids of states in <from> and <to>, and <read>")
            drawing.move(line, ends[0], inner["read"], ends[1])


def _write_jff(states: int, accept: set[int], rows: list[tuple[int, int, str]]) -> Iterable[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<structure><type>fa</type><automaton>'
    for state in range(states):
        marks = "<initial/>" * (state == 0) + "<final/>" * (state in accept)
        where = f"<x>{100 * (state % 8) + 50}</x><y>{100 * (state // 8) + 50}</y>"
        yield f'<state id="{state}" name="q{state}">{where}{marks}</state>'
    for state, after, symbol in rows:
        read = f"<read>{escape(symbol, quote=False)}</read>"
        yield f"<transition><from>{state}</from><to>{after}</to>{read}</transition>"
    yield "</automaton></structure>"


#: How files of each ending are read, and written: the number of states, final ones, transitions in order.
_FORMS = {".att": (_read_att, _write_att), ".jff": (_read_jff, _write_jff)}
