"""The shipped C-RASP programs by name, and any program by path.

A shipped program is a text whose first comment is the language in words and whose second one is its source.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from idinf.base.files import blaming, read_text
from idinf.base.quoting import quote, suggest
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import Facts, check
from idinf.crasp.parser import MOST_PROGRAM, is_formula, parse
from idinf.errors import BudgetError, ProgramError

_SUFFIXES = (".crasp", ".cr")

#: What is said with the origin of a program.
_REFUSED = (ProgramError, BudgetError)


@dataclass(frozen=True, slots=True)
class LoadedProgram:
    """A checked program and where it comes from."""

    origin: str  # path or name, with which messages about it begin
    text: str
    program: s.ProgramTree
    facts: Facts

    @property
    def about(self) -> str:
        """The comment at the top of the text, up to the first operation, without its slashes."""
        lines = []
        for line in self.text.splitlines():
            if line.strip() and not line.startswith("//"):
                break
            lines.append(line.removeprefix("//").strip())
        return "\n".join(lines).strip()

    def alphabet(self, given: Alphabet | None = None) -> Alphabet:
        """The alphabet to run on, checked: a given one, or that of the symbols the program names, sorted."""
        with self.blamed():
            alphabet = self.facts.alphabet() if given is None else given
            check(self.program, alphabet)
        return alphabet

    def blamed(self) -> AbstractContextManager[None]:
        """A context in which a refusal of the program names its origin."""
        return blaming(self.origin, _REFUSED)


def load(name_or_path: str, given: Alphabet | None = None) -> LoadedProgram:
    """A shipped program by its bare name, a file by its path, or a formula that is given itself.

    What begins as a formula does (`is_formula`) is one; else anything with a path separator or the ending
    ``.crasp`` or ``.cr`` is a file; the rest is a name. Formulas with averages may need the alphabet
    ``given`` for words.
    """
    if is_formula(name_or_path):
        return loads(name_or_path, "formula", given)
    if name_or_path.endswith(_SUFFIXES) or "/" in name_or_path or "\\" in name_or_path:
        expected = (
            "expected a readable file with a C-RASP program; check the path, or use a name that "
            "'idinf list programs' shows"
        )
        text = read_text(name_or_path, MOST_PROGRAM, ProgramError, expected)
        return loads(text, name_or_path, given)
    if name_or_path not in list_names():
        hint = suggest(name_or_path, list_names())
        raise ProgramError(
            f"unknown program {quote(name_or_path)}; {hint and f'{hint} '}'idinf list programs' shows the "
            "names; the path of a program ends with .crasp or .cr, or has a slash; "
            "a formula begins with accept iff"
        )
    text = _folder().joinpath(f"{name_or_path}.crasp").read_bytes().decode("utf-8")
    return loads(text, name_or_path, given)


def loads(text: str, origin: str = "program", given: Alphabet | None = None) -> LoadedProgram:
    """Read the text of a program or a formula as `load` does; ``origin`` names it in messages."""
    with blaming(origin, _REFUSED):
        program = parse(text, given)
        return LoadedProgram(origin, text, program, check(program))


def is_text(given: str) -> bool:
    """True if a text is a program or a formula itself: no name and no path has a sign of one."""
    return "=" in given or is_formula(given)


@cache
def list_names() -> tuple[str, ...]:
    """Names of the shipped programs, sorted."""
    files = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".crasp") for name in files if name.endswith(".crasp")))


def _folder() -> Path:
    """The programs lie beside this module."""
    return Path(__file__).parent
