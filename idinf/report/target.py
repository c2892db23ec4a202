"""The target of a report that asks more than acceptance of every word, built from what the report says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from idinf.errors import IdinfError
from idinf.report.comparison import ReportFormatError
from idinf.targets.reported import reported_target
from idinf.targets.supervised import SupervisedTarget

__all__ = ["asked_lines", "asked_target", "count_words"]

#: Keys of a target that is more than acceptance of every word.
_ASKED = ("mode", "domain")


def asked_target(report: Mapping[str, object]) -> SupervisedTarget | None:
    """What is asked where; None for acceptance of every word.

    Parameters
    ----------
    report : mapping
        An ``idinf-report/1`` object.

    Raises
    ------
    ReportFormatError
        If its target cannot be built.

    Examples
    --------
    >>> target = {"name": "ones", "alphabet": ["0", "1"], "source": "1*", "kind": "regex", "mode": "next"}
    >>> asked_target({"target": target}).next_symbols((1, 0))
    (('1', '$'), ('1', '$'), ())
    """
    target = report.get("target")
    if not isinstance(target, dict) or not any(key in target for key in _ASKED):
        return None
    try:
        return reported_target(target)
    except (IdinfError, ValueError, RecursionError) as error:
        raise ReportFormatError(f"{error}; write the report again with 'idinf identify -o'") from None


def count_words(symbols: int, target: SupervisedTarget | None, length: int) -> int:
    """Number of words up to a length that count, exactly.

    Examples
    --------
    >>> count_words(2, None, 2)
    7
    """
    if target is None or target.domain is None:
        return sum(symbols**n for n in range(length + 1))
    table, reached = target.domain.table.tolist(), {0: 1}
    total = int(target.domain.accepting[0])
    for _ in range(length):
        following: dict[int, int] = {}
        for state, words in reached.items():
            for after in table[state]:
                following[after] = following.get(after, 0) + words
        reached = following
        total += sum(words for state, words in reached.items() if target.domain.accepting[state])
    return total


def asked_lines(target: Mapping[str, object]) -> Iterator[str]:
    """Say what is asked where, for people; nothing for acceptance of every word.

    Parameters
    ----------
    target : mapping
        That of a report.

    Examples
    --------
    >>> target = {"mode": "next", "output": "set", "next": {"a": "alive"}, "domain": "a*"}
    >>> print("\\n".join(asked_lines(target)))
    Asked after every prefix: the set of next symbols; a where the operation alive holds.
    Only words of a* count.
    """
    if target.get("mode") == "next":
        what = "the set of next symbols" if target.get("output") == "set" else "the next symbol"
        named, judged_at = target.get("next"), target.get("judged")
        rules = named.items() if isinstance(named, dict) else ()
        where = ", ".join(f"{symbol} where the operation {operation} holds" for symbol, operation in rules)
        first = ", the first that holds" if where and target.get("output") == "symbol" else ""
        at = ""
        if judged_at is not None:
            at = f" where the operation {judged_at} holds" if where else f" that matches {judged_at}"
        yield f"Asked after every prefix{at}: {what}" + (f"; {where}{first}." if where else ".")
    if target.get("domain") is not None:
        yield f"Only words of {target['domain']} count."
