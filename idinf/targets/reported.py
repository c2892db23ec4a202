"""The machine of the target that a report is about."""

from __future__ import annotations

from collections.abc import Mapping

from idinf.experiments.reported import reported_spec
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise

__all__ = ["reported_target"]


def reported_target(target: Mapping[str, object]) -> SupervisedTarget:
    """Build the machine of the object ``target`` of a report.

    Raises
    ------
    SpecError, ProgramError
        If it cannot be built.

    Examples
    --------
    >>> ones = {"name": "ones", "alphabet": ["0", "1"], "source": "1*", "kind": "regex"}
    >>> reported_target(ones).plain
    True
    """
    return supervise(build_target(reported_spec(target)))
