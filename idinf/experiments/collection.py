"""Many specs at once: names, files and folders in the order in which they are worked on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from idinf.errors import SpecError
from idinf.experiments.catalogue import family_names, is_family, load, load_family, names
from idinf.experiments.spec import Spec
from idinf.files import is_folder, shown_path


@dataclass(frozen=True, slots=True)
class CollectedSpec:
    """One target of a collection, or what is wrong with it."""

    source: str  #: name or path, as `load` takes it
    spec: Spec | None  #: None: it cannot be read
    error: SpecError | None = None  #: why not

    @property
    def name(self) -> str:
        """The name of the target; of an unreadable spec its file's stem.

        Examples
        --------
        >>> CollectedSpec("mine/x.toml", None, SpecError("no such file")).name
        'x'
        """
        if self.spec is not None:
            return self.spec.name
        return shown_path(Path(self.source).name.removesuffix(".toml"))


def entries(arguments: Sequence[str]) -> tuple[CollectedSpec, ...]:
    """List the targets of names, files and folders.

    Parameters
    ----------
    arguments : sequence of str
        A name that is shipped is that target; of a folder all files ``*.toml`` directly in it are taken,
        sorted by name without the ending; anything else is a file. A family stands for all its members, by
        size and then by values.

    Returns
    -------
    tuple of CollectedSpec
        In the order of the arguments; a spec that cannot be read is an entry with its error.

    Raises
    ------
    SpecError
        If a folder cannot be read, or holds no spec.

    Examples
    --------
    >>> [(entry.name, entry.spec is None) for entry in entries(["parity", "majorty"])]
    [('parity', False), ('majorty', True)]
    >>> [entry.name for entry in entries(["ge-k-j"])][:3]
    ['ge-1-1', 'ge-1-2', 'ge-2-1']
    """
    return tuple(entry for source in _sources(arguments) for entry in _entries_of(source))


def _sources(arguments: Sequence[str]) -> Iterator[str]:
    """Names and paths of single files."""
    for argument in arguments:
        if not argument:
            raise SpecError("'' names no target; expected a name, a spec or a folder of specs; leave it out")
        if argument in (*names(), *family_names()) or not is_folder(argument):
            yield argument
            continue
        try:
            stems = sorted(path.stem for path in Path(argument).iterdir() if path.suffix == ".toml")
        except OSError as error:
            raise SpecError(
                f"{shown_path(argument)}: {error.strerror}; expected a readable folder of specs; choose "
                "another"
            ) from None
        if not stems:
            raise SpecError(
                f"{shown_path(argument)}: holds no file *.toml; expected a folder of specs; name one, or a "
                "file"
            )
        yield from (str(Path(argument) / f"{stem}.toml") for stem in stems)


def _entries_of(source: str) -> Iterator[CollectedSpec]:
    try:
        if is_family(source):
            yield from [CollectedSpec(source, member) for member in load_family(source).members()]
        else:
            yield CollectedSpec(source, load(source))
    except SpecError as error:
        yield CollectedSpec(source, None, error)
