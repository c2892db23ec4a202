"""``idinf classify``: which classes a language is in, with a reason for every verdict."""

from __future__ import annotations

import json
from typing import Any

import click

from idinf.api.classification import ClassSettings, classify
from idinf.api.settings import NamedTarget
from idinf.commands.bounded import bounded
from idinf.commands.options import asks, json_option
from idinf.commands.terminal import show_text


@click.command("classify")
@click.argument("target", metavar="TARGET|TASK")
@asks(NamedTarget, ClassSettings)
@json_option("idinf-classification/1")
@bounded
def classify_command(target: str, asked: dict[str, Any], as_json: bool) -> None:
    """Say which classes TARGET is in: yes, no or unknown, each with its reason.

    TARGET is as for `idinf identify`; `idinf list tasks` shows the tasks. Of a regular language the minimal
    complete DFA and the syntactic monoid decide whether it is star-free, in AC0, R-trivial, piecewise
    testable, in DA, in C-RASP[], and small dot-depths; a program is followed to its states, if they are at
    most 2000. For C-RASP[periodic,local] no procedure is known, so it may stay unknown. The depth of counts
    says how deep a program must nest them. Of a target of next symbols, or with a domain, the language its
    regex or automaton defines is classified.

    A program whose states are not finitely many is searched for proofs: that it is not regular, powers of a
    symbol that what follows tells apart; that it is not in AC0, two symbols whose counts are compared in any
    order; that it is, few words of each length; with moduli that it is not in C-RASP[], also of next symbols
    behind a separator.

    \b
    Examples:
      idinf classify tomita-4
      idinf classify copy-repeat
      idinf classify 'regex:.*ab.*' --alphabet abc --json
      idinf classify ge-k-j --set k=3 --set j=2
    """
    found = classify(target, **asked)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        show_text(str(found))
