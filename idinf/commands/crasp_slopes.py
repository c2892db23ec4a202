"""``idinf crasp slopes``: two functions of one layer that only long words tell apart."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import number_option
from idinf.commands.terminal import show_text
from idinf.numbers import align
from idinf.targets.slopes import iter_neighbours, read_slope, separate, write_slope_program


@click.command("slopes")
@click.argument("alpha")
@click.argument("beta")
@number_option("--bits", "P", "Compare ALPHA with ALPHA + 2^-p for p up to P.", least=0, most=64, default=8)
@bounded
def slopes(alpha: str, beta: str, bits: int) -> None:
    """Say how long words must be to tell apart "more than ALPHA times as many 1s as 0s" from BETA times.

    Each number gives a language of its own, which one layer decides, and any two of them differ, if only on
    long words (Appendix D.2). The answer is the least length, of any size, and the first word of that length.
    The table below it has the neighbours of ALPHA on the grid of p bits: each further bit of precision allows
    functions that only words of about twice the length tell apart, so a learner that does not pay for
    precision is never done. ALPHA and BETA are fractions or decimals from 0 on.

    \b
    Examples:
      idinf crasp slopes 1 5/4
      idinf crasp slopes 0.333 1/3 --bits 16
    """
    one, other = read_slope(alpha), read_slope(beta)
    found = separate(one, other)
    rows = [(f"{slope}", write_slope_program(slope)) for slope in (found.low, found.high)]
    rows += [
        ("word", f"0^{found.zeros} 1^{found.ones}, accepted with {found.low} alone"),
        ("length", f"{found.length}: both accept the same shorter words"),
    ]
    table = [("p", f"{one} +", "least length")]
    table += [(str(p), str(near.high - near.low), str(near.length)) for p, near in iter_neighbours(one, bits)]
    show_text("\n".join([*align(rows), "", *align(table, ">>>")]))
