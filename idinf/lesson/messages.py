"""Questions about a language of one's own, and the answers piece by piece: plain values."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from idinf.lesson.bounds import MAX_R, TIME_LIMIT_S


class Asked(Struct, frozen=True):
    """A language as a reader writes it, and how far to search."""

    target: str  #: as `idinf identify` takes it, but for files
    alphabet: str = ""  #: its symbols; empty: those that are named
    max_r: float = MAX_R
    time_limit_s: float = TIME_LIMIT_S
    is_look: bool = False  #: True to ask for the language alone, before anybody guesses

    def looking(self) -> Asked:
        """Ask for the language alone."""
        return replace(self, is_look=True)


class Language(Struct, frozen=True, tag=True):
    """The language, as a reader may see it before a guess."""

    title: str
    alphabet: str
    words: tuple[tuple[str, bool], ...]  #: the first words, each True if it is accepted
    note: str  #: the question of the target, if that is not acceptance


class Classes(Struct, frozen=True, tag=True):
    """Classes of the language."""

    expectation: str
    reason: str
    rows: tuple[tuple[str, str, str], ...]  #: class, verdict and reason


class ProgramFound(Struct, frozen=True, tag=True):
    """A program, or in the note why there is none."""

    text: str
    note: str = ""


class Progress(Struct, frozen=True, tag=True):
    """A line about present work."""

    line: str


class Known(Struct, frozen=True, tag=True):
    """Results of a step of the search."""

    headline: str
    sentences: tuple[str, ...]
    records: tuple[tuple[str, str, str], ...]  #: R, the first word it is wrong on, the formula
    complete: str
    outcome: str
    n0: int | None
    n0_lower: int
    span: int  #: the largest n examined
    worst: str  #: the wrong hypothesis at the last bad n
    is_last: bool = False
    is_stopped: bool = False  #: True if the reader ended it
    theory: tuple[str, ...] = ()


class Page(Struct, frozen=True, tag=True):
    """The page of the report, and a name for its file."""

    html: str
    name: str


class Refusal(Struct, frozen=True, tag=True):
    """Why there is no answer, in a sentence."""

    text: str


Message = Language | Classes | ProgramFound | Progress | Known | Page | Refusal
