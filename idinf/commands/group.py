"""The group of commands: imports them lazily, and turns every end of a run into one documented exit code."""

from __future__ import annotations

import errno
import gc
import importlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

import click

from idinf.base.quoting import quote, shorten, suggest
from idinf.commands.terminal import silence_stdout, visible_streams
from idinf.errors import IdinfError, LimitReached, describe_internal_error

#: Exit codes beside those that errors carry themselves.
INTERNAL_ERROR = 70
INTERRUPTED = 130

#: Characters of a line about an error.
MOST_COMPLAINED = 300

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LazyGroup(click.Group):
    """A group whose commands are imported by name when they run or show help.

    The table has ``module:attribute`` in a package, and one line of help for every command, in the order of
    the listing. The line stands there, so that ``--help`` of the group imports no command. Sections of the
    listing are names of commands by title.
    """

    def __init__(
        self,
        *args: Any,
        commands_table: Mapping[str, tuple[str, str]],
        package: str = "idinf.commands",
        sections: Mapping[str, Sequence[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_table, self.package = dict(commands_table), package
        self.sections = sections or {"Commands": tuple(commands_table)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(self.commands_table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in self.commands_table:
            return None
        module, attribute = self.commands_table[cmd_name][0].split(":")
        command = getattr(_load(f"{self.package}.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none."""
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands_table[name][1]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run, with a suggestion for a misspelt one."""
        name = args[0]
        if name not in self.commands_table and not name.startswith("-"):
            hint = suggest(name, self.commands_table) or f"expected one of: {', '.join(self.commands_table)}"
            raise click.UsageError(f"no such command {quote(name)}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and leave with its exit code; click's own way turns Ctrl-C into exit 1."""
        if standalone_mode:
            with visible_streams():
                code = self._exit_code(args, prog_name, complete_var, **extra)
            sys.exit(code)
        return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)

    def _exit_code(
        self, args: Sequence[str] | None, prog_name: str | None, complete_var: str | None, **extra: Any
    ) -> int:
        try:
            # Commands return nothing; click returns a number for an early exit such as --help.
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except BrokenPipeError:
            silence_stdout()
            return 0
        except (KeyboardInterrupt, click.Abort):
            return INTERRUPTED
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            return error.exit_code
        except click.UsageError as error:
            command = "idinf" if error.ctx is None else error.ctx.command_path
            _complain(f"{error.format_message().rstrip('.')}; see '{command} --help'")
            return error.exit_code
        except click.ClickException as error:
            _complain(error.format_message())
            return error.exit_code
        except IdinfError as error:
            _complain(str(error))
            return error.exit_code
        except MemoryError:
            _complain("the memory of this machine was exhausted; expected less work at once; lower --memory")
            return LimitReached.exit_code
        except Exception as error:
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                _complain(f"output: {error.strerror}; expected room to write; free some, or write elsewhere")
                return IdinfError.exit_code
            _complain(describe_internal_error(error))
            return INTERNAL_ERROR

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that closed the pipe is met here, before click makes it exit 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence_stdout()
            return None


def _load(name: str) -> ModuleType:
    """Import a module. Its objects stay, so the garbage collector need not look through them."""
    if name not in sys.modules:
        gc.disable()
        try:
            importlib.import_module(name)
        finally:
            gc.enable()
        gc.freeze()
    return sys.modules[name]


def _complain(message: str) -> None:
    """One line on stderr, which never is long: the end of a message is the remedy."""
    with suppress(OSError):  # nobody may be there to read it
        click.echo(shorten(f"Error: {' '.join(message.split())}", MOST_COMPLAINED), err=True, color=True)
