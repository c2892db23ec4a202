"""Training a transformer on the words of a target, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from idinf.api.limits import hold, take_limits
from idinf.api.settings import NamedTarget
from idinf.api.sources import Path, TargetLike
from idinf.base.options import take_settings, takes_settings
from idinf.spec.spec import Answer
from idinf.trained.task import Task
from idinf.trained.training import Step, Trained, TrainingSettings, check_folder, train_task
from idinf.work.limits import DEFAULT_MEMORY, Limits


@takes_settings(NamedTarget, TrainingSettings)
def train(
    source: TargetLike,
    folder: Path | None = None,
    *,
    progress: Callable[[Step], None] | None = None,
    time_limit: float | Limits | None = None,
    memory: int = DEFAULT_MEMORY,
    **settings: Any,
) -> Trained:
    """Train a small GPT-2 on a target until it answers fresh words without a mistake; needs torch.

    Of a training that a limit or Ctrl-C ended, the model is as it is by then, if one step was made.

    Parameters
    ----------
    source
        As for `idinf.target`.
    folder : path, optional
        Where the model is written: new, empty, or that of an older model.
    progress : callable, optional
        Called after each check with a `Step`.
    time_limit, memory : optional
        Seconds, and bytes.
    **settings
        ``alphabet``, ``values`` and ``name`` as for `idinf.target`; and the fields of
        `idinf.trained.training.TrainingSettings`: ``answer``, by default that of the target, ``layers``,
        ``width``, ``max_length``, ``learning_rate``, ``seed`` and so on.

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
    named, chosen = take_settings(settings, NamedTarget, TrainingSettings)
    limits = take_limits(time_limit, memory)
    with hold(limits):
        spec = named.read(source).spec
        task = Task.of(spec, None if chosen.answer is None else Answer(chosen.answer))
        if folder is not None:
            check_folder(folder)
        found = train_task(task, spec.name, chosen, limits, progress)
    if folder is not None:
        found.save(folder)  # which no limit ends
    return found
