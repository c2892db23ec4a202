"""The table of commands: how each one is asked about a file of some kind, or about nothing hostile at all."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from idinf.commands import main
from tests.robustness.sound_documents import DOCUMENTS, PROGRAM, TABLE, written

__all__ = ["ASKING", "SOUND", "Command", "options_of", "put_good_files"]


@dataclass(frozen=True, slots=True)
class Command:
    """One way to ask a command.

    Attributes
    ----------
    text : str
        The command line after ``idinf``; ``@`` is the file.
    writes : tuple of str
        What it may write.
    differs : bool
        Whether its help documents exit code 1.
    """

    text: str
    writes: tuple[str, ...] = ()
    differs: bool = False

    @property
    def name(self) -> str:
        """The command without its arguments."""
        words = self.text.split()
        grouped = ("net", "crasp", "lab", "lab compose", "lab continuity", "lab positions", "lab lemma")
        depth = 1
        while " ".join(words[:depth]) in grouped:
            depth += 1
        return " ".join(words[:depth])

    def line(self, file: str = "", limited: bool = False) -> list[str]:
        """The arguments for a file; if ``limited``, with limits where the command has them."""
        words = [file if word == "@" else word for word in shlex.split(self.text)]
        if limited:
            has = options_of(self.name)
            words += ["--time-limit", "5"] * ("--time-limit" in has) + ["--memory", "300M"] * (
                "--memory" in has
            )
        return words


#: By the kind of the file: every command that takes one. The files called good are sound.
ASKING: Mapping[str, tuple[Command, ...]] = {
    "spec": (
        Command("identify @ --max-n 2 --max-r 5 -o out.json", ("out.json",)),
        Command("batch @ --max-n 2 --max-r 5 -o out.csv", ("out.csv", "out.csv.run")),
        Command("run @ ''"),
        Command("classify @"),
        Command("lab communicate @ --max-n 4"),
        Command("demo @ --plain --max-n 1 --max-r 5"),
        Command("compare @ regex:a --max-n 4", differs=True),
        Command("crasp synthesize @"),
    ),
    "att": (
        Command("run @ ''"),
        Command("classify @"),
        Command("compare @ regex:a --max-n 4", differs=True),
    ),
    "program": (
        Command("crasp check @"),
        Command("run @ ''"),
        Command("crasp trace @ ''"),
        Command("crasp compile @ -o out.json", ("out.json",)),
        Command("compare @ good.crasp --max-n 4", differs=True),
        Command("crasp formula @ ''"),
        Command("lab lemma inverse-image @ x=ab"),
        Command("lab lemma neutral @ --symbol a --language regex:.*b.*"),
        Command("lab lemma eventual @"),
        Command("lab lemma fooling-pair @"),
        Command("classify @"),
        Command("lab communicate @ --max-n 4"),
    ),
    "net": (
        Command("run @ ''"),
        Command("run @ '' --continue --most 4"),
        Command("net cost @"),
        Command("net export @ --as numpy -o out.py", ("out.py",)),
        Command("crasp decompile @"),
        Command("compare @ regex:01 --max-n 4", differs=True),
        Command("lab communicate @ --max-n 4"),
        Command("net translate @ --context 4 -o out.json", ("out.json",)),
        Command("net curve @ --max-context 4"),
        Command("lab compose communicate @ 0101"),
        Command("identify majority --max-n 2 --max-r 5 --upper-bound @ -o out.json", ("out.json",)),
        Command("verify good-report.json --length 2 --witness @", differs=True),
    ),
    "ordinary": (
        Command("run @ ''"),
        Command("net cost @"),
        Command("net check @"),
        Command("net lift @ -o out.json", ("out.json",)),
        Command("lab compose communicate @ 01"),
    ),
    "compact": (
        Command("lab continuity modulus @ --length 4"),
        Command("lab continuity learn @ '(0)' --up-to 4"),
        Command("lab continuity isolate @ '(0)'"),
    ),
    "table": (
        Command("plot @ -o out.svg --caption out.txt", ("out.svg", "out.txt")),
        Command("plot good.csv --data @ -o out.svg", ("out.svg",)),
    ),
    "report": (
        Command("verify @ --length 3", differs=True),
        Command("show @ -o out.html", ("out.html",)),
        Command("show @ good-report.json -o out.html", ("out.html",)),
        Command("show @ --site site", ("site",)),
        Command("net export @ --as latex -o out.tex", ("out.tex",)),
        Command("plot @ -o out.svg", ("out.svg",)),
        Command("compare @ good-report.json", differs=True),
        Command("compare good-report.json @", differs=True),
    ),
}

#: A sound question for every command, by name; it ends with 0 in a moment.
SOUND: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command("identify good.toml --max-n 2 --max-r 5 -o out.json", ("out.json", "run")),
        Command(
            "batch good-family.toml --set k=1 --max-n 2 --max-r 5 --readings one-hot,theta -o out.csv",
            ("out.csv", "out.csv.run", "run"),
        ),
        Command("run good.toml ab ''"),
        Command("classify good.toml"),
        Command("lab communicate good.toml --max-n 4", ("out.svg",)),
        Command("dataset good.crasp --bins 0-3 --number 4 -o out.jsonl", ("out.jsonl",)),
        Command("judge good.json --target good.json --length 4 --samples 5 --no-report", differs=True),
        Command("train good.crasp -o model --max-length 2 --steps 2", ("model",)),
        Command("demo good.toml --plain --max-n 1 --max-r 5", ("page.html",)),
        Command("list"),
        Command("run good.json 01 ''"),
        Command("run good-next.json 01 '' --continue --most 4"),
        Command("net cost good.json"),
        Command("net export good.json --as numpy -o out.py", ("out.py",)),
        Command("show good-report.json -o out.html", ("out.html",)),
        Command("plot good-report.json -o out.svg", ("out.svg",)),
        Command("compare good-report.json good-report.json", differs=True),
        Command("verify good-report.json --length 3", differs=True),
        Command("net check good-ordinary.json"),
        Command("net translate good.json --context 4 -o out.json", ("out.json",)),
        Command("net lift good-ordinary.json -o out.json", ("out.json",)),
        Command("net curve good.json --max-context 4 --plot out.svg --csv out.csv", ("out.svg", "out.csv")),
        Command("lab compose generate --m 2 --n 2 --count 3 -o out.jsonl", ("out.jsonl",)),
        Command("lab compose parameters --layers 2 --prompt 2^449"),
        Command("lab compose decompose reveal --m 2 --n 1"),
        Command("lab continuity distance thue-morse '(01)@3'"),
        Command("lab continuity modulus kt --length 8"),
        Command("lab continuity learn laplace '(0)'"),
        Command("lab continuity isolate good-compact.json '(0)'"),
        Command("lab compose communicate good.json 0101"),
        Command("net period --rank 3"),
        Command("plot good.csv --data good.csv -o out.svg", ("out.svg",)),
        Command("lab positions initial --positions 4 --draws 2"),
        Command("lab positions bound --phi squares --positions 4"),
        Command("lab positions fit --width 2 --steps 1 -o out.csv --plot out.svg", ("out.csv", "out.svg")),
        Command("crasp check good.crasp"),
        Command("run good.crasp ab ''"),
        Command("crasp trace good.crasp ab -o out.txt", ("out.txt",)),
        Command("crasp compile good.crasp -o out.json", ("out.json",)),
        Command("crasp decompile good.json"),
        Command("crasp synthesize good.toml -o out.crasp", ("out.crasp",)),
        Command("compare good.crasp good.crasp --max-n 4", differs=True),
        Command("crasp formula good.crasp ab ''"),
        Command("lab lemma inverse-image good.crasp x=ab"),
        Command("lab lemma neutral good.crasp --symbol a --language regex:.*b.*"),
        Command("lab lemma eventual majority"),
        Command("lab lemma fooling-pair majority"),
    )
}


@cache
def options_of(name: str) -> dict[str, click.Option]:
    """The options of a command by their longest spelling."""
    command: click.Command | None = main
    for part in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), part)
    assert command is not None
    options = [option for option in command.params if isinstance(option, click.Option)]
    return {max(option.opts, key=len): option for option in options}


def put_good_files(folder: Path) -> None:
    """Write the sound files that the command lines name."""
    (folder / "good.crasp").write_text(PROGRAM, encoding="utf-8")
    files = {
        "good-family.toml": "family",
        "good.json": "net",
        "good-next.json": "next-net",
        "good-report.json": "report",
        "good-ordinary.json": "ordinary",
        "good-compact.json": "compact",
    }
    (folder / "good.csv").write_text(TABLE, encoding="utf-8")
    for name, document in {"good.toml": "automaton", **files}.items():
        (folder / name).write_text(written(*DOCUMENTS[document]), encoding="utf-8")
