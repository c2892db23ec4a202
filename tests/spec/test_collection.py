"""Many specs at once: what stands for what, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from idinf.spec.catalogue import (
    list_entries,
    load_family,
)

ROOT = Path(__file__).resolve().parents[2]
SPEC = 'name = "{}"\nalphabet = "ab"\nregex = "a*"\n'


def test_a_folder_is_its_specs_by_name_and_nothing_deeper(tmp_path: Path) -> None:
    for name in ("b", "a-2", "a", "C"):
        (tmp_path / f"{name}.toml").write_text(SPEC.format(name))
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "z.toml").write_text(SPEC.format("z"))
    (tmp_path / "notes.txt").write_text("no spec")
    (tmp_path / ".toml").write_text("no name")
    found = list_entries([str(tmp_path)])
    assert [entry.source for entry in found] == [
        str(tmp_path / f"{name}.toml") for name in ("C", "a", "a-2", "b")
    ]
    assert [entry.name for entry in found] == ["C", "a", "a-2", "b"]


def test_arguments_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(SPEC.format("x"))
    found = list_entries(["parity", str(path), "majority", str(tmp_path), "parity"])
    assert [entry.name for entry in found] == ["parity", "x", "majority", "x", "parity"]


def test_a_family_is_its_members() -> None:
    members = load_family("ge-k-j").members()
    for source in ("ge-k-j", str(ROOT / "specs" / "ge-k-j.toml")):
        found = list_entries([source])
        assert [entry.name for entry in found] == [member.name for member in members]
        assert {entry.source for entry in found} == {source}
        assert all(entry.spec is not None and entry.spec.parameters for entry in found)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no such file"),
        (b"\xff\xfe", "not UTF-8"),
        (SPEC.format("x").encode() + b"[space]\nlayers = 99", "space.layers = 99"),
        (SPEC.format("x").encode() + b"[parameters]\nk = 1", "parameters"),
    ],
)
def test_what_cannot_be_read_is_an_entry(content: bytes | None, told: str, tmp_path: Path) -> None:
    path = tmp_path / "my.spec.toml"
    if content is not None:
        path.write_bytes(content)
    before, (entry,), after = list_entries(["parity"]), list_entries([str(path)]), list_entries(["majority"])
    assert (entry.name, entry.spec) == ("my.spec", None)
    assert told in str(entry.error)
    assert str(path) in str(entry.error)
    assert [one.name for one in (*before, *after)] == ["parity", "majority"]
