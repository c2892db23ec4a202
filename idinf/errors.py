"""The error tree: every condition a user can cause, each with the exit code the command line gives it."""

from __future__ import annotations

import os


class IdinfError(Exception):
    """Base of every error idinf raises on purpose.

    Messages have one form: what was wrong, where, what was expected, what to do. The command line
    prints the message on one line and leaves with ``exit_code``.
    """

    exit_code = 3


class SpecError(IdinfError, ValueError):
    """A spec, or a name of one, cannot be used: file, key, value, expectation and remedy."""


class ProgramError(IdinfError, ValueError):
    """A C-RASP program cannot be used; the message carries line and column."""


class AlphabetMismatchError(IdinfError, ValueError):
    """A word has a symbol outside the alphabet."""


class ArgumentError(IdinfError, ValueError):
    """Arguments of a call, or options of a command, do not fit together."""

    exit_code = 2


class HypothesisFormatError(IdinfError, ValueError):
    """A file of a transformer breaks its format, or a transformer cannot be used so: file, key, value."""


class CompositionError(IdinfError, ValueError):
    """A task of function composition or a protocol cannot be used: place, value, expectation and remedy."""


class MissingPackageError(IdinfError, ImportError):
    """An optional package is not installed; says which, and what for."""


class ClusterError(IdinfError, RuntimeError):
    """A scheduler or its workers cannot be used, or are gone: which, what was expected, what to do."""


class PrecisionError(IdinfError, ArithmeticError):
    """A value does not lie on the p-bit grid, or an exact kernel would leave its proved range."""


class BudgetError(IdinfError, RuntimeError):
    """The work would exceed the memory bound; says how much it needs and which knob to turn."""


class LimitReached(BudgetError):
    """A limit of time or memory ended a command before it had an answer; says which knob to turn."""

    exit_code = 4


class StatesExceeded(BudgetError):
    """The exact check would keep more joint states than the memory bound holds.

    All words up to length ``exact_to`` were decided; -1 if not even ε.
    """

    def __init__(self, message: str, exact_to: int = -1) -> None:
        super().__init__(message)
        self.exact_to = exact_to


class ReportFormatError(IdinfError, ValueError):
    """A file is no result of this version: file, key, value, expectation and remedy."""


class PlotError(IdinfError, ValueError):
    """A figure cannot be drawn from what was given: file, key, value, expectation and remedy."""


class UndecidedError(IdinfError, RuntimeError):
    """Two languages could not be compared on all words; says how far they were."""

    exit_code = 4


class RunDirectoryError(IdinfError, ValueError):
    """The directory of a run cannot be used: what it holds, what was expected, which option helps."""


class UnsupportedBoundError(IdinfError, ValueError):
    """A bound of the space is above what this version searches; a usage error."""

    exit_code = 2


def describe_internal_error(error: Exception) -> str:
    """Say what to do about an error that nobody foresaw; with IDINF_DEBUG=1 its traceback goes to stderr."""
    if os.environ.get("IDINF_DEBUG") == "1":
        import traceback  # in every start only for this

        traceback.print_exception(error)
    return (
        f"internal error: {type(error).__name__}: {error}; please report it with the command line and the "
        "spec; IDINF_DEBUG=1 shows the traceback"
    )
