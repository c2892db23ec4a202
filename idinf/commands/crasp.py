"""``idinf crasp``: the toolchain of C-RASP programs, one module per subcommand."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup

__all__ = ["crasp"]


@click.group(
    cls=LazyGroup,
    commands_table={
        "list": ("idinf.commands.crasp_check:list_command", "List the shipped programs."),
        "check": ("idinf.commands.crasp_check:check_command", "Say what a program is: sorts, depth, class."),
        "run": ("idinf.commands.crasp_run:run_command", "Run a program on words."),
        "trace": ("idinf.commands.crasp_trace:trace_command", "Show every operation at every position."),
        "compile": (
            "idinf.commands.crasp_compile:compile_command",
            "Write a program as a hypothesis, with its R.",
        ),
        "decompile": ("idinf.commands.crasp_compile:decompile_command", "Read a hypothesis as a program."),
        "diff": ("idinf.commands.crasp_diff:diff_command", "Find the first word where two languages differ."),
        "eventual": (
            "idinf.commands.crasp_limits:eventual_command",
            "Say from which n on a program is constant on a^n.",
        ),
        "fooling-pair": (
            "idinf.commands.crasp_limits:fooling_pair_command",
            "Show two words of different parity it answers alike.",
        ),
    },
)
def crasp() -> None:
    """Check, run, trace, compile and compare C-RASP programs, and read hypotheses as programs.

    A program is a file of operations NAME = EXPRESSION (.crasp, or .cr as the public interpreter writes
    them), the name of a shipped one, or a formula as hypotheses are printed.

    \b
    Examples:
      idinf crasp list
      idinf crasp check dyck-1
      idinf crasp run my.crasp abba ''
      idinf crasp COMMAND --help
    """
