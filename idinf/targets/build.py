"""From a spec to its step machine."""

from __future__ import annotations

from idinf.crasp.checker import read_program
from idinf.errors import ProgramError, SpecError
from idinf.spec.experiment import FiniteAutomaton, Kind, Spec
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

__all__ = ["build_target"]


def build_target(spec: Spec) -> Target:
    """Build the step machine of a spec's target.

    Parameters
    ----------
    spec : Spec

    Raises
    ------
    ProgramError
        If the program is wrong; the message begins with file and key, and gives line and column.
    SpecError
        If the regex is wrong, likewise.

    Examples
    --------
    >>> from idinf.spec.catalogue import load
    >>> build_target(load("majority")).start().tolist()   # #0 - #1, label of ε
    [[0, 1]]
    """
    if isinstance(spec.definition, FiniteAutomaton):
        return RegularTarget.from_automaton(spec.definition, spec.alphabet)
    try:
        if spec.kind is Kind.REGEX:
            return RegularTarget.from_regex(spec.definition, spec.alphabet)
        return CountingTarget(read_program(spec.definition, spec.alphabet), spec.alphabet)
    except ProgramError as error:
        raise ProgramError(f"{spec.origin}: crasp program, {error}") from None
    except SpecError as error:
        raise SpecError(f"{spec.origin}: regex: {error}") from None
