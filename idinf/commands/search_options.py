"""Options of what runs the procedure: what is asked, where work is kept, where the answer goes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from idinf.commands.options import Command, SectionOption, declare_all
from idinf.inference.settings import Settings
from idinf.spec.bounds import SpaceBounds


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
