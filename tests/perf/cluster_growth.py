"""A search as a cluster would see it, in one process: bytes that would travel, and what waits for what."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from idinf.experiments.catalogue import load
from idinf.inference.kept_work import keep_journals
from idinf.inference.run import RunOptions, run
from idinf.runtime.cluster.wave import Wave, read_items, read_wave
from idinf.runtime.limits import Limits
from idinf.runtime.parallel import Workers, answer_item
from idinf.runtime.places import Engine, Places

#: Targets with their largest n and steps of work.
SEARCHES = (
    ("dyck-1", 32, 20_000),
    ("tomita-7", 8, 20_000),
    ("tomita-4", 16, 20_000),
    ("tomita-5", 16, 20_000),
)

#: Cores of the plan, and bytes a second that a worker takes in.
CORES, BYTES_PER_S = 1000, 100e6


@dataclass
class SeenWave:
    """One wave: how many bytes, and CPU seconds of every unit, of writing it and of reading it."""

    wave: int = 0
    items: int = 0
    answers: int = 0
    units_s: list[float] = field(default_factory=list)
    write_s: float = 0.0
    read_s: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Watched(Workers):
    """Does every unit in this process, written and read as on a cluster."""

    waves: list[SeenWave] = field(default_factory=list)

    def map(self, work: Callable[[Any], Any], items: Sequence[Any], spent: float = 0.0) -> Any:
        """Send from the first item on."""
        return Workers.map(self, work, items, 1e9)

    def _messages(
        self, work: Callable[[Any], Any], items: Sequence[Any], begin: int, unread: dict[int, bytes]
    ) -> Generator[bytes, None, None]:
        seen, began = SeenWave(), time.process_time()
        self.waves.append(seen)
        wave = Wave(work, items[begin:], self.memories)
        packed = [wave.pack([item]) for item in items[begin:]]
        seen.wave, seen.items = len(wave.content), sum(map(len, packed))
        seen.write_s, began = time.process_time() - began, time.process_time()
        there, memories, remembered = read_wave(wave.content)
        seen.read_s = time.process_time() - began
        for content in packed:
            began = time.process_time()
            [item] = read_items(content, remembered)
            answer = answer_item(memories, there, item)[0]
            seen.units_s.append(time.process_time() - began)
            seen.answers += len(answer)
            yield answer


class WatchedEngine(Engine):
    """An engine of `Watched`."""

    def __init__(self) -> None:
        self.waves: list[SeenWave] = []

    def places(self) -> Places:
        """None: this is about one search."""
        raise NotImplementedError

    def workers(
        self, memory_bytes: int, jobs: int, checkpoint: Any, enter: Any = None, memories: Any = ()
    ) -> Workers:
        """Make those that are watched."""
        return Watched(2, checkpoint, lambda sharers: None, [*memories], None, self.waves)


def measure(name: str, max_n: int, work: int) -> tuple[list[SeenWave], float, int]:
    """The waves of a search, its CPU seconds, and the bytes of its journal."""
    settings = RunOptions(max_n=max_n, bounds={"work": work}, anneal_steps=0, preset="spec").about(
        load(name), name
    )
    engine, began = WatchedEngine(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "run"
        run(settings, Limits(), journal_of=keep_journals(settings, journal, resume=False), engine=engine)
        took = time.process_time() - began
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return engine.waves, took, size


def print_growth() -> None:
    """One line of a table for each search."""
    print(
        print("| search | waves | units | KiB: wave, median and largest | item | answer | in the journal |")
    )
    print("|---|---|---|---|---|---|---|")
    plans = []
    for name, max_n, work in SEARCHES:
        waves, took, journal = measure(name, max_n, work)
        waves = [wave for wave in waves if wave.units_s]
        units = sum(len(wave.units_s) for wave in waves)
        sizes = sorted(wave.wave for wave in waves)
        shown = (
            f"{sizes[len(sizes) // 2] >> 10}, {sizes[-1] >> 10}",
            f"{sum(wave.items for wave in waves) / units / 1024:.1f}",
            f"{sum(wave.answers for wave in waves) / units / 1024:.1f}",
            f"{journal / units / 1024:.1f}",
        )
        print(f"| {name}, max_n {max_n} | {len(waves)} | {units} | {' | '.join(shown)} |", flush=True)
        busy = sum(sum(wave.units_s) for wave in waves)
        # What nobody else can do, the longest unit of every wave, and a wave to be read by all before that.
        alone = took - busy - sum(wave.read_s for wave in waves)
        longest = sum(max(wave.units_s) for wave in waves)
        sent = sum(wave.read_s + wave.wave / BYTES_PER_S for wave in waves)
        shared = sum(max(max(wave.units_s), sum(wave.units_s) / CORES) for wave in waves)
        plans.append((name, took, busy, alone, longest, sent, alone + shared + sent))
    print()
    print("| search | CPU s | in units | alone | longest of every wave | sending | at least on 1,000 cores |")
    print("|---|---|---|---|---|---|---|")
    for name, *seconds in plans:
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in seconds) + " |")
