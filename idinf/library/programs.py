"""C-RASP programs: what they are, what they answer, and how they become hypotheses, and come from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from idinf.compilation.compiler import compile_by_any_route
from idinf.crasp.facts import Facts, describe_program
from idinf.crasp.library import LoadedProgram
from idinf.crasp.meaning import list_needed_definitions
from idinf.crasp.printer import format_program
from idinf.crasp.syntax import ProgramTree
from idinf.errors import IdinfError, SpecError
from idinf.library.hypotheses import Hypothesis, HypothesisLike, read_any
from idinf.library.languages import Language, WordLike
from idinf.library.operands import Operand, find_common_alphabet, language
from idinf.library.sources import ProgramLike, TargetLike, load_program, take_operand
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet, Symbols, read_alphabet

if TYPE_CHECKING:
    from idinf.crasp.eventual import Eventual
    from idinf.crasp.inverse_images import Morphism
    from idinf.crasp.logic.majority_formula import MajorityFormula
    from idinf.crasp.trace import Trace
    from idinf.crasp.unrolling import FoolingPair


class Program(Language):
    """A C-RASP program; a language as well, that of the words its last operation accepts.

    Its ``facts`` are its class, depth, counts, and the operations with their sorts.

    Examples
    --------
    >>> dyck = program("dyck-1")
    >>> dyck.facts.class_name, "ab" in dyck
    ('C-RASP[]', True)
    """

    def __init__(self, loaded: LoadedProgram, symbols: Symbols | None = None) -> None:
        given = None if symbols is None else read_alphabet(symbols)
        super().__init__(Operand(loaded.origin, loaded, given))
        self._loaded, self.text = loaded, loaded.text
        self.facts: Facts = loaded.facts

    def trace(self, word: WordLike, parts: bool = False) -> Trace:
        """Compute every operation at every position of a word; with ``parts`` of what it is made of, too."""
        from idinf.crasp.trace import trace_of

        return trace_of(self._loaded.program, self.alphabet, self.alphabet.encode(word), parts)

    def eventual(self, symbol: str) -> tuple[Eventual, ...]:
        """Say what every operation is on symbol^n for all large n, exactly (Lemma 37 of [HYB25]_)."""
        from idinf.crasp.eventual import compute_eventual_values

        with self._loaded.blamed():
            return compute_eventual_values(self._loaded.program, symbol)

    def fooling_pair(self, symbol: str) -> FoolingPair:
        """Find two words of different parity of a symbol that get one answer (Lemma 41 of [HYB25]_)."""
        from idinf.crasp.unrolling import find_fooling_pair

        with self._loaded.blamed():
            return find_fooling_pair(self._loaded.program, self.alphabet, symbol)

    def majority_formula(self) -> MajorityFormula:
        """Write the program as a formula of MAJ2[<, +1, mod] (Proposition 31 of [HYB25]_)."""
        from idinf.crasp.logic.translation import to_majority_logic

        with self._loaded.blamed():
            return to_majority_logic(self._loaded.program, self.alphabet)

    def inverse_image(self, images: Mapping[str, WordLike]) -> Program:
        """Write the program that accepts w iff this one accepts h(w) (Lemma 42 of [HYB25]_).

        ``images`` are the words h(σ), all of one length, of the symbols σ of the new program.

        Examples
        --------
        >>> program("dyck-1").inverse_image({"x": "ab", "y": "ba"}).words(up_to=2)
        ('', 'x', 'xx')
        """
        from idinf.crasp.inverse_images import Morphism, pull_back

        source = read_alphabet(tuple(images))
        words = tuple(self.alphabet.encode(image) for image in images.values())
        with self._loaded.blamed():
            found = pull_back(self._loaded.program, Morphism(source, self.alphabet, words))
        return self._written(found, source)

    def padded(self, neutral: str) -> tuple[Morphism, Program]:
        """Write the program as one of C-RASP[] on padded words (Lemma 34 of [HYB25]_).

        Gives h with h(σ) = σ e…e, where e is ``neutral``, and the program that accepts w iff this one accepts
        h(w). If e is neutral in a language that this program decides, the other one decides it, too.

        Examples
        --------
        >>> h, counting = program("contains-ab-abc").padded("c")
        >>> print(h, counting.facts.class_name)
        a → ac, b → bc, c → cc C-RASP[]
        """
        from idinf.crasp.neutral_symbols import drop_relations, pad

        with self._loaded.blamed():
            morphism = pad(self._loaded.program, self.alphabet, neutral)
            found = drop_relations(self._loaded.program, morphism)
        return morphism, self._written(found, self.alphabet)

    def followed_by(self, symbol: str) -> Program:
        """Write the program that looks for a symbol right behind a beginning that this one accepts.

        Of a program of Σ*be* it makes one of Σ*be*bΣ* (Lemma 36 of [HYB25]_).
        """
        from idinf.crasp.neutral_symbols import followed_by

        with self._loaded.blamed():
            return self._written(followed_by(self._loaded.program, symbol), self.alphabet)

    def _written(self, found: ProgramTree, alphabet: Alphabet) -> Program:
        """A program that was made of this one, without operations that nothing reads."""
        kept = ProgramTree(list_needed_definitions(found))
        facts = describe_program(kept, alphabet)
        return Program(LoadedProgram(self.name, format_program(kept), kept, facts), alphabet)

    def compile(self, *, precision: int | None = None, direct: bool = False) -> Hypothesis:
        """Write the program as a Limit Transformer; see `compile_source`."""
        with self._loaded.blamed():
            compiled = compile_by_any_route(self._loaded.program, self.alphabet, precision, direct)
        return Hypothesis(compiled.transformer, self.name, compiled.outside)


def program(source: ProgramLike, *, alphabet: Symbols | None = None) -> Program:
    """Take a C-RASP program: a name that `program_names` lists, the path of a file, or the text itself.

    Without an alphabet it is over the symbols it names, sorted.

    Raises
    ------
    ProgramError
        If there is none, or it is wrong; the message carries line and column.
    """
    return Program(load_program(source), alphabet)


def compile_source(
    source: ProgramLike | Program,
    *,
    alphabet: Symbols | None = None,
    precision: int | None = None,
    direct: bool = False,
) -> Hypothesis:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Source and alphabet are as for `program`; a Program has its alphabet. Parameters have ``precision`` bits,
    by default as many as give the least R; ``direct`` gives one dimension per operation, outside of the
    searched family.

    Examples
    --------
    >>> net = compile_source("majority")
    >>> "011" in net, round(net.r, 6), net.formula
    (True, 8.414214, 'accept iff #1 - #0 >= 0')
    """
    taken = source if isinstance(source, Program) else program(source, alphabet=alphabet)
    return taken.compile(precision=precision, direct=direct)


