"""What work calls now and then while it goes on, so that it can be stopped or shown: in this process only."""

from __future__ import annotations

from collections.abc import Callable


class Beat:
    """Calls a function in its process; sent to another one, which has no clock and no user, it does nothing.

    Examples
    --------
    >>> import pickle
    >>> beat = Beat(lambda: print("tick"))
    >>> beat()
    tick
    >>> pickle.loads(pickle.dumps(beat))()
    """

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., object] | None = None) -> None:
        self._call = call

    def __call__(self, *arguments: int) -> None:
        """Call the function, if there is one; what it raises stops the work."""
        if self._call is not None:
            self._call(*arguments)

    def __reduce__(self) -> tuple[type[Beat], tuple[()]]:
        """Take nothing along."""
        return Beat, ()
