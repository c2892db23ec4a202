"""Signals: requests to stop, after which a run still writes its report, and a pulse.

Several times a second the watchers of the pulse are called, and an error of one is raised in the block that
is watched, at any point of its Python code: so work ends that looks at no clock. There is one timer in a
process, the real-time one, and this module has it while a watcher is active in the main thread. Signals come
to no other thread, nor on Windows: a thread of its own watches there.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

#: Signals that ask a run to end: of the user at the terminal, of its end, of a supervisor such as `timeout`
#: or a batch system, and of the limit of processor time that such a system sets.
_NAMES = "SIGINT", "SIGHUP", "SIGTERM", "SIGXCPU"
REQUESTS = tuple(signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__)

#: Seconds of processor time that a run asks to be left for its end, where the system limits that time.
WARNING_S = 3

#: Seconds between two ticks.
PULSE_S = 0.1

_watchers: list[Callable[[], None]] = []

#: The kind of error that a watcher raised last, or its stand-in in another thread.
_raised: list[type[BaseException] | None] = [None]

#: Imports that were under way when each block began, the last one first: a script may be imported itself.
_imports: list[int] = []

#: The file of frames of an import.
_IMPORTING = "<frozen importlib._bootstrap>"


class Requests:
    """Requests to a run to stop. Mutable: signals come at any time."""

    def __init__(self) -> None:
        #: The first request, answered or not; a program that it ends leaves with 128 plus its number.
        self.signal: signal.Signals | None = None
        self._since: float | None = None

    @property
    def waiting_s(self) -> float:
        """Seconds since a request without an answer; 0 if there is none."""
        return 0.0 if self._since is None else max(time.monotonic() - self._since, 1e-9)

    def answer(self) -> None:
        """The request was met: from now on only another one interrupts."""
        self._since = None

    @contextmanager
    def deferred(self) -> Iterator[Requests]:
        """Note the first request instead of ending at once; the second one interrupts.

        The end of a terminal that is ignored, as `nohup` has it, stays ignored. Signals come to the main
        thread; in another one nothing is changed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        taken = [number for number in REQUESTS if not _is_left_alone(number)]
        before = {number: signal.signal(number, self._note) for number in taken}
        try:
            with _warning_of_a_spent_processor():
                yield self
        finally:
            for number, handler in before.items():
                # SIGXCPU comes every second from then on; only the end of the run is left.
                spent = number.name == "SIGXCPU" and number == self.signal
                signal.signal(number, signal.SIG_IGN if spent else handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal, self._since = signal.Signals(number), time.monotonic()
        elif signal.Signals(number).name != "SIGXCPU":  # which comes again every second
            raise KeyboardInterrupt


@contextmanager
def _warning_of_a_spent_processor() -> Iterator[None]:
    """Let a system that would kill at once send a signal before."""
    if resource is None:
        yield
        return
    limit = resource.getrlimit(resource.RLIMIT_CPU)
    try:
        if limit[0] == limit[1] > WARNING_S:
            resource.setrlimit(resource.RLIMIT_CPU, (limit[1] - WARNING_S, limit[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, limit)


def _is_left_alone(number: signal.Signals) -> bool:
    handler = signal.getsignal(number)
    return handler is None or (number.name == "SIGHUP" and handler is signal.SIG_IGN)


@contextmanager
def call_at_every_tick(watcher: Callable[[], None]) -> Iterator[None]:
    """Call a function at every tick, until the block ends; its errors are raised in the block.

    A system call that a tick interrupts continues by itself, and forked children start without watchers.

    >>> def enough():
    ...     raise TimeoutError
    >>> with call_at_every_tick(enough):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
        ...
    TimeoutError
    """
    has_timer = hasattr(signal, "setitimer")  # Windows has none
    if not has_timer or threading.current_thread() is not threading.main_thread():
        with _quiet_about_lost(), _call_from_beside(watcher):
            yield
        return
    before = signal.getsignal(signal.SIGALRM)
    _watchers.append(watcher)
    _imports.insert(0, _count_imports(sys._getframe()))
    try:
        with _quiet_about_lost():
            signal.signal(signal.SIGALRM, _tick)
            signal.setitimer(signal.ITIMER_REAL, PULSE_S, PULSE_S)
            yield
    finally:
        _watchers.remove(watcher)
        if not _watchers:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        _imports.pop(0)


@contextmanager
def _quiet_about_lost() -> Iterator[None]:
    """Hide errors of watchers inside finalizers: Python drops them, and a watcher raises them again."""
    tell_of_lost = sys.unraisablehook

    def hush(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_type is not _raised[-1]:
            tell_of_lost(lost)

    try:
        sys.unraisablehook = hush
        yield
    finally:
        _raised[:] = [None]
        sys.unraisablehook = tell_of_lost


@contextmanager
def _call_from_beside(watcher: Callable[[], None]) -> Iterator[None]:
    """Call a function in a thread of its own; its errors are raised in the thread of the block."""
    watched, over = threading.get_ident(), threading.Lock()
    imports = _count_imports(sys._getframe())

    def watch() -> None:
        while not over.acquire(timeout=PULSE_S):
            if _count_imports(sys._current_frames().get(watched)) <= imports:
                try:
                    watcher()
                except BaseException as error:
                    _raise_in(watched, error)

    ticker = threading.Thread(target=watch, daemon=True)
    over.acquire()
    try:
        with suppress(RuntimeError):  # a browser starts none
            ticker.start()
        yield
    finally:
        over.release()
        if ticker.ident is not None:
            ticker.join()  # its last error is raised here, if not before


def _raise_in(thread: int, error: BaseException) -> None:
    """Let a thread raise the like of an error as soon as it runs Python code.

    Python makes the error from a class, without arguments, so it gets one that has them.
    """
    kind, given = type(error), error.args
    made = type(kind.__name__, (kind,), {"__init__": lambda self: kind.__init__(self, *given)})
    _raised[:] = [made]
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(made))


def _tick(number: int, frame: FrameType | None) -> None:
    """Call the watchers, but not in the midst of an import: its end would leave half a module behind."""
    if _count_imports(frame) <= _imports[0]:
        for watcher in tuple(_watchers):
            try:
                watcher()
            except BaseException as error:
                _raised[:] = [type(error)]
                raise


def _count_imports(frame: FrameType | None) -> int:
    """Number of imports that are under way."""
    number = 0
    while frame is not None:
        number += frame.f_code.co_filename == _IMPORTING
        frame = frame.f_back
    return number


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watchers.clear)
