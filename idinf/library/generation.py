"""Words that a hypothesis about next symbols writes by itself, beside what a target asks."""

from __future__ import annotations

import os
from dataclasses import dataclass

from idinf.errors import AlphabetMismatchError, ArgumentError, HypothesisFormatError, SpecError
from idinf.experiments import catalogue
from idinf.experiments.spec import Answer, Spec
from idinf.files import show_path
from idinf.library.hypotheses import Hypothesis, HypothesisLike, read_any
from idinf.library.languages import WordLike
from idinf.library.sources import TargetLike
from idinf.quoting import list_some
from idinf.report import value
from idinf.report.files import read_beside_report
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.transformers import generation
from idinf.transformers.generation import Generation
from idinf.transformers.induction_head import build_induction_head
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Symbols, read_alphabet

#: How many symbols are generated where nothing else is said.
MOST = 32

#: The largest logit of an induction head.
MOST_SCALE = 64


@dataclass(frozen=True, slots=True)
class Writer:
    """A hypothesis about next symbols, and the target that says which of its steps are right, if one does."""

    transformer: LimitTransformer
    target: SupervisedTarget | None

    def generate(self, prompt: WordLike, most: int = MOST, seed: int | None = None) -> Generation:
        """Continue a prompt; as `generate`."""
        word = self.transformer.alphabet.encode(prompt)
        return generation.generate(self.transformer, word, most, seed, self.target)


def take_writer(
    source: HypothesisLike, record: int | None = None, target: TargetLike | None = None
) -> Writer:
    """Take a hypothesis with its target, by default that of its report.

    Raises
    ------
    HypothesisFormatError, ReportFormatError, ArgumentError
        If there is no hypothesis, or it accepts words.
    SpecError, AlphabetMismatchError
        If the target does not ask for next symbols, or is over other symbols.
    """
    if isinstance(source, str | os.PathLike):
        origin = show_path(os.fspath(source))
        transformer, report = read_beside_report(source, record)
    else:
        origin = source.name if isinstance(source, Hypothesis) else "the hypothesis"
        transformer = read_any(source, record)
        report = source if isinstance(source, value.Report) else None
    if transformer.output is None:
        raise HypothesisFormatError(
            f"{origin}: it accepts words; expected a hypothesis about next symbols; run it with 'idinf eval'"
        )
    if target is not None:
        spec = target if isinstance(target, Spec) else catalogue.load(os.fspath(target))
    elif report is not None:
        spec = report.target.spec()
    else:
        return Writer(transformer, None)
    if spec.answer is Answer.ACCEPT:
        raise SpecError(f'{spec.origin}: mode = "accept"; expected "next"; give a target of next symbols')
    if spec.alphabet.symbols != transformer.alphabet.symbols:
        raise AlphabetMismatchError(
            f"{origin}: alphabet {list_some(transformer.alphabet.symbols)}; expected that of {spec.origin}, "
            f"{list_some(spec.alphabet.symbols)}; give the target it is about"
        )
    return Writer(transformer, supervise(build_target(spec)))


def generate(
    source: HypothesisLike,
    prompt: WordLike = "",
    *,
    most: int = MOST,
    seed: int | None = None,
    record: int | None = None,
    target: TargetLike | None = None,
) -> Generation:
    """Feed a hypothesis its own next symbols after a prompt, until the end or a bound; exact.

    Parameters
    ----------
    source : str, path, Report, Hypothesis or LimitTransformer
        A hypothesis about next symbols.
    prompt : str or sequence of str
        What it reads first.
    most : int
        How many symbols are generated at most.
    seed : int, optional
        Take one of several next symbols at random; without it the first.
    record : int, optional
        Of a report: the number of a record, in place of the selected one.
    target : str, path or Spec, optional
        What the steps are judged by, in place of the target of the report.

    Returns
    -------
    Generation
        The ``steps``, their ``answer``, whether it ``ended``, and whether it is ``right``, if that is judged.

    Raises
    ------
    IdinfError
        If there is no such hypothesis or target, or the prompt has foreign symbols.

    Examples
    --------
    >>> from idinf.library.runs import identify
    >>> report = identify("tomita-1-next", max_n=4, layers=1, precision=0, max_r=9)
    >>> written = generate(report, "11", most=2)
    >>> print(written, written.right)
    1 1 ... True
    """
    return take_writer(source, record, target).generate(prompt, most, seed)


def induction_head(alphabet: Symbols, *, scale: int = 2) -> Hypothesis:
    """Build the induction head of Section 4.1 of [HYB25]_, which copies distinct symbols.

    Its logits are within N^(1 - ``scale``) of the shares in which symbols followed the present one so far,
    and it names the first of the largest.

    Raises
    ------
    SpecError, ArgumentError
        If the alphabet is wrong, or the scale is out of range.

    Examples
    --------
    >>> net = induction_head("acb#")
    >>> print(generate(net, "#acb#", most=4))
    a c b # ...
    >>> [round(float(logit), 3) for logit in net.logits("abaca")]
    [0.039, 0.474, 0.474, 0.0]
    """
    if not 1 <= scale <= MOST_SCALE:
        raise ArgumentError(f"scale = {scale}; expected one from 1 to {MOST_SCALE}; correct it")
    return Hypothesis(build_induction_head(read_alphabet(alphabet), scale), "induction head")
