"""What a report says of its target: the same target again, and refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.base.documents import read, write
from idinf.errors import ReportFormatError, SpecError
from idinf.report.target import TargetDescription
from idinf.spec.catalogue import list_family_names, list_names, load, load_family
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Spec

DFA = (
    'name = "x"\nalphabet = "yes no"\ntokens = "space"\nmode = "next"\njudged = "."\n'
    '[dfa]\nstates = ["p", "q"]\nstart = "p"\naccept = ["q"]\ntransitions = { p = { yes = "q" } }\n'
)
SPECS = {name: load(name) for name in list_names()}
SPECS |= {name: load_family(name).first for name in list_family_names()}
SPECS |= {
    "automaton": parse_spec(DFA),
    "acceptance in a domain": parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"\ndomain = "(aa|b)*"\n'),
}


def asked(spec: Spec) -> tuple[object, ...]:
    """Everything that says what the target is."""
    return (
        *(spec.name, spec.alphabet, spec.kind, spec.definition),
        *(spec.answer, spec.next, spec.domain, spec.judged),
    )


@pytest.mark.parametrize("name", SPECS)
def test_a_report_gives_the_same_spec_again(name: str) -> None:
    spec = SPECS[name]
    description = read(write(TargetDescription.of(spec)), TargetDescription, "r.json", ReportFormatError)
    assert description == TargetDescription.of(spec)
    assert asked(description.spec()) == asked(spec)
    assert description.digest == spec.digest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name = ''; expected one line"),
        ({"alphabet": ()}, "alphabet is missing; expected the symbols of words"),
        ({"domain": ""}, "domain is empty; expected a regex"),
        ({"next": {"a": "b"}}, "next: expected it with"),
        ({"source": " "}, "regex is empty"),
    ],
)
def test_what_defines_nothing_is_refused(changes: dict[str, object], message: str) -> None:
    description = replace(TargetDescription.of(SPECS["copy-unique-next"]), **changes)
    with pytest.raises(SpecError, match=f"^target: {message}"):
        description.spec()
