"""``idinf crasp``: the toolchain of C-RASP programs."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "check": ("crasp_programs:check", "Say what a program is: sorts, depth, class."),
        "trace": ("crasp_programs:trace", "Show every operation at every position."),
        "compile": ("crasp_programs:compile_program", "Write a program as a hypothesis, with its R."),
        "decompile": ("crasp_programs:decompile", "Read a hypothesis as a program."),
        "synthesize": ("crasp_programs:synthesize", "Write a program of a regular language, proved."),
        "formula": ("crasp_logic:formula", "Write a program as a formula of majority logic."),
    },
)
def crasp() -> None:
    """Check, trace and compile C-RASP programs, and read hypotheses and regular languages as programs.

    A program is a file of operations NAME = EXPRESSION (.crasp, or .cr as the public interpreter writes
    them), the name of a shipped one or of a target that has one, a formula as hypotheses are printed, or a
    text. `idinf run` and `idinf compare` take programs, too.

    \b
    Examples:
      idinf crasp check dyck-1
      idinf crasp trace my.crasp abba
      idinf crasp COMMAND --help
    """
