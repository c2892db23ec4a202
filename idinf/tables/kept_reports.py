"""What a batch keeps: reports of finished targets, and what the running ones have finished so far.

A report is kept under the name of its target and a digest of everything that it depends on, so targets may
come and go between two runs. One that a limit ended counts under the same limits only.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager, nullcontext

from idinf.base.quoting import name_file
from idinf.inference.run import run_identity
from idinf.inference.settings import RunSettings
from idinf.nets.json_format import dumps
from idinf.report.files import dump_report, parse_report
from idinf.report.value import Report
from idinf.tables.row import ClassCells
from idinf.work.journal import Journal, claim_folder, remove_folder

#: Version of what is kept.
FORMAT = "idinf-batch/2"


def name_run(settings: RunSettings) -> str:
    """Name a run: readably, and otherwise for whatever else its report depends on.

    Examples
    --------
    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.settings import Settings
    >>> name_run(Settings().about(load("majority"), "majority")).rpartition("-")[0]
    'majority'
    """
    content = {
        **run_identity(settings),
        "max_n_cap": settings.max_n_cap,
        "space": settings.bounds.name,
        "work": settings.bounds.to_dict().get("work"),
        "smaller": [(space.name, space.limits) for space in settings.smaller],
        "digest": settings.spec.digest,
        "known": [(known.origin, known.is_given, dumps(known.hypothesis)) for known in settings.known],
        "anneal_steps": settings.anneal_steps,
        "proves": settings.proves,
    }
    text = json.dumps(content, sort_keys=True)
    return f"{name_file(settings.spec.name)}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class KeptReports:
    """Finished reports of a batch in a journal. Mutable: it grows while the batch goes on.

    The file is open for moments only: children that are forked meanwhile open it themselves.

    Raises
    ------
    RunDirectoryError
        If the directory cannot be used, or holds work and is not resumed.
    """

    def __init__(self, directory: str, resume: bool) -> None:
        self.folder = claim_folder(directory, "batch", resume)
        self._open().__exit__()

    def _open(self) -> Journal:
        return Journal(self.folder, {"format": FORMAT})

    def recall(self, key: str, limits: str) -> tuple[Report, bool] | None:
        """The report kept for a target, and whether one of these limits ended it; None if there is none."""
        with self._open() as journal:
            texts = journal.recall((key, None)), journal.recall((key, limits))
        for limited, text in enumerate(texts):
            if text is not None:
                return parse_report(text, key), bool(limited)
        return None

    def keep(self, key: str, report: Report, limits: str | None) -> None:
        """Keep a report as a whole; once this returns, a kill of the process does not lose it.

        One of ``limits`` ended the run; None: the report is what any run would give.
        """
        with self._open() as journal:
            journal.keep((key, limits), dump_report(report))
            if limits is None:
                journal.forget(key)

    def recall_classes(self, key: str) -> ClassCells | None:
        """What was kept of the classes of a target; None if there is nothing."""
        with self._open() as journal:
            cells: ClassCells | None = journal.recall((key, "classes"))
        return cells

    def keep_classes(self, key: str, classes: ClassCells) -> None:
        """Keep what is known of the classes of a target beside its report."""
        with self._open() as journal:
            journal.keep((key, "classes"), dict(classes))

    def remove(self) -> None:
        """Remove what a batch keeps, and the directory if nothing else is in it."""
        remove_folder(self.folder)


def open_kept(directory: str | None, resume: bool) -> AbstractContextManager[KeptReports | None]:
    """The directory in which answers are kept, if one is named; errors as of `KeptReports`."""
    return nullcontext(None if directory is None else KeptReports(directory, resume))
