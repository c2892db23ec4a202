"""A question under way: begun, seen while it is answered, stopped; in a process of its own if it can be."""

from __future__ import annotations

import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from signal import SIGINT

import msgspec

from idinf.lesson.messages import (
    Asked,
    Classes,
    Known,
    Language,
    Message,
    Page,
    ProgramFound,
    Progress,
    Refusal,
)

#: Seconds that a stopped process has for its results, and that one has beyond its limits, until it is
#: killed.
STOPPING_S, OVERDUE_S = 10.0, 60.0

#: Where no process can be started, as in a browser, nothing can be stopped either, so the search is short.
INLINE_R, INLINE_S = 9.5, 20.0


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was said so far."""

    language: Language | None = None
    classes: Classes | None = None
    program: ProgramFound | None = None
    line: str = ""  #: present progress
    known: Known | None = None
    page: Page | None = None
    refusal: str = ""
    is_over: bool = False

    def taking(self, message: Message) -> Seen:
        """With one piece more."""
        match message:
            case Language():
                return replace(self, language=message)
            case Classes():
                return replace(self, classes=message)
            case ProgramFound():
                return replace(self, program=message)
            case Progress():
                return replace(self, line=message.line)
            case Known():
                return replace(self, known=message)
            case Page():
                return replace(self, page=message)
            case Refusal():
                return replace(self, refusal=message.text)


class Question:
    """A question that is being answered. Mutable: its messages grow.

    >>> question = Question(Asked("regex:(ab)*", is_look=True))
    >>> question.wait_for_end().language.words[:3]
    (('ε', True), ('a', False), ('b', False))
    """

    def __init__(self, asked: Asked) -> None:
        self._heard = _Heard()
        if sys.platform == "emscripten":
            _answer_here(asked, self._heard)
            return
        process = subprocess.Popen(
            [sys.executable, "-m", "idinf.lesson.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._heard.process = process
        self._end = weakref.finalize(self, _end, process)
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode(asked) + b"\n")
            process.stdin.flush()  # and open to the end: it ends where this process is killed
        _call_later(asked.time_limit_s + OVERDUE_S, self._end)
        threading.Thread(target=self._heard.listen, daemon=True).start()

    @property
    def seen(self) -> Seen:
        """Messages so far."""
        return self._heard.seen

    def wait(self, before: Seen, timeout_s: float) -> Seen:
        """Messages so far, as soon as there are more than before, or after some seconds."""
        with self._heard.change:
            self._heard.change.wait_for(lambda: self.seen is not before, timeout_s)
        return self.seen

    def wait_for_end(self) -> Seen:
        """All that is ever said."""
        with self._heard.change:
            self._heard.change.wait_for(lambda: self.seen.is_over)
        return self.seen

    def stop(self) -> None:
        """Ask it to end with its results; it is killed if it does not in time."""
        heard = self._heard
        if heard.process is not None and not self.seen.is_over and not heard.is_stopped:
            heard.is_stopped = True
            if self.seen == Seen():  # it knows nothing, and may not hear a signal yet
                self._end()
                return
            heard.process.send_signal(SIGINT)
            _call_later(STOPPING_S, self._end)


def follow(question: Question, show: Callable[[Seen], None], is_left: Callable[[], bool]) -> Seen:
    """Show messages as they come, until the question is over; it is stopped if its reader leaves."""
    seen = question.seen
    show(seen)
    while not seen.is_over:
        if is_left():
            question.stop()
            break
        now = question.wait(seen, 0.5)
        if now is not seen:
            seen = now
            show(seen)
    return seen


class _Heard:
    """Messages of a process. Mutable; a thread listens, and holds nothing that keeps the question alive."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.change = threading.Condition()
        self.seen, self.is_stopped = Seen(), False

    def take(self, message: Message) -> None:
        with self.change:
            self.seen = self.seen.taking(message)
            self.change.notify_all()

    def end(self, how: str = "") -> None:
        with self.change:
            self.seen = replace(self.seen, refusal=self.seen.refusal or how, is_over=True)
            self.change.notify_all()

    def listen(self) -> None:
        """Hear a process to its end."""
        process = self.process
        assert process is not None
        assert process.stdout is not None
        decoder = msgspec.json.Decoder(Message)
        with process.stdout as lines:
            for line in lines:
                with suppress(msgspec.DecodeError):  # the last line of one that was killed
                    self.take(decoder.decode(line))
        code = process.wait()
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        self.end(self._tell_end(code))

    def _tell_end(self, code: int) -> str:
        """Why there is no whole answer, if there is none."""
        seen = self.seen
        if seen.page is not None or (seen.language is not None and not code):
            return ""
        rest = "Below stands what the last step proved." if seen.known else "Nothing is known of an n0."
        if self.is_stopped:
            return f"It was stopped. {rest}"
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return (
            f"The process of the search ended without an answer ({how}), as happens when the machine runs "
            f"out of memory. {rest} Ask again with a smaller R or a smaller language."
        )


def _answer_here(asked: Asked, heard: _Heard) -> None:
    from idinf.lesson.answer import answer

    less = min(asked.max_r, INLINE_R), min(asked.time_limit_s, INLINE_S)
    answer(msgspec.structs.replace(asked, max_r=less[0], time_limit_s=less[1]), heard.take)
    heard.end()


def _call_later(seconds: float, call: Callable[[], object]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process whose question is gone."""
    with suppress(OSError):
        process.kill()
