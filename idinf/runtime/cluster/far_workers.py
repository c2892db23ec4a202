"""Workers on a cluster: items of one piece of work, with the results of one process."""

from __future__ import annotations

import math
import pickle
import time
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from idinf.runtime.cluster.connection import Cluster, Died, Errands
from idinf.runtime.cluster.far_places import DEATHS
from idinf.runtime.cluster.wave import Wave, WaveSession
from idinf.runtime.cluster.worker import run_items
from idinf.runtime.parallel import BEAT_S, MAX_AHEAD, MAX_UNREAD_BYTES, Workers, answer_item, unexpected_end
from idinf.runtime.processes import Lost

T = TypeVar("T")
R = TypeVar("R")

#: Seconds of work in this process before the rest is sent, and that one message should be worth: a message
#: there and back takes some ten milliseconds, and what items have in common is to be read by every worker.
FAR_PATIENCE_S, WORTH_S = 0.3, 0.2

#: Messages for each thread of a worker, so that it need not wait for the next one.
QUEUED = 2


@dataclass(frozen=True, slots=True, eq=False)
class FarWorkers(Workers):
    """Maps a function over items on the workers of a cluster.

    Work that cannot be sent, as it holds what belongs to this process, is done here.
    """

    cluster: Cluster | None = None
    memory_bytes: int = 0
    session: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def sharers(self) -> int:
        """How many share the memory of one machine: only workers on this one, and this process."""
        assert self.cluster is not None
        return self.jobs + 1 if self.cluster.is_local else 1

    def told(self) -> str:
        """How many workers there are, and what they have done."""
        assert self.cluster is not None
        return self.cluster.line()

    def map(self, work: Callable[[T], R], items: Sequence[T], spent: float = 0.0) -> Generator[R, None, None]:
        """Apply ``work`` to every item, as `Workers.map` does, which waits less before others begin."""
        return Workers.map(self, work, items, spent - FAR_PATIENCE_S)

    def _messages(
        self, work: Callable[[T], R], items: Sequence[T], begin: int, unread: dict[int, bytes]
    ) -> Generator[bytes, None, None]:
        cluster = self.cluster
        assert cluster is not None
        try:
            wave = Wave(work, items[begin:], self.memories)
        except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
            for index in range(begin, len(items)):
                self.checkpoint()
                yield answer_item(self.memories, work, items[index])[0]
            return
        session = pickle.dumps(WaveSession(self.memory_bytes // self.sharers))
        errands = Errands(cluster)
        held = errands.hold(wave.content)
        pending = [index for index in range(begin, len(items)) if index not in unread][::-1]
        running: dict[Any, list[int]] = {}
        deaths, size, received = Counter[int](), sum(map(len, unread.values())), 0
        started = time.perf_counter()
        try:
            for index in range(begin, len(items)):
                while True:
                    threads = cluster.threads()
                    each_s = (time.perf_counter() - started) * threads / max(1, received)
                    while pending and len(running) < QUEUED * threads:
                        is_far = pending[-1] >= index + MAX_AHEAD * threads or size > MAX_UNREAD_BYTES
                        if is_far and pending[-1] != index:
                            break
                        worth = math.ceil(WORTH_S / each_s) if received else 1
                        number = max(1, min(worth, len(pending) // (QUEUED * threads), MAX_AHEAD))
                        chosen = [pending.pop() for _ in range(number)]
                        content = wave.pack([items[place] for place in chosen])
                        future = errands.submit(run_items, held, held.key, session, self.session, content)
                        running[future] = chosen
                    for future in errands.ended(0.0 if index in unread else BEAT_S):
                        chosen, found = running.pop(future), cluster.result(future)
                        if isinstance(found, Died | Lost):
                            deaths.update(chosen)
                            if max(deaths[place] for place in chosen) >= DEATHS:
                                raise unexpected_end(found if isinstance(found, Lost) else Lost("killed"))
                            found = pickle.dumps([])
                        for place, message in zip(chosen, pickle.loads(found), strict=False):
                            unread[place] = message
                            size += len(message)
                            received += 1
                        pending += [place for place in reversed(chosen) if place not in unread]
                        pending.sort(reverse=True)
                    self.checkpoint()
                    if index in unread:
                        break
                size -= len(unread[index])
                yield unread.pop(index)
        finally:
            errands.cancel(running)
