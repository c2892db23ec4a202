"""What a report says in words of its own keys: how the run ended, and what was proved beyond max_n.

The sentences are written here once, so that whoever reads a report can compare them with its numbers.
"""

from __future__ import annotations

from idinf.numbers import format_r


def tell_stop_bound(complete: float) -> str:
    """Say that a run reached its stop bound.

    Examples
    --------
    >>> tell_stop_bound(8.5)
    'complete to the stop bound R = 8.500000000'
    """
    return f"complete to the stop bound R = {format_r(complete)}"


def tell_max_r(max_r: float) -> str:
    """Say that the budget of R ended first."""
    return f"the budget max_r = {max_r:g} ended before the stop bound; raise --max-r"


def tell_work(work: int) -> str:
    """Say that the budget of steps ended first."""
    return f"the budget of {work:,} steps of work was spent"


def tell_proved(functions: int, is_some_later: bool) -> str:
    """Say that every n beyond max_n is good: so many functions can be selected, and each is proved.

    Where ``is_some_later``, some are not right for ever, but cannot be selected where it would matter.

    Examples
    --------
    >>> tell_proved(1, False)
    'the one hypothesis that can be selected is proved right on all words'
    """
    number = "the one hypothesis" if functions == 1 else f"each of the {functions} hypotheses"
    later = ", or has an R too high to be selected at any n that it would make bad" if is_some_later else ""
    return f"{number} that can be selected is proved right on all words{later}"
