"""Options that several commands share, the values that they take, and help in sections.

Options of most users stand under ``--help``, the rest under ``--help-all``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from idinf.base.files import check_writable
from idinf.base.options import Option, options_of
from idinf.base.quoting import quote
from idinf.errors import IdinfError, PlotError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Far above everything that an option counts.
LARGEST = 10**38

Command = TypeVar("Command", bound=Callable[..., Any])

#: Sections in the order of the help; an option that names none stands in the last.
SECTIONS = ("Target", "Space", "Budget", "Reading", "Output")

_EVERYTHING = "idinf.help-all"


class SectionOption(click.Option):
    """An option that stands in a section of the help, perhaps only in the long one."""

    def __init__(self, *names: Any, section: str = SECTIONS[-1], rare: bool = False, **more: Any) -> None:
        super().__init__(*names, **more)
        self.section, self.rare = section, rare


class SectionedCommand(click.Command):
    """A command whose help has sections, and ``--help-all``."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, with ``--help-all`` before ``--help``."""
        *own, help_option = super().get_params(ctx)
        return [*own, _HELP_ALL, help_option]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        shows_all = ctx.meta.get(_EVERYTHING, False)
        for section in SECTIONS:
            lines = [
                line
                for each in self.get_params(ctx)
                if isinstance(each, click.Option)
                and getattr(each, "section", SECTIONS[-1]) == section
                and (shows_all or not getattr(each, "rare", False))
                and (line := each.get_help_record(ctx)) is not None
            ]
            if lines:
                with formatter.section(section):
                    formatter.write_dl(lines, col_max=24)


def _show_everything(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_EVERYTHING] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL = SectionOption(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_everything,
    help="Show every option and exit.",
)


class _Given(click.ParamType[Any]):
    """The type of an option on the command line: a text that its own check lets pass."""

    def __init__(self, declared: Option) -> None:
        self.declared, self.name = declared, "value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number or a text, or let the option read it; a usage error names the expected values."""
        if self.declared.read is not None:
            try:
                return self.declared.read(value)
            except IdinfError as error:
                self.fail(str(error).removeprefix(f"{param.name if param else None}: "), param, ctx)
        kind = self.declared.kind if self.declared.kind in (int, float) else str
        try:
            found = kind(value)
        except (ValueError, OverflowError):
            found = value
        if (remedy := self.declared.find_fault(found)) is not None:
            self.fail(f"{quote(value)}; expected {self.declared.expectation}; {remedy}", param, ctx)
        return found


def declare(key: str, declared: Option) -> SectionOption:
    """The option of the command line that a field declares; None where it is not given.

    >>> from idinf.spec.bounds import SpaceBounds
    >>> option = declare("logit_max", options_of(SpaceBounds)["logit_max"])
    >>> option.opts, option.metavar, option.section
    (['--logit-max'], 'X', 'Space')
    """
    flag = declared.flag or f"--{key.replace('_', '-')}"
    place: dict[str, Any] = {"section": declared.section, "rare": declared.rare, "help": declared.text}
    if declared.kind is bool:
        names = [f"{flag}/--no-{flag[2:]}", key]
        return SectionOption(names, default=declared.default, show_default=True, **place)
    if declared.choices and declared.metavar is None:
        kind: Any = click.Choice(declared.choices)
        return SectionOption([flag, key], type=kind, show_default=str(declared.default), **place)
    shown = declared.shown or False
    return SectionOption(
        [flag, key],
        type=_Given(declared),
        multiple=declared.gather is not None,
        metavar=declared.metavar,
        show_default=shown,
        **place,
    )


