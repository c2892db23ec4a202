"""Specs by name, path and folder: the shipped ones, and those of users."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.base.files import MIB, Unreadable, read_bytes, read_text, show_path
from idinf.base.json_text import MOST_HYPOTHESIS
from idinf.base.quoting import quote, suggest
from idinf.errors import IdinfError, SpecError
from idinf.spec.automata import is_automaton, load_automaton
from idinf.spec.parameters import Values
from idinf.spec.reader import parse_parameters, parse_spec
from idinf.spec.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from idinf.spec.reader import FamilySpec

#: Bytes of a spec: an automaton of ten thousand states fits, and reading it takes seconds.
MOST_SPEC = MIB


def load(name_or_path: str, values: Values = ()) -> Spec:
    """Load a shipped spec by its bare name, or a file by its path; ``values`` choose a member of a family.

    Anything with a path separator or the ending of a spec or an automaton is a file; the rest is a name. A
    SpecError names the fault, also where it is a family and no values are given.
    """
    if is_automaton(name_or_path):
        return load_automaton(name_or_path)
    text, origin = _read(name_or_path)
    return parse_spec(text, origin, values)


def load_family(name_or_path: str) -> FamilySpec:
    """Load a family by the bare name of a shipped one, or by its path; a SpecError for a single target.

    >>> load_family("ge-k-j").parameters.names
    ('k', 'j')
    """
    from idinf.spec.reader import parse_family

    return parse_family(*_read(name_or_path))


def is_family(name_or_path: str) -> bool:
    """True if a spec has parameters; a `SpecError` where there is no such spec, or they are wrong."""
    return not is_automaton(name_or_path) and parse_parameters(*_read(name_or_path)) is not None


def read_about(name_or_path: str) -> str:
    """Read the description of a language in its spec: its first comment, up to a semicolon.

    >>> read_about("majority"), read_about("blocks-m-t")[-18:]
    ('At least as many 1s as 0s', 't = 1 aa*bb*cc*...')
    """
    if is_automaton(name_or_path):
        return ""
    first, _, _ = _read(name_or_path)[0].partition("\n")
    told, semicolon, _ = first.removeprefix("#").partition(";")
    return told.strip().removesuffix("" if semicolon else ".") if first[:1] == "#" else ""


def read_upper_texts(name_or_path: str, spec: Spec) -> Iterator[tuple[str, str]]:
    """Read the files that a spec lists under ``upper``: name for messages, and text; arguments as of `load`.

    >>> [name for name, text in read_upper_texts("d-12", load("d-12"))]
    ['specs/d-12.toml: upper: known/d-12.json']
    """
    for path in spec.upper:
        name = f"{spec.origin}: upper: {show_path(path)}"
        try:
            if _is_path(name_or_path):
                content = read_bytes(Path(name_or_path).parent / path, MOST_HYPOTHESIS)
            else:
                content = _folder().joinpath(path).read_bytes()
            yield name, content.decode("utf-8-sig")
        except (Unreadable, UnicodeDecodeError) as error:
            reason = error if isinstance(error, Unreadable) else "not UTF-8 text"
            raise SpecError(
                f"{name}: {reason}; expected a limit-transformer/1 file, its path from the folder of the "
                "spec; correct the path, or leave it out"
            ) from None


def list_names() -> tuple[str, ...]:
    """Names of the shipped specs that are single targets, sorted."""
    return tuple(name for name, is_family in _shipped() if not is_family)


def list_family_names() -> tuple[str, ...]:
    """Names of the shipped families, sorted."""
    return tuple(name for name, is_family in _shipped() if is_family)


@dataclass(frozen=True, slots=True)
class CollectedSpec:
    """One target of a collection, or the error about it."""

    source: str  #: name or path, as `load` takes it
    spec: Spec | None  #: None: it cannot be read
    error: IdinfError | None = None  #: why not
    family: str | None = None  #: the one whose member it is

    @property
    def name(self) -> str:
        """The name of the target; of an unreadable spec its file's stem."""
        if self.spec is not None:
            return self.spec.name
        path = Path(self.source)
        return show_path(path.stem if is_spec(self.source) else path.name)


def find_source(spec: Spec) -> str:
    """The name or path that a spec was loaded from; of a member that of its family."""
    name = spec.origin.removeprefix("specs/").removesuffix(".toml")
    return name if spec.origin == f"specs/{name}.toml" and name in _shipped_names() else spec.origin


