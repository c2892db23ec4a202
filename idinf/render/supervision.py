"""What the target of a report asks beyond acceptance of every word, as a machine."""

from __future__ import annotations

from idinf.errors import IdinfError, ReportFormatError
from idinf.report.target import TargetDescription
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise


def supervision_of(target: TargetDescription) -> SupervisedTarget | None:
    """Build what is asked where; None for acceptance of every word.

    Raises
    ------
    ReportFormatError
        If the description does not define a target.

    Examples
    --------
    >>> from idinf.experiments.reader import parse_spec
    >>> spec = parse_spec('name = "ones"\\nalphabet = "01"\\nregex = "1*"\\nmode = "next"')
    >>> supervision_of(TargetDescription.of(spec)).next_symbols((1, 0))
    (('1', '$'), ('1', '$'), ())
    """
    if target.mode == "accept" and target.domain is None:
        return None
    try:
        return supervise(build_target(target.spec()))
    except (IdinfError, ValueError, RecursionError) as error:
        raise ReportFormatError(f"{error}; write the report again with 'idinf identify -o'") from None
