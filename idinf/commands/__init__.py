"""The command line: ``idinf COMMAND …``. Subcommands are imported when they are asked for.

A session on a small target must not wait for packages it does not use, so this module imports click only.
"""

from __future__ import annotations

import os

import click

from idinf.commands.group import LazyGroup

# Many small products: threads of the linear algebra library would cost more than they give, and --jobs
# uses processes. It must be said before numpy is imported; a user's own setting stands.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_EPILOG = """\b
Exit codes:
  0    the run completed and its report was written, whatever n0 turned out to be
  1    compare, crasp diff: the two differ; batch: a target failed (--strict), a verdict is wrong (--expect);
       verify: something in the report is wrong
  2    usage: an unknown option, a bad value, a bound above what is searched
  3    a spec, a word or a file is invalid
  4    a limit of time or memory ended the command first; of a run, the partial report was written
  129  the terminal was closed (SIGHUP); the partial report was written
  130  interrupted; the partial report was written
  143  terminated (SIGTERM); the partial report was written
  152  the limit of processor time was met (SIGXCPU); the partial report was written
  70   internal error, please report it (IDINF_DEBUG=1 shows the traceback)
"""


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or context.resilient_parsing:
        return
    import platform
    from importlib.metadata import version

    from idinf.version import __version__

    click.echo(f"idinf {__version__} (Python {platform.python_version()}, numpy {version('numpy')})")
    context.exit()


@click.group(
    cls=LazyGroup,
    commands_table={
        "identify": ("identify:identify", "Run the inference procedure on a target."),
        "family": ("family:family", "Run the procedure on every member of a family."),
        "batch": ("batch:batch", "Run the procedure on many targets, one row of CSV each."),
        "sweep": ("sweep:sweep", "Run targets in spaces and readings, a row for each."),
        "readings": ("readings:readings", "Compare R* and n0 under each way to read the paper."),
        "compare": ("reports:compare", "Compare two reports, or two benchmark files."),
        "verify": ("reports:verify", "Check a report again from its own text."),
        "plot": ("plot:plot", "Draw reports, families and batches, also beside accuracies."),
        "report": ("reports:report", "Write a report as an interactive HTML page."),
        "site": ("site:site_command", "Write a static site of reports: gallery, table and pages."),
        "demo": ("demo:demo", "Walk through the procedure step by step."),
        "targets": ("targets:targets", "List the shipped targets."),
        "label": ("targets:label", "Say which words a target accepts."),
        "eval": ("hypothesis:eval_command", "Run a hypothesis on words."),
        "generate": ("generate:generate", "Let a hypothesis continue prompts by its own answers."),
        "classify": ("classify:classify_command", "Say in which classes a language is."),
        "observed": ("observed:observed", "Set classes beside published accuracies."),
        "correlate": ("correlate:correlate", "Correlate R*, n0 and states with accuracies of your own."),
        "initial-penalty": ("position_studies:initial_penalty", "Compute what φ costs before training."),
        "fit-positions": (
            "position_studies:fit_positions",
            "Train positional products on functions of distance.",
        ),
        "positions": ("positions:positions", "Bound what positions must cost."),
        "crasp": ("crasp:crasp", "Check, run, trace and compile C-RASP programs."),
        "ordinary": ("ordinary:ordinary", "Check and translate ordinary transformers."),
        "composition": ("composition:composition", "Compose functions, and say what players must."),
        "continuity": ("continuity:continuity", "Measure what compact transformers can learn."),
        "period": ("ordinary_transformers:period", "Bound the period of products of some rank."),
        "communicate": ("communicate:communicate", "Measure the communication of targets and transformers."),
        "regularizer": ("hypothesis:regularizer_command", "Print the terms of R of a hypothesis."),
        "export": ("export:export", "Write a hypothesis as code, program, LaTeX, graph or JSON."),
    },
    # Left to itself, click drops escape sequences from what goes to a pipe; here they are shown everywhere.
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "color": True},
    epilog=_EPILOG,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of idinf, Python and numpy, and exit.",
)
def main() -> None:
    """Exact simulator of the idealized inference procedure for length generalization.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf label dyck-1 ab ba ""
      idinf COMMAND --help
    """
