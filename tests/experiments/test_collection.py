"""Many specs at once: what stands for what, and in which order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from idinf.errors import SpecError
from idinf.experiments.catalogue import (
    find_source,
    list_entries,
    list_family_names,
    list_names,
    load,
    load_family,
)
from idinf.inference.run import RunOptions

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


def test_all_shipped_specs_are_one_folder() -> None:
    found = list_entries([str(ROOT / "specs")])
    assert all(entry.error is None for entry in found)
    members = {member.name for name in list_family_names() for member in load_family(name).members()}
    assert {entry.name for entry in found} == {*list_names(), *members}


def test_a_shipped_name_comes_before_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parity").mkdir()
    (tmp_path / "parity" / "x.toml").write_text(SPEC.format("x"))
    monkeypatch.chdir(tmp_path)
    assert [entry.name for entry in list_entries(["parity", "./parity"])] == ["parity", "x"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no such file"),
        (b"name = = 1", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (SPEC.format("x").encode() + b"colour = 1", "unknown key 'colour'"),
        (SPEC.format("x").encode() + b"[space]\nlayers = 99", "space.layers = 99"),
        (SPEC.format("x").encode() + b"[parameters]\nk = [1, 2]", "not in the definition"),
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


def test_a_folder_without_specs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"holds no file \*\.toml; expected a folder of specs"):
        list_entries(["parity", str(tmp_path)])


def test_what_is_no_file_is_an_entry_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    (tmp_path / "b.toml").mkdir()
    (tmp_path / "c.toml").symlink_to("/dev/zero")
    (tmp_path / "d.toml").symlink_to("d.toml")
    (tmp_path / "e\x1b[2J\n.toml").write_text("")
    told = [(entry.name, str(entry.error)) for entry in list_entries([str(tmp_path)])]
    assert [name for name, _ in told] == ["a", "b", "c", "d", "e\\u001b[2J\\u000a"]
    reasons = ("is a pipe", "is a folder", "is a device", "symbolic", "alphabet is missing")
    for (_, message), reason in zip(told, reasons, strict=True):
        assert reason in message
        assert message.isprintable()


def test_a_name_too_long_for_a_file_is_an_entry() -> None:
    (entry,) = list_entries(["x" * 5000])
    assert "unknown target" in str(entry.error)
    assert len(entry.name) <= 120


def test_an_empty_argument_names_nothing() -> None:
    with pytest.raises(SpecError, match="'' names no target"):
        list_entries([""])


def test_a_member_of_a_shipped_family_is_found_again_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = load("ge-k-j", (("k", 3), ("j", 2)))
    [entry] = list_entries([spec])
    assert (entry.source, entry.name) == ("ge-k-j", "ge-3-2")
    assert RunOptions(preset="spec").about(spec, entry.source).max_n_cap == 256
    (tmp_path / "own.toml").write_text('name = "own"\nalphabet = "a"\nregex = "a"\n')
    assert find_source(load("own.toml")) == "own.toml"


def test_values_are_chosen_for_families_that_have_them() -> None:
    chosen = {"k": [2, 3], "m": [2]}
    names = [entry.name for entry in list_entries(["ge-k-j", "modulus-m-r", "parity"], chosen)]
    assert names[:3] == ["ge-2-1", "ge-2-3", "ge-3-1"]  # by size
    assert names[-3:] == ["modulus-2-0", "modulus-2-1", "parity"]
    assert all(name.startswith(("ge-2-", "ge-3-")) for name in names[:-3])
    assert len(names) == 8 + 11 + 3
