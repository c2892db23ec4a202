"""The directory of a batch: reports of finished targets, and what the running ones have finished so far.

``reports/KEY.json`` is a report below a line with its digest; KEY is the name of the target and a digest of
everything its report depends on, so targets may come and go between two runs. A report that a limit ended has
the limits in its name, and counts under the same ones only. ``reports/KEY~classes.json`` is what is known of
the classes of the target. ``work/KEY`` is the journal of a target that is
not settled yet.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path

from idinf.errors import ReportFormatError
from idinf.inference.kept_work import run_identity
from idinf.inference.settings import RunSettings
from idinf.json_text import MOST_REPORT
from idinf.report.files import dump_report, parse_report
from idinf.report.value import Report
from idinf.runtime.folder import FILE, FOLDER
from idinf.runtime.journal import JOURNAL_FILES
from idinf.runtime.run_folder import RunFolder
from idinf.sweeps.row import ClassCells
from idinf.transformers.json_format import dumps

#: What marks a directory as one of a batch; another version is another mark.
FORMAT = "idinf-batch/1"

#: Seconds to wait for what a killed batch left running; its processes notice within one.
PATIENCE_S = 60.0

_MARK, _REPORTS, _WORK = "batch.json", "reports", "work"

#: Names of half-written files, which a kill may leave, and of all in the folder of reports.
_PARTS = re.compile(r"\..*\.part")
_REPORT_FILES = re.compile(rf".*\.json|{_PARTS.pattern}")


def name_files(settings: RunSettings) -> str:
    """Name the files of a target: readable, and another one for whatever else its report depends on.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.inference.settings import Settings
    >>> name_files(Settings().about(load("majority"), "majority")).rpartition("-")[0]
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
    return f"{settings.spec.name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class BatchDirectory(ExitStack[None]):
    """Finished reports of a batch on disk. Mutable: it grows while the batch goes on.

    The directory is made if it is missing; with ``resume`` it may hold a batch already.

    Raises
    ------
    RunDirectoryError
        If the directory cannot be used: no directory of a batch, in use, not resumed, or not writable.
    """

    def __init__(self, directory: str, resume: bool) -> None:
        super().__init__()
        identity, patience_s = {"format": FORMAT}, PATIENCE_S
        folder = RunFolder(directory, "batch", _MARK, identity, _PARTS, resume, patience_s)
        self._folder = self.enter_context(folder)
        try:
            self._reports = self._folder.folder(_REPORTS)
            self._work = self._folder.folder(_WORK)
            self._reports.expect(FILE)
            self._work.expect(FOLDER)
        except BaseException:
            self.close()
            raise

    def recall(self, key: str, limits: str) -> tuple[Report, bool] | None:
        """The report kept for a target, and whether one of these limits ended it; None if there is none.

        One that was damaged later counts as absent, and so does one without sense.
        """
        for name, limited in ((_report(key), False), (_report(key, limits), True)):
            content = self._reports.read(name, MOST_REPORT)
            report = None if content is None else _opened(name, content)
            if report is not None:
                return report, limited
        return None

    def keep(self, key: str, report: Report, limits: str | None) -> None:
        """Keep a report as a whole; once this returns, a kill of the process does not lose it.

        One of ``limits`` ended the run; None: the report is what any run would give.
        """
        name = _report(key, limits)
        self._reports.write(name, _sealed(name, dump_report(report).encode()))
        if limits is None:
            for work in self._work.names():
                if work == key or work.startswith(f"{key}-"):
                    self._work.discard(work, JOURNAL_FILES)

    def recall_classes(self, key: str) -> ClassCells | None:
        """What was kept of the classes of a target; None if there is nothing, or it was damaged."""
        content = self._reports.read(name := f"{key}~classes.json", MOST_REPORT)
        text = None if content is None else _unsealed(name, content)
        return None if text is None else dict(json.loads(text))

    def keep_classes(self, key: str, classes: ClassCells) -> None:
        """Keep what is known of the classes of a target beside its report."""
        name = f"{key}~classes.json"
        self._reports.write(name, _sealed(name, json.dumps(classes).encode()))

    def work(self, key: str) -> Path:
        """Where a running target keeps its journal; what it calls KEY-… beside it goes with it."""
        return self._work.path / key

    def remove(self) -> None:
        """Remove what a batch keeps, and the directory if nothing else is in it."""
        for work in self._work.names():
            self._work.discard(work, JOURNAL_FILES)
        for name in (_WORK, _REPORTS):
            self._folder.discard(name, _REPORT_FILES)
        self._folder.remove()


def open_kept(directory: str | None, resume: bool) -> AbstractContextManager[BatchDirectory | None]:
    """The directory in which answers are kept, if one is named; errors as of `BatchDirectory`."""
    return nullcontext() if directory is None else BatchDirectory(directory, resume)


def _report(key: str, limits: str | None = None) -> str:
    return f"{key}.json" if limits is None else f"{key}~{limits}.json"


def _sealed(name: str, report: bytes) -> bytes:
    """A report as it is kept, JSON again: with a digest of it and of its name, in a line of its own."""
    digest = hashlib.blake2b(name.encode() + b"\n" + report, digest_size=16).hexdigest()
    return f'{{"format": "idinf-kept-report/1", "blake2b": "{digest}", "report":\n'.encode() + report + b"}\n"


def _unsealed(name: str, content: bytes) -> bytes | None:
    """What was sealed under a name; None if it is not as it was."""
    text = content.partition(b"\n")[2][:-2]
    return text if _sealed(name, text) == content else None


def _opened(name: str, content: bytes) -> Report | None:
    """The report in what was kept under a name; None if it is not as it was, or no report."""
    text = _unsealed(name, content)
    if text is None:
        return None
    try:
        report = parse_report(text.decode(), name)
    except (UnicodeDecodeError, ReportFormatError):
        return None
    has_sense = report.stages[-1].r_star is None or report.selected is not None
    return report if has_sense else None