def list_entries(
    arguments: Sequence[str | Spec],
    chosen: Mapping[str, Sequence[int]] | None = None,
    read: Callable[[str], Spec] = load,
) -> tuple[CollectedSpec, ...]:
    """List the targets of names, files, folders and specs, in their order.

    A name that is shipped is that target; of a folder all specs and automata directly in it are taken, sorted
    by name without the ending; anything else is left to ``read``. A family stands for all its members, by
    size and then by values; or for those with the values ``chosen`` of some parameters, in families that have
    these. A target that cannot be read is an entry with its error; a SpecError says that a folder cannot be
    read, or that no family has a chosen parameter.
    """
    sources, chosen = tuple(_sources(arguments)), chosen or {}
    entries, had = list[CollectedSpec](), set[str]()
    for source in sources:
        if isinstance(source, Spec):
            entries.append(CollectedSpec(find_source(source), source))
            continue
        try:
            if (source not in _shipped_names() and not source.endswith(".toml")) or not is_family(source):
                entries.append(CollectedSpec(source, read(source)))
                continue
            family = load_family(source)
        except IdinfError as error:
            entries.append(CollectedSpec(source, None, error))
            continue
        own = {name: values for name, values in chosen.items() if name in family.parameters.names}
        had |= own.keys()
        members = family.members(own)
        entries += [CollectedSpec(source, member, None, family.name) for member in members]
    for name in chosen:
        if name not in had:
            raise SpecError(
                f"parameter {quote(name)}: no family among the targets has it; expected one of a family that "
                "is named; leave it out"
            )
    return tuple(entries)


def _sources(arguments: Sequence[str | Spec]) -> Iterator[str | Spec]:
    """Names and paths of single files, and specs."""
    for argument in arguments:
        if isinstance(argument, Spec):
            yield argument
            continue
        if not argument:
            raise SpecError("'' names no target; expected a name, a spec or a folder of specs; leave it out")
        if argument in _shipped_names() or not os.path.isdir(argument):
            yield argument
            continue
        yield from list_files(argument)


def list_files(folder: str) -> list[str]:
    """List the specs and automata of a folder, sorted by name without the ending; a SpecError for none."""
    try:
        names = sorted((path.stem, path.name) for path in Path(folder).iterdir() if is_spec(path.suffix))
    except OSError as error:
        raise SpecError(
            f"{show_path(folder)}: {error.strerror}; expected a readable folder of specs; choose another"
        ) from None
    if not names:
        raise SpecError(
            f"{show_path(folder)}: holds no file *.toml, nor an automaton; expected a folder of specs; name "
            "one, or a file"
        )
    return [str(Path(folder) / name) for _, name in names]


def is_spec(path: str) -> bool:
    """True if a path is that of a spec or an automaton, by its ending."""
    return path.endswith(".toml") or is_automaton(path)


def _read(name_or_path: str) -> tuple[str, str]:
    """Text and origin of a spec."""
    if _is_path(name_or_path):
        expected = "expected a spec in TOML; check the path, or use a name that 'idinf list' shows"
        return read_text(name_or_path, MOST_SPEC, SpecError, expected), name_or_path
    if name_or_path not in _shipped_names():
        hint = suggest(name_or_path, _shipped_names())
        raise SpecError(
            f"unknown target {quote(name_or_path)}; {hint and f'{hint} '}'idinf list' shows the names; "
            "the path of a spec ends with .toml"
        )
    return _shipped_text(name_or_path), f"specs/{name_or_path}.toml"


def _is_path(name_or_path: str) -> bool:
    return name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path


@cache
def _shipped_names() -> tuple[str, ...]:
    """Names of all shipped specs, sorted."""
    files = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


@cache
def _shipped() -> tuple[tuple[str, bool], ...]:
    """Names of all shipped specs, sorted, each with True if it is a family."""
    return tuple((name, parse_parameters(_shipped_text(name), name) is not None) for name in _shipped_names())


def _shipped_text(name: str) -> str:
    return (_folder() / f"{name}.toml").read_bytes().decode("utf-8")


@cache
def _folder() -> Path:
    """The specs inside an installed package; a checkout keeps them beside the package instead."""
    package = Path(__file__).parents[1]
    for folder in (package / "specs", package.parent / "specs"):
        if folder.is_dir():
            return folder
    raise SpecError("the shipped specs are missing from this installation; install idinf again")
