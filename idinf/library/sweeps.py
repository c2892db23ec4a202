"""A sweep in one call: targets, spaces and readings crossed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Unpack

from idinf.experiments.catalogue import list_entries
from idinf.experiments.spec import Spec
from idinf.library.runs import Batch, BoundArguments, answer_questions, take_options
from idinf.library.sources import Path, TargetLike
from idinf.sweeps.questions import SweepColumns, ask, keep_only, take_presets
from idinf.sweeps.readings import READINGS, choose_readings
from idinf.work.limits import DEFAULT_MEMORY, Limits


class SweepTable(Batch):
    """How the rows of a sweep ended, in their order; a table with the columns of ``idinf sweep``."""

    __slots__ = ()

    @property
    def _columns(self) -> SweepColumns:
        return SweepColumns([item.question for item in self])

    def __repr__(self) -> str:
        failed = sum(item.report is None for item in self)
        return f"<SweepTable of {len(self)} rows{f', {failed} failed' if failed else ''}>"


def sweep(
    sources: Iterable[TargetLike],
    *,
    values: Mapping[str, Iterable[int]] | None = None,
    spaces: Sequence[str] = (),
    readings: Sequence[str] = (READINGS[0].name,),
    only: Mapping[str, str] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: Path | None = None,
    resume: bool = False,
    progress: Callable[[Iterable[str]], None] | None = None,
    **options: Unpack[BoundArguments],
) -> SweepTable:
    """Run the procedure on targets, in spaces and readings: a row for every combination.

    Parameters
    ----------
    sources : iterable of str, path or Spec
        Names, specs, and folders of specs; a family stands for its members.
    values : mapping of str to iterable of int, optional
        Values of parameters, for the families that have them; others have their whole range then.
    spaces : sequence of str
        Presets of bounds; the one of every spec if none is named.
    readings : sequence of str
        Readings of the paper, as of `readings`.
    only : mapping of str to str, optional
        Only targets of which `classify` says so, as in ``{"crasp": "no"}``.
    jobs, scheduler, time_limit, memory, run_dir, resume, progress
        As for `batch`; limits are those of every row.
    **options
        As for `identify`: ``max_n``, ``anneal_steps``, ``prove``, and bounds of the space by name.

    Raises
    ------
    IdinfError
        If a value, a space or a reading is not known; a target that fails has a row with its error.

    Examples
    --------
    >>> found = sweep(["ge-k-j"], values={"k": [1], "j": [1, 2]}, spaces=["nope"], max_n=8, layers=1)
    >>> found.to_frame()[["target", "k", "j", "preset", "n0"]].values.tolist()
    [['ge-1-1', 1, 1, 'nope', 3], ['ge-1-2', 1, 2, 'nope', 5]]
    """
    chosen = {name: tuple(given) for name, given in (values or {}).items()}
    named = [source if isinstance(source, Spec) else os.fspath(source) for source in sources]
    presets, wanted = take_presets(spaces), [f"{key}={value}" for key, value in (only or {}).items()]
    entries = keep_only(list_entries(named, chosen), wanted)
    asked = ask(entries, take_options(**options), presets, choose_readings(readings))
    limits = Limits(time_limit, memory)
    return SweepTable(answer_questions(asked, limits, jobs, scheduler, run_dir, resume, progress))
