"""The targets of a batch, several at once, each in a process of its own with its share of the memory."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from idinf.errors import IdinfError
from idinf.inference.procedure import Progress
from idinf.runtime.isolated import Event, Isolated
from idinf.runtime.limits import Limits
from idinf.runtime.requests import Requests
from idinf.sweeps.kept_reports import BatchDirectory
from idinf.sweeps.question import Answer, Question, answered
from idinf.sweeps.row import report_row

__all__ = ["BatchRun"]

#: Seconds between two looks at the user's wish to stop, and between two redraws of the lines.
BEAT_S = 0.1

#: Seconds between two messages of a process about its progress.
TELL_S = 0.5

#: Seconds beyond its time limit after which the process of a target is killed: it has reported long before.
OVERDUE_S = 15.0

Tell = Callable[[object], None]


class BatchRun:
    """Answers questions in whatever order they finish. Mutable: the state of the run.

    Parameters
    ----------
    questions : sequence of Question
        No two of one key.
    time_limit_s : float or None
        Of one target.
    memory_bytes : int
        Of all of them together.
    jobs : int
        Targets at once.
    directory : BatchDirectory or None
        Where answers are kept and found again.
    requests : Requests
        The user's wish to stop.
    show : callable or None
        Called now and then with a line for each target that is being worked on; None: nobody looks.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        time_limit_s: float | None,
        memory_bytes: int,
        jobs: int,
        directory: BatchDirectory | None,
        requests: Requests,
        show: Callable[[Iterable[str]], None] | None,
    ) -> None:
        self.questions, self.directory, self.requests, self.show = questions, directory, requests, show
        self.time_limit_s, self.memory_bytes = time_limit_s, memory_bytes
        self.jobs = max(1, min(jobs, os.cpu_count() or 1, len(questions)))
        self.limits = f"{time_limit_s or 0:g}s-{memory_bytes}"
        self._lines: dict[int, str] = {}
        self._started: dict[int, float] = {}
        self._overdue: set[int] = set()

    def answers(self) -> Iterator[tuple[int, Answer]]:
        """Yield (index of the question, answer) as they come; ends early if the user asks to.

        What a share of the memory was too small for is tried again alone, with all of it: an answer depends
        on the memory bound and not on the number of jobs.
        """
        waiting: deque[tuple[int, bool]] = deque()
        for index in range(len(self.questions)):
            known = self._recalled(index)
            if known is None:
                waiting.append((index, self.jobs == 1))
            else:
                yield index, known
        with Isolated() as processes:
            running_alone = False
            while (waiting or len(processes)) and self.requests.signal is None:
                while waiting and not running_alone and len(processes) < self.jobs:
                    index, alone = waiting[0]
                    if alone and len(processes):
                        break
                    waiting.popleft()
                    self._start(processes, index, alone)
                    running_alone = alone
                self._kill_overdue(processes)
                for message in processes.messages(BEAT_S):
                    index, value = message.key, message.value
                    if message.event is Event.TOLD:
                        self._lines[index] = str(value)
                        continue
                    del self._lines[index], self._started[index]
                    answer = value if isinstance(value, Answer) else self._lost(index, str(value))
                    if answer.short_of_memory and not running_alone:
                        waiting.append((index, True))
                    else:
                        yield index, answer
                    running_alone = False
                if self.show is not None:
                    self.show(f"{self.questions[index].name}: {line}" for index, line in self._shown())

    def _kill_overdue(self, processes: Isolated) -> None:
        """What does not end by itself, not even when it is interrupted, is ended."""
        if self.time_limit_s is None:
            return
        for index, started in self._started.items():
            if time.monotonic() - started > self.time_limit_s + OVERDUE_S:
                self._overdue.add(index)
                processes.kill(index)

    def _lost(self, index: int, how: str) -> Answer:
        """The answer of a process that ended without one."""
        if index in self._overdue:
            told = f"the time limit of {self.time_limit_s:g} s passed and the run could not be ended"
            return Answer(error=f"{told}; raise --time-limit", limited=True)
        return Answer(
            error=f"the process of this target ended unexpectedly ({how}), as happens when the machine runs "
            "out of memory; expected it to finish; lower --jobs or --memory",
            limited=True,
            short_of_memory=True,
        )

    def _shown(self) -> list[tuple[int, str]]:
        return sorted(self._lines.items())

    def _recalled(self, index: int) -> Answer | None:
        if self.directory is None:
            return None
        setup = self.questions[index].setup
        kept = self.directory.recall(self.questions[index].key, self.limits)
        if kept is None:
            return None
        try:
            report_row(setup.spec, setup.bounds, json.loads(kept[0]))
        except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError):
            return None  # sealed as it should be, and no row can be made of it
        return Answer(kept[0], limited=kept[1])

    def _start(self, processes: Isolated, index: int, alone: bool) -> None:
        """Start the process of a question, which keeps its answer itself."""
        question, directory = self.questions[index], self.directory
        share = self.memory_bytes // (1 if alone else self.jobs)
        work = None if directory is None else directory.work(question.key)

        def life(tell: Tell) -> Answer:
            limits = Limits(self.time_limit_s, share, enforced=True)
            answer = answered(question, limits, work, _telling(tell) if self.show is not None else None)
            if directory is None or not answer.report or (answer.short_of_memory and not alone):
                return answer
            try:
                directory.keep(question.key, answer.report, self.limits if answer.limited else None)
            except (OSError, IdinfError) as error:
                return Answer(error=str(error))
            return answer

        self._lines[index], self._started[index] = "starting", time.monotonic()
        processes.start(index, life)


def _telling(tell: Tell) -> Callable[[Progress], None]:
    """Pass on progress now and then."""
    told = 0.0

    def watch(progress: Progress) -> None:
        nonlocal told
        if time.monotonic() - told >= TELL_S:
            told = time.monotonic()
            tell(str(progress))

    return watch
