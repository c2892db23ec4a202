"""Shipped specs: their names, what the gallery says of them, and upper bounds beside them."""

import os
from pathlib import Path

import pytest

from idinf.errors import SpecError
from idinf.spec.catalogue import (
    list_entries,
    list_family_names,
    list_names,
    load,
    load_family,
    read_upper_texts,
)

ROOT = Path(__file__).resolve().parents[2]

#: The gallery, below, and tests/targets/test_languages.py have all of them.
SHIPPED, FAMILIES = list_names(), list_family_names()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_shipped_family_states_what_the_gallery_needs(name: str) -> None:
    family = load_family(name)
    assert family.name == name
    assert family.first.source
    assert [key for key, _ in family.first.expected] == ["crasp", "crasp_periodic_local"]
    assert family.origin == f"specs/{name}.toml"


def test_a_family_is_no_single_target_and_the_other_way_round() -> None:
    with pytest.raises(
        SpecError, match=r"^specs/ge-k-j\.toml: a family .* k, j; .*'idinf batch'.* --set k=1"
    ):
        load("ge-k-j")
    with pytest.raises(SpecError, match=r"^specs/majority\.toml: no \[parameters\].*'idinf identify'"):
        load_family("majority")
    with pytest.raises(SpecError, match=r"^specs/majority\.toml: no \[parameters\], so 'k' cannot be set"):
        load("majority", (("k", 1),))
    with pytest.raises(SpecError, match=r"^unknown target 'ge-kj'; did you mean 'ge-k-j'"):
        load_family("ge-kj")
    assert load("ge-k-j", (("j", 3), ("k", 2))).text.strip() == load("ge-2-3").text.strip()


#: theory.md section 6: (C-RASP[], C-RASP[periodic, local]) where it is not (yes, yes).
NOT_BOTH = {
    "012-02": ("no", "no"),
    "aa-star": ("no", "yes"),
    "aaaa-star": ("no", "yes"),
    "abab-star": ("no", "yes"),
    "contains-ab-abc": ("no", "yes"),
    "cycle-navigation": ("no", "no"),
    "induction-argmax-next": ("unknown", "yes"),
    "induction-next": ("unknown", "yes"),
    "majority-interleave-next": ("no", "yes"),
    "modular-arithmetic-simple": ("no", "no"),
    "parity": ("no", "no"),
    "parity-next": ("no", "no"),
    "tomita-3": ("no", "no"),
    "tomita-4": ("no", "yes"),
    "tomita-4-next": ("no", "yes"),
    "tomita-5": ("no", "no"),
    "tomita-6": ("no", "no"),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_spec_states_what_the_gallery_needs(name: str) -> None:
    spec = load(name)
    assert (spec.name, spec.origin) == (name, f"specs/{name}.toml")
    assert spec.source
    verdicts = {key: str(verdict) for key, verdict in spec.expected}
    assert tuple(verdicts.items()) == tuple(
        zip(("crasp", "crasp_periodic_local"), NOT_BOTH.get(name, ("yes", "yes")), strict=True)
    )
    assert all(text.startswith("{") for _, text in read_upper_texts(name, spec))


def test_upper_bounds_lie_beside_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "known").mkdir()
    path = tmp_path / "mine.toml"
    path.write_text('name = "own"\nalphabet = "a"\nregex = "a"\nupper = ["known/a.json"]\n')
    with pytest.raises(SpecError, match=r"mine\.toml: upper: known/a\.json: no such file.*correct the path"):
        list(read_upper_texts(str(path), load(str(path))))
    (tmp_path / "known" / "a.json").write_bytes(b"\xff")
    with pytest.raises(SpecError, match=r"upper: known/a\.json: not UTF-8 text"):
        list(read_upper_texts(str(path), load(str(path))))
    (tmp_path / "known" / "a.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert list(read_upper_texts("mine.toml", load("mine.toml"))) == [
        ("mine.toml: upper: known/a.json", "{}")
    ]


def write_gallery() -> str:
    """The table of specs/README.md: every spec with its first line, and its verdicts."""
    rows = []
    for name in sorted((*SHIPPED, *FAMILIES)):
        spec = load_family(name).first if name in FAMILIES else load(name)
        told = (ROOT / "specs" / f"{name}.toml").read_text("utf-8").splitlines()[0].removeprefix("# ")
        verdicts = ", ".join(str(verdict) for _, verdict in spec.expected)
        rows.append(f"| `{name}` | {told.replace('*', chr(92) + '*')} | {verdicts} |")
    return "\n".join(rows)


def test_the_gallery_lists_every_spec() -> None:
    path, rule = ROOT / "specs" / "README.md", "|---|---|---|\n"
    before, begin, rest = path.read_text("utf-8").partition("<!-- gallery: written by `make golden` -->\n")
    head, _, after = rest.partition(rule)
    shown, end, _ = after.partition("\n<!-- end of gallery -->\n")
    assert begin
    assert end
    if os.environ.get("IDINF_GOLDEN") == "1":
        after = after.replace(shown, write_gallery(), 1)
        path.write_text(before + begin + head + rule + after, encoding="utf-8")
        return
    assert shown == write_gallery()


# Many specs at once: what stands for what, and in which order


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
