"""Families in one call: every member of a family, and the law of n0."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Unpack

from idinf.experiments import catalogue
from idinf.files import write_whole
from idinf.json_text import dump_json
from idinf.library.frames import Rows
from idinf.library.runs import RunArguments, answer_all, take_options
from idinf.library.sources import Path
from idinf.report import family as family_values
from idinf.report.family import family_to_dict
from idinf.report.files import read_document
from idinf.sweeps.family_table import build_family_report
from idinf.work.limits import DEFAULT_MEMORY, Limits

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class Family(family_values.FamilyReport):
    """The table of a family: members, the largest n0 of every size, and the law; ``idinf-family/1``."""

    @classmethod
    def of(cls, report: family_values.FamilyReport) -> Family:
        """Give a table what users do with it."""
        return cls(**{item.name: getattr(report, item.name) for item in fields(report)})

    def save(self, path: Path) -> None:
        """Write the table to a JSON file."""
        write_whole(os.fspath(path), dump_json(family_to_dict(self)))

    def to_frame(self) -> pandas.DataFrame:
        """Make a table of the members."""
        return Rows(self.members).to_frame()

    def __repr__(self) -> str:
        return f"<Family {self.family.name}: {len(self.members)} members>"

    def _repr_html_(self) -> str:
        return Rows(self.members)._repr_html_()


def family(
    source: Path,
    *,
    up_to: int | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: Path | None = None,
    resume: bool = False,
    progress: Callable[[Iterable[str]], None] | None = None,
    **options: Unpack[RunArguments],
) -> Family:
    """Run the procedure on every member of a family, and fit n0 against their size.

    Parameters
    ----------
    source : str or path
        The name of a shipped family, or the path of one.
    up_to : int, optional
        The largest size T; that of the family if it is not given.
    jobs, scheduler, time_limit, memory, run_dir, resume, progress, **options
        As for `batch`.

    Raises
    ------
    IdinfError
        If the family is wrong, or a member fails but by a limit.

    Examples
    --------
    >>> [(row.name, row.n0) for row in family("ge-k-j", up_to=2, layers=1).members]
    [('ge-1-1', 3), ('ge-1-2', 5), ('ge-2-1', 4)]
    """
    asking = replace(take_options(**options), asks_smaller=False)
    loaded = catalogue.load_family(os.fspath(source))
    runs = [asking.about(member, os.fspath(source)) for member in loaded.members(up_to)]
    answers = answer_all(runs, Limits(time_limit, memory), jobs, scheduler, run_dir, resume, progress)
    for answer in answers:
        if answer.error is not None and answer.limit is None:
            raise answer.error
    return Family.of(build_family_report(loaded, runs, dict(enumerate(answers))))


def read_family(path: Path) -> Family:
    """Read the file of a family. Raises ReportFormatError if it cannot be read, or is none."""
    return Family.of(family_values.read_family(read_document(path), os.fspath(path)))
