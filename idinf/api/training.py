"""Training a transformer on the words of a target, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from idinf.api.limits import hold, take_limits
from idinf.api.sources import TargetLike, read_source
from idinf.base.options import takes_settings
from idinf.base.quoting import list_some, quote
from idinf.base.words import Symbols
from idinf.errors import ArgumentError
from idinf.spec.spec import Answer
from idinf.trained.task import Task
from idinf.trained.training import Step, Trained, TrainingSettings, check_folder, train_task
from idinf.work.limits import DEFAULT_MEMORY


@takes_settings(TrainingSettings)
def train(
    source: TargetLike,
    folder: str | os.PathLike[str] | None = None,
    *,
    answer: str | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
    progress: Callable[[Step], None] | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    **settings: Any,
) -> Trained:
    """Train a small GPT-2 on a target until it answers fresh words without a mistake; needs torch.

    Of a training that a limit or Ctrl-C ended, the model is as it is by then, if one step was made.

    Parameters
    ----------
    source, alphabet, values, name
        As for `idinf.target`.
    folder : path, optional
        Where the model is written: new, empty, or that of an older model.
    answer : {'set', 'accept', 'symbol'}, optional
        What the model answers, by default as the target asks. Of a regular language ``set`` asks for its
        legal continuations.
    progress : callable, optional
        Called after each check with a `Step`.
    time_limit, memory : optional
        Seconds, and bytes.
    **settings
        By the names of the fields of `idinf.trained.training.TrainingSettings`: ``layers``, ``width``,
        ``max_length``, ``learning_rate``, ``seed`` and so on.

    Raises
    ------
    MissingPackageError
        If torch is not installed.
    SpecError, ProgramError, HypothesisFormatError
        If the target is wrong.
    ArgumentError, UnsupportedBoundError
        If the target cannot be asked so, or a setting does not fit.
    OutputError
        If the folder cannot be written to, or has something else in it.
    LimitReached
        If a limit ends it before the first step.

    Examples
    --------
    >>> found = train("majority", max_length=8, learning_rate=0.01)  # doctest: +SKIP
    >>> found.accuracy, found.reason  # doctest: +SKIP
    (1.0, 'all fresh words right')
    """
    chosen, limits = TrainingSettings.of(**settings), take_limits(time_limit, memory)
    if answer is not None and answer not in list(Answer):
        raise ArgumentError(
            f"answer = {quote(answer)}; expected {list_some([str(each) for each in Answer])}; use one of them"
        )
    with hold(limits):
        spec = read_source(source, alphabet=alphabet, values=values, name=name).spec
        task = Task.of(spec, None if answer is None else Answer(answer))
        if folder is not None:
            check_folder(folder)
        found = train_task(task, spec.name, chosen, limits, progress)
    if folder is not None:
        found.save(folder)  # which no limit ends
    return found