def asks(*settings: type, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Add the options of settings classes to a command, which gets those that are given as ``asked``."""
    declared = {
        key: each for kind in settings for key, each in options_of(kind).items() if key not in without
    }

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def asking(*arguments: Any, **given: Any) -> Any:
            taken = {key: given.pop(key) for key in declared}
            asked = {
                key: value if (gather := declared[key].gather) is None else gather(value)
                for key, value in taken.items()
                if value not in (None, ())
            }
            return command(*arguments, asked=asked, **given)

        parameters = [declare(key, each) for key, each in declared.items()]
        asking.__dict__.setdefault("__click_params__", []).extend(reversed(parameters))
        return asking  # type: ignore[return-value]

    return decorate


class WholeNumber(click.IntRange):
    """A whole number in a range; the error about another text names the range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the value of an option; a usage error if it is no such number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{quote(value)} is not a whole number; expected {self._describe_range()}", param, ctx)
        if abs(number) > LARGEST:  # click would repeat the refused number in full
            self.fail(
                f"{quote(number)} is no number of anything; expected {self._describe_range()}", param, ctx
            )
        return int(super().convert(value, param, ctx))


def positive(value: str) -> float:
    """Read a finite number above 0, as the type of an option."""
    with suppress(ValueError):
        if math.isfinite(number := float(value)) and number > 0:
            return number
    raise click.BadParameter(f"{quote(value)} is not a number above 0; expected for example 0.5")


def inches(value: str) -> float:
    """Read a width in inches, or as in 84mm, as the type of an option.

    >>> inches("3.5"), inches("127mm"), inches("5.5in")
    (3.5, 5.0, 5.5)
    """
    number, scale = (value[:-2], 25.4) if value.endswith("mm") else (value.removesuffix("in"), 1.0)
    try:
        return positive(number) / scale
    except click.BadParameter:
        raise click.BadParameter(
            f"{quote(value)} is not a width; expected inches as in 5.5, or millimetres as in 84mm"
        ) from None


def number_option(
    name: str, metavar: str, text: str, least: int, most: int | None = None, **more: Any
) -> Callable[[Command], Command]:
    """Make an option that takes a whole number in a range; a default is shown."""
    more = {"show_default": "default" in more, "cls": SectionOption, **more}
    return click.option(*name.split(), type=WholeNumber(least, most), metavar=metavar, help=text, **more)


def choice_option(name: str, values: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Make an option that takes one of some words, by default the first, which is shown."""
    return click.option(name, type=click.Choice(values), default=values[0], show_default=True, help=text)


#: Option for one of the hypotheses of a report.
record_option = number_option(
    "--record",
    "K",
    "Of a report: its record number K.",
    least=1,
    show_default="the selected one",
    section="Target",
    rare=True,
)

#: Of R.
aggregate_option = click.option(
    "--aggregate",
    type=click.Choice(["max", "sum"]),
    default="max",
    show_default=True,
    help="How the terms of single layers and heads are combined.",
)

quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")

program_argument = click.argument("program", metavar="FILE|NAME|FORMULA")
words_argument = click.argument("words", metavar="[WORD...|-]", nargs=-1)
hypothesis_argument = click.argument("hypothesis", metavar="HYPOTHESIS.json|REPORT.json")


def check_figure(path: str, option: str) -> None:
    """Refuse the name of a figure whose suffix is none of the formats."""
    from idinf.show.figures.canvas import read_suffix

    try:
        read_suffix(path)
    except PlotError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def plot_option(text: str) -> Callable[[Command], Command]:
    """Make --plot of a command that draws besides, with its help; its value is for `check_plot`."""
    return click.option("--plot", "figure", metavar="FIGURE.svg|pdf|png", help=f"{text}; needs matplotlib.")


def check_plot(figure: str | None) -> None:
    """Refuse a --plot that cannot be drawn or written, before the work."""
    if figure is not None:
        from idinf.show.figures.canvas import load_matplotlib

        check_figure(figure, "--plot")
        load_matplotlib()
        check_writable(figure)


def encode_plot(figure: str | None, draw: Callable[[], Figure]) -> list[tuple[str, bytes]]:
    """The file of a --plot with its bytes; none if there is no --plot."""
    if figure is None:
        return []
    from idinf.show.figures.canvas import encode, read_suffix

    return [(figure, encode(draw(), read_suffix(figure)))]


def json_option(format_name: str) -> Callable[[Command], Command]:
    """Make --json of a command that prints a text or one JSON object."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print an {format_name} object instead.")


def jobs_option(text: str, default: int = 1) -> Callable[[Command], Command]:
    """Make the option --jobs, with its help."""
    return number_option("-j --jobs", "K", text, 1, default=default, envvar="IDINF_JOBS", section="Budget")


def run_dir_options(kept: str, what: str) -> Callable[[Command], Command]:
    """Make --run-dir and --resume, with the help of the first and the name of the resumed work."""

    def decorate(command: Command) -> Command:
        resume = f"Go on with the {what} that was ended or killed; start it if there is none."
        place: Any = {"cls": SectionOption, "section": "Budget", "rare": True}
        command = click.option("--resume", is_flag=True, help=resume, **place)(command)
        return click.option("--run-dir", metavar="DIR", help=f"Keep finished work in DIR{kept}.", **place)(
            command
        )

    return decorate
