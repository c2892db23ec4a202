"""Specs that would take Python's reader of TOML minutes or gigabytes, and those that must not suffer."""

from __future__ import annotations

import time

import pytest

from idinf.errors import SpecError
from idinf.spec.reader import parse_toml

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
        parse_toml(text, "s")
    assert time.perf_counter() - begin < 5
