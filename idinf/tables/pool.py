"""A pool of runs: several at once, each in a process of its own; kept reports serve after a kill."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

from idinf.base.quoting import name_file
from idinf.errors import BudgetError, IdinfError, LimitReached, describe_internal_error
from idinf.inference.run import keep_journals, run, run_identity
from idinf.inference.settings import RunSettings
from idinf.nets.json_format import dumps
from idinf.report.files import dump_report, parse_report
from idinf.report.value import Report
from idinf.spec.bounds import WholeClass
from idinf.tables.classes import list_class_cells
from idinf.tables.row import ClassCells
from idinf.work.executors import Executor, ForkingExecutor, LostTask, can_fork
from idinf.work.journal import Journal, claim_folder, remove_folder
from idinf.work.limits import ENDS, Limits

#: Seconds between two looks at the user's wish to stop, and between two redraws of the lines.
BEAT_S = 0.1

#: Seconds beyond its time limit after which the process of a run is killed: it has reported long before.
OVERDUE_S = 15.0

#: Version of the kept reports.
FORMAT = "idinf-batch/3"


def name_run(settings: RunSettings) -> str:
    """Name a run: readably, with a digest of all further inputs of its report.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.settings import Settings
    >>> name_run(Settings().about(load("majority"), "majority")).rpartition("-")[0]
    'majority'
    """
    names = {item.name for item in fields(settings)}
    content = {
        **run_identity(settings),
        **{key: repr(getattr(settings, key)) for key in names - {"spec", "known"}},
        "digest": settings.spec.digest,
        "known": [(known.origin, known.is_given, dumps(known.hypothesis)) for known in settings.known],
    }
    text = json.dumps(content, sort_keys=True)
    return f"{name_file(settings.spec.name)}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class KeptReports:
    """Finished reports of a batch in a journal. Mutable: it grows during the batch.

    A report is kept under the name of its target and a digest of all its inputs, so targets may come and go
    between two runs. One that a limit ended counts under the same limits only. The file is
    open for moments only: children that are forked meanwhile open it themselves. Raises RunDirectoryError if
    the directory cannot be used, or holds work and is not resumed.
    """

    def __init__(self, directory: str, resume: bool) -> None:
        self.folder = claim_folder(directory, "batch", resume)
        self._open().__exit__()

    def _open(self) -> Journal:
        return Journal(self.folder, {"format": FORMAT})

    def recall(self, key: str, limits: str) -> tuple[Report, ClassCells | None, bool] | None:
        """The report kept for a target, its classes, and True if one of these limits ended it; else None."""
        with self._open() as journal:
            kept = journal.recall((key, None)), journal.recall((key, limits))
        for limited, found in enumerate(kept):
            if found is not None:
                return parse_report(found[0], key), found[1], bool(limited)
        return None

    def keep(self, key: str, report: Report, classes: ClassCells | None, limits: str | None) -> None:
        """Keep an answer as a whole; once this returns, a kill of the process does not lose it.

        One of ``limits`` ended the run; None: the report is what any run would give.
        """
        with self._open() as journal:
            journal.keep((key, limits), (dump_report(report), classes))
            if limits is None:
                journal.forget(key)

    def remove(self) -> None:
        """Remove kept reports of a batch, and the directory if nothing else is in it."""
        remove_folder(self.folder)


def open_kept(directory: str | None, resume: bool) -> AbstractContextManager[KeptReports | None]:
    """The directory in which answers are kept, if one is named; errors as of `KeptReports`."""
    return nullcontext(None if directory is None else KeptReports(directory, resume))


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """Result of a run: a report, or an error that says why there is none."""

    report: Report | None = None
    error: IdinfError | None = None
    limit: str | None = None  #: limit of time or memory that ended it, so that others may end differently
    short_of_memory: bool = False  #: True if more memory might have helped
    #: Cells of `list_class_cells`, unless a limit ended them.
    classes: ClassCells | None = None

    @classmethod
    def of_error(cls, error: IdinfError, short_of_memory: bool = False) -> RunAnswer:
        """Give the answer of a run that has no report."""
        return cls(None, error, str(error) if isinstance(error, BudgetError) else None, short_of_memory)


class RunPool:
    """Answers questions in the order in which they finish. Mutable: the state of the runs.

    An error among ``runs`` says why there is no run, and is its own answer. ``limits`` are the time of one
    run, the memory of all of them together, and the user's wish to stop. In ``directory`` answers are kept
    and found again; ``show`` is called now and then with a line for each present run; ``executor`` does the
    runs in place of processes on this machine. No answer depends on ``jobs``.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.settings import Settings
    >>> pool = RunPool([Settings(max_n=4).about(load(name), name) for name in ("majority", "tomita-1")])
    >>> sorted((index, answer.report.n0) for index, answer in pool.answers())
    [(0, 3), (1, 2)]
    """

    def __init__(
        self,
        runs: Sequence[RunSettings | IdinfError],
        limits: Limits | None = None,
        jobs: int = 1,
        directory: KeptReports | None = None,
        show: Callable[[Iterable[str]], None] | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.runs, self.directory, self.show, self.executor = runs, directory, show, executor
        limits = Limits() if limits is None else limits
        self.requests = limits.requests
        self.time_limit_s, self.memory_bytes = limits.time_limit_s, limits.memory_bytes
        self.limits = f"{self.time_limit_s or 0:g}s-{self.memory_bytes}"
        self._settings = {
            place: settings for place, settings in enumerate(runs) if isinstance(settings, RunSettings)
        }
        self._keys = {place: name_run(settings) for place, settings in self._settings.items()}
        #: By the first place of a question all of them: one that comes again is worked out once.
        self._places: dict[int, list[int]] = {}
        first: dict[str, int] = {}
        for place, key in self._keys.items():
            self._places.setdefault(first.setdefault(key, place), []).append(place)
        self.jobs = max(1, min(jobs, os.cpu_count() or 1, len(self._places)))
        self._started: dict[int, float] = {}
        #: By the place of a present run: True if it has the machine to itself.
        self._running: dict[int, bool] = {}

    def answers(self) -> Iterator[tuple[int, RunAnswer]]:
        """Yield (place of a run, its answer) as they come; ends early if the user asks to.

        A run that needs more than a share of the memory is tried again alone, with all of it: an answer
        depends on the memory bound and not on the number of jobs.
        """
        for index, settings in enumerate(self.runs):
            if isinstance(settings, IdinfError):
                yield index, RunAnswer.of_error(settings)
        for first, answer in self._first_answers():
            for index in self._places[first]:
                yield index, answer

    def _first_answers(self) -> Iterator[tuple[int, RunAnswer]]:
        waiting: deque[tuple[int, bool]] = deque()
        for index in self._places:
            known = self._recalled(index)
            if known is None:
                waiting.append((index, False))
            else:
                yield index, known
        here = ForkingExecutor(self.jobs) if can_fork() else Executor()
        with here if self.executor is None else self.executor as executor:
            while (waiting or self._running) and self.requests.signal is None:
                while waiting and not any(self._running.values()) and len(self._running) < executor.room:
                    index, alone = waiting[0]
                    if alone and self._running:
                        break
                    waiting.popleft()
                    self._start(executor, index, alone)
                for index, message in executor.completed(BEAT_S):
                    alone = self._running.pop(index) or executor.sharers == 1
                    del self._started[index]
                    answer = self._lost(message) if isinstance(message, LostTask) else message
                    if answer.short_of_memory and not alone:
                        waiting.append((index, True))
                    else:
                        yield index, self._kept(index, answer)
                if self.show is not None:
                    now = time.monotonic()
                    self.show(
                        f"{self._settings[at].spec.name}: {now - since:.0f} s"
                        for at, since in sorted(self._started.items())
                    )

    def _recalled(self, index: int) -> RunAnswer | None:
        """The answer that was kept."""
        known = None if self.directory is None else self.directory.recall(self._keys[index], self.limits)
        if known is None:
            return None
        report, classes, limited = known
        told = report.stop_reason if report.stopped else "a limit ended the run at a larger max_n"
        return RunAnswer(report, limit=told if limited else None, classes=classes)

    def _lost(self, lost: LostTask) -> RunAnswer:
        """The answer of a process that ended without one."""
        if lost.is_overdue:
            told = f"the time limit of {self.time_limit_s:g} s passed and the run could not be ended"
            return RunAnswer.of_error(LimitReached(f"{told}; raise --time-limit"))
        told = f"the process of this target ended unexpectedly ({lost.how}), as happens when the machine runs"
        remedy = "out of memory; expected it to finish; lower --jobs or --memory"
        return RunAnswer.of_error(LimitReached(f"{told} {remedy}"), short_of_memory=True)

    def _start(self, executor: Executor, index: int, alone: bool) -> None:
        """Start the process of a run."""
        sharers = 1 if alone else executor.sharers
        is_whole = isinstance(self._settings[index].bounds, WholeClass)  # which has no journal
        work = None
        if self.directory is not None and not executor.is_remote and not is_whole:
            work = self.directory.folder, self._keys[index]
        settings, memory_bytes = self._settings[index], self.memory_bytes // sharers
        task = partial(answer_run, settings, self.time_limit_s, memory_bytes, work)
        self._started[index], self._running[index] = time.monotonic(), alone
        executor.start(index, task, None if self.time_limit_s is None else self.time_limit_s + OVERDUE_S)

    def _kept(self, index: int, answer: RunAnswer) -> RunAnswer:
        """An answer, once it is kept; or that it could not be."""
        directory, key = self.directory, self._keys[index]
        if directory is None or answer.report is None:
            return answer
        try:
            limits = None if answer.limit is None else self.limits
            directory.keep(key, answer.report, answer.classes, limits)
        except (OSError, IdinfError) as error:
            return RunAnswer.of_error(error if isinstance(error, IdinfError) else IdinfError(str(error)))
        return answer


def open_executor(scheduler: str | None) -> AbstractContextManager[Executor | None]:
    """Connect to a scheduler, ``local:N`` or ``tcp://HOST:PORT``, if one is given."""
    if scheduler is None:
        return nullcontext()
    from idinf.work.cluster import connect

    return connect(scheduler)


