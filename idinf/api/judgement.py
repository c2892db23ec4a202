"""Judge a trained model in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from idinf.api.limits import take_limits
from idinf.api.sources import TargetLike, read_source, read_transformer
from idinf.base.quoting import list_some, quote
from idinf.base.words import Symbols
from idinf.errors import AlphabetMismatchError, ArgumentError, BudgetError, SpecError, UnsupportedBoundError
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.nets.limit_transformer import LimitTransformer
from idinf.report.files import read_report
from idinf.report.value import Path, Report
from idinf.spec.catalogue import find_source
from idinf.spec.spec import Answer, Spec
from idinf.trained.decoder import Decoder, read_decoder
from idinf.trained.judgement import SAMPLES, Judgement, Questions
from idinf.trained.judgement import judge as judge_model
from idinf.trained.rivals import SpokenMachine, make_machine
from idinf.trained.task import Speech, Task, choose_answer
from idinf.work.limits import Limits, StopReason

#: Where offsets of all positions are meant.
ALL = "all"

#: Records are computed for n up to this, with so many steps of work: seconds.
RECORDS_TO, WORK = 16, 1_000

#: The largest bounds: words of 1000 letters, and some minutes of drawn ones.
MOST_LENGTH, MOST_SAMPLES = 1000, 1_000_000


def judge(
    model: Path | Decoder,
    target: TargetLike,
    *,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
    answer: str | None = None,
    answers: tuple[str, str] | None = None,
    offsets: str | Sequence[int] = (0,),
    length: int | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    report: Path | Report | bool = True,
    time_limit: float | None = None,
    memory: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Judge a trained transformer against a target: on all words up to a length, and on drawn ones beyond.

    Parameters
    ----------
    model : path or Decoder
        A folder of ``config.json`` and ``model.safetensors`` in the format of GPT-2, as `idinf.train` writes
        it; or a file of a hypothesis or a report, whose answers are exact.
    target, alphabet, values, name
        As for `idinf.target`.
    answer : str, optional
        ``set``, ``symbol`` or ``accept``: how it answers, where the model does not say so.
    answers : pair of str, optional
        Of ``accept``: the tokens for no and for yes.
    offsets : "all", or sequence of int
        The positions that the first token has.
    length : int, optional
        All words up to this length are asked; as far as a million prefixes go if it is not given.
    samples : int
        How many words of each kind and bin are drawn beyond.
    seed : int
        Of what is drawn.
    report : path, Report or bool
        Whose records the model is compared with; by default they are computed, with few steps of work.
    time_limit, memory : optional
        Seconds and bytes. Where time ends the work, the judgement is what is known by then.
    progress : callable, optional
        Called now and then with a line about what is asked.

    Returns
    -------
    Judgement
        `first` is a shortest wrong word, `follows` the record the model agrees with longest.

    Raises
    ------
    HypothesisFormatError, SpecError, ReportFormatError, AlphabetMismatchError
        If a file is wrong, or the model does not fit the target.
    ArgumentError
        If an argument is wrong, or the target cannot be asked so.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     compile_source("majority").save(path := os.path.join(folder, "majority.json"))
    ...     found = judge(path, "tomita-1", length=4, samples=10, report=False)
    >>> found.first.word, found.first.said, found.first.right
    ('01', 'accept', 'reject')
    """
    limits = take_limits(time_limit, memory)
    spec = read_source(target, alphabet=alphabet, values=values, name=name).spec
    asked = ask(offsets, length, samples, seed)
    return judge_within(limits, model, spec, asked, answer, answers, report, progress)[0]


def judge_within(
    limits: Limits,
    model: Path | Decoder,
    spec: Spec,
    asked: Questions,
    answer: str | None = None,
    answers: tuple[str, str] | None = None,
    report: Path | Report | bool = True,
    progress: Callable[[str], None] | None = None,
) -> tuple[Judgement, StopReason | None]:
    """As `judge`; the second value says what ended the work early."""
    with limits.held():
        decoder, speech = _load(model, spec, answer, answers)
        last, extra = max(asked.offsets or (0,)), speech.task.extra
        if last + extra > decoder.shape.positions and decoder.has_positions:
            raise ArgumentError(
                f"offset = {last}; expected room for {extra} tokens in the {decoder.shape.positions} "
                f"positions of {decoder.origin}; lower it, or give another model"
            )
        taken = _take_report(report, spec) if not isinstance(report, bool) else None
        if report is True:
            if progress is not None:
                progress("the records of the target")
            taken = compute_records(spec, limits)
        return judge_model(decoder, spec, speech, asked, taken, limits, progress)


