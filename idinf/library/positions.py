"""Positions before training, and trained on their own, in one call each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from idinf.errors import ArgumentError
from idinf.files import write_whole
from idinf.library.frames import Rows
from idinf.library.sources import Path
from idinf.numbers import align
from idinf.ordinary.curve import list_contexts
from idinf.ordinary.distances import read_distances
from idinf.ordinary.factorization import FactorizationBound
from idinf.ordinary.factorization import bound_positions as bound_context
from idinf.quoting import quote
from idinf.render.figures.canvas import encode, read_suffix
from idinf.render.figures.lines import draw_fits
from idinf.transformers.initialization import (
    Sampled,
    compute_expected_causal_penalty,
    compute_expected_penalty,
    sample_penalty,
)
from idinf.transformers.positional_fits import FUNCTIONS, MEANINGS, VALUE, Fit, Training, fit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Widths of products that are fitted: one where periodic functions carry on, and one for local ones.
WIDTHS = (16, 256)

#: Contexts of bounds go up to here.
MOST_BOUNDED = 1024

#: Steps of Adam.
STEPS = 15_000


@dataclass(frozen=True, slots=True)
class InitialPenalty:
    """What the term of φ in R is for one head that has just been initialized."""

    positions: int
    width: int
    expected: Fraction  #: of equation (8): the squares of p_1^T K^T Q p_j, summed over all j
    drawn: Sampled
    expected_of_all: Fraction  #: over keys j ≤ i, as the mean over all queries i
    drawn_of_all: Sampled


def initial_penalty(
    positions: int, width: int | None = None, *, draws: int = 200, seed: int = 0
) -> InitialPenalty:
    """Compute the expected term of φ exactly, and draw it; the width is as many as positions by default.

    Raises
    ------
    ArgumentError
        If a number is not positive, or there are fewer than 2 draws.

    Examples
    --------
    >>> initial_penalty(100, 50, draws=2).expected
    Fraction(2501, 1250)
    """
    wide = positions if width is None else width
    if min(positions, wide, draws - 1) < 1 or seed < 0:
        raise ArgumentError(
            f"positions = {positions}, width = {wide}, draws = {draws}, seed = {seed}; expected positive "
            "numbers and at least 2 draws; choose larger ones"
        )
    return InitialPenalty(
        positions,
        wide,
        compute_expected_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed),
        compute_expected_causal_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed, causal=True),
    )


def bound_positions(phi: str, *, positions: int = 16, behind: str = "free") -> Rows[FactorizationBound]:
    """Bound ‖K^T Q‖ from below if products of positions are a function φ of their distance, ‖p_i‖ <= 1.

    Contexts are 2, 4, 8 … up to ``positions``. φ is a name or a list of numbers, as the option ``--phi``;
    where the key is behind the query products are ``free`` or ``zero``.

    Raises
    ------
    ArgumentError
        If φ is none, there are fewer than 2 positions or too many, or ``behind`` is something else.

    Examples
    --------
    >>> [(point.positions, round(point.gamma2, 3)) for point in bound_positions("squares", positions=8)]
    [(2, 1.0), (4, 1.194), (8, 1.331)]
    """
    distances = read_distances(phi)
    if not 2 <= positions <= MOST_BOUNDED or behind not in ("free", "zero"):
        raise ArgumentError(
            f"positions = {positions}, behind = {quote(behind)}; expected 2 to {MOST_BOUNDED}, and free or "
            "zero; correct them"
        )
    contexts = list_contexts(positions)
    return Rows(bound_context(distances, context, behind == "free") for context in contexts)


@dataclass(frozen=True, slots=True)
class PositionFits:
    """Fitted products, as a table, as CSV and as a figure."""

    fits: tuple[Fit, ...]
    steps: int

    def __str__(self) -> str:
        lengths = [f"length {n}" for n, _ in self.fits[0].losses]
        rows = [("function", f"where it is {VALUE:g}", "width", *lengths)]
        for found in self.fits:
            pairs = zip(found.losses, found.zero_losses, strict=True)
            errors = [f"{loss:.4f} of {zero:.2f}" for (_, loss), (_, zero) in pairs]
            rows.append((found.function, MEANINGS[found.function], str(found.width), *errors))
        return "\n".join(align(rows, "<<>" + ">" * len(lengths)))

    def to_csv(self) -> str:
        """Write a row for each product and length."""
        lines = ["function,width,seed,steps,length,error,error_of_zero"]
        lines += [
            f"{found.function},{found.width},{found.seed},{self.steps},{n},{loss:.6f},{zero:.6f}"
            for found in self.fits
            for (n, loss), (_, zero) in zip(found.losses, found.zero_losses, strict=True)
        ]
        return "\n".join(lines) + "\n"

    def plot(self, path: Path | None = None) -> Figure:
        """Draw errors by length, a panel for each width, and write the figure to a file if one is named.

        Raises
        ------
        PlotError
            If matplotlib is not installed, or the file does not end in .svg, .pdf or .png.
        """
        suffix = None if path is None else read_suffix(os.fspath(path))
        figure = draw_fits(self.fits)
        if path is not None and suffix is not None:
            write_whole(os.fspath(path), encode(figure, suffix))
        return figure


def fit_positions(
    functions: Sequence[str] = tuple(FUNCTIONS),
    widths: Sequence[int] = WIDTHS,
    *,
    steps: int = STEPS,
    seed: int = 0,
) -> PositionFits:
    """Fit products of positions to functions of distance on windows of 50, and ask windows up to 150.

    Takes minutes by default. Floats: the last digits may differ between machines.

    Raises
    ------
    ArgumentError
        If there is no such function, or a number is not positive.

    Examples
    --------
    >>> found = fit_positions(["local"], [4], steps=1)
    >>> [length for length, _ in found.fits[0].losses]
    [50, 100, 150]
    """
    for name in functions:
        if name not in FUNCTIONS:
            raise ArgumentError(f"function {quote(name)}; expected one of {', '.join(FUNCTIONS)}")
    if not functions or not widths or min(*widths, steps, seed + 1) < 1:
        raise ArgumentError(
            f"functions = {list(functions)}, widths = {list(widths)}, steps = {steps}, seed = {seed}; "
            "expected one of each and positive numbers; choose larger ones"
        )
    chosen = [(width, name) for width in dict.fromkeys(widths) for name in dict.fromkeys(functions)]
    return PositionFits(tuple(fit(name, width, seed, Training(steps)) for width, name in chosen), steps)
