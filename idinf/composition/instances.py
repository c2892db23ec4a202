"""Instances of function composition as JSON lines: one object on each line, with sizes and values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from idinf.composition.task import SequentialComposition, Sizes
from idinf.errors import CompositionError
from idinf.json_cursor import Cursor
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
            yield _read(Cursor(content, place, CompositionError, whole="the line"), place)


def read_sizes(m: Cursor, n: Cursor) -> Sizes:
    """Read m and n of a document."""
    return Sizes(m.integer(), _read_numbers(n))


def _read(cursor: Cursor, place: str) -> SequentialComposition:
    given = cursor.fields(("m", "n", "z0", "z", "w"))
    maps = tuple(map(_read_numbers, given["z"].items("maps")))
    z0, w = given["z0"].integer(), _read_numbers(given["w"])
    try:
        return SequentialComposition(read_sizes(given["m"], given["n"]), z0, maps, w)
    except CompositionError as error:
        if str(error).startswith(place):
            raise
        raise CompositionError(f"{place}: {error}") from None


def _read_numbers(cursor: Cursor) -> tuple[int, ...]:
    return tuple(item.integer() for item in cursor.items("whole numbers"))
