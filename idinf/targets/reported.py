"""The target that a report is about, built from what the report says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from idinf.errors import SpecError
from idinf.spec.reader import read_table
from idinf.targets.build import build_target
from idinf.targets.judged import JudgedTarget, judged

__all__ = ["DEFINING_KEYS", "reported_target"]

#: What some targets have beside a kind: those about next symbols, or words in a domain, or long symbols.
DEFINING_KEYS = ("tokens", "mode", "output", "next", "domain", "judged")


def reported_target(target: Mapping[str, object]) -> JudgedTarget:
    """Build the machine of the object ``target`` of a report.

    Raises
    ------
    SpecError, ProgramError
        If it cannot be built.

    Examples
    --------
    >>> ones = {"name": "ones", "alphabet": ["0", "1"], "source": "1*", "kind": "regex"}
    >>> reported_target(ones).plain
    True
    """
    kind, alphabet, source = target.get("kind"), target.get("alphabet"), target.get("source")
    if not isinstance(kind, str) or not isinstance(source, str) or not isinstance(alphabet, list):
        raise SpecError(f"target.kind = {kind!r}; expected crasp, regex or dfa beside alphabet and source")
    try:
        definition = json.loads(source) if kind == "dfa" else source
    except (ValueError, RecursionError):
        raise SpecError("target.source is no JSON; expected the automaton of kind dfa") from None
    given = {key: target[key] for key in DEFINING_KEYS if key in target}
    table = {"name": target.get("name"), "alphabet": alphabet, kind: definition, **given}
    return judged(build_target(read_table(table, "target")))
