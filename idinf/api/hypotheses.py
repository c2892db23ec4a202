"""Hypotheses as users hold them: what they answer and cost, and the forms in which they leave."""

from __future__ import annotations

import os
from fractions import Fraction
from functools import lru_cache

from idinf.api.languages import Language, WordLike
from idinf.base.files import write_whole
from idinf.base.numbers import format_r
from idinf.base.quoting import list_some
from idinf.errors import AlphabetMismatchError, HypothesisFormatError, SpecError
from idinf.nets import generation, json_format, reference
from idinf.nets.generation import MOST, Generation
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import Aggregate, Cut, RTerms, compute_r_terms, list_cuts
from idinf.report import value
from idinf.report.files import read_beside_report, take_hypothesis
from idinf.show.readings import write_formula_if_one_hot
from idinf.spec.spec import Answer, Spec
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise

Path = str | os.PathLike[str]


class Hypothesis(Language):
    """A Limit Transformer; a language as well, that of the words it accepts.

    Of a compiled program, ``outside`` says why it is outside of the searched family, where that is known; of
    a report, ``asked`` is the target that it was selected for.
    """

    def __init__(
        self,
        transformer: LimitTransformer,
        name: str = "hypothesis",
        outside: str = "",
        asked: Spec | None = None,
    ) -> None:
        self.transformer, self.outside, self.asked = transformer, outside, asked
        super().__init__(name, transformer, transformer.alphabet)

    def __repr__(self) -> str:
        return f"<Hypothesis {self.name}: R = {format_r(self.r)}>"

    @property
    def r(self) -> float:
        """R, with terms of layers and heads by their maximum (float)."""
        return self.r_terms().total

    def r_terms(self, aggregate: str = "max") -> RTerms:
        """Compute the terms of R; ``aggregate`` is ``max`` or ``sum``.

        Those of Definition 50 of [HYB25]_ are ``r_terms().by_definition_50()``.
        """
        return compute_r_terms(self.transformer, Aggregate(aggregate))

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

    def generate(
        self, prompt: WordLike = "", *, most: int = MOST, seed: int | None = None, target: Spec | None = None
    ) -> Generation:
        """Feed a hypothesis its own next symbols after a prompt, until the end or a bound; exact.

        Parameters
        ----------
        prompt : str or sequence of str
            What it reads first.
        most : int
            How many symbols are generated at most.
        seed : int, optional
            Take one of several next symbols at random; without it the first.
        target : Spec, optional
            What the steps are judged by, in place of the target of the report.

        Raises
        ------
        HypothesisFormatError, SpecError, AlphabetMismatchError
            If it accepts words, the target does too or is over other symbols, or the prompt is.

        Examples
        --------
        >>> from idinf.api.programs import induction_head
        >>> print(induction_head("acb#").generate("#acb#", most=4))
        a c b # ...
        """
        if self.transformer.output is None:
            raise HypothesisFormatError(
                f"{self.name}: it accepts words; expected a hypothesis about next symbols"
            )
        spec = target or self.asked
        if spec is not None and spec.answer is Answer.ACCEPT:
            raise SpecError(f'{spec.origin}: mode = "accept"; expected "next"; give a target of next symbols')
        if spec is not None and spec.alphabet.symbols != self.alphabet.symbols:
            raise AlphabetMismatchError(
                f"{self.name}: alphabet {list_some(self.alphabet.symbols)}; expected that of {spec.origin}, "
                f"{list_some(spec.alphabet.symbols)}; give the target it is about"
            )
        word = self.alphabet.encode(prompt)
        judge = None if spec is None else _build_judge(spec)
        return generation.generate(self.transformer, word, most, seed, judge)

    def logits(self, word: WordLike) -> tuple[Fraction, ...]:
        """Compute U y at the last position of a word, exactly."""
        return reference.trace(self.transformer, self.alphabet.encode(word)).logits

    def save(self, path: Path) -> None:
        """Write a ``limit-transformer/1`` file."""
        write_whole(os.fspath(path), json_format.dumps(self.transformer))

    def export(self, form: str, path: Path | None = None, *, weights: Path | None = None) -> str:
        """Write the hypothesis in another form, as ``idinf net export`` does; the text is returned.

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
        >>> from idinf.api.programs import compile_source
        >>> print(compile_source("majority").export("crasp"), end="")
        accept = # "1" >= # "0"
        """
        from idinf.show.export.code import dump_weights
        from idinf.show.export.forms import check_weights, export

        check_weights(form, weights)
        text = export(self.transformer, form)
        if weights is not None:
            write_whole(os.fspath(weights), dump_weights(self.transformer))
        if path is not None:
            write_whole(os.fspath(path), text)
        return text


@lru_cache(maxsize=1)
def _build_judge(spec: Spec) -> SupervisedTarget:
    """What says which steps are right: built once for all prompts."""
    return supervise(build_target(spec))


HypothesisLike = Path | value.Report | Hypothesis | LimitTransformer


def hypothesis(source: HypothesisLike, *, record: int | None = None) -> Hypothesis:
    """Take a hypothesis: a ``limit-transformer/1`` file, or the selected one of a report, or its ``record``.

    Records are numbered from 1.

    Raises
    ------
    HypothesisFormatError, ReportFormatError, ArgumentError
        If there is none.
    """
    match source:
        case Hypothesis():
            return source
        case LimitTransformer():
            return Hypothesis(source)
        case value.Report():
            net = take_hypothesis(source, record)
            return Hypothesis(net, source.target.name, asked=source.target.spec())
    net, report = read_beside_report(source, record, (LimitTransformer,))
    return Hypothesis(net, os.fspath(source), asked=None if report is None else report.target.spec())
