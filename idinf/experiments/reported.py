"""The target that a report is about, read from what the report says of it."""

from __future__ import annotations

from collections.abc import Mapping

from idinf.errors import SpecError
from idinf.experiments.reader import read_table
from idinf.experiments.spec import Kind, Spec
from idinf.json_text import NotJson, parse_json
from idinf.quoting import quoted

__all__ = ["DEFINING_KEYS", "reported_spec"]

#: What some targets have beside a kind: those about next symbols, or words in a domain, or long symbols.
DEFINING_KEYS = ("tokens", "mode", "output", "next", "domain", "judged")


def reported_spec(target: Mapping[str, object]) -> Spec:
    """Read the object ``target`` of a report as a spec.

    Raises
    ------
    SpecError
        If it defines nothing.

    Examples
    --------
    >>> reported_spec({"name": "ones", "alphabet": ["0", "1"], "source": "1*", "kind": "regex"}).text
    '1*'
    """
    kind, source = target.get("kind"), target.get("source")
    if kind not in [known.value for known in Kind]:
        raise SpecError(
            f"target.kind = {quoted(kind)}; expected crasp, regex or dfa; name what the source is"
        )
    if not isinstance(source, str):
        raise SpecError(f"target.source = {quoted(source)}; expected the text of the {kind}; write it there")
    try:
        definition = parse_json(source) if kind == Kind.DFA else source
    except NotJson as reason:
        raise SpecError(
            f"target.source: {reason}; expected the automaton of kind dfa; correct source or kind"
        ) from None
    given = {key: target[key] for key in DEFINING_KEYS if key in target}
    table = {"name": target.get("name"), "alphabet": target.get("alphabet"), str(kind): definition, **given}
    return read_table(table, "target")
