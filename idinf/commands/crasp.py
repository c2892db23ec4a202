"""``idinf crasp``: the toolchain of C-RASP programs."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "list": ("crasp_programs:list_programs", "List the shipped programs."),
        "check": ("crasp_programs:check", "Say what a program is: sorts, depth, class."),
        "run": ("crasp_programs:run", "Run a program on words."),
        "trace": ("crasp_programs:trace", "Show every operation at every position."),
        "compile": ("crasp_programs:compile_program", "Write a program as a hypothesis, with its R."),
        "decompile": ("crasp_programs:decompile", "Read a hypothesis as a program."),
        "synthesize": ("crasp_programs:synthesize", "Write a program of a regular language, proved."),
        "diff": ("crasp_diff:diff", "Find the first word where two languages differ."),
        "formula": ("crasp_logic:formula", "Write a program as a formula of majority logic."),
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
