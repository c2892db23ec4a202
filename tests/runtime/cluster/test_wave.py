"""What travels: work and items by name, the same answers where they arrive, and no code among them."""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from idinf.experiments.bounds import HypothesisClass
from idinf.experiments.catalogue import load
from idinf.experiments.training import TrainingLength
from idinf.inference.run import RunOptions, RunSettings, run
from idinf.report.files import dump_report
from idinf.report.value import Report
from idinf.runtime.cluster.wave import Wave, WaveSession, read_items, read_wave
from idinf.runtime.cluster.worker import ENDING, ITEMS, WAVE
from idinf.runtime.learned import Learned
from idinf.runtime.limits import Limits
from idinf.runtime.parallel import Workers, answer_item
from idinf.runtime.places import Engine, Places
from idinf.sweeps.sweep import RunTask

#: Where classes and functions in messages may come from.
MODULES = (
    "idinf.",
    "numpy",
    "functools",
    "builtins",
    "fractions",
    "collections",
    "pathlib",
    "_operator",
    "tests.",
)

#: What would bring code along.
CODE = ("cloudpickle", "types", "marshal", "dill", "code")


def names_in(content: bytes) -> set[str]:
    """Modules of all classes and functions that a pickle names."""
    found, strings, memo = set(), [], dict[int, str]()
    for opcode, value, _ in pickletools.genops(content):
        if opcode.name == "GLOBAL":
            found.add(str(value).split()[0])
        elif opcode.name == "STACK_GLOBAL":
            found.add(strings[-2])
        elif "UNICODE" in opcode.name:
            strings.append(str(value))
        elif opcode.name == "MEMOIZE":
            memo[len(memo)] = strings[-1] if strings else ""
        elif opcode.name in ("BINGET", "LONG_BINGET"):
            strings.append(memo.get(int(value), ""))
    return found


def check_names(content: bytes) -> None:
    names = names_in(content)
    assert names
    assert not [name for name in names if not name.startswith(MODULES) or name.split(".")[0] in CODE]


@dataclass(frozen=True, slots=True, eq=False)
class ThroughBytes(Workers):
    """Does every item in this process, of a wave that was written and read again."""

    sent: list[tuple[object, bytes, bytes]] = field(default_factory=list)

    def map(self, work: Callable[[Any], Any], items: Sequence[Any], spent: float = 0.0) -> Any:
        return Workers.map(self, work, items, 1e9)

    def _messages(
        self, work: Callable[[Any], Any], items: Sequence[Any], begin: int, unread: dict[int, bytes]
    ) -> Generator[bytes, None, None]:
        wave = Wave(work, items[begin:], self.memories)
        there, memories, remembered = read_wave(wave.content)
        for item in items[begin:]:
            packed = wave.pack([item])
            self.sent.append((work, wave.content, packed))
            [arrived] = read_items(packed, remembered)
            yield answer_item(memories, there, arrived)[0]


class BytesEngine(Engine):
    """An engine of `ThroughBytes`."""

    def __init__(self) -> None:
        self.sent: list[tuple[object, bytes, bytes]] = []

    def places(self) -> Places:
        raise NotImplementedError

    def workers(
        self, memory_bytes: int, jobs: int, checkpoint: Any, enter: Any = None, memories: Any = ()
    ) -> Workers:
        return ThroughBytes(2, checkpoint, lambda sharers: None, [*memories], None, self.sent)


def asked(name: str, max_n: int, **bounds: float | str) -> RunSettings:
    return RunOptions(max_n=max_n, bounds=bounds, preset="spec").about(load(name), name)


def timeless(report: Report) -> str:
    return dump_report(replace(report, seconds=0.0, peak_bytes=0))


QUESTIONS = {
    "acceptance": asked("tomita-1", 4, layers=2, max_r=9.0),
    "a chosen space": asked("majority", 4),
    "next symbols": asked("dyck-1-next", 2, layers=1, max_r=8.0),
    "another training length": replace(asked("majority", 4, layers=1), training=TrainingLength("n/4")),
    "logits": asked("majority", 3, layers=1, logit_max=1, content_max=1, max_r=8.0),
    "annealing": replace(asked("parity", 3, layers=1, max_r=7.0), anneal_steps=60),
    "two units": asked("tomita-2", 3, layers=1, units=2, max_r=9.5),
    "a whole class": RunOptions(max_n=8, hypothesis_class=HypothesisClass.THETA).about(
        load("tomita-1"), "tomita-1"
    ),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_run_through_bytes_is_the_same_report(question: RunSettings) -> None:
    engine = BytesEngine()
    through = timeless(run(question, Limits(), engine=engine).report)
    assert through == timeless(run(question, Limits()).report)
    assert engine.sent
    kinds = {getattr(work, "__qualname__", ""): (wave, items) for work, wave, items in engine.sent}
    for wave, _ in kinds.values():
        check_names(wave)


def test_the_task_of_a_row_is_values_by_name() -> None:
    task = RunTask(QUESTIONS["acceptance"], 1.0, 2**30)
    content = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    check_names(content)
    assert pickle.loads(content) == task


def test_a_function_that_has_no_name_does_not_travel() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        Wave(lambda item: item, [1], [])


def test_the_check_of_names_would_notice_code() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    with pytest.raises(AssertionError):
        check_names(cloudpickle.dumps(lambda: 0))


def divide(item: int) -> float:
    if item == 3:
        raise MemoryError
    return 1 / item


def session(*messages: bytes) -> list[bytes]:
    """What a session answers."""
    answers: list[bytes] = []
    left = iter(messages)

    def receive() -> bytes:
        for message in left:
            return message
        raise EOFError

    with suppress(EOFError):
        WaveSession(None)(receive, answers.append)
    return answers


def test_a_session_answers_up_to_the_first_error() -> None:
    wave = Wave(divide, [1, 2, 0, 5], [])
    [answer] = session(WAVE + wave.content, ITEMS + wave.pack([1, 2, 0, 5]))
    items = [pickle.loads(item) for item in pickle.loads(answer[1:])]
    assert [item[:2] for item in items[:2]] == [(True, 1.0), (True, 0.5)]
    assert [(right, type(value)) for right, value, _, _ in items[2:]] == [(False, ZeroDivisionError)]


def test_a_session_ends_after_an_error_of_memory() -> None:
    wave = Wave(divide, [3, 4], [])
    items = ITEMS + wave.pack([3]), ITEMS + wave.pack([4])
    [answer] = session(WAVE + wave.content, *items)
    assert answer[:1] == ENDING


def test_what_is_learned_comes_back() -> None:
    learned: Learned[int, int] = Learned({1: 1})
    wave = Wave(_learn, [(learned, 2)], [learned])
    [answer] = session(WAVE + wave.content, ITEMS + wave.pack([(learned, 2)]))
    [message] = pickle.loads(answer[1:])
    assert pickle.loads(message) == (True, [1, 2], "", [{2: 4}])


def _learn(item: tuple[Learned[int, int], int]) -> list[int]:
    memory, value = item
    memory[value] = value * value
    return sorted(memory)
