"""Specs that would take Python's reader of TOML minutes or gigabytes, and those that must not suffer."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from idinf.errors import SpecError
from idinf.experiments import toml
from idinf.experiments.catalogue import MOST_SPEC, load

DOTS = ".".join(["a"] * 20_000)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{DOTS} = 1", 1),
        (f"[{DOTS}]", 1),
        (f"[[{DOTS}]]", 1),
        (f'x = """\n"""\ny = {{{DOTS} = 1}}', 3),
        ('"a"' + '."b"' * 20_000 + " = 1", 1),
        (f"x = 'it''s'\n{' . '.join('a' * 20_000)} = 1", 2),
        (f'x = {{y = """a"""", {DOTS} = 1}}', 1),
        (f"x = {{y = '''a'''', {DOTS} = 1}}", 1),
    ],
)
def test_a_key_of_many_parts_is_refused_at_once(text: str, line: int) -> None:
    begin = time.perf_counter()
    with pytest.raises(SpecError, match=f"^s: line {line}: a key of many parts; expected at most 8 dots"):
        toml.parse(text, "s")
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize(
    "value",
    [
        '"' + "." * 100 + '"',
        "'" + "." * 100 + "'",
        '"""\n' + "." * 100 + '\n\\""" ' + "." * 100 + '"""',
        "'''\n" + "." * 100 + "'''",
        '"\\"' + "." * 100 + '"',
        "1 # " + "." * 100,
        '["..........", "..........", ".........."]',
    ],
)
def test_dots_in_texts_and_comments_do_not_count(value: str) -> None:
    assert list(toml.parse(f"a = {value}\nb.c.d = 1.5", "s")) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "1" * 5000, "a number of too many digits"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = " + "{b = " * 3000, "nested too deeply"),
        (f"{'k' * 10**5} = 1\n{'k' * 10**5} = 2", r"Cannot overwrite a value \(at line 2"),
        (f"[{'k' * 10**5}]\n[{'k' * 10**5}]", r"Cannot declare \('kkk.*….*twice \(at line 2"),
        ('x = """' + '\\"""' * 10**5, "Unterminated string"),
    ],
)
def test_a_refusal_is_short(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        toml.parse(text, "s")
    assert len(str(caught.value)) < 300


def test_a_file_is_regular_and_bounded(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (MOST_SPEC + 1))
    for path, reason in (
        (tmp_path / "pipe.toml", "is a pipe, not a file"),
        ("/dev/zero", "is a device, not a file"),
        (tmp_path / "large.toml", "is larger than 1 MiB"),
        ("x" * 5000 + ".toml", "File name too long"),
        ("a\0b.toml", "is no path"),
    ):
        with pytest.raises(SpecError, match=f"{reason}.*; expected a spec in TOML") as caught:
            load(str(path))
        assert len(str(caught.value)) < 300
