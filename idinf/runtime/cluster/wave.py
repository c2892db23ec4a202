"""What many items of work have in common, sent once, and the items, which may refer to it.

Everything is pickled by name: classes and functions of idinf are imported where it arrives, and none travels.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from idinf.runtime.cluster.worker import ENDING, WAVE
from idinf.runtime.learned import Learned
from idinf.runtime.memory import share_memory
from idinf.runtime.parallel import answer_item

#: A protocol that numbers what may be referred to; later ones count, which a new reader begins at 0.
_NUMBERED = 3


class Wave:
    """Work on items, as bytes, with what is known so far.

    An item is written after what all have in common, and what that holds is referred to: arrays that a
    hundred items share are sent once.

    Examples
    --------
    >>> common = [1.5] * 1000
    >>> wave = Wave(len, [common, common], [])
    >>> len(wave.content) > 1000 > 100 > len(wave.pack([common]))
    True
    >>> work, _, remembered = read_wave(wave.content)
    >>> [work(item) for item in read_items(wave.pack([common]), remembered)]
    [1000]
    """

    def __init__(
        self, work: Callable[[Any], object], items: Sequence[Any], memories: list[Learned[Any, Any]]
    ) -> None:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        pickler.dump((work, memories, _shared(items)))
        self.content, self._memo = stream.getvalue(), pickler.memo.copy()

    def pack(self, items: Sequence[Any]) -> bytes:
        """Write some items."""
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, _NUMBERED)
        pickler.memo = self._memo
        pickler.dump(items)
        return stream.getvalue()


def _shared(items: Iterable[Any]) -> list[Any]:
    """What comes again in items: the items themselves, and the first of a pair, which is the work on it."""
    met: dict[int, tuple[Any, int]] = {}
    for item in items:
        for part in (item, item[0]) if isinstance(item, tuple) and item else (item,):
            met[id(part)] = part, met.get(id(part), (part, 0))[1] + 1
    return [part for part, times in met.values() if times > 1 or callable(part)]


def read_wave(content: bytes) -> tuple[Callable[[Any], object], list[Learned[Any, Any]], Any]:
    """The work of a wave, what is known, and what items refer to."""
    unpickler = pickle.Unpickler(io.BytesIO(content))
    work, memories, _ = unpickler.load()
    return work, memories, unpickler.memo  # a dict made of it is not taken over by another one


def read_items(content: bytes, remembered: Any) -> Any:
    """Read items of a wave."""
    unpickler = pickle.Unpickler(io.BytesIO(content))
    unpickler.memo = remembered
    return unpickler.load()


class WaveSession:
    """Works on waves, one after the other, within a share of the memory.

    Messages are a wave, or items of the one before. The answer to items is a list of what `answer_item`
    writes, up to the first error; where that is one of memory, the session ends, as it may not be able to go
    on.
    """

    def __init__(self, memory_bytes: int | None) -> None:
        self.memory_bytes = memory_bytes

    def __call__(self, receive: Callable[[], bytes], send: Callable[[bytes], None]) -> None:
        """Work until there are no more messages."""
        if self.memory_bytes is not None:
            share_memory(self.memory_bytes, 1)
        wave: Any = None
        while True:
            message = receive()
            if message[:1] == WAVE:
                wave = None  # the one before, before there is another
                wave = read_wave(message[1:])
                continue
            work, memories, remembered = wave
            answers, error = [], None
            for item in read_items(message[1:], remembered):
                answer, error = answer_item(memories, work, item)
                answers.append(answer)
                if error is not None:
                    break
            is_ending = isinstance(error, MemoryError)
            del work, memories, remembered
            send((ENDING if is_ending else b" ") + pickle.dumps(answers, pickle.HIGHEST_PROTOCOL))
            if is_ending:
                return
