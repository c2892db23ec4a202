"""Bad inputs of every command: an exit code, one line that says what is wrong, and nothing written."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.refusals import refused, runner
from tests.robustness.command_table import put_good_files
from tests.robustness.sound_documents import REPORT

#: A spec and a program that are right, to be spoilt at one place at a time.
SPEC = 'name = "t"\nalphabet = ["a", "b"]\ncrasp = "accept = # \\"a\\" <= # \\"b\\""\nmax_n = 2\n'
HEAD = "// a comment\r\n\r\n#import pred\r\n"
#: An automaton of the words whose letter 30 from the end is an a, which is large when made deterministic.
GROWS = "0 0 a\n0 0 b\n0 1 a\n" + "".join(f"{k} {k + 1} a\n{k} {k + 1} b\n" for k in range(1, 30)) + "30\n"
UPPER = "name = 'm'\nalphabet = '01'\ncrasp = 'accept = # \"0\" == # \"1\"'\nmax_n = 4\nupper = ['{}']\n"

#: Files beside the sound ones.
SPOILT = {
    "toml.toml": SPEC.replace("max_n = 2", "max_n = = 2"),
    "symbol.toml": SPEC.replace('"b"]', '"$"]'),
    "bounds.toml": SPEC.replace("max_n = 2", "[space]\nprecision = 99"),
    "name.toml": SPEC.replace("accept =", "accept = nothing &&"),
    "upper.toml": UPPER.format("good.json"),
    "no-upper.toml": UPPER.format("left.json"),
    "grows.att": GROWS,
    "empty.crasp": "",
    "later.crasp": HEAD + "x = y\ny = true\n",
    "sort.crasp": HEAD + 'x = !# "b"\n',
    "count.crasp": HEAD + 'x = # "a"\n',
    "family.json": '{"format": "idinf-family/1"}',
    "max-n.json": json.dumps(REPORT | {"max_n": None}),
    "outcome.json": json.dumps(REPORT | {"outcome": "done"}),
    "output.json": json.dumps(
        REPORT
        | {"target": REPORT["target"] | {"kind": "regex", "source": "1*", "mode": "next", "output": "set"}}
    ),
}

IDENTIFY = "identify majority -o out.json"

#: A command line, its exit code, and what the line says.
REFUSALS = (
    ("identfy majority", 2, "no such command 'identfy'", "did you mean 'identify'"),
    (f"{IDENTIFY} --layers 99", 2, "--layers", "'99'", "lower it to 64"),
    (f"{IDENTIFY} --space locl", 2, "--space", "or spec", "did you mean 'local'"),
    (f"{IDENTIFY} --tolerance inf", 2, "--tolerance", "'inf'"),
    (f"{IDENTIFY} --jobs 0", 2, "--jobs", "0 is not in the range"),
    (f"{IDENTIFY} --resume", 2, "--resume is given without --run-dir"),
    (f"{IDENTIFY} --run-dir nowhere/run", 3, "No such file or directory"),
    ("identify parity --max-n 4 --layers 1 --upper-bound good.json", 3, "good.json: ", "up to length 8"),
    ("identify dyck-1 --max-n 4 --layers 1 --upper-bound good.json", 3, "good.json: ", "alphabet 0 1", "a b"),
    ("identify upper.toml", 3, "upper.toml: upper: good.json: the hypothesis is wrong on '1'"),
    ("identify no-upper.toml", 3, "upper.toml: upper: left.json: no such file"),
    ("identify toml.toml -o out.json", 3, "toml.toml", "not valid TOML", "line 4"),
    ("run toml.toml a", 3, "toml.toml", "not valid TOML", "line 4"),
    ("run symbol.toml a", 3, "symbol.toml", "'$'", "start symbol"),
    ("run bounds.toml a", 3, "bounds.toml", "space.precision = 99", "from 0 to"),
    ("run name.toml a", 3, "name.toml", "crasp", "nothing", "line 1, column"),
    ("run grows.att a", 2, "grows.att: nondeterministic, and more than", "give a smaller automaton"),
    ("batch", 2, "Missing argument"),
    ("batch ge-k-j -o - --max-n 0", 2, "--max-n", "raise it to at least 1"),
    ("batch majority parity -o r.csv --spaces nop", 2, "spaces = ", "or spec", "did you mean 'nope'"),
    ("batch majority majorty -o r.csv", 3, "unknown target 'majorty'"),
    ("batch majority no.toml -o r.csv", 3, "no.toml: no such file"),
    ("batch majority -o r.csv --time-limit 0", 2, "--time-limit"),
    ("batch majority -o nowhere/r.csv", 3, "there is no folder"),
    ("batch majority -o r.csv --set k=1..0", 2, "k=1..4 or j=2,3"),
    ("batch majority -o r.csv --set k=1", 3, "no family among the targets has it"),
    ("batch ge-k-j -o r.csv --set k=99", 3, "from 1 to 16"),
    ("batch majority -o r.csv --only crasp", 2, "for example crasp=no"),
    ("batch majority -o r.csv --readings one", 2, "reading 'one'; expected all, or of: one-hot"),
    ("batch majority -o r.csv --run-dir nowhere/j", 3, "--run-dir"),
    ("classify 'regex:(a'", 3, "(a: line 1, column 1: '(' is never closed; add ')'"),
    ("classify parity --alphabet 012", 2, "an alphabet is given, but parity has its own"),
    ("classify addition --set k=1", 2, "addition is a task with its own alphabet"),
    ("classify regex:a --alphabet aa", 2, "symbol 'a' is listed twice"),
    ("compare dyck-1", 2, "Missing argument 'B'"),
    ("compare good-report.json good-report.json --factor nan", 2, "--factor", "above 0"),
    ("compare dyck-1 majority", 3, "alphabet 0 1", "expected that of dyck-1, a b"),
    ("compare dyck-1 dyck-1 --alphabet a", 3, "alphabet a b", "expected that of --alphabet, a"),
    ("crasp trace dyck-1", 2, "Missing argument", "idinf crasp trace --help"),
    ("crasp chek dyck-1", 2, "no such command 'chek'", "did you mean 'check'"),
    ("crasp trace dyck-1 --alphabet ab$ a", 2, "--alphabet", "'$' is the start symbol"),
    ("crasp check parity", 3, "parity: defined by no program", "idinf crasp synthesize"),
    ("crasp check empty.crasp", 3, "empty.crasp: ", "line 1, column 1", "no operation", "NAME = expression"),
    ("crasp check later.crasp", 3, "line 4, column 5", "'y' is defined later, on line 5", "move its"),
    ("crasp trace sort.crasp a", 3, "line 4, column 6", "'!' has a count here", "expected a Boolean"),
    ("crasp trace count.crasp a", 3, "line 4, column 1", "'x' is a count", "end with a comparison"),
    ("crasp synthesize parity", 3, "is not in C-RASP[periodic,local]: 0 moves no state"),
    ("demo --exercises --open", 2, "--exercises is about the terminal", "leave one out"),
    ("lab compose decompose revael --m 2", 3, "did you mean 'reveal'?"),
    ("lab compose generate --m 100000", 2, "--m"),
    ("lab compose generate --m 2 --n 2,x", 2, "no list of sizes"),
    ("lab compose generate --m 60000 --count 1000", 2, "expected at most 4194304 tokens"),
    ("lab compose generate --m 1000 --n 1000", 3, "m and n make 1001002 tokens"),
    ("lab compose parameters --layers 2 --prompt 2^999999999", 2, "too large"),
    ("lab compose parameters --layers 2 --prompt 0", 3, "n = 0"),
    ("lab compose decompose reveal --m 2", 3, "level = 2; expected 2..L with L = 1"),
    ("lab compose decompose reveal --m 3 --n 2", 3, "would be run"),
    ("lab compose communicate good.json 011 --players 3,1", 3, "expected 3 numbers of tokens"),
    ("lab compose communicate good.json 011 --players 3,1,1", 3, "players have 5 tokens; expected 4"),
    ("lab compose communicate good.json 011 --players 0,3,1", 3, "at least 1 token for each"),
    ("lab compose communicate good.json 011 --players x", 2, "as in 2 or 2,3"),
    ("lab compose communicate good.json 019", 3, "symbol '9' at position 3"),
    ("lab compose communicate good.json 0", 3, "expected at least 3, one for each of the players -1..1"),
    ("lab continuity distance '(ab)' '(0)'", 3, "one alphabet"),
    ("lab continuity learn laplace '(ab)'", 3, "not in the alphabet"),
    ("lab continuity learn laplace '(0)' --epsilon 1.5", 3, "eventual learnability"),
    ("lab continuity learn laplace '(0)' --epsilon x", 2, "expected a fraction"),
    ("lab continuity isolate laplace thue-morse", 3, "no confidence is proved"),
    ("lab continuity modulus kt --delta 2", 3, "d_H is a share"),
    ("lab continuity modulus kt --alphabet a", 2, "one symbol"),
    ("lab continuity modulus kt --alphabet abcdefgh -n 256 --differences 6", 3, "pairs of counts"),
    ("lab continuity modulus frequency", 2, "a file ending in .json"),
    ("lab lemma inverse-image dyck-1 x", 2, "'x'; expected SYMBOL=WORD"),
    ("lab lemma inverse-image dyck-1 x=ab y=b", 3, "dyck-1: words of length 1, 2; expected"),
    ("lab lemma inverse-image dyck-1 x=ac", 3, "word 'ac': symbol 'c'"),
    ("lab lemma inverse-image dyck-1 'open close=ab' y=bb", 3, "'open close' is not a symbol"),
    ("lab positions bound --phi 1e99999999,1", 2, "phi = ", "numbers up to 1000000"),
    ("list nowhere", 2, "'nowhere' is no list; expected targets, programs, tasks or a folder of specs"),
    ("net cost good.json --regularizer definition-50 --aggregate sum", 2, "has one maximum of the norms"),
    ("net cost good.json --regularizer definition-50 --by-distance", 2, "has one maximum of the norms"),
    ("plot good-report.json", 2, "only --data does without"),
    ("plot good-report.json -o figure", 2, "expected .svg, .pdf or .png"),
    ("plot good-report.json -o f.svg --record 0", 2, "--record", "0"),
    ("plot -o f.svg", 2, "Missing argument"),
    ("plot good-report.json --data good.csv --kind batch", 2, "--data is about accuracies"),
    ("run majority", 2, "no word given; expected WORD... or -"),
    ("run majority 0 -", 2, "stands beside other words"),
    ("run good.json 01 --continue", 3, "good.json: it accepts words; expected a hypothesis about next"),
    ("run good-next.json 01 --continue --target majority", 3, 'mode = "accept"; expected "next"'),
    ("run good-next.json 01 --continue --record 1", 2, "record 1 is asked of good-next.json; expected a"),
    ("run majority 01 --continue", 3, "majority: no hypothesis about next symbols"),
    ("run nothing.json 01 --continue", 3, "nothing.json: no such file"),
    ("show good-report.json --site x -o y.html", 2, "leave one out"),
    ("show good-report.json --force", 2, "add --site DIR"),
    ("show good-report.json --open", 2, "add -o PAGE.html"),
    ("show output.json -o y.html", 3, "records[0].hypothesis: it answers accept; expected set"),
    ("verify family.json", 3, "idinf-family/1", 'expected "idinf-report/2"'),
    ("verify max-n.json", 3, "max-n.json: ", "max_n = null", "expected an integer"),
    ("verify outcome.json", 3, 'outcome = "done"', 'expected "identified"'),
    ("verify good-report.json --length -1", 2, "--length"),
)  # fmt: skip

run = runner()


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that command lines name; commands run there."""
    folder = tmp_path_factory.mktemp("refusals")
    put_good_files(folder)
    for name, text in SPOILT.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.mark.parametrize(("line", "code", "parts"), [(line, code, said) for line, code, *said in REFUSALS])
def test_what_is_refused_is_said_in_one_line(line: str, code: int, parts: list[str], here: Path) -> None:
    before = sorted(here.iterdir())
    refused(run(*shlex.split(line)), code, *parts)
    assert sorted(here.iterdir()) == before
