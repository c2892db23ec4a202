"""Families: members with texts of their own, and how many."""

from __future__ import annotations

from idinf.spec.catalogue import load_family
from idinf.spec.reader import parse_family, parse_spec

FAMILY = """\
name = "ge-{k}-{j}"
alphabet = ["0", "1"]
crasp = 'accept = {k} * # "1" >= {j} * # "0"'
source = "{k} and {j}"
max_n = 8
[parameters]
k = [1, 3]
j = [1, 2]
gcd = 1
up_to = 2
"""


def test_members() -> None:
    family = parse_family(FAMILY, "own.toml")
    assert (family.name, family.origin, family.max_n_cap) == ("ge-k-j", "own.toml", 64)
    assert [(spec.name, family.parameters.size_of(spec.parameters)) for spec in family.members()] == [
        ("ge-1-1", 1),
        ("ge-1-2", 2),
        ("ge-2-1", 2),
    ]
    assert [spec.name for spec in family.members({"k": [3]})] == ["ge-3-1", "ge-3-2"]
    member = family.members({"k": [3]})[-1]
    assert member.text == 'accept = 3 * # "1" >= 2 * # "0"'
    assert (member.source, member.parameters) == ("3 and 2", (("k", 3), ("j", 2)))
    written = FAMILY.split("[parameters]")[0].replace("{k}", "3").replace("{j}", "2")
    assert member.digest == parse_spec(written).digest
    assert len(load_family("ge-k-j").members()) == 63
