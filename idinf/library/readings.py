"""The table of readings in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idinf.inference.run import RunOptions
from idinf.library.frames import Rows
from idinf.library.runs import answer_all, collect_entries
from idinf.library.sources import TargetLike
from idinf.sweeps.questions import ask
from idinf.sweeps.readings import DEFAULT_WORK, ReadingRow, choose_readings
from idinf.work.limits import DEFAULT_MEMORY, Limits


def readings(
    sources: Iterable[TargetLike],
    names: Sequence[str] = (),
    *,
    max_n: int | None = None,
    work: int = DEFAULT_WORK,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> Rows[ReadingRow]:
    """Run the procedure on targets under each way to read the paper; rows are exact or brackets.

    Parameters
    ----------
    sources : iterable of str, path or Spec
        Names, specs, and folders of specs.
    names : sequence of str
        Which readings; all if none is named.
    max_n, jobs, scheduler, time_limit, memory
        As for `batch`.
    work : int
        Steps of work of every run in the one-hot family.

    Raises
    ------
    ArgumentError
        If a reading is not known.

    Examples
    --------
    >>> rows = readings(["tomita-1"], ["one-hot", "theta"], max_n=8)
    >>> [(row.reading, row.r_star, row.n0) for row in rows]
    [('one-hot', 8.0, 2), ('theta', 5.5, 3)]
    """
    asked = RunOptions(max_n, None, {"work": work}, anneal_steps=0, proves=False)
    entries = [entry for source in sources for entry in collect_entries(source)]
    questions = ask(entries, asked, readings=choose_readings(names))
    answers = answer_all(
        [one.target.settings for one in questions], Limits(time_limit, memory), jobs, scheduler
    )
    pairs = zip(questions, answers, strict=True)
    return Rows(ReadingRow.of(one.entry.name, one.reading, answer) for one, answer in pairs)