def answer_run(
    settings: RunSettings, time_limit_s: float | None, memory_bytes: int, work: tuple[Path, str] | None
) -> RunAnswer:
    """Run the procedure under limits, which are enforced, and classify the target, in any process.

    Finished work of the run is kept in the folder of ``work``, under its name.
    """
    limits = Limits(time_limit_s, memory_bytes, enforced=True)
    answer = answer_request(settings, limits, work)
    return answer if answer.report is None else classify_answer(answer, settings, limits)


def answer_request(settings: RunSettings, limits: Limits, work: tuple[Path, str] | None) -> RunAnswer:
    """Run the procedure, with finished work kept in ``work``, and turn every error into an answer."""
    folder, name = work or (None, "")
    journal_of = keep_journals(settings, folder, resume=True, run=name)
    try:
        ended = run(settings, limits, journal_of=journal_of)
    except IdinfError as error:
        return RunAnswer.of_error(error, short_of_memory=isinstance(error, BudgetError))
    except ENDS as end:
        return RunAnswer.of_error(LimitReached(limits.ending(end).text), isinstance(end, MemoryError))
    except Exception as error:
        return RunAnswer.of_error(IdinfError(describe_internal_error(error)))
    short = ended.limited is not None and not limits.is_over
    return RunAnswer(ended.report, limit=ended.limited, short_of_memory=short)


def classify_answer(answer: RunAnswer, settings: RunSettings, limits: Limits) -> RunAnswer:
    """Add the verdicts on classes of the target, if the limits of its run have room for that."""
    limits.hurry()
    try:
        with limits.held():
            limits.check()
            return replace(answer, classes=list_class_cells(settings.spec))
    except ENDS as end:
        limits.closing()
        return replace(answer, short_of_memory=answer.short_of_memory or isinstance(end, MemoryError))
