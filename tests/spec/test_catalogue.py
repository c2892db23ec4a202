"""Shipped specs: their names, what the gallery says of them, and upper bounds beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from idinf.errors import SpecError
from idinf.spec.catalogue import list_family_names, list_names, load, load_family, read_upper_texts

SHIPPED = (
    "012-02",
    "aa-bb-cc",
    "aa-bb-cc-dd-ee",
    "aa-star",
    "aaaa-star",
    "ab-d-bc",
    "abab-star",
    "addition-next",
    "anbncn",
    "at-least-3-ones",
    "contains-ab",
    "contains-ab-abc",
    "copy-repeat-next",
    "copy-unique-next",
    "d-12",
    "d-2",
    "d-2-next",
    "d-3",
    "d-4",
    "dyck-1",
    "dyck-1-next",
    "ge-2-3",
    "induction-argmax-next",
    "induction-next",
    "majority",
    "majority-26-next",
    "majority-3-next",
    "majority-interleave-next",
    "majority-next",
    "parity",
    "parity-next",
    "sort-next",
    "tomita-1",
    "tomita-1-next",
    "tomita-2",
    "tomita-2-next",
    "tomita-3",
    "tomita-4",
    "tomita-4-next",
    "tomita-5",
    "tomita-6",
    "tomita-7",
    "tomita-7-next",
)


FAMILIES = (
    "blocks-m-t",
    "chain-k-s",
    "ge-k-j",
    "modulus-m-r",
    "nested-d-b",
    "random-k-s-seed",
    "regular-k-i",
    "regular-up-to-letters-k-i",
    "share-k-s",
    "threshold-t-s",
)


def test_names_are_complete_and_sorted() -> None:
    assert list_names() == SHIPPED
    assert list_family_names() == FAMILIES


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


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_spec_states_what_the_gallery_needs(name: str) -> None:
    spec = load(name)
    assert spec.name == name
    assert spec.source
    assert [key for key, _ in spec.expected] == ["crasp", "crasp_periodic_local"]
    assert spec.origin == f"specs/{name}.toml"


#: theory.md section 6: (C-RASP[], C-RASP[periodic, local]) where it is not (yes, yes).
NOT_BOTH = {
    "012-02": ("no", "no"),
    "aa-star": ("no", "yes"),
    "aaaa-star": ("no", "yes"),
    "abab-star": ("no", "yes"),
    "contains-ab-abc": ("no", "yes"),
    "induction-argmax-next": ("unknown", "yes"),
    "induction-next": ("unknown", "yes"),
    "majority-interleave-next": ("no", "yes"),
    "parity": ("no", "no"),
    "parity-next": ("no", "no"),
    "tomita-3": ("no", "no"),
    "tomita-4": ("no", "yes"),
    "tomita-4-next": ("no", "yes"),
    "tomita-5": ("no", "no"),
    "tomita-6": ("no", "no"),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_expected_verdicts(name: str) -> None:
    assert tuple(str(verdict) for _, verdict in load(name).expected) == NOT_BOTH.get(name, ("yes", "yes"))


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


@pytest.mark.parametrize("name", SHIPPED)
def test_upper_bounds_of_shipped_specs_are_there(name: str) -> None:
    assert all(text.startswith("{") for _, text in read_upper_texts(name, load(name)))


def test_the_gallery_lists_every_spec() -> None:
    gallery = Path(__file__).parents[2] / "specs" / "README.md"
    rows = [
        line.split("|")[1].strip().strip("`")
        for line in gallery.read_text().splitlines()
        if line.startswith("| `")
    ]
    assert sorted(rows) == sorted((*SHIPPED, *FAMILIES))
