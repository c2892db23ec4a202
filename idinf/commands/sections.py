"""Help in sections: what most users need under ``--help``, the rest under ``--help-all``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from idinf.base.options import Option, options_of
from idinf.base.quoting import quote

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
        """Read a number or a text; a usage error says what fits."""
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

    Examples
    --------
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
    if declared.choices:
        kind: Any = click.Choice(declared.choices)
        return SectionOption([flag, key], type=kind, show_default=str(declared.default), **place)
    shown = declared.shown or False
    return SectionOption(
        [flag, key], type=_Given(declared), metavar=declared.metavar, show_default=shown, **place
    )


def declare_all(settings: type) -> Mapping[str, SectionOption]:
    """The options of every field of a settings value that declares one."""
    return {key: declare(key, each) for key, each in options_of(settings).items()}
