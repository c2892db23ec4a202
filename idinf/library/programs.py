"""Hypotheses and C-RASP programs: what they are, what they answer, and each as the other."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from idinf.compilation.compiler import compile_by_any_route
from idinf.crasp.facts import Facts, describe_program
from idinf.crasp.library import LoadedProgram
from idinf.crasp.meaning import list_needed_definitions
from idinf.crasp.printer import format_program
from idinf.crasp.syntax import ProgramTree
from idinf.errors import ArgumentError, HypothesisFormatError, IdinfError, SpecError
from idinf.files import write_whole
from idinf.library.languages import Language, WordLike
from idinf.library.operands import Operand, find_common_alphabet, language
from idinf.library.sources import Path, ProgramLike, TargetLike, load_program, take_operand
from idinf.numbers import format_r
from idinf.quoting import quote
from idinf.render.readings import write_formula_if_one_hot
from idinf.report import value
from idinf.report.files import read_hypothesis, take_hypothesis
from idinf.transformers import json_format, reference
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.locality import Cut, list_cuts
from idinf.transformers.regularizer import Aggregate, RTerms, compute_r_terms
from idinf.words import Alphabet, Symbols, read_alphabet

if TYPE_CHECKING:
    from idinf.crasp.eventual import Eventual
    from idinf.crasp.inverse_images import Morphism
    from idinf.crasp.logic.majority_formula import MajorityFormula
    from idinf.crasp.trace import Trace
    from idinf.crasp.unrolling import FoolingPair
    from idinf.export.agreement import Agreement


#: How the matrices of a function can be written: as they stand, or each times the best power of two.
REALISATIONS = ("one-hot", "scaled")


class Hypothesis(Language):
    """A Limit Transformer; a language as well, that of the words it accepts.

    Of a compiled program, ``outside`` says why it is outside of the searched family, where that is known.
    """

    def __init__(self, transformer: LimitTransformer, name: str = "hypothesis", outside: str = "") -> None:
        self.transformer, self.outside = transformer, outside
        super().__init__(Operand(name, transformer))

    def __repr__(self) -> str:
        return f"<Hypothesis {self.name}: R = {format_r(self.r)}>"

    @property
    def r(self) -> float:
        """R, with terms of layers and heads by their maximum (float)."""
        return self.r_terms().total

    def r_terms(self, aggregate: str = "max") -> RTerms:
        """Compute the terms of R; ``aggregate`` is ``max`` or ``sum``."""
        return compute_r_terms(self.transformer, Aggregate(aggregate))

    def realised(
        self, realisation: str = "scaled", *, aggregate: str = "max", whole_threshold: bool = False
    ) -> Hypothesis:
        """Write the same function as a transformer of less R.

        ``scaled`` multiplies every matrix by a power of two, the best ones and the best p; the threshold may
        become a fraction unless it is to be a ``whole_threshold``. ``one-hot`` leaves it as it stands.

        Raises
        ------
        ArgumentError
            If there is no such realisation.
        BudgetError
            If there is too much to compare, in nets of many layers and heads.

        Examples
        --------
        >>> net = compile_source("majority")
        >>> net.realised(), net.realised() == net
        (<Hypothesis majority: R = 6.353553391>, True)
        """
        if realisation not in REALISATIONS:
            raise ArgumentError(
                f"realisation = {quote(realisation)}; expected one of {', '.join(REALISATIONS)}; choose one"
            )
        if realisation == "one-hot":
            return self
        found = find_least_scaling(self.transformer, Aggregate(aggregate), whole_threshold)
        return Hypothesis(found, self.name)

    def cuts(self) -> tuple[Cut, ...]:
        """Cut φ off at every distance, with what it costs up to there: D_n(τ) of Lemma 17 of [HYB25]_."""
        return list_cuts(self.transformer)

    @property
    def formula(self) -> str | None:
        """The hypothesis as a counting formula; None if it is not of the searched family."""
        formula = write_formula_if_one_hot(self.transformer)
        return None if formula is None else str(formula)

    def next_symbols(self, word: WordLike) -> tuple[tuple[str, ...], ...]:
        """Say after every prefix of a word, the empty one first, what may come next; ``$`` is the end.

        Raises
        ------
        HypothesisFormatError
            If the hypothesis accepts words instead.
        """
        if self.transformer.output is None:
            raise HypothesisFormatError(
                f"{self.name} accepts words; expected one about next symbols; use 'in'"
            )
        return tuple(reference.name_next_symbols(self.transformer, self.alphabet.encode(word)))

    def logits(self, word: WordLike) -> tuple[Fraction, ...]:
        """Compute U y at the last position of a word, exactly."""
        return reference.trace(self.transformer, self.alphabet.encode(word)).logits

    def save(self, path: Path) -> None:
        """Write a ``limit-transformer/1`` file."""
        write_whole(os.fspath(path), json_format.dumps(self.transformer))

    def export(self, form: str, path: Path | None = None, *, weights: Path | None = None) -> str:
        """Write the hypothesis in another form, as ``idinf export`` does; the text is returned.

        Parameters
        ----------
        form : str
            ``json``, ``crasp``, ``numpy``, ``torch``, ``latex`` or ``dot``.
        path : path, optional
            Where to write it, too.
        weights : path, optional
            Of ``torch``: where to write the weights, as safetensors.

        Raises
        ------
        ArgumentError, HypothesisFormatError, MissingPackageError
            If there is no such form, the hypothesis has none, or safetensors is not installed.

        Examples
        --------
        >>> print(compile_source("majority").export("crasp"), end="")
        accept = # "1" >= # "0"
        """
        from idinf.export.forms import check_weights, export
        from idinf.export.weights import dump_weights

        check_weights(form, weights)
        text = export(self.transformer, form)
        if weights is not None:
            write_whole(os.fspath(weights), dump_weights(self.transformer))
        if path is not None:
            write_whole(os.fspath(path), text)
        return text

    def agreement(self) -> Agreement:
        """Run the exported torch module in float64 and float32 beside the exact evaluator.

        All words up to length 10 and samples up to 512 are tried. A MissingPackageError without torch.
        """
        from idinf.export.agreement import compare_module

        return compare_module(self.transformer)


HypothesisLike = Path | value.Report | Hypothesis | LimitTransformer


def hypothesis(source: HypothesisLike, *, record: int | None = None) -> Hypothesis:
    """Take a hypothesis: a ``limit-transformer/1`` file, or the selected one of a report, or its ``record``.

    Records are numbered from 1.

    Raises
    ------
    HypothesisFormatError, ReportFormatError, ArgumentError
        If there is none.
    """
    if isinstance(source, Hypothesis):
        return source
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else "hypothesis"
    return Hypothesis(read_any(source, record), name)


def read_any(source: HypothesisLike, record: int | None = None) -> LimitTransformer:
    """Take the matrices of a hypothesis; parameters and errors as `hypothesis`."""
    match source:
        case LimitTransformer():
            return source
        case Hypothesis():
            return source.transformer
        case value.Report():
            return take_hypothesis(source, record)
        case _:
            return read_hypothesis(source, record)


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

    def compile(self, *, precision: int = 0, direct: bool = False) -> Hypothesis:
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
    precision: int = 0,
    direct: bool = False,
) -> Hypothesis:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Source and alphabet are as for `program`; a Program has its alphabet. Parameters have ``precision`` bits;
    ``direct`` gives one dimension per operation, outside of the searched family.

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
