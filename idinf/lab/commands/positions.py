"""``idinf lab positions``: positions before training, fitted, and bounded."""

from __future__ import annotations

import click

from idinf.base.numbers import MISSING, align, format_down, format_r
from idinf.commands.bounded import bounded
from idinf.commands.options import check_plot, encode_plot, number_option, plot_option
from idinf.commands.terminal import check_output, check_stdout, print_csv, show_text
from idinf.lab import calls as lab
from idinf.lab.figures import draw_fits
from idinf.lab.positions import FUNCTIONS, MEANINGS, VALUE, initial_penalty, read_distances

#: Numbers of positions in the table without --positions.
SIZES = (16, 32, 64, 128)


@click.command("initial")
@number_option("--positions", "N", "Positions; without it 16, 32, 64 and 128.", least=1, most=1024)
@number_option("--width", "D", "Width of the head; without it as many as positions.", least=1, most=1024)
@number_option("--draws", "K", "Initializations that are drawn.", least=2, most=10_000, default=200)
@number_option("--seed", "S", "Seed of the draws.", least=0, default=0)
@bounded
def initial(positions: int | None, width: int | None, draws: int, seed: int) -> None:
    """Compute what the term of φ in R is for one head that has just been initialized, exactly and drawn.

    Entries of positions, K and Q are independent and normal, with mean 0 and variance 1/D. The expectation of
    the sum of (p_1^T K^T Q p_j)^2 over N keys is N/D + 2/D^2, and that of the sum over keys j <= i, as a mean
    over queries i, (N + 1)/(2D) + 2/D^2: both stay bounded where the width grows like N (Proposition 54).

    \b
    Examples:
      idinf lab positions initial
      idinf lab positions initial --positions 100 --width 64 --draws 1000
    """
    rows = [["N", "D", "first query", "", "drawn", "all queries", "", "drawn"]]
    for size in SIZES if positions is None else (positions,):
        found = initial_penalty(size, width, draws=draws, seed=seed)
        cells = [str(found.positions), str(found.width)]
        for exact, drawn in (
            (found.expected, found.drawn),
            (found.expected_of_all, found.drawn_of_all),
        ):
            cells += [str(exact), f"{float(exact):.4f}", f"{drawn.mean:.4f} ± {drawn.error:.4f}"]
        rows.append(cells)
    show_text("\n".join(align(rows, ">>>>>>>>")))


@click.command("fit")
@click.option(
    "--function",
    "functions",
    type=click.Choice(tuple(FUNCTIONS)),
    multiple=True,
    default=tuple(FUNCTIONS),
    show_default="all four",
    help="What to fit; may be given several times.",
)
@click.option(
    "--width",
    "widths",
    type=click.IntRange(1, 1024),
    multiple=True,
    default=lab.WIDTHS,
    show_default=True,
    metavar="D",
    help="Width of positions and matrices; may be given several times.",
)
@number_option("--steps", "N", "Steps of Adam.", least=1, most=1_000_000, default=lab.STEPS)
@number_option("--seed", "S", "Seed of weights and offsets.", least=0, default=0)
@click.option("-o", "--output", metavar="FILE", help="Write the table as CSV (-: stdout, and nothing else).")
@plot_option("Draw the errors, too")
@bounded
def fit(
    functions: tuple[str, ...],
    widths: tuple[int, ...],
    steps: int,
    seed: int,
    output: str | None,
    figure: str | None,
) -> None:
    """Fit products p_i^T A p_j to functions of i - j on windows of 50 positions, and ask windows up to 150.

    As in Appendix G.2, 200 positions and the matrices of one head are trained by Adam on the mean square
    error, in batches of 64 windows at random offsets. The functions are local (5 where i - j = 1), periodic
    (5 where 5 divides i - j), their sum, and one that is neither (5 where i - j is a square). Beside the
    error stands that of a product that is 0 everywhere.

    This is an experiment with floats: the last digits may differ between machines. All functions and widths
    take minutes.

    \b
    Examples:
      idinf lab positions fit --function local --width 16 --steps 2000
      idinf lab positions fit -o fits.csv --plot fits.svg
    """
    check_stdout()
    check_output(output)
    check_plot(figure)
    found = lab.fit_positions(functions, widths, steps=steps, seed=seed)
    rows = [("function", f"where it is {VALUE:g}", "width", *(f"length {n}" for n, _ in found[0].losses))]
    lines = ["function,width,seed,steps,length,error,error_of_zero"]
    for one in found:
        pairs = [(*own, zero) for own, (_, zero) in zip(one.losses, one.zero_losses, strict=True)]
        errors = (f"{loss:.4f} of {zero:.2f}" for _, loss, zero in pairs)
        rows.append((one.function, MEANINGS[one.function], str(one.width), *errors))
        start = f"{one.function},{one.width},{seed},{steps}"
        lines += [f"{start},{n},{loss:.6f},{zero:.6f}" for n, loss, zero in pairs]
    text = "\n".join(align(rows, "<<>" + ">" * len(found[0].losses)))
    table = "".join(f"{line}\n" for line in lines)
    print_csv(output, table, f"{text}\n", encode_plot(figure, lambda: draw_fits(found)))


@click.command("bound")
@click.option(
    "--phi",
    metavar="SEQUENCE|NUMBERS",
    required=True,
    help="The function of the distance: ones, squares, primes, thue-morse, or numbers as in 1,0|1/2,0.",
)
@number_option(
    "--positions", "N", "Contexts 2, 4, 8 and so on, up to N.", least=2, most=lab.MOST_BOUNDED, default=16
)
@click.option(
    "--behind",
    type=click.Choice(["free", "zero"]),
    default="free",
    show_default=True,
    help="What products may be where the key is behind the query.",
)
@bounded
def bound(phi: str, positions: int, behind: str) -> None:
    """Bound ‖K^T Q‖ from below, if products p_i^T K^T Q p_j of N positions are a function φ of i - j.

    Where no ‖p_i‖ is above 1, the norm is at least the sum of singular values / N (Lemma 56), and at least
    γ2, which is more. The third column is a rational number that γ2 is proved to reach, rounded down; the
    last one is what the terms norm_KQ + norm_p of R cost at least, whatever the norms of positions are.

    NUMBERS are φ(0), φ(1) and so on; those behind a bar repeat, without one what follows is 0. Such a φ has a
    bound for every N. Conjecture 55 is about all others: their bounds should grow.

    Causal attention looks at keys j <= i only, so by default the other products may be anything; the sum of
    singular values is then that of a block without them. With --behind zero they are 0, as in a Toeplitz
    matrix below the diagonal. γ2 is computed up to 32 positions.

    \b
    Examples:
      idinf lab positions bound --phi squares
      idinf lab positions bound --phi ones --behind zero --positions 32
      idinf lab positions bound --phi "0,2|1,0" --positions 256
    """
    found = lab.bound_positions(phi, positions=positions, behind=behind)
    rows = [("N", "singular values", "γ2", "proved", "norm_KQ + norm_p")]
    for point in found:
        gamma2 = MISSING if point.gamma2 is None else f"{point.gamma2:.6f}"
        proved = MISSING if point.proved is None else format_down(point.proved)
        rows.append(
            (str(point.positions), format_r(point.nuclear), gamma2, proved, f"{point.least_of_r:.6f}")
        )
    show_text("\n".join(align(rows, ">>>>>")))
    limit = read_distances(phi).bound_for_all()
    if limit is not None and behind == "free":
        show_text(f"\nfor every N: γ2 <= {format_r(limit)}")