def synthesize(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    simplify: bool = True,
) -> Program:
    """Write a C-RASP program that is proved to accept exactly the words of a regular language.

    Parameters
    ----------
    source : str, path or Spec, optional
        As for `target`.
    regex, alphabet, values : optional
        As for `target`.
    simplify : bool
        Whether to make the program shorter as long as that is proved right, too.

    Raises
    ------
    SpecError
        If the language is not given as a regular one, or not proved to be in C-RASP[periodic, local].
    BudgetError
        If its automaton is too large.

    Examples
    --------
    >>> print(synthesize(regex="(aa)*").text, end="")
    accept = i mod 2 == 0
    """
    from idinf.classification.finite import find_finite_machine
    from idinf.crasp import library
    from idinf.synthesis.synthesize import SIMPLIFYING_WORK
    from idinf.synthesis.synthesize import synthesize as synthesized

    operand = take_operand(source, regex=regex, alphabet=alphabet, values=values)
    decider = language(operand, find_common_alphabet(operand, operand))
    machine = None if isinstance(decider, LimitTransformer) else find_finite_machine(decider)
    if machine is None:
        raise SpecError(f"{operand.name}: not given as a regular language; expected a regex or an automaton")
    try:
        found = synthesized(machine, SIMPLIFYING_WORK if simplify else 0)
    except IdinfError as error:
        raise type(error)(f"{operand.name}: {error}") from None
    return Program(library.loads(format_program(found.program), operand.name), machine.alphabet)


def decompile(source: HypothesisLike, *, record: int | None = None) -> Program:
    """Read a hypothesis of the searched family as a C-RASP program; parameters as of `hypothesis`.

    It accepts the same words, of every length.

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
    from idinf.export.forms import export

    transformer = read_any(source, record)
    return Program(library.loads(export(transformer, "crasp"), "decompiled"), transformer.alphabet)
