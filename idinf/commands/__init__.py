"""The command line: ``idinf COMMAND …``. Subcommands are imported when they are used.

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
  1    compare: the two differ; verify: something in the report is wrong; judge: a wrong word was found;
       batch --check: a row failed, or disagrees with the verdict of its spec
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
    package="idinf",
    commands_table={
        "identify": ("commands.identify:identify", "Run the inference procedure on a target."),
        "batch": ("commands.batch:batch", "Run it on many targets, in spaces and readings: one table."),
        "demo": ("lesson.demo:demo", "Walk through the procedure step by step."),
        "show": ("commands.show:show", "Show a report as text, page, pair or site."),
        "verify": ("commands.show:verify", "Check a report again from its own text."),
        "compare": ("commands.compare:compare", "Find where two languages, or two reports, differ."),
        "plot": ("commands.plot:plot", "Draw reports, families and batches, also beside accuracies."),
        "list": ("commands.list_targets:list_command", "List targets, programs and tasks."),
        "run": ("commands.run:run", "Say what a target, program or hypothesis says of words."),
        "classify": ("commands.classify:classify_command", "Say in which classes a language is."),
        "crasp": ("commands.crasp:crasp", "Check, trace, compile and synthesize C-RASP programs."),
        "net": ("commands.net:net", "Say what nets cost, export and translate them."),
        "lab": ("lab.commands.group:lab", "Run theorems on examples."),
        "judge": ("trained.commands.judge:judge_command", "Say where a trained transformer is wrong."),
        "train": ("trained.commands.train:train_command", "Train a small transformer on a target."),
        "dataset": (
            "trained.commands.dataset:dataset_command",
            "Draw words of a target uniformly at random.",
        ),
    },
    sections={
        "Find n0": ("identify", "batch", "demo"),
        "Look at what was found": ("show", "verify", "compare", "plot"),
        "Ask languages, programs and nets": ("list", "run", "classify", "crasp", "net", "lab"),
        "Trained transformers": ("judge", "train", "dataset"),
    },
    # By itself, click drops escape sequences from text to a pipe; here they are shown everywhere.
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
      idinf run dyck-1 ab ba ""
      idinf COMMAND --help
    """
