"""The error tree: every condition a user can cause, each with the exit code the command line gives it."""

from __future__ import annotations

__all__ = [
    "AlphabetMismatchError",
    "BudgetError",
    "HypothesisFormatError",
    "IdinfError",
    "PrecisionError",
    "ProgramError",
    "SpecError",
    "UnsupportedBoundError",
]


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


class HypothesisFormatError(IdinfError, ValueError):
    """A ``limit-transformer/1`` file breaks its format: file, key, value, expectation."""


class PrecisionError(IdinfError, ArithmeticError):
    """A value does not lie on the p-bit grid, or an exact kernel would leave its proved range."""


class BudgetError(IdinfError, RuntimeError):
    """The work would exceed the memory bound; says how much it needs and which knob to turn."""


class UnsupportedBoundError(IdinfError, ValueError):
    """A bound of the space is above what this version searches; a usage error."""

    exit_code = 2
