"""What every kind of case has at hand: a folder of its own, and a warm interpreter for command lines."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.robustness.command_runner import Bench, Server

__all__ = ["Tools", "rng_of"]


@dataclass(frozen=True)
class Tools:
    """The folder of one case, which is empty at first, and the interpreter that all cases share."""

    folder: Path
    server: Server

    @contextmanager
    def bench(self) -> Iterator[Bench]:
        """A folder in which command lines run under the contract of every command."""
        bench = Bench(self.server, self.folder / "bench")
        try:
            yield bench
        finally:
            bench.close()

    def emptied(self) -> Tools:
        """The same, with nothing in the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self


def rng_of(kind: str, seed: int) -> random.Random:
    """The numbers of one case; another kind has others for the same seed."""
    return random.Random(f"{kind}-{seed}")
