"""The communication of targets and transformers, in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from idinf.communication.protocol import Exchange, exchange
from idinf.communication.study import Study, list_lengths_up_to, measure_study
from idinf.compilation.compiler import compile_by_any_route
from idinf.crasp.checker import read_program
from idinf.crasp.library import LoadedProgram
from idinf.crasp.syntax import ProgramTree
from idinf.errors import ArgumentError, BudgetError, IdinfError, ProgramError
from idinf.experiments.parameters import Values
from idinf.experiments.spec import Kind, Spec
from idinf.files import show_path
from idinf.library.frames import Rows
from idinf.library.sources import read_target, takes_values
from idinf.quoting import quote
from idinf.targets.machine import Target
from idinf.targets.tasks import TASKS, Task
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet, Symbols, read_alphabet

#: Lengths, and words at each of them, where nothing else is said.
MAX_N, WORDS = 64, 8


@dataclass(frozen=True, slots=True)
class Subject:
    """What communication is measured of: the transformer that the protocol runs for, and a target."""

    name: str
    about: str
    transformer: LimitTransformer | None
    target: Target | Task | None
    notes: tuple[str, ...] = ()  #: why one of them is missing
    is_family_member: bool = False

    def study(self, max_n: int = MAX_N, words: int = WORDS) -> Study:
        """Measure both sides up to a length; ``words`` run at each of them."""
        lengths = list_lengths_up_to(max_n)
        return measure_study(self.name, self.about, self.transformer, self.target, lengths, words, self.notes)

    def exchange(self, word: str, split: int | None = None) -> Exchange:
        """Run the protocol on one word, split after so many symbols; in the middle if not given."""
        if self.transformer is None:
            raise ArgumentError(f"{quote(self.name)} has no transformer to run on a word: {self.notes[0]}")
        codes = self.transformer.alphabet.encode(word)
        half = len(codes) // 2 if split is None else split
        try:
            return exchange(self.transformer, codes, half)
        except IdinfError as error:
            raise type(error)(f"{show_path(self.name)}: {error}", *error.args[1:]) from None


@dataclass(frozen=True, slots=True)
class Communication:
    """What crosses the middle of words: ``study``, and the tables ``protocol`` and ``behaviours``."""

    study: Study

    @property
    def protocol(self) -> Rows[Any]:
        """Bits that the protocol of Theorem 12 sends, by length."""
        return Rows(self.study.upper)

    @property
    def behaviours(self) -> Rows[Any]:
        """First halves that some second half tells apart, by length."""
        return Rows(self.study.lower)

    def __str__(self) -> str:
        from idinf.render.text.communication import render_text

        return render_text([self.study]).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Communication {self.study.name}>"


def communicate(
    source: str | os.PathLike[str],
    *,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    max_n: int = MAX_N,
    words: int = WORDS,
) -> Communication:
    """Measure what must cross the middle of words, and what a transformer lets cross.

    The source is a target, an algorithmic task, a program, a hypothesis or ``regex:TEXT``, with ``alphabet``
    and ``values`` as for `target`; the protocol runs on ``words`` words of each length.

    Raises
    ------
    ArgumentError
        If an alphabet is given for what has its own.
    SpecError, ProgramError, HypothesisFormatError
        If there is no such thing, or it is wrong.

    Examples
    --------
    >>> communicate("dyck-1", max_n=4).behaviours.to_frame()["rows"].tolist()
    [2, 1, 3]
    """
    given = None if alphabet is None else read_alphabet(alphabet)
    subject = find_subject(os.fspath(source), tuple((values or {}).items()), given)
    return Communication(subject.study(max_n, words))


def find_subject(name: str, values: Values = (), given: Alphabet | None = None) -> Subject:
    """Find out what a name stands for, and what can be measured of it; errors as of `communicate`."""
    if name in TASKS:
        if given is not None:
            raise ArgumentError(f"an alphabet is given, but {quote(name)} has its own; leave it out")
        nothing = "no Limit Transformer expresses it: nothing is run"
        return Subject(name, TASKS[name].about, None, TASKS[name], (nothing,))
    chosen = dict(values) if takes_values(name) else None
    operand = read_target(name, alphabet=given, values=chosen, program_first=chosen is None)
    if isinstance(operand.definition, LimitTransformer):
        note = "a hypothesis is not a step machine: its behaviours are not counted"
        return Subject(name, "a hypothesis", operand.definition, None, (note,))
    alphabet, machine = operand.alphabet, operand.decider
    assert not isinstance(machine, LimitTransformer)
    match operand.definition:
        case LoadedProgram() as loaded:
            dense, notes = _compiled(loaded.program, alphabet)
            return Subject(name, "a C-RASP program", dense, machine, notes)
        case Spec(kind=Kind.CRASP, text=text):
            dense, notes = _compiled(read_program(text, alphabet), alphabet)
            return Subject(name, "a C-RASP target", dense, machine, notes, operand.is_family_member)
        case _:
            note = "no program is given for it, so no transformer is run"
            return Subject(name, "a regular language", None, machine, (note,), operand.is_family_member)


def _compiled(program: ProgramTree, alphabet: Alphabet) -> tuple[LimitTransformer | None, tuple[str, ...]]:
    """The transformer of a program, and what is to be said about it; or why there is none."""
    try:
        compiled = compile_by_any_route(program, alphabet, 0)  # messages grow with p
    except (ProgramError, BudgetError) as error:
        return None, (f"not compiled, so no transformer is run: {error}",)
    if not compiled.outside:
        return compiled.transformer, ()
    return compiled.transformer, (f"compiled directly, outside the searched family: {compiled.outside}",)