def compute_records(spec: Spec, limits: Limits) -> Report | None:
    """The records of a target that are found soon; None if its space cannot be searched."""
    settings = Settings.of(max_n=RECORDS_TO, work=WORK).about(spec, find_source(spec))
    try:
        with limits.part(1 / 3):
            report = run(settings, limits).report
    except (SpecError, BudgetError, UnsupportedBoundError):
        return None
    if report.stop is StopReason.INTERRUPTED:  # that is meant for all of it
        raise KeyboardInterrupt
    return report


def ask(offsets: str | Sequence[int], length: int | None, samples: int, seed: int) -> Questions:
    """Check how a model is to be asked; an ArgumentError says what does not fit."""
    for key, value, most in (
        ("length", length, MOST_LENGTH),
        ("samples", samples, MOST_SAMPLES),
        ("seed", seed, 2**63),
    ):
        if value is not None and (type(value) is not int or not 0 <= value <= most):
            raise ArgumentError(f"{key} = {quote(value)}; expected an integer from 0 to {most}; correct it")
    if offsets == ALL:
        return Questions(length=length, samples=samples, seed=seed)
    if isinstance(offsets, str) or not offsets or any(type(each) is not int or each < 0 for each in offsets):
        raise ArgumentError(
            f"offsets = {quote(offsets)}; expected 'all' or integers of at least 0; correct it"
        )
    return Questions(tuple(sorted(set(offsets))), length, samples=samples, seed=seed)


def _load(
    model: Path | Decoder, spec: Spec, answer: str | None, answers: tuple[str, str] | None
) -> tuple[Decoder, Speech]:
    """The model, and how it answers the target."""
    if answer is not None and answer not in list(Answer):
        raise ArgumentError(f"answer = {quote(answer)}; expected set, symbol or accept; use one of them")
    if isinstance(model, str | os.PathLike) and os.fspath(model).endswith(".json") and not _is_config(model):
        source = read_transformer(model, None, (LimitTransformer,))
        net = source.definition
        assert isinstance(net, LimitTransformer)
        mine, wanted = net.alphabet.letters, spec.alphabet.symbols
        if {*mine} != {*wanted} or (net.output is not None and mine != wanted):  # its outputs have that order
            raise AlphabetMismatchError(
                f"{source.name}: symbols {list_some(mine)}; expected those of {spec.name}, "
                f"{list_some(wanted)}; give another target"
            )
        machine, own = (
            make_machine(net.over(spec.alphabet)),
            Answer.ACCEPT if net.output is None else net.output.kind,
        )
        if answer not in (None, own):
            raise ArgumentError(
                f"answer = {quote(answer)}; expected {quote(str(own))}, as {source.name} does; leave it out"
            )
        task = Task.of(spec, own)
        spoken = SpokenMachine.of(machine, task, source.name)
        return spoken, spoken.speech
    decoder = model if isinstance(model, Decoder) else read_decoder(model)
    task = Task.of(spec, choose_answer(decoder, spec.answer) if answer is None else Answer(answer))
    return decoder, Speech.of(decoder, task, answers)


def _is_config(path: Path) -> bool:
    return os.path.basename(os.fspath(path)) == "config.json"


def _take_report(report: Path | Report, spec: Spec) -> Report:
    taken = report if isinstance(report, Report) else read_report(report)
    if {*(letters := taken.target.spec().alphabet.letters)} != {*spec.alphabet.symbols}:
        raise ArgumentError(
            f"the report is about {taken.target.name}, over {list_some(letters)}; expected one "
            f"over {list_some(spec.alphabet.symbols)}, as {spec.name}; give another report"
        )
    return taken
