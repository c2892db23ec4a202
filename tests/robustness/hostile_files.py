"""The table of hostile inputs: files that are none, files that hold no such text, and texts by kind."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.robustness.sound_documents import (
    NET,
    ORDINARY,
    PROGRAM,
    PROGRAM_SPEC,
    REPORT,
    TABLE,
    TASK,
    WORDS_OF,
    planted,
    written,
)

__all__ = ["FILES", "TEXTS", "put_text"]

#: Makes a file in a folder, with an ending, and gives the argument that names it.
Maker = Callable[[Path, str], str]

DIGITS, HEX = "9" * 5000, "0x" + "f" * 4200

#: A minimal automaton of 2^23 states; no machine of a test builds it in seconds.
EXPONENTIAL = "(a|b)*a(a|b){22}"


def _link(goal: str) -> Maker:
    def make(folder: Path, ending: str) -> str:
        (folder / f"link.{ending}").symlink_to(goal)
        return f"link.{ending}"

    return make


def _node(kind: int) -> Maker:
    def make(folder: Path, ending: str) -> str:
        os.mknod(folder / f"node.{ending}", kind | 0o600)
        return f"node.{ending}"

    return make


def _bytes(content: bytes, name: str = "bytes") -> Maker:
    def make(folder: Path, ending: str) -> str:
        (folder / f"{name}.{ending}").write_bytes(content)
        return f"{name}.{ending}"

    return make


def _sound(change: Callable[[str], bytes]) -> Maker:
    """A sound file of the kind, in another encoding."""

    def make(folder: Path, ending: str) -> str:
        texts = {
            "toml": written("spec", PROGRAM_SPEC),
            "crasp": PROGRAM,
            "json": written("net", NET),
            "jsonl": written("task", TASK),
            "csv": TABLE,
        }
        return _bytes(change(texts[ending]))(folder, ending)

    return make


def _sparse(folder: Path, ending: str) -> str:
    with (folder / f"sparse.{ending}").open("wb") as file:
        file.truncate(2**30)
    return f"sparse.{ending}"


def _folder(folder: Path, ending: str) -> str:
    (folder / f"folder.{ending}").mkdir()
    return f"folder.{ending}"


def _unreadable(folder: Path, ending: str) -> str:
    (folder / f"locked.{ending}").touch(0o000)
    return f"locked.{ending}"


def _of_length(length: int, exists: bool) -> Maker:
    def make(folder: Path, ending: str) -> str:
        name = "x" * (length - len(ending) - 1) + f".{ending}"
        if exists:
            (folder / name).write_text("x")
        return name

    return make


#: Files of any kind, by name.
FILES: Mapping[str, Maker] = {
    "missing": lambda folder, ending: f"missing.{ending}",
    "zero": _link("/dev/zero"),
    "dev-null": _link("/dev/null"),
    "terminal": _link("/dev/tty"),
    "own-memory": _link("/proc/self/mem"),
    "sparse-gigabyte": _sparse,
    "pipe": _node(stat.S_IFIFO),
    "socket": _node(stat.S_IFSOCK),
    "folder": _folder,
    "dangling": _link("nowhere"),
    "link-to-pipe": lambda folder, ending: (
        _node(stat.S_IFIFO)(folder, "x"),
        _link("node.x")(folder, ending),
    )[1],
    "link-to-folder": _link("."),
    "under-a-file": lambda folder, ending: f"good.json/x.{ending}",
    "unreadable": _unreadable,
    "empty": _bytes(b""),
    "blank": _bytes(b" \n\t\r\n" * 1000),
    "mark": _sound(lambda text: b"\xef\xbb\xbf" + text.encode()),
    "only-mark": _bytes(b"\xef\xbb\xbf"),
    "utf-16": _sound(lambda text: text.encode("utf-16")),
    "nul-inside": _sound(lambda text: text.encode().replace(b"a", b"a\0", 1)),
    "nul-bytes": _bytes(bytes(5000)),
    "latin-1": _bytes("µ é".encode("latin-1")),
    "half-a-surrogate": _bytes(b'"\xed\xa0\x80"'),
    "carriage-returns": _sound(lambda text: text.replace("\n", "\r").encode()),
    "escapes": _bytes(b"\x1b]0;owned\x07\x1b[2J\x9b31m"),
    "escapes-in-quotes": _bytes(b'{"\x1b[31m\\u001b[31m": "\\u001b]0;x\\u0007\\u009b2J"}'),
    "one-long-line": _bytes(b"x" * 300_000),
    "many-lines": _bytes(b"x = 1\n" * 100_000),
    "deep": _bytes(b"[" * 200_000),
    "deep-objects": _bytes(b'{"a":' * 100_000),
    "deep-parentheses": _bytes(b"x = " + b"(" * 200_000),
    "digits": _bytes(DIGITS.encode()),
    "digits-in-list": _bytes(f"[{DIGITS}, -{DIGITS}]".encode()),
    "digits-in-key": _bytes(f"x = {DIGITS}".encode()),
    "null": _bytes(b"null"),
    "list": _bytes(b"[]"),
    "object": _bytes(b"{}"),
    "nan": _bytes(b"NaN"),
    "name-of-240": _of_length(240, True),
    "name-of-300": _of_length(300, False),
    "name-of-5000": _of_length(5000, False),
    "controls-in-name": _bytes(b"\x1b[31m", "a\x1b[31mb\x07\x9b2J\u2028"),
    "line-end-in-name": _bytes(b"x", "a\nError: b"),
    "half-a-character-in-name": _bytes(b"x", "a\udcff"),
    "option-as-name": lambda folder, ending: _bytes(b"x", "-x")(folder, ending),
}


def _loop(folder: Path, ending: str) -> str:
    (folder / "other").symlink_to(f"loop.{ending}")
    (folder / f"loop.{ending}").symlink_to("other")
    return f"loop.{ending}"


FILES = {**FILES, "loop": _loop}


def _spec(definition: str, **more: str) -> str:
    keys = {"name": '"t"', "alphabet": '["a", "b"]', "max_n": "2", **more}
    return "".join(f"{key} = {value}\n" for key, value in keys.items()) + definition + "\n"


def _automaton(states: int, letters: int = 1) -> str:
    """A cycle."""
    alphabet = [f"s{number}" for number in range(letters)]
    names = ", ".join(f'"q{number}"' for number in range(states))
    steps = "\n".join(
        f"q{number} = {{ " + ", ".join(f"{letter} = 'q{(number + 1) % states}'" for letter in alphabet) + " }"
        for number in range(states)
    )
    head = f"[dfa]\nstates = [{names}]\nstart = 'q0'\naccept = ['q0']\n[dfa.transitions]\n{steps}"
    return _spec(head, alphabet=json.dumps(alphabet), tokens='"space"')


def _nested(value: object, times: int) -> str:
    """A JSON object with a deep value under its first key."""
    return json.dumps(value)[:-1] + ', "deep": ' + "[" * times + "]" * times + "}"


def _wide_net(symbols: int) -> str:
    names = [f"s{number}" for number in range(symbols)]
    width = len(NET["embedding"]["$"])
    embedding = {name: [0] * width for name in ("$", *names)}
    return json.dumps({**NET, "alphabet": names, "embedding": embedding})


def _net(route: tuple[str | int, ...], value: object, *raw: str) -> Callable[[], str]:
    return lambda: written("net", planted(NET, route, value), *raw)


def _ordinary(route: tuple[str | int, ...], value: object) -> Callable[[], str]:
    return lambda: written("ordinary", planted(ORDINARY, route, value))


def _report(*changes: tuple[tuple[str | int, ...], object], raw: tuple[str, ...] = ()) -> Callable[[], str]:
    def text() -> str:
        report = REPORT
        for route, value in changes:
            report = planted(report, route, value)
        return written("report", report, *raw)

    return text


_TERMS = " + ".join(['# "a"'] * 20_000)
_CONJUNCTION = " && ".join(['"a"'] * 20_000)
_LONG = '"' + "x" * 300 + '"'
_CONTROLS = '"a\\u001b[31mb\\u0007\\u009b2J\\u007f"'

#: Texts that parse far enough to be dangerous, by kind and name.
TEXTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "spec": {
        "dotted-key": lambda: ".".join(["a"] * 20_000) + " = 1\n",
        "dotted-table": lambda: "[" + ".".join(["a"] * 20_000) + "]\n",
        "dotted-tables": lambda: "".join(f"[{'.'.join(['a'] * depth)}]\n" for depth in range(1, 600)),
        "inline-tables": lambda: _spec("x = " + "{a = " * 5000 + "1" + "}" * 5000),
        "many-keys": lambda: "".join(f"k{number} = 1\n" for number in range(100_000)),
        "long-key": lambda: _spec(f"{_LONG} = 1"),
        "controls-in-key": lambda: _spec(f"{_CONTROLS} = 1"),
        "controls-in-name": lambda: _spec('regex = "a"', name=_CONTROLS),
        "controls-in-source": lambda: _spec('regex = "a"', source=_CONTROLS),
        "controls-in-alphabet": lambda: _spec('regex = "a"', alphabet='["a", "\\u001b", "\\u009b", "\\n"]'),
        "controls-in-expected": lambda: _spec(f'regex = "a"\n[expected]\ncrasp = {_CONTROLS}'),
        "controls-in-preset": lambda: _spec(f'regex = "a"\n[space]\npreset = {_CONTROLS}'),
        "controls-in-regex": lambda: _spec(f"regex = {_CONTROLS}"),
        "controls-in-program": lambda: _spec(f"crasp = {_CONTROLS}"),
        "controls-in-upper": lambda: _spec('regex = "a"', upper=f"[{_CONTROLS}]"),
        "name-of-240": lambda: _spec('regex = "a"', name='"' + "x" * 240 + '"'),
        "name-of-300": lambda: _spec('regex = "a"', name=_LONG),
        "name-of-a-folder": lambda: _spec('regex = "a"', name='".."'),
        "name-with-a-folder": lambda: _spec('regex = "a"', name='"../outside/x"'),
        "upper-zero": lambda: _spec('regex = "a"', upper='["/dev/zero"]'),
        "upper-folder": lambda: _spec('regex = "a"', upper='["."]'),
        "upper-many": lambda: _spec('regex = "a"', upper=json.dumps(["good.json"] * 20_000)),
        "regex-of-100000": lambda: _spec(f'regex = "{"ab" * 50_000}"'),
        "regex-of-4000": lambda: _spec(f'regex = "{"ab" * 2000}"'),
        "alternation-of-20000": lambda: _spec(f'regex = "{"|".join(["a"] * 20_000)}"'),
        "alternation-of-2000": lambda: _spec(f'regex = "{"|".join(["ab"] * 2000)}"'),
        "regex-of-stars": lambda: _spec(f'regex = "{"(" * 90}a{")*" * 90}"'),
        "regex-of-groups": lambda: _spec(f'regex = "{"(" * 50_000}a{")" * 50_000}"'),
        "regex-of-repetitions": lambda: _spec('regex = "((((a{99}){99}){99}){99}){99}"'),
        "regex-of-digits": lambda: _spec('regex = "a{' + "9" * 5000 + '}"'),
        "states-of-30000": lambda: _automaton(30_000),
        "states-and-symbols": lambda: _automaton(300, 300),
        "symbols-of-20000": lambda: _spec(
            'regex = "s1"', alphabet=json.dumps([f"s{number}" for number in range(20_000)]), tokens='"space"'
        ),
        "symbols-alike": lambda: _spec('regex = "a"', alphabet=json.dumps(["a"] * 20_000)),
        "long-symbol": lambda: _spec('regex = "a"', alphabet=json.dumps(["a", "x" * 5000]), tokens='"space"'),
        "modulus": lambda: _spec("crasp = 'accept = i mod 99999999999 == 0'"),
        "modulus-of-digits": lambda: _spec(f"crasp = 'accept = i mod {DIGITS} == 0'"),
        "coefficient-of-digits": lambda: _spec(f"crasp = 'accept = {DIGITS} * # \"a\" >= 0'"),
        "program-of-groups": lambda: _spec(f"crasp = 'accept = {'(' * 50_000}true{')' * 50_000}'"),
        "program-of-not": lambda: _spec(f"crasp = 'accept = {'! ' * 50_000}true'"),
        "program-of-terms": lambda: _spec(f"crasp = 'accept = 0 <= {_TERMS}'"),
        "parameters-of-digits": lambda: _spec(f"regex = 'a'\n[parameters]\nk = [1, {DIGITS}]"),
        "parameters-of-hex": lambda: _spec(f"regex = 'a'\n[parameters]\nk = [1, {HEX}]"),
        "parameters-of-a-billion": lambda: _spec(
            "regex = 'a'\n[parameters]\nk = [1, 999999999]\nj = [1, 999999999]", name='"t{k}{j}"'
        ),
        "expected-of-many": lambda: _spec(
            "regex = 'a'\n[expected]\n" + "".join(f"k{number} = 'yes'\n" for number in range(20_000))
        ),
    },
    "program": {
        "modulus": lambda: "accept = i mod 99999999999 == 0",
        "large-moduli": lambda: "accept = i mod 65521 == 0 && i mod 65519 == 1 && i mod 65497 == 2",
        "modulus-of-digits": lambda: f"accept = i mod {DIGITS} == {DIGITS}",
        "coefficient-of-digits": lambda: f'accept = {DIGITS} * # "a" >= {DIGITS}',
        "distance-of-digits": lambda: f'accept = # [j == i - {DIGITS}] "a" >= 0',
        "groups": lambda: f"accept = {'(' * 50_000}true{')' * 50_000}",
        "groups-of-90": lambda: f"accept = {'(' * 90}true{')' * 90}",
        "negations": lambda: f"accept = {'! ' * 50_000}true",
        "minuses": lambda: f"accept = {'- ' * 50_000}1 >= 0",
        "counts-of-counts": lambda: f'accept = {"# (" * 90}"a"{" >= 1)" * 90} >= 1',
        "terms": lambda: f"accept = 0 <= {_TERMS}",
        "conjunction": lambda: f"accept = {_CONJUNCTION}",
        "definitions": lambda: (
            "".join(f'n{number} = # "a"\n' for number in range(20_000)) + "accept = n0 >= 1"
        ),
        "chain": lambda: (
            'n0 = # "a"\n'
            + "".join(f"n{number} = n{number - 1} + n{number - 1}\n" for number in range(1, 3000))
            + "accept = n2999 >= 1"
        ),
        "conditionals": lambda: (
            'n0 = # "a"\n'
            + "".join(
                f'n{number} = n{number - 1} + 1 if "a" else n{number - 1} - 2\n' for number in range(1, 60)
            )
            + "accept = n59 >= 1"
        ),
        "minima": lambda: "accept = " + 'min(# "a", ' * 60 + "1" + ")" * 60 + " >= 1",
        "symbols": lambda: "accept = " + " || ".join(f'"s{number}"' for number in range(20_000)),
        "long-name": lambda: f'{"x" * 100_000} = # "a"\naccept = {"x" * 100_000} >= {"y" * 100_000}',
        "long-symbol": lambda: f'accept = "{"x" * 100_000}"',
        "controls-in-symbol": lambda: 'accept = "\x1b[31m\x07"',
        "c1-in-symbol": lambda: 'accept = "\x9b31m"',
        "controls-in-comment": lambda: '// \x1b[31m\x07\naccept = "a"',
        "control-outside": lambda: 'accept = "a" \x1b[31m',
        "import-of-digits": lambda: f'#import at_{"9" * 5000}\naccept = "a"',
    },
    "net": {
        "symbols-of-20000": lambda: _wide_net(20_000),
        "deep": lambda: _nested(NET, 100_000),
        "controls-in-alphabet": _net(("alphabet", 0), "\x1b[31m"),
        "surrogate-in-alphabet": _net(("alphabet", 0), "\ud800"),
        "long-symbol": _net(("alphabet", 0), "x" * 100_000),
        "denominator": _net(("unembedding", 0, 0), "1/" + str(2**4000)),
        "denominator-of-digits": _net(("unembedding", 0, 0), f"1/{DIGITS}"),
        "fraction-by-zero": _net(("unembedding", 0, 0), "1/0"),
        "many-positions": _net(("positions",), [[0] * len(NET["embedding"]["$"])] * 50_000),
        "many-layers": _net(("layers",), NET["layers"] * 2000),
        "many-heads": _net(("layers", 0, "heads"), NET["layers"][0]["heads"] * 5000),
        "long-row": _net(("embedding", "$"), [0] * 200_000),
        "phi-of-100000": _net(("layers", 0, "heads", 0, "phi"), [1] * 100_000),
        "many-keys": lambda: json.dumps({**NET, **{f"k{number}": 1 for number in range(50_000)}}),
        "repeated-key": lambda: '{"format": "limit-transformer/1", ' * 1 + written("net", NET)[1:],
    },
    "ordinary": {
        "deep": lambda: _nested(ORDINARY, 100_000),
        "no-positions": _ordinary(("positions",), []),
        "many-positions": _ordinary(("positions",), [[1] * len(ORDINARY["embedding"]["$"])] * 20_000),
        "many-layers": _ordinary(("layers",), ORDINARY["layers"] * 500),
        "many-heads": _ordinary(("layers", 0, "heads"), ORDINARY["layers"][0]["heads"] * 5000),
        "large-numbers": _ordinary(("positions",), [[2**250] * len(ORDINARY["embedding"]["$"])] * 50),
        "phi": _ordinary(("layers", 0, "heads", 0, "phi"), [1] * 100_000),
    },
    "table": {
        "digits": lambda: TABLE.replace("8.5", DIGITS),
        "many-digits-of-a-length": lambda: TABLE.replace("0-50", f"0-{DIGITS}"),
        "rows-of-20000": lambda: TABLE + "x,open,,8,,,4,9.5,,3,no,no,0.5,0-50,\n" * 20_000,
        "targets-of-5000": lambda: (
            TABLE + "".join(f"t{k},open,,8,,,4,9.5,,3,no,no,0.5,0-50,\n" for k in range(5000))
        ),
        "bins-of-5000": lambda: (
            TABLE + "".join(f"t,open,,8,,,4,9.5,,3,no,no,0.5,{k},\n" for k in range(5000))
        ),
        "cell-of-200000": lambda: TABLE + "x" * 200_000,
        "controls": lambda: TABLE.replace("u, v", "a\x1b[31m\x07\x9b2J"),
        "line-ends-in-a-name": lambda: TABLE.replace("u, v", "u\n\tv"),
        "mathematics-in-name": lambda: TABLE.replace("u, v", "$\\frac{1}{$"),
        "formula-in-name": lambda: TABLE.replace("u, v", "=1+1"),
        "negative": lambda: TABLE.replace(",3,8,8.5", ",-3,8,-8.5"),
        "r-of-1e308": lambda: TABLE.replace("8.5", "1e308"),
        "n0-of-1e300": lambda: TABLE.replace(",3,8,", ",1e300,8,"),
        "outcome": lambda: TABLE.replace("identified", "no such outcome"),
    },
    "report": {
        "deep": lambda: _nested(REPORT, 100_000),
        "max-n": _report((("max_n",), 10**9)),
        "max-n-and-n0": _report((("max_n",), 10**9), (("n0",), 10**9), (("n0_canonical",), 10**9)),
        "fail": _report((("records", 2, "fail"), 10**12)),
        "stages-of-50000": _report((("stages",), REPORT["stages"] * 800)),
        "records-of-3000": _report((("records",), REPORT["records"] * 1000)),
        "long-counterexample": _report((("records", 0, "counterexample"), "01" * 100_000)),
        "foreign-counterexample": _report((("records", 0, "counterexample"), "\x1b[31m")),
        "controls-in-name": _report((("target", "name"), "a\x1b[31m\x07\x9b2J")),
        "controls-in-source": _report((("target", "source"), "a\x1b[31m\x07\x9b2J")),
        "controls-in-formula": _report((("records", 0, "formula"), "a\x1b[31m\x07\x9b2J")),
        "controls-in-reason": _report((("stop_reason",), "a\x1b[31m\x07\x9b2J")),
        "controls-in-alphabet": _report((("target", "alphabet", 0), "\x1b[31m")),
        "surrogate-in-name": _report((("target", "name"), "\ud800")),
        "surrogate-in-formula": _report((("records", 0, "formula"), "\ud800")),
        "script-in-name": _report((("target", "name"), "</script><script>alert(1)</script>")),
        "mathematics-in-name": _report((("target", "name"), "$\\frac{1}{$")),
        "long-name": _report((("target", "name"), "x" * 100_000)),
        "exponential-target": _report(
            (("target", "source"), EXPONENTIAL.replace("a", "0").replace("b", "1")),
            (("target", "kind"), "regex"),
        ),
        "regex-of-100000": _report((("target", "source"), "01" * 50_000), (("target", "kind"), "regex")),
        "modulus": _report((("target", "source"), "accept = i mod 99999999999 == 0")),
        "detail": _report((("proofs", 0, "detail"), 10**9)),
        "counters-of-20000": _report((("proofs", 0, "counters"), [f"#{n}" for n in range(20_000)])),
        "period": _report((("space", "period"), 10**9)),
        "r-of-1e308": _report((("records", 2, "r"), "@raw0@"), raw=("1e308",)),
    },
}


def put_text(folder: Path, kind: str, name: str) -> str:
    """Write a text of the table into a folder; the argument that names it."""
    path = folder / f"{name}.{WORDS_OF[kind]}"
    path.write_text(TEXTS[kind][name](), encoding="utf-8", newline="")
    return path.name
