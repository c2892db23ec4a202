"""The TOML of a spec, bounded before it is parsed as Python's reader is not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache

from idinf.base.quoting import shorten
from idinf.errors import SpecError

#: Dots outside of quotes on one line; keys of specs have two. Python's reader takes the square of the
#: parts of a key as time and memory.
MOST_DOTS = 8

#: What dots do not count in: texts, also those that are never closed, and comments.
_QUIET = re.compile(
    r"""
      ''' .*? (?: '''(?!') | \Z )
    | ["]{3} (?: \\. | [^\\] )*? (?: ["]{3}(?!["]) | \Z )
    | '[^'\n]*'?
    | "(?: \\. | [^"\\\n] )*"?
    | \#[^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)


@lru_cache(maxsize=1)  # a spec is read for its parameters, and again for every member of the family
def parse(text: str, origin: str) -> Mapping[str, object]:
    """Parse the text of a spec; ``origin`` names it in messages.

    Raises `SpecError` if it is not TOML, with the line, or has keys of many parts.

    >>> parse("max_n = 3", "<spec>")
    {'max_n': 3}
    >>> parse("a = 1\\n" + ".".join("a" * 20_000) + " = 1", "<spec>")
    Traceback (most recent call last):
        ...
    idinf.errors.SpecError: <spec>: line 2: a key of many parts; expected at most 8 dots outside of quotes;
    correct that line
    """
    for number, line in enumerate(_QUIET.sub(_ends_of_lines, text).split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise SpecError(
                f"{origin}: line {number}: a key of many parts; expected at most {MOST_DOTS} dots outside of "
                "quotes; correct that line"
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        end = f"at line {max(len(text.splitlines()), 1)}, the end of the file"
        reason = shorten(str(error).replace("at end of document", end))  # it may name a key
    except RecursionError:
        raise SpecError(f"{origin}: not valid TOML: nested too deeply; flatten the values") from None
    except ValueError:  # Python's bound on the digits of an integer, and dates that there never were
        reason = "a number of too many digits, or no date"
    raise SpecError(f"{origin}: not valid TOML: {reason}; correct that line") from None


def _ends_of_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")
