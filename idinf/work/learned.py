"""What a process remembers of its work, and hands on: it saves others time, and changes no result."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Learned(dict[K, V]):
    """A dict that knows what was put into it since it was last asked.

    A child process inherits what is known when it starts. What it learns is handed on with its results, so
    that children which start later know it, too.

    >>> child, parent = Learned({1: "one"}), Learned()
    >>> child[2] = "two"
    >>> parent.update(child.news())
    >>> parent, child.news()
    ({2: 'two'}, {})
    """

    def __init__(self, known: dict[K, V] | None = None) -> None:
        super().__init__(known or {})
        self._new: set[K] = set()

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self._new.add(key)

    def clear(self) -> None:
        """Forget everything."""
        super().clear()
        self._new.clear()

    def news(self) -> dict[K, V]:
        """What was put in by ``[key] = value`` since the last call, and is still there."""
        news = {key: self[key] for key in self._new if key in self}
        self._new.clear()
        return news
