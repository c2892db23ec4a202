"""Pages: one report explained, two side by side, or a gallery of many as a static site."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence

from idinf.api.classification import classify
from idinf.base.files import (
    OutputError,
    Unreadable,
    blaming,
    make_folder,
    read_bytes,
    show_path,
    take_path,
    write_whole,
)
from idinf.errors import ArgumentError, IdinfError, ReportFormatError
from idinf.report.files import read_report
from idinf.report.value import Path, Report
from idinf.show.html.gallery import GalleryEntry, GalleryPair, choose_pairs, render_gallery
from idinf.show.html.page import KnownClasses, check_report, render_page, render_pair


def report_page(*reports: Report | Path, path: Path | None = None) -> str:
    """Write an HTML page that explains a report, or two side by side with one n for both.

    Parameters
    ----------
    reports : Report or path
        One or two reports, or their files.
    path : path, optional
        Where to write the page, too. It needs no network.

    Raises
    ------
    ArgumentError
        If it is not one report or two.
    ReportFormatError
        If a file is no report, or a page cannot be made of one.

    Examples
    --------
    >>> from idinf.api.identify import identify
    >>> runs = [identify(name, max_n=4, layers=1) for name in ("majority", "tomita-1")]
    >>> "<h1>majority beside tomita-1</h1>" in report_page(*runs)
    True
    """
    if len(reports) not in (1, 2):
        raise ArgumentError(f"{len(reports)} reports are given; expected one or two; leave others out")
    first, *others = map(take_report, reports)
    if others:
        page = render_pair((first, others[0]), (find_classes(first), find_classes(others[0])))
    else:
        page = render_page(first, find_classes(first))
    if path is not None:
        write_whole(take_path(path), page)
    return page


def take_report(source: Report | Path) -> Report:
    """Read a report of which a page can be made, unless it is one; a refusal names its file."""
    if isinstance(source, Report):
        check_report(source)
        return source
    report = read_report(source)
    with blaming(take_path(source)):
        check_report(report)
    return report


def find_classes(report: Report) -> KnownClasses | None:
    """Verdicts of `classify` on the target of a report; None if the report does not define it."""
    try:
        found = classify(report.target.spec())
    except (IdinfError, ValueError, RecursionError):
        return None
    return KnownClasses(found.rows, str(found.crasp_periodic_local.verdict))


#: The list of its files that a site has, by which it is known.
LIST, FORMAT, MOST_LIST = "idinf-site.json", "idinf-site/1", 2**20

#: Folders of the pages of targets and of pairs, and longest name of a target in them.
TARGETS, PAIRS, MOST_NAME = "targets", "pairs", 60

INDEX = "index.html"


def site(*sources: Report | Path, folder: Path, force: bool = False) -> pathlib.Path:
    """Write a static site of reports, which a web server or a file manager opens; give the path of its index.

    The index has the frontier of every report as a picture and the benchmark as a table; each report has its
    page, and so have a few pairs with different verdicts, such as majority beside parity. All links are
    relative, nothing is loaded from elsewhere, and the same reports give the same bytes.

    Parameters
    ----------
    sources : Report or path
        Reports, their files, or folders of such files, as ``idinf batch -o DIR/`` fills them.
    folder : path
        Target folder: a new or empty one, or a site, whose pages are replaced.
    force : bool
        True to write into a folder that holds other files, too; they are left as they are.

    Raises
    ------
    ReportFormatError
        If there is no report, a file is none, or a page cannot be made of one.
    OutputError
        If the folder holds other files, or cannot be written.

    Examples
    --------
    >>> from idinf.api.identify import identify
    >>> reports = [identify(name, max_n=4, layers=1) for name in ("majority", "tomita-1")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index = site(*reports, folder=folder)
    ...     sorted(path.name for path in index.parent.rglob("*.html"))
    ['index.html', 'majority.html', 'tomita-1.html']
    """
    target = pathlib.Path(folder)
    _check_folder(target, force)
    reports = [take_report(source) for source in _list_sources(sources)]
    entries = list(_list_entries(reports))
    old = _read_list(target) or []
    make_folder(target)
    try:  # renamed into their places when all are there, so a full disk leaves an old site as it is
        stage = pathlib.Path(tempfile.mkdtemp(prefix=".idinf-", dir=target))
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        names = list(_write(stage, entries))
        for name in names:
            make_folder((target / name).parent)
            os.replace(stage / name, target / name)
        for name in set(old) - set(names):
            (target / name).unlink(missing_ok=True)
    except OutputError:
        raise
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return target / INDEX


def _write(stage: pathlib.Path, entries: Sequence[GalleryEntry]) -> Iterator[str]:
    """Write every file of a site, and give their names."""
    pairs = choose_pairs(entries, PAIRS)
    for name in (TARGETS, PAIRS):
        (stage / name).mkdir()
    for entry in entries:
        page = render_page(entry.report, entry.known, _links_of(entry, entries, pairs))
        write_whole(stage / entry.address, page)
    for pair in pairs:
        both = pair.learned, pair.outside
        links = {"All targets": f"../{INDEX}", **{f"{e.name} alone": f"../{e.address}" for e in both}}
        (one, other), (first, second) = ((e.report for e in both), (e.known for e in both))
        write_whole(stage / pair.address, render_pair((one, other), (first, second), links))
    write_whole(stage / INDEX, render_gallery(entries, pairs))
    names = [*(entry.address for entry in entries), *(pair.address for pair in pairs), INDEX]
    write_whole(stage / LIST, f"{json.dumps({'format': FORMAT, 'files': names}, indent=1)}\n")
    yield from (*names, LIST)


def _links_of(
    entry: GalleryEntry, entries: Sequence[GalleryEntry], pairs: Sequence[GalleryPair]
) -> dict[str, str]:
    """Links of the page of a target: to all targets, and to pages with another one beside it."""
    links = {"All targets": f"../{INDEX}"}
    for pair in pairs:
        for own, other in ((pair.learned, pair.outside), (pair.outside, pair.learned)):
            if own is entry:
                links[f"Beside {other.name}"] = f"../{pair.address}"
    if len(links) == 1 < len(entries):
        links["Beside another target"] = f"../{INDEX}#beside"
    return links


def _list_sources(sources: Iterable[Report | Path]) -> Iterator[Report | str]:
    """Reports and files of reports; a folder stands for the files in it, sorted by name."""
    found = False
    for source in sources:
        found = True
        if isinstance(source, Report) or not os.path.isdir(source):
            yield source if isinstance(source, Report) else take_path(source)
            continue
        shown = show_path(take_path(source))
        try:
            names = sorted(name for name in os.listdir(source) if name.endswith(".json"))
        except OSError as error:
            raise ReportFormatError(f"{shown}: {error.strerror}; expected reports; check the path") from None
        if not names:
            raise ReportFormatError(
                f"{shown}: holds no *.json; expected reports, as 'idinf batch -o DIR/' writes them; check "
                "the path"
            )
        yield from (os.path.join(source, name) for name in names)
    if not found:
        raise ReportFormatError("no reports are given; expected one or more; name their files or folder")


def _list_entries(reports: Iterable[Report]) -> Iterator[GalleryEntry]:
    """The reports in their order, with a name of a file for each, which is no other's on any system."""
    shown: dict[str, int] = {}
    taken: set[str] = set()
    for report in reports:
        title = report.target.title
        shown[title] = shown.get(title, 0) + 1
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", title).strip(".-")[:MOST_NAME] or "target"
        file, number = stem, 1
        while file.lower() in taken:
            number += 1
            file = f"{stem}-{number}"
        taken.add(file.lower())
        name = title if shown[title] == 1 else f"{title} ({shown[title]})"
        yield GalleryEntry(report, find_classes(report), name, f"{TARGETS}/{file}.html")


def _check_folder(folder: pathlib.Path, force: bool) -> None:
    """Refuse a place that cannot become a site, without touching it."""
    shown = show_path(folder)
    try:
        if folder.is_dir():
            names = os.listdir(folder)
            if names and _read_list(folder) is None and not force:
                raise OutputError(
                    f"{shown}: holds other files; expected a new folder, or a site of idinf; name another, "
                    "or force it (--force), which leaves them there"
                )
        elif os.path.lexists(folder):
            raise OutputError(f"{shown}: is no folder; expected one to write to; name another")
        place = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
        if not os.access(place, os.W_OK | os.X_OK):
            raise OutputError(
                f"{shown}: may not be written; expected a folder you can write to; name another"
            )
    except OutputError:
        raise
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None


def _unwritable(folder: pathlib.Path, error: Exception) -> OutputError:
    reason = getattr(error, "strerror", None) or "is no path"
    return OutputError(
        f"{show_path(folder)}: cannot be written ({reason}); expected a folder you can write to; name another"
    )


def _read_list(folder: pathlib.Path) -> list[str] | None:
    """The pages of targets that a site lists; None if the folder is none."""
    try:
        content = json.loads(read_bytes(folder / LIST, MOST_LIST))
        files = list(content["files"]) if content["format"] == FORMAT else None
    except (Unreadable, ValueError, KeyError, TypeError, RecursionError):
        return None
    if files is None:
        return None
    page = re.compile(rf"(?:{TARGETS}|{PAIRS})/[A-Za-z0-9_-][A-Za-z0-9._+-]*\.html")
    return [name for name in files if isinstance(name, str) and page.fullmatch(name)]
