"""Closed forms of the tasks against all words, or against all their members."""

from __future__ import annotations

import pytest

from idinf.targets.tasks import TASKS, behaviours_by_words


def members(name: str, length: int) -> list[str]:
    """All words of a task of one length, written from its definition in words."""

    def binary(width: int) -> list[str]:
        return [f"{value:0{width}b}" if width else "" for value in range(1 << width)]

    match name:
        case "equality":
            return [w + w for w in binary(length // 2)] if length % 2 == 0 else []
        case "copy-repeat":
            return [f"{w}#{w}" for w in binary(length // 2)] if length % 2 else []
        case _:
            k = length // 3 - 1
            if length % 3 or k < 1:
                return []
            return [f"{x}+{y}={int(x, 2) + int(y, 2):0{k + 1}b}" for x in binary(k) for y in binary(k)]


def rows_by_members(name: str, length: int) -> int:
    """First halves that begin a member, by what completes them, and one more if there is any other."""
    after: dict[str, set[str]] = {}
    for word in members(name, length):
        after.setdefault(word[: length // 2], set()).add(word[length // 2 :])
    dead = len(after) < len(TASKS[name].alphabet) ** (length // 2)
    return len({frozenset(found) for found in after.values()}) + dead


@pytest.mark.parametrize(("name", "most"), [("equality", 20), ("copy-repeat", 21), ("addition", 24)])
def test_closed_forms(name: str, most: int) -> None:
    task = TASKS[name]
    for length in range(task.least, most + 1, task.step):
        assert task.rows(length) == rows_by_members(name, length), length


@pytest.mark.parametrize(("name", "most"), [("equality", 8), ("copy-repeat", 7), ("addition", 6)])
def test_all_words_at_small_lengths(name: str, most: int) -> None:
    task = TASKS[name]
    for length in range(task.least, most + 1, task.step):
        assert behaviours_by_words(task, length) == task.rows(length)
        assert all(task.member(word) for word in members(name, length))


def test_only_members_are_members() -> None:
    wrong = {
        "equality": ["0", "01", "0110"],
        "copy-repeat": ["", "01", "0#1", "0#", "#0#", "0#0#0"],
        "addition": ["", "1+1=11", "1+1=1", "1+01=10", "+=0", "1+1", "1=1+10", "1+#=10", "1+1=10=10"],
    }
    for name, words in wrong.items():
        assert [word for word in words if TASKS[name].member(word)] == []
    assert TASKS["addition"].member("1+1=10")


def test_lengths() -> None:
    assert [TASKS["copy-repeat"].length_up_to(n) for n in (0, 1, 2, 3)] == [None, 1, 1, 3]
    assert [TASKS["addition"].length_up_to(n) for n in (5, 6, 8, 9)] == [None, 6, 6, 9]
