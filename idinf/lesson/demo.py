"""``idinf demo``: the procedure on one target, step by step, for a class; or as a page in a browser."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from idinf.api.settings import NamedTarget
from idinf.api.sources import read_source, read_typed
from idinf.base.files import check_writable
from idinf.base.quoting import escape_controls, name_file
from idinf.commands.bounded import SIGNALLED, limit_options, telling
from idinf.commands.identify import exit_code_of
from idinf.commands.options import asks, number_option
from idinf.commands.progress import watching
from idinf.commands.show import open_page
from idinf.commands.terminal import as_it_is
from idinf.errors import IdinfError
from idinf.inference.run import run
from idinf.lesson.asking import (
    ask,
    ask_all,
    can_ask,
    read_line,
    say,
    say_answer,
    write_answer,
    write_question,
)
from idinf.lesson.bounds import MAX_LAYERS, MAX_N, MAX_R, TIME_LIMIT_S, names_no_bounds, small_settings
from idinf.lesson.door import is_installed, open_lesson
from idinf.report.value import Report
from idinf.show.text.walkthrough import Block, Table, WalkthroughStep, tell
from idinf.spec.spec import Spec
from idinf.work.limits import Limits

if TYPE_CHECKING:
    from rich.table import Table as RichTable

#: Where an option comes from that a user gave.
COMMANDLINE = click.core.ParameterSource.COMMANDLINE

#: Targets of a page and of exercises where none is named: one with an n0, and one without.
PAIR = ("majority", "parity")

#: Columns where no terminal says how wide it is.
PLAIN_WIDTH = 110

#: Colours of cells that begin like this; the words say the same without them.
_STYLES = {"good": "green", "fits, selected": "green", "bad": "red", "ruled out": "dim"}


@click.command()
@click.argument("target", required=False)
@asks(NamedTarget)
@click.option("--plain", is_flag=True, help="Print all of it: ask nothing, and wait for nothing.")
@click.option(
    "--exercises",
    is_flag=True,
    help="Ask ten questions instead, and mark the answers: about TARGET, or majority and parity.",
)
@number_option(
    "--max-n", "N", "Largest n examined.", least=1, show_default=f"{MAX_N}, or less if the spec has less"
)
@click.option(
    "--max-r",
    type=float,
    metavar="R",
    show_default=f"{MAX_R:g}, or less if the spec has less",
    help="Budget: nothing with a larger R is searched.",
)
@limit_options(
    "End the run after that many seconds, tell what is known then, and exit with 4.", default_s=TIME_LIMIT_S
)
@click.option(
    "--open",
    "as_page",
    is_flag=True,
    help="Open a lesson in a browser, about TARGET or a language of your own.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Of --open: write a page of TARGET instead, and open that."
)
@click.option("--no-browser", is_flag=True, help="Of --open: say where the lesson or the page is.")
@click.pass_context
def demo(
    context: click.Context,
    /,
    target: str | None,
    asked: dict[str, Any],
    plain: bool,
    exercises: bool,
    max_n: int | None,
    max_r: float | None,
    limits: Limits,
    as_page: bool,
    output: str | None,
    no_browser: bool,
) -> None:
    """Show step by step how the procedure learns TARGET, or why it does not (default: majority).

    TARGET is as for `idinf identify`. A real run is made, with small bounds,
    and told: what each longer word rules out, what is selected, when n is good, n0, and why it stays. On a
    terminal it asks before it tells; Enter skips a question or goes on, Ctrl-C leaves, and during the search
    it leaves with what is known then. A spec that names no bounds in [space] is searched up to 2 layers.
    Exercises follow the last step. Where there is no terminal, --exercises takes the lines of stdin as
    answers.
    The lesson of --open needs the extra `lesson`, and reads no file; without it, of a file, or with any other
    option, it is one page that needs no server, of TARGET or of majority beside parity, and begins at its
    first step.

    \b
    Examples:
      idinf demo
      idinf demo parity --plain
      idinf demo --exercises
      idinf demo --open
      idinf demo dyck-1 --open --no-browser -o dyck-1.html
    """
    if as_page and (plain or exercises):
        option = "--plain" if plain else "--exercises"
        raise click.UsageError(f"{option} is about the terminal; expected it without --open; leave one out")
    if not as_page and (output is not None or no_browser):
        raise click.UsageError("-o and --no-browser are for a page; expected --open beside them; add --open")
    if output is not None:
        check_writable(output)
    given = {name for name in context.params if context.get_parameter_source(name) is COMMANDLINE}
    if as_page and given <= {"target", "as_page", "no_browser"} and is_installed() and _is_for_lesson(target):
        open_lesson(target, no_browser)
        return
    names = (target,) if target is not None else PAIR if as_page or exercises else PAIR[:1]
    reports, code = [], 0
    for name in names:
        spec = read_source(name, **asked).spec
        own = Limits(limits.time_limit_s, limits.memory_bytes, enforced=True)  # each side has its time
        report, ended = _run_small(spec, max_n, max_r, own)
        reports.append(report)
        code = max(code, ended)
        if code > SIGNALLED:  # who asked to stop waits for nothing else
            break
    if as_page:
        name = "-".join(name_file(report.target.name) for report in reports)
        path = Path(output or f"{tempfile.mkdtemp(prefix='idinf-')}/{name}.html")
        _show_page(path, reports, not no_browser and not code)
    elif exercises:
        _ask_exercises(reports, plain)
    else:
        inside = dict(spec.expected).get("crasp_periodic_local")
        asks = not plain and code <= SIGNALLED and can_ask()
        if _print(tell(report, inside), asks) and asks and read_line("Enter: exercises ") is not None:
            _ask_exercises(reports, plain)
    if code:
        context.exit(code)


def _is_for_lesson(target: str | None) -> bool:
    """True if the lesson can begin with a target: it reads no files."""
    with suppress(IdinfError):
        return target is None or bool(read_typed(target).name)
    return False


def _run_small(spec: Spec, max_n: int | None, max_r: float | None, limits: Limits) -> tuple[Report, int]:
    """Run the procedure with small bounds; its report, and the exit code as of `identify`."""
    with limits.requests.deferred(), telling(limits), watching(quiet=False) as watch:
        if names_no_bounds(spec):
            click.echo(f"Note: {spec.name} names no bounds; searched up to {MAX_LAYERS} layers", err=True)
        ended = run(small_settings(spec, max_n, max_r), limits, watch=watch)
    code = exit_code_of(ended.report, limits.requests)
    if code:
        click.echo(f"Note: {ended.report.stop_reason}; what follows is what was known then", err=True)
    return ended.report, code


def _ask_exercises(reports: Sequence[Report], plain: bool) -> None:
    """Ask the exercises about a report or two, or print all questions and then all answers."""
    from idinf.api.exercises import exercises

    questions = exercises(*reports)
    if not plain:
        ask_all(questions)
        return
    for write in (write_question, write_answer):
        for number, question in enumerate(questions, start=1):
            say(f"{number}. {write(question)}\n")


def _print(steps: Iterable[WalkthroughStep], asks: bool) -> bool:
    """Print the steps; where a reader can answer, ask the question of a step first, and wait between two.

    Returns True if the reader saw the last step.
    """
    from rich.console import Console

    on_terminal = sys.stdout.isatty()
    console = Console(
        force_terminal=on_terminal,
        width=None if on_terminal else PLAIN_WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
    )

    def show(blocks: Sequence[Block], title: str = "") -> None:
        with console.capture() as told:
            if title:
                console.print(title, style="bold")
            for block in blocks:
                console.print()
                console.print(_table(block) if isinstance(block, Table) else escape_controls(block))
        # Cells are padded to their columns; blanks at the end of a line are dropped.
        text = "\n".join(line.rstrip() for line in told.get().splitlines()) + "\n"
        click.echo(text, file=as_it_is(sys.stdout))

    for number, step in enumerate(steps, start=1):
        if number > 1 and asks and read_line("Enter: go on ") is None:
            return False
        title = escape_controls(f"{number}. {step.title}")
        if step.question is None or not asks:
            show((*step.before, *step.blocks), title)
            continue
        show(step.before, title)
        say_answer(step.question, ask(step.question))
        show(step.blocks)
    return True


def _table(table: Table) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(*table.header, box=None, header_style="bold", padding=(0, 2))
    for row in table.rows:
        styles = (next((_STYLES[start] for start in _STYLES if cell.startswith(start)), "") for cell in row)
        shown.add_row(*(Text(escape_controls(cell), style) for cell, style in zip(row, styles, strict=True)))
    return shown


def _show_page(path: Path, reports: Sequence[Report], in_browser: bool) -> None:
    """Write the page of some reports, say where it is, and open it."""
    from idinf.api.pages import report_page

    report_page(*reports, path=path)
    click.echo(path)
    if in_browser:
        open_page(str(path), "#step=1")
