"""Valid specs, programs, hypotheses and reports, and every place in them where a value can be planted."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from idinf.base.words import Alphabet
from tests.lab.continuity.drawn_nets import draw_net, dump_net

__all__ = ["ATT", "DOCUMENTS", "ENDINGS", "PROGRAM", "TABLE", "Route", "leaves", "value_at", "written"]

_GOLDEN = Path(__file__).resolve().parents[1] / "golden"

#: A way to a value: keys and indices.
Route = tuple[str | int, ...]

#: Stands in a document for a text that is written as it is, such as a number of 5,000 digits.
_RAW = re.compile(r'"@raw(\d+)@"')

PROGRAM = """\
// Some text
opened = # "a"
shifted = # [j == i - 1] "b"
even = i mod 2 == 0
best = max(opened, 2 * shifted - 1) if even else min(opened, 3)
accept = best >= 0 && ! (opened < shifted)
"""

SPEC = {
    "name": "t",
    "alphabet": ["a", "b"],
    "regex": "(a|b)*a",
    "domain": "(a|b)*",
    "judged": "(a|b)*",
    "mode": "next",
    "output": "set",
    "source": "a test",
    "max_n": 2,
    "space": {
        "preset": "nope", "layers": 1, "heads": 1, "units": 1, "precision": 0, "period": 1, "reach": 0,
        "logit_max": 0, "content_max": 0, "max_r": 5.0,
    },
    "expected": {"crasp": "yes", "crasp_periodic_local": "yes"},
}  # fmt: skip

PROGRAM_SPEC = {
    "name": "t",
    "alphabet": ["0", "1"],
    "crasp": 'accept = # "0" <= # "1"',
    "max_n": 2,
    "upper": ["good.json"],
    "space": {"layers": 1, "max_r": 5.0},
}

FAMILY = {
    "name": "t-{k}-{j}",
    "alphabet": ["a", "b"],
    "crasp": 'accept = {k} * # "a" >= {j} * # "b"',
    "max_n": 2,
    "parameters": {
        "k": [1, 2], "j": [1, 2], "gcd": 1, "size": "max", "up_to": 2, "max_n_cap": 4,
    },
    "space": {"layers": 1, "units": 1, "max_r": 5.0},
}  # fmt: skip

AUTOMATON = {
    "name": "t",
    "alphabet": ["a", "b"],
    "max_n": 2,
    "space": {"layers": 1, "max_r": 5.0},
    "dfa": {
        "states": ["p", "q"],
        "start": "p",
        "accept": ["q"],
        "transitions": {"p": {"a": "q", "b": "p"}, "q": {"a": "q", "b": "p"}},
    },
}

#: Of a batch and of accuracies at once.
TABLE = """\
target,outcome,n0,max_n,r_star,error,n0_lower,r_lower,r_upper,states,crasp,crasp_periodic_local,accuracy,bin,seed
t,identified,3,8,8.5,,3,8.5,8.5,2,yes,yes,1,0-50,1
"u, v",open,,8,,,4,9.5,,3,no,no,0.5,0-50,1
"""

#: What golden reports leave out, as it differs from run to run.
_VARYING = {
    "idinf_version": "0",
    "counts": {"enumerated": 9, "distinct": 9, "exact": 9, "dp": 9},
    "seconds": 0.5,
    "peak_bytes": 2**26,
}


def _golden(name: str) -> dict[str, Any]:
    report = json.loads((_GOLDEN / f"{name}.json").read_text(encoding="utf-8")) | _VARYING
    report["target"]["digest"] = "0" * 64
    return report


REPORT, OPEN_REPORT = _golden("majority"), _golden("parity")
NET = REPORT["records"][-1]["hypothesis"]

#: The same about next symbols.
NEXT_NET = {
    **{key: part for key, part in NET.items() if key != "accept"},
    "output": {"kind": "set", "symbols": ["1", "$"], "rows": [0, 0], "threshold": NET["accept"]["threshold"]},
}

#: The same as an ordinary transformer of context 3.
ORDINARY = {
    **NET,
    "format": "causal-transformer/1",
    "positions": NET["positions"] * 3,
    "layers": [
        {**layer, "heads": [{key: head[key] for key in ("K", "Q", "V")} for head in layer["heads"]]}
        for layer in NET["layers"]
    ],
}

#: A net without log N.
COMPACT = json.loads(dump_net(draw_net(Alphabet(("0", "1")), seed=1)))

#: Documents by name: what kind of command takes them, and what they hold.
DOCUMENTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "spec": ("spec", SPEC),
    "program-spec": ("spec", PROGRAM_SPEC),
    "family": ("spec", FAMILY),
    "automaton": ("spec", AUTOMATON),
    "net": ("net", NET),
    "next-net": ("net", NEXT_NET),
    "ordinary": ("ordinary", ORDINARY),
    "compact": ("compact", COMPACT),
    "report": ("report", REPORT),
    "open-report": ("report", OPEN_REPORT),
}

#: An automaton in AT&T text.
ATT = "0\t1\ta\ta\n1\t0\tb\tb\n1\n"

#: Ending of the files of a kind, where it is not json.
ENDINGS = {"spec": "toml", "att": "att", "program": "crasp", "table": "csv"}


def leaves(document: object, kinds: tuple[type, ...]) -> Iterator[Route]:
    """Ways to the values of these kinds, one for each place: of the items of a list the last one counts."""
    seen: dict[Route, Route] = {}
    for route, value in _walk(document, ()):
        if isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds):
            seen[tuple("*" if isinstance(step, int) else step for step in route)] = route
    yield from seen.values()


def value_at(document: Any, route: Route) -> Any:
    """The value at a place."""
    for step in route:
        document = document[step]
    return document


def written(kind: str, document: dict[str, Any], *raw: str) -> str:
    """The text of a document; ``"@raw0@"`` in it stands for the first of ``raw``, and so on."""
    if kind == "spec":
        text = "".join(f"{_key(key)} = {_toml(value)}\n" for key, value in document.items())
    else:
        text = json.dumps(document)
    return _RAW.sub(lambda found: raw[int(found[1])], text)


def _walk(value: object, route: Route) -> Iterator[tuple[Route, object]]:
    yield route, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*route, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*route, index))


def _key(key: object) -> str:
    """A key; of a mutant it may be a number, which TOML writes as a text."""
    text = str(key)
    return text if re.fullmatch("[A-Za-z0-9_-]+", text) else json.dumps(text)


def _toml(value: object) -> str:
    """A value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
