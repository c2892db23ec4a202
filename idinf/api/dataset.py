"""Examples of a target for training and testing models, in one call."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from idinf.api.limits import hold, take_limits
from idinf.api.sources import Path, Source, TargetLike, read_source
from idinf.base.files import write_whole
from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Symbols
from idinf.errors import ArgumentError, SpecError
from idinf.report.rows import Rows
from idinf.spec.spec import Answer
from idinf.trained.dataset import Bin, Example, draw_examples, read_bins

#: Forms that examples are written in, by methods of `Dataset`.
FORMS = ("jsonl", "txt")

#: Most examples of a bin.
MOST_NUMBER = 100_000


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
        write_whole(os.fspath(path), self.txt() if os.fspath(path).endswith(".txt") else self.jsonl())

    def __repr__(self) -> str:
        return f"<Dataset {self.target}: {len(self.examples)} examples in {len(self.bins)} bins of lengths>"


def dataset(
    source: TargetLike,
    *,
    bins: str | Sequence[Sequence[int]],
    number: int = 2000,
    seed: int = 0,
    positives: float = 0.5,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
    time_limit: float | None = None,
    memory: int | None = None,
) -> Dataset:
    """Draw ``number`` words of a target for each bin of lengths, with what is right about them.

    ``bins`` are as ``"0-50,51-100"``, or pairs; ``positives`` is the share of words that are accepted. These
    are uniform, the others near misses, or uniform where such are too few. Of next symbols all words of the
    domain count. Words repeat where a length has few. Equal arguments give equal examples. Others are as of
    `idinf.target`; ``time_limit`` is in seconds, ``memory`` in bytes.

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
    with hold(take_limits(time_limit, memory)):
        taken = read_source(source, alphabet=alphabet, values=values, name=name)
        return draw_dataset(taken, bins, number, seed, positives)


def draw_dataset(
    taken: Source, bins: str | Sequence[Sequence[int]], number: int, seed: int, positives: float
) -> Dataset:
    """Draw examples of what was read, as `dataset` does, within the limits that whoever calls it keeps."""
    chosen = read_bins(bins)
    for key, value, least, most in (("number", number, 1, MOST_NUMBER), ("seed", seed, 0, 2**63 - 1)):
        if type(value) is not int or not least <= value <= most:
            raise ArgumentError(
                f"{key} = {quote(value)}; expected {least} to {most}; give an integer of these"
            )
    if isinstance(positives, bool) or not isinstance(positives, int | float) or not 0 <= positives <= 1:
        raise ArgumentError(f"positives = {quote(positives)}; expected a share from 0 to 1; give 0.5, say")
    examples, notes = draw_examples(taken.spec, chosen, number, seed, positives)
    if not examples:
        raise SpecError(f"{notes[0]}; expected a bin that has words; give other bins")
    return Dataset(taken.name, taken.alphabet, taken.spec.answer, chosen, Rows(examples), tuple(notes))


def _dump(example: Example) -> str:
    return json.dumps(
        {item.name: getattr(example, item.name) for item in fields(example)}, ensure_ascii=False
    )
