"""Judge a trained model in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from idinf.api.limits import take_limits
from idinf.api.settings import NamedTarget
from idinf.api.sources import TargetLike, read_transformer
from idinf.base.files import take_path
from idinf.base.options import take_settings, takes_settings
from idinf.base.quoting import list_some, quote
from idinf.errors import AlphabetMismatchError, ArgumentError, BudgetError, SpecError, UnsupportedBoundError
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.nets.limit_transformer import LimitTransformer
from idinf.report.files import read_report
from idinf.report.value import Path, Report
from idinf.spec.catalogue import find_source
from idinf.spec.spec import Answer, Spec
from idinf.trained.decoder import Decoder, read_decoder
from idinf.trained.judgement import Judgement, Questions
from idinf.trained.judgement import judge as judge_model
from idinf.trained.rivals import StateMachineAsDecoder, make_machine
from idinf.trained.task import AnswerReader, Task, choose_answer
from idinf.work.limits import Limits, StopReason

#: Records are computed for n up to this, with so many steps of work: seconds.
RECORDS_TO, WORK = 16, 1_000


@takes_settings(NamedTarget, Questions)
def judge(
    model: Path | Decoder,
    target: TargetLike,
    *,
    report: Path | Report | bool = True,
    time_limit: float | Limits | None = None,
    memory: int | None = None,
    progress: Callable[[str], None] | None = None,
    **settings: Any,
) -> Judgement:
    """Judge a trained transformer against a target: on all words up to a length, and on drawn ones beyond.

    Parameters
    ----------
    model : path or Decoder
        A folder of ``config.json`` and ``model.safetensors`` in the format of GPT-2, as `idinf.train` writes
        it; or a file of a hypothesis or a report, whose answers are exact.
    target
        As for `idinf.target`.
    report : path, Report or bool
        Report whose records the model is compared with; by default it is computed, with few steps of work.
    time_limit, memory : optional
        Seconds and bytes. If one ends the work, the judgement has the results up to then.
    progress : callable, optional
        Called now and then with a line about the present work.
    **settings
        ``alphabet``, ``values`` and ``name`` as for `idinf.target`. ``answer``: ``set``, ``symbol`` or
        ``accept``, where the model does not say how it answers; ``answers``: of ``accept`` the tokens for no
        and for yes. ``offsets``: the positions that the first token has, or "all". All words up to ``length``
        are asked, by default those of a million prefixes; ``samples`` words of each kind and bin are drawn
        beyond, by ``seed``.

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
    named, asked = take_settings(settings, NamedTarget, Questions)
    limits = take_limits(time_limit, memory)
    spec = named.read(target).spec
    with limits.held():
        decoder, speech = _load(model, spec, asked)
        last, extra = max(asked.places or (0,)), speech.task.extra
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


def _load(model: Path | Decoder, spec: Spec, asked: Questions) -> tuple[Decoder, AnswerReader]:
    """The model, and how it answers the target."""
    answer = asked.answer
    if isinstance(model, str | os.PathLike) and take_path(model).endswith(".json") and not _is_config(model):
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
        spoken = StateMachineAsDecoder.of(machine, task, source.name)
        return spoken, spoken.speech
    decoder = model if isinstance(model, Decoder) else read_decoder(model)
    task = Task.of(spec, choose_answer(decoder, spec.answer) if answer is None else Answer(answer))
    return decoder, AnswerReader.of(decoder, task, asked.answers)


def _is_config(path: Path) -> bool:
    return os.path.basename(take_path(path)) == "config.json"


def _take_report(report: Path | Report, spec: Spec) -> Report:
    taken = report if isinstance(report, Report) else read_report(report)
    if {*(letters := taken.target.spec().alphabet.letters)} != {*spec.alphabet.symbols}:
        raise ArgumentError(
            f"the report is about {taken.target.name}, over {list_some(letters)}; expected one "
            f"over {list_some(spec.alphabet.symbols)}, as {spec.name}; give another report"
        )
    return taken
