"""Examples of a target for training and testing models, in one call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from idinf.api.limits import hold, take_limits
from idinf.api.settings import NamedTarget
from idinf.api.sources import Path, TargetLike
from idinf.base.files import take_path, write_whole
from idinf.base.options import check_options, option, take_settings, takes_settings
from idinf.base.words import Alphabet
from idinf.errors import ArgumentError, SpecError
from idinf.report.rows import Rows
from idinf.spec.spec import Answer
from idinf.trained.dataset import Bin, Example, draw_examples, read_bins

#: Forms that examples are written in, by methods of `Dataset`.
FORMS = ("jsonl", "txt")


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """Settings of the drawn examples; ArgumentError if a value does not fit."""

    bins: str | Sequence[Sequence[int]] = option(
        "0-50,51-100,101-150", "Bins of lengths.", "LOW-HIGH,...", object, shown="0-50,51-100,101-150"
    )
    number: int = option(2000, "Draw N examples of each bin.", "N", least=1, most=100_000, shown="2000")
    seed: int = option(0, "Draw other words.", "S", least=0, most=2**63 - 1, shown="0")
    positives: float = option(
        0.5, "Which share of the N examples TARGET accepts.", "SHARE", float, most=1, shown="0.5"
    )

    def __post_init__(self) -> None:
        check_options(self, ArgumentError)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples of a target, by bins of lengths; ``examples.to_frame()`` is a table of them."""

    target: str
    alphabet: Alphabet
    answer: Answer
    bins: tuple[Bin, ...]
    examples: Rows[Example]
    notes: tuple[str, ...]  #: which bins have no words, or too few that are rejected

    def jsonl(self) -> str:
        """Write one JSON object per line for each example, with the keys of `Example`."""
        return "".join(f"{_dump(each)}\n" for each in self.examples)

    def txt(self) -> str:
        """Write WORD, a tabulator, and 0 or 1; of next symbols the sets, as ``idinf run`` prints them."""
        return "".join(f"{each.word}\t{self._answer(each)}\n" for each in self.examples)

    def _answer(self, example: Example) -> str:
        if self.answer is Answer.ACCEPT or example.next is None:
            return str(int(example.label))
        return " ".join("*" if named is None else ",".join(named) or "-" for named in example.next)

    def save(self, path: Path) -> None:
        """Write a file: of lines as of `txt` if its name ends in ``.txt``, else as of `jsonl`."""
        write_whole(take_path(path), self.txt() if take_path(path).endswith(".txt") else self.jsonl())

    def __repr__(self) -> str:
        return f"<Dataset {self.target}: {len(self.examples)} examples in {len(self.bins)} bins of lengths>"


@takes_settings(NamedTarget, DatasetSettings)
def dataset(
    source: TargetLike, *, time_limit: float | None = None, memory: int | None = None, **settings: Any
) -> Dataset:
    """Draw ``number`` words of a target for each bin of lengths, with the right answers.

    Words that are accepted are uniform, the others near misses, or uniform where such are too few. Of next
    symbols all words of the domain count. Words repeat where a length has few. Equal arguments give equal
    examples.

    Parameters
    ----------
    source
        As for `idinf.target`.
    time_limit, memory : optional
        Seconds, and bytes.
    **settings
        ``alphabet``, ``values`` and ``name`` as for `idinf.target`; ``bins`` as ``"0-50,51-100"``, or pairs;
        ``number``, ``seed``, and ``positives``, the share of words that are accepted.

    Raises
    ------
    ArgumentError
        If bins, a number or a share is none.
    SpecError, ProgramError, HypothesisFormatError
        If there is no such target, it is wrong, or no bin has words.
    BudgetError, LimitReached
        If the target has too many states at such lengths, or a limit ends the work.

    Examples
    --------
    >>> found = dataset("dyck-1", bins="0-6,100-100", number=4, seed=1)
    >>> found, [example.label for example in found.examples].count(True)
    (<Dataset dyck-1: 8 examples in 2 bins of lengths>, 4)
    """
    named, asked = take_settings(settings, NamedTarget, DatasetSettings)
    with hold(take_limits(time_limit, memory)):
        taken, bins = named.read(source), read_bins(asked.bins)
        examples, notes = draw_examples(taken.spec, bins, asked.number, asked.seed, asked.positives)
        if not examples:
            raise SpecError(f"{notes[0]}; expected a bin that has words; give other bins")
        return Dataset(taken.name, taken.alphabet, taken.spec.answer, bins, Rows(examples), tuple(notes))


def _dump(example: Example) -> str:
    return json.dumps(
        {item.name: getattr(example, item.name) for item in fields(example)}, ensure_ascii=False
    )
