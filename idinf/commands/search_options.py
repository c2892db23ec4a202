"""Options of what runs the procedure: what is asked, where work is kept, where the answer goes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from idinf.base.files import check_writable, write_whole
from idinf.commands.options import Command, SectionOption, declare_all, quiet_option
from idinf.commands.terminal import check_stdout, show_text
from idinf.inference.settings import Settings
from idinf.spec.bounds import SpaceBounds

if TYPE_CHECKING:
    pass


def settings_options(without: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of `Settings` but some; the command gets them as ``settings``."""
    declared = {**declare_all(Settings), **declare_all(SpaceBounds)}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def asking(*arguments: Any, **given: Any) -> Any:
            asked = {key: value for key in declared if (value := given.pop(key, None)) is not None}
            return command(*arguments, settings=Settings.of(**asked), **given)

        for key in reversed(declared):
            if key not in without:
                add_option(asking, declared[key])
        return asking

    return decorate


def add_option(command: Any, parameter: click.Parameter) -> None:
    """Add a parameter to a function that becomes a command, as the decorators of click do."""
    command.__dict__.setdefault("__click_params__", []).append(parameter)


def run_dir_options(kept: str, what: str) -> Callable[[Command], Command]:
    """Make --run-dir and --resume, with the help of the first and the name of what is resumed."""

    def decorate(command: Command) -> Command:
        resume = f"Go on with the {what} that was ended or killed; start it if there is none."
        place: Any = {"cls": SectionOption, "section": "Budget", "rare": True}
        command = click.option("--resume", is_flag=True, help=resume, **place)(command)
        return click.option("--run-dir", metavar="DIR", help=f"Keep finished work in DIR{kept}.", **place)(
            command
        )

    return decorate


def check_resume(directory: str | None, resume: bool) -> None:
    """Refuse --resume alone."""
    if resume and directory is None:
        raise click.UsageError("--resume is given without --run-dir; expected both; add --run-dir DIR")


class Answer:
    """Where an answer goes: as JSON to a file, or to stdout instead of the text."""

    def __init__(self, as_json: bool, output: str | None) -> None:
        self.as_json = as_json or output == "-"
        self.path = None if output == "-" else output

    def check(self) -> None:
        """Refuse, before any work, what could not be written."""
        if self.path is not None:
            check_writable(self.path)
        if self.path is None or not self.as_json:
            check_stdout()

    def put(self, content: Callable[[], str], text: Callable[[], str]) -> None:
        """Write the JSON and the text where they were asked for; the file first."""
        if self.path is not None:
            write_whole(self.path, content())
        if not self.as_json:
            show_text(text())
        elif self.path is None:
            click.echo(content(), nl=False)


def answer_options(what: str, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make --json, -o and -q, with the names of both forms; the command gets an `Answer` as ``answer``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def answering(*arguments: Any, as_json: bool, output: str | None, **options: Any) -> Any:
            return command(*arguments, answer=Answer(as_json, output), **options)

        to_file = f"Write the JSON {what} to FILE (-: stdout), and the text {text} to stdout."
        to_stdout = f"Write the JSON {what} to stdout, or to -o FILE alone."
        answering = click.option("-o", "--output", metavar="FILE", help=to_file)(quiet_option(answering))
        return click.option("--json", "as_json", is_flag=True, help=to_stdout)(answering)

    return decorate
