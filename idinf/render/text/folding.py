"""Texts in a narrow terminal: prose is broken at blanks, and rows of a table between two columns.

Nothing is left out but blanks, and what has none stays whole, as numbers and words; a comparison is broken
only where it is wider than the window. A text that goes to a file or a pipe is not folded, so that it has the
same bytes whatever the window was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

#: Columns by which what continues a line is set in.
INDENT = 4

#: Where prose may be broken: at no operator of a formula, and not before a unit.
_BREAK, _GAP = re.compile(r"(?<![-+·*<>=≤≥ ]) (?! |[-+·*<>=≤≥]+ |(?:s|MB)\b)"), re.compile(" {2,}")


def fold_text(text: str, width: int) -> str:
    """Fold the lines of a text that are wider than a window.

    Lines between empty ones in which columns are two blanks apart at the same places are a table: all its
    rows are broken between the same columns. If not all of them are one, those that follow each other may be,
    all set in or none.

    Examples
    --------
    >>> print(fold_text("  n   R     verdict\\n  1   5.25  good\\n  10  8.00  bad", 16))
      n   R
          verdict
      1   5.25
          good
      10  8.00
          bad
    >>> print(fold_text("complete up to R = 8.5, the stop bound", 30))
    complete up to R = 8.5, the
        stop bound
    """
    folded: list[str] = []
    for is_empty, block in groupby(text.split("\n"), key=lambda line: _indent(line) < 0):
        lines = list(block)
        if is_empty or _table(lines, width):
            parts = [lines]
        else:
            parts = [list(part) for _, part in groupby(lines, key=lambda line: min(_indent(line), 1))]
        for part in parts:
            if starts := _table(part, width):
                folded += _folded_table(part, starts, width)
            else:
                folded += [piece for line in part for piece in _folded_line(line, width)]
    return "\n".join(folded)


def _table(lines: Sequence[str], width: int) -> list[int]:
    """Where the columns of a table begin that is wider than the window; none if lines are none or fit."""
    starts = _starts(lines) if len(lines) > 1 and max(map(len, lines)) > width else []
    # Two columns at the edge are names and prose.
    return starts if len(starts) > 2 or (len(starts) == 2 and starts[0]) else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) if line.strip() else -1


def _starts(lines: Sequence[str]) -> list[int]:
    """Where columns begin: behind two places that are blank in all lines, where some line goes on."""
    wide = max(map(len, lines))
    padded = [line.ljust(wide) for line in lines]
    blank = [all(line[place] == " " for line in padded) for place in range(wide)]
    first = min(map(_indent, lines))
    found = [p for p in range(first + 2, wide) if blank[p - 2] and blank[p - 1] and not blank[p]]
    return [first, *found]


def _folded_table(lines: Sequence[str], starts: list[int], width: int) -> Iterator[str]:
    """Rows in as many lines as the window needs: as many columns in each as fit."""
    ends = [*starts[1:], max(map(len, lines))]
    parts: list[list[int]] = [[0]]
    used = ends[0]
    deeper = starts[0] + INDENT
    for column in range(1, len(starts)):
        size = max(len(line[starts[column] : ends[column]].rstrip()) for line in lines)
        if used + size > width:
            parts.append([])
            used = deeper
        parts[-1].append(column)
        used += ends[column] - starts[column]
    for line in lines:
        for number, part in enumerate(parts):
            begin, end = (0 if not number else starts[part[0]]), ends[part[-1]]
            shown = (" " * deeper * (number > 0) + line[begin:end]).rstrip()
            if shown:
                yield from _folded_line(shown, width)


def _folded_line(line: str, width: int) -> Iterator[str]:
    """Prose, or a row of its own, whose last column hangs where that leaves half of the window."""
    if len(line) <= width:
        yield line
        return
    indent = max(0, _indent(line))
    column = line.rfind("  ") + 2
    hang = column
    if not indent + 2 < column <= width // 2:
        hang = indent + INDENT
        line = " " * indent + _GAP.sub("  ", line.lstrip(" "))
    while len(line) > width:
        places = [found.start() for found in _BREAK.finditer(line, indent + 1)]
        places = places or [place for place in range(indent + 1, len(line)) if line[place] == " "]
        if not places:
            break
        at = max((place for place in places if place <= width), default=places[0])
        yield line[:at].rstrip()
        line, indent = " " * hang + line[at:].lstrip(" "), hang
    yield line
