"""Instances of function composition as JSON lines: one object on each line, with sizes and values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from idinf.composition.task import SequentialComposition, Sizes
from idinf.documents import read, telling
from idinf.errors import CompositionError
from idinf.json_text import NotJson, parse_json

_EXAMPLE = '{"m": 2, "n": [2], "z0": 1, "z": [[1, 0], [3, 2, 1, 0]], "w": [1]}'


def write_line(task: SequentialComposition) -> str:
    r"""Write an instance as a line of JSON.

    Examples
    --------
    >>> write_line(SequentialComposition(Sizes(2), 1, ((1, 0),)))
    '{"m": 2, "n": [], "z0": 1, "z": [[1, 0]], "w": []}\n'
    """
    content = {"m": task.sizes.m, "n": task.sizes.n, "z0": task.z0, "z": task.maps, "w": task.w}
    return json.dumps(content) + "\n"


def read_lines(lines: Iterable[str], origin: str) -> Iterator[SequentialComposition]:
    """Read instances, one from each line that is not blank.

    Raises
    ------
    CompositionError
        At the first line that holds none; names file, line and key.

    Examples
    --------
    >>> line = '{"m": 2, "n": [], "z0": 1, "z": [[1, 0]], "w": []}'
    >>> [task.solve() for task in read_lines([line], "a.jsonl")]
    [0]
    >>> list(read_lines([line.replace('"z0": 1', '"z0": 2')], "a.jsonl"))
    Traceback (most recent call last):
        ...
    idinf.errors.CompositionError: a.jsonl, line 1: z0 = 2; expected 0..1; numbers begin at 0, correct it
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{origin}, line {number}"
            try:
                content = parse_json(line)
            except NotJson as reason:
                raise CompositionError(
                    f"{place}: {reason}; expected an instance such as {_EXAMPLE}; correct the line"
                ) from None
            file = read(content, _Line, place, CompositionError, whole="the line")
            with telling(place, CompositionError):
                task = SequentialComposition(Sizes(file.m, file.n), file.z0, file.z, file.w)
            yield task


@dataclass(frozen=True, slots=True)
class _Line:
    """The keys of an instance."""

    m: int
    n: tuple[int, ...]
    z0: int
    z: tuple[tuple[int, ...], ...]
    w: tuple[int, ...]
