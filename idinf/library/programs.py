"""C-RASP programs: what they are, what they answer, and as transformers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from idinf.compilation.routes import compile_by_any_route
from idinf.crasp.facts import Facts
from idinf.crasp.library import LoadedProgram
from idinf.crasp.printer import program_text
from idinf.library.hypotheses import Hypothesis, HypothesisLike, read_any
from idinf.library.languages import Language, WordLike
from idinf.library.operands import Operand
from idinf.library.sources import Symbols, alphabet_from, load_program

if TYPE_CHECKING:
    from idinf.crasp.eventual import Eventual
    from idinf.crasp.trace import Trace
    from idinf.crasp.unrolling import FoolingPair


class Program(Language):
    """A C-RASP program; a language as well, that of the words its last operation accepts.

    Attributes
    ----------
    text : str
    facts : Facts
        Its class, depth, counts, and the operations with their sorts.

    Examples
    --------
    >>> dyck = program("dyck-1")
    >>> dyck.facts.class_name, "ab" in dyck
    ('C-RASP[]', True)
    """

    def __init__(self, loaded: LoadedProgram, symbols: Symbols | None = None) -> None:
        super().__init__(Operand(loaded.origin, loaded, alphabet_from(symbols)))
        self._loaded, self.text = loaded, loaded.text
        self.facts: Facts = loaded.facts

    def trace(self, word: WordLike, parts: bool = False) -> Trace:
        """Compute every operation at every position of a word; with ``parts`` of what it is made of, too."""
        from idinf.crasp.trace import trace_of

        return trace_of(self._loaded.program, self.alphabet, self._codes(word), parts)

    def eventual(self, symbol: str) -> tuple[Eventual, ...]:
        """Say what every operation is on symbol^n for all large n, exactly (Lemma 37 of [HYB25]_)."""
        from idinf.crasp.eventual import eventual_values

        with self._loaded.blamed():
            return eventual_values(self._loaded.program, symbol)

    def fooling_pair(self, symbol: str) -> FoolingPair:
        """Find two words of different parity of a symbol that get one answer (Lemma 41 of [HYB25]_)."""
        from idinf.crasp.unrolling import fooling_pair

        with self._loaded.blamed():
            return fooling_pair(self._loaded.program, self.alphabet, symbol)

    def compile(self, *, precision: int = 0, direct: bool = False) -> Hypothesis:
        """Write the program as a Limit Transformer; see `compile_source`."""
        with self._loaded.blamed():
            compiled = compile_by_any_route(self._loaded.program, self.alphabet, precision, direct)
        return Hypothesis(compiled.transformer, self.name, compiled.outside)


def program(source: str | os.PathLike[str] | LoadedProgram, *, alphabet: Symbols | None = None) -> Program:
    """Take a C-RASP program: a name that `program_names` lists, the path of a file, or the text itself.

    Parameters
    ----------
    source : str or path
    alphabet : str or sequence of str, optional
        The symbols the program names, sorted, if it is not given.

    Raises
    ------
    ProgramError
        If there is none, or it is wrong; the message carries line and column.
    """
    return Program(load_program(source), alphabet)


def compile_source(
    source: str | os.PathLike[str] | LoadedProgram | Program,
    *,
    alphabet: Symbols | None = None,
    precision: int = 0,
    direct: bool = False,
) -> Hypothesis:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Parameters
    ----------
    source : str, path or Program
        As for `program`.
    alphabet : str or sequence of str, optional
    precision : int
        Bits of the parameters.
    direct : bool
        One dimension per operation, outside of the searched family.

    Examples
    --------
    >>> net = compile_source("majority")
    >>> "011" in net, round(net.r, 6), net.formula
    (True, 8.414214, 'accept iff #1 - #0 >= 0')
    """
    taken = source if isinstance(source, Program) else program(source, alphabet=alphabet)
    return taken.compile(precision=precision, direct=direct)


def decompile(source: HypothesisLike, *, record: int | None = None) -> Program:
    """Read a hypothesis of the searched family as a C-RASP program that accepts the same words.

    Parameters
    ----------
    source : path, Report, Hypothesis or LimitTransformer
        The path may be that of a report.
    record : int, optional
        Which record of a report, from 1 on; the selected one if it is not given.

    Raises
    ------
    HypothesisFormatError
        If it is not of the family, or no program is known for it; says which unit is in the way.

    Examples
    --------
    >>> decompile(compile_source("majority")).words(up_to=2)
    ('', '1', '01', '10', '11')
    """
    from idinf.crasp import library
    from idinf.formulas.program import decompile as read_program
    from idinf.transformers.from_dense import to_one_hot

    transformer = read_any(source, record)
    text = program_text(read_program(to_one_hot(transformer)))
    return Program(library.loads(text, "decompiled"), transformer.alphabet)
