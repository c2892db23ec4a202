"""Sheets: figures that grow downwards by inches, in one fixed style, written as the same bytes every time.

The only module that imports matplotlib; others get axes from a `Sheet` and call their methods. No window
system and no state of pyplot is involved, and settings of the user's machine are left out.
"""

from __future__ import annotations

import io
import logging
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idinf.base.files import write_whole
from idinf.base.quoting import escape_controls, quote
from idinf.errors import ArgumentError, PlotError
from idinf.version import __version__

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

#: Okabe and Ito's palette without yellow, which vanishes on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: Beside the colours, so that series differ in grey too.
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
LINES: tuple[str | tuple[int, tuple[int, ...]], ...] = (
    "-",
    (0, (5, 2)),
    (0, (6, 2, 1, 2)),
    (0, (1, 1)),
    (0, (8, 2, 1, 2, 1, 2)),
    (0, (3, 1)),
    (0, (10, 3)),
)

INK = "#222222"
PALE = "#B0B0B0"

#: Formats by the suffix of the file.
SUFFIXES = ("svg", "pdf", "png")

#: Dots per inch of PNG files.
DPI = 200

TITLE_SIZE = 11.0
TEXT_SIZE = 9.0
NOTE_SIZE = 8.5

#: Inches.
NOTE_LINE = 0.165
LEGEND_LINE = 0.195
MARGIN = 0.12

#: Before continued lines; SVG would leave out blanks.
INDENT = "\u00a0" * 4

#: Inches that a figure may be wide.
NARROWEST, WIDEST = 3.0, 40.0

#: Inches of a symbol in a legend with the blank after it, and between two columns.
SYMBOL, BETWEEN = 0.43, 0.2

#: As many symbols as stand beside each other in a legend.
ABREAST = 3

#: Where a text may stand beside its point, the best place first: left or right, below or above.
SIDES = ((-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (1, -1), (0, -1), (-1, -1))

#: The font that texts are set in, and one of the same widths where that is missing.
_FONT, _FONTS = b"'DejaVu Sans'", b"'DejaVu Sans', Verdana"

#: The fixed style.
_STYLE = Path(__file__).with_name("idinf.mplstyle")

#: Metadata of a file about its maker; the same for every run.
_MAKERS: dict[str, dict[str, str | None]] = {
    "svg": {"Creator": f"idinf {__version__}", "Date": None},
    "pdf": {"Creator": f"idinf {__version__}", "Producer": None, "CreationDate": None},
    "png": {"Software": None},
}

Point = tuple[float, float]

#: Artists that lie on each other in a legend.
Symbol = tuple["Artist", ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Options of a figure beside its content."""

    width: float | None = None  #: inches; that of the kind of figure if it is not given. Letters keep size
    title: bool = True  #: True if it is drawn, as the caption; `read_caption` gives both in any case
    caption: bool = True


#: As each kind of figure is drawn if nothing else is wanted.
USUAL = Look()


def load_matplotlib() -> None:
    """Load matplotlib before any work; a `PlotError` where it is not installed."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # a broken line of matplotlibrc: no setting of it is used
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise PlotError("figures need matplotlib, which is not installed; pip install matplotlib") from None
    except (ValueError, OSError) as error:
        told = str(error).splitlines()[0].partition("; supported")[0]
        raise PlotError(
            f"matplotlib refuses its settings: {told}; expected settings it takes; correct MPLBACKEND or "
            "matplotlibrc"
        ) from None
    finally:
        logger.setLevel(level)


@contextmanager
def apply_style() -> Iterator[None]:
    """Draw or write inside this, or decorated by it: the fixed style, for any settings before."""
    load_matplotlib()
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # A sign the font lacks is drawn as a box; the figure is still right.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(matplotlib.rc_params_from_file(_STYLE, use_default_template=False))
        yield


def read_suffix(path: str) -> str:
    """The format by the suffix of a file name; a PlotError if there is no such format."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in SUFFIXES:
        raise PlotError(
            f"{quote(path)} ends in {quote(suffix)}; expected .{', .'.join(SUFFIXES[:-1])} or "
            f".{SUFFIXES[-1]}; rename it"
        )
    return suffix


def encode(figure: Figure, suffix: str) -> bytes:
    """Write a figure as one of `SUFFIXES`: the same figure is always the same bytes, for one matplotlib."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):  # XML has no control characters, and repeats texts in comments
        if (shown := escape_controls(text.get_text())) != text.get_text():
            text.set_text(shown)
    metadata = {"Title": escape_controls(str(figure.get_label())), **_MAKERS[suffix]}
    buffer = io.BytesIO()
    with apply_style():
        figure.savefig(buffer, format=suffix, dpi=DPI, metadata=metadata, facecolor="white")
    written = buffer.getvalue()
    return written.replace(_FONT, _FONTS) if suffix == "svg" else written


def write_figure(draw: Callable[[], Figure], path: str | os.PathLike[str] | None) -> Figure:
    """Draw a figure, and write it to a file if one is named, whose suffix is looked at before."""
    suffix = None if path is None else read_suffix(os.fspath(path))
    figure = draw()
    if path is not None and suffix is not None:
        write_whole(os.fspath(path), encode(figure, suffix))
    return figure


def read_caption(figure: Figure) -> str:
    """The title and the text below a figure, drawn or not; a line for each paragraph."""
    return "".join(str(text.get_label()) for text in figure.texts if text.get_gid() == "caption")


def draw_line(axes: Axes, points: Iterable[Point], **style: Any) -> Line2D:
    """Draw a line through points."""
    pairs = list(points)
    (line,) = axes.plot([x for x, _ in pairs], [y for _, y in pairs], **style)
    return line


def draw_points(
    axes: Axes, points: Iterable[Point], marker: str | int, size: float, fill: str, edge: str, **style: Any
) -> Line2D:
    """Draw markers in two colours, without a line."""
    look = {"marker": marker, "markersize": size, "markerfacecolor": fill, "markeredgecolor": edge}
    return draw_line(axes, points, linestyle="none", **look, **style)


def set_octaves(axes: Axes, ticks: Sequence[int], low: float, high: float) -> None:
    """Make the axis of lengths a logarithmic one from ``low`` to ``high`` with these ticks."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()


@cache
def measure(text: str, size: float = TEXT_SIZE, weight: str = "normal") -> float:
    """The inches that a text is wide, and a little more, since a screen rounds letters to its dots."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return 1.04 * float(width) / 72


def wrap(
    text: str, room: float, size: float = TEXT_SIZE, weight: str = "normal", indent: str = ""
) -> list[str]:
    """Break a text into lines of so many inches, within a word only where that is longer than a line."""
    lines: list[str] = []
    for word in re.findall(r"\s*\S+", text):
        if lines and measure(lines[-1] + word, size, weight) <= room:
            lines[-1] += word
            continue
        rest = (indent if lines else "") + word.lstrip()
        while measure(rest, size, weight) > room and len(rest) > len(indent) + 1:
            ends = range(len(rest) - 1, len(indent) + 1, -1)
            end = next((k for k in ends if measure(rest[:k], size, weight) <= room), len(indent) + 1)
            lines.append(rest[:end])
            rest = indent + rest[end:]
        lines.append(rest)
    return lines or [""]


def shorten_to(name: str, room: float, size: float = TEXT_SIZE) -> str:
    """Cut a name to so many inches."""
    cuts = (name, *(f"{name[:k]}…" for k in range(len(name) - 1, 0, -1)))
    return next((cut for cut in cuts if measure(cut, size) <= room), cuts[-1])


def locate(axes: Axes, point: Point) -> Point:
    """Place of a point of the data, in points of the font from the lower left corner of its axes."""
    x, y = (axes.transData.transform(point) - axes.bbox.min) * 72 / axes.figure.dpi
    return float(x), float(y)


def fit_ticks(axes: Axes, wanted: Iterable[int], side: str = "x") -> list[int]:
    """Of the numbers on an axis, those that are wanted most first, the ones whose labels have room there.

    The limits of the axis are set before.
    """
    kept: dict[int, tuple[float, float]] = {}
    low, high = axes.get_xlim() if side == "x" else sorted(axes.get_ylim())
    for n in wanted:
        if side == "x":
            place, half = locate(axes, (n, axes.get_ylim()[0]))[0], 36 * measure(str(n)) + 1.5
        else:
            place, half = locate(axes, (axes.get_xlim()[0], n))[1], 5.4
        if low <= n <= high and all(abs(place - other) >= half + its for other, its in kept.values()):
            kept[n] = place, half
    return sorted(kept)


def label_points(
    axes: Axes,
    labels: Iterable[tuple[str, Point]],
    marks: Iterable[Point],
    radius: float,
    reach: int = 1,
    sides: Sequence[tuple[int, int]] = SIDES,
    **style: Any,
) -> None:
    """Write a text beside each point, clear of the others, of markers of a radius, and within the axes.

    One without room at up to ``reach`` distances is left out.
    """
    taken = [(x - radius, y - radius, x + radius, y + radius) for x, y in (locate(axes, m) for m in marks)]
    size, weight = style["fontsize"], style.get("fontweight", "normal")
    scale = 72 / axes.figure.dpi
    right, top = scale * axes.bbox.width, scale * axes.bbox.height
    for text, point in labels:
        (x, y), wide, tall = locate(axes, point), 36 * measure(text, size, weight) + 0.5, 0.62 * size
        for step, (across, up) in ((step, side) for step in range(reach) for side in sides):
            far = radius + 1 + 5 * step
            dx, dy = across * (far + wide), up * (far + tall)
            box = (x + dx - wide, y + dy - tall, x + dx + wide, y + dy + tall)
            is_inside = box[0] >= 0 and box[1] >= 0 and box[2] <= right and box[3] <= top
            if is_inside and not any(_overlap(box, other) for other in taken):
                annotate(axes, text, point, (dx, dy), ha="center", va="center", **style)
                taken.append(box)
                break


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def shift_right(axes: Axes, points: float) -> Transform:
    """The ``transform`` that draws data so many points of the font further right."""
    from matplotlib.transforms import ScaledTranslation

    return axes.transData + ScaledTranslation(points / 72, 0, axes.figure.dpi_scale_trans)


def annotate(axes: Axes, text: str, point: Point, away: Point, **style: Any) -> None:
    """Write a text so many points of the font away from a point."""
    axes.annotate(text, point, away, textcoords="offset points", **style)


class Sheet:
    """A figure under construction, from the top down; sizes are inches. Mutable: it grows with each call."""

    def __init__(self, width: float, look: Look = USUAL, least: float = NARROWEST) -> None:
        from matplotlib.figure import Figure

        self.width = width if look.width is None else look.width
        if look.width is not None and not least <= look.width <= WIDEST:
            raise ArgumentError(
                f"width = {self.width:g} inches; expected from {least:g} to {WIDEST:g} for this figure, so "
                "that its texts fit; choose another, or write millimetres as in 84mm"
            )
        self.look = look
        self.figure: Figure = Figure(figsize=(self.width, self.width))
        self.figure._repr_png_ = partial(encode, self.figure, "png")  # type: ignore[attr-defined]  # for notebooks
        self._depth = MARGIN
        self._axes: list[tuple[Axes, tuple[float, float, float, float]]] = []
        self._texts: list[tuple[Text, float]] = []
        self._caption: list[str] = []

    def tall(self, height: float) -> float:
        """A height that suits a width of 7 inches, made less for a narrower sheet."""
        return height * min(1.0, max(0.65, self.width / 7.0))

    def gap(self, height: float) -> None:
        """Leave room."""
        self._depth += height

    def heading(self, text: str) -> None:
        """A title, wrapped at the width of the sheet."""
        self.figure.set_label(text)
        self._caption.insert(0, text)
        if self.look.title:
            self._write(text, TITLE_SIZE, 0.21, "bold")
        self._depth += 0.06

    def notes(self, lines: Sequence[str]) -> None:
        """The caption: small text, wrapped at the width of the sheet; continued lines are indented."""
        self._caption += lines
        if self.look.caption:
            self.key(lines)

    def key(self, lines: Sequence[str]) -> None:
        """Small text that belongs to the figure itself, so that it is always drawn."""
        for line in lines:
            self._write(line, NOTE_SIZE, NOTE_LINE, indent=INDENT)

    def beside(self, lines: Sequence[str], width: float) -> float:
        """Small text in a column on the left, its first line bold; give its height, and stay above it."""
        start = self._depth
        for place, line in enumerate(lines):
            self._write(line, NOTE_SIZE, NOTE_LINE, "normal" if place else "bold", INDENT, width)
        height, self._depth = self._depth - start, start
        return height

    def _write(
        self,
        text: str,
        size: float,
        line: float,
        weight: str = "normal",
        indent: str = "",
        width: float | None = None,
    ) -> None:
        """Wrap a text in lines of a height."""
        room = self.width - 2 * MARGIN if width is None else width
        for part in wrap(text, room, size, weight, indent):
            artist = self.figure.text(0, 0, part, fontsize=size, fontweight=weight, va="top", ha="left")
            self._texts.append((artist, self._depth))
            self._depth += line

    def panel(self, height: float, left: float, right: float = 0.15, ruled: bool = False) -> Axes:
        """Axes over the whole width but for the margins left and right; pale lines behind them if ruled."""
        wide = self.width - left - right
        size = (0.0, 0.0, wide / self.width, height / self.width)  # its own already: texts are fitted into it
        axes = self.figure.add_axes(size, label=f"axes {len(self._axes)}")
        self._axes.append((axes, (left, self._depth, wide, height)))
        self._depth += height
        if ruled:
            axes.grid(axis="y", color="#E4E4E4", linewidth=0.7)
            axes.set_axisbelow(True)
        return axes

    def legend(self, axes: Axes, columns: int, extra: Sequence[tuple[Sequence[Symbol], str]] = ()) -> None:
        """The legend of some axes in a place of its own, in at most so many columns.

        An extra entry has symbols side by side; the artists of one lie on each other.
        """
        from matplotlib.legend_handler import HandlerTuple

        drawn, labels = axes.get_legend_handles_labels()
        handles: list[Any] = [*drawn, *(tuple(symbols[:ABREAST]) for symbols, _ in extra)]
        labels += [text for _, text in extra]
        room = self.width - 2 * MARGIN
        widest = SYMBOL + max(map(measure, labels), default=0.0)
        columns = max(1, min(columns, len(labels), int((room + BETWEEN) / (widest + BETWEEN))))
        labels = ["\n".join(wrap(text, room - SYMBOL)) for text in labels]
        rows = sum(1 + text.count("\n") for text in labels) if columns == 1 else -(-len(handles) // columns)
        place = self.panel(0.04 + LEGEND_LINE * rows, MARGIN, MARGIN)
        place.set_axis_off()
        abreast: dict[Any, Any] = {
            handle: HandlerTuple(ndivide=None, pad=0) for handle in handles[len(drawn) :] if len(handle) > 1
        }
        handles[len(drawn) :] = [handle if len(handle) > 1 else handle[0] for handle in handles[len(drawn) :]]
        place.legend(handles, labels, ncols=columns, handler_map=abreast)

    def close(
        self,
        axes: Axes,
        columns: int,
        notes: Sequence[str],
        below: float = 0.06,
        extra: Sequence[tuple[Sequence[Symbol], str]] = (),
    ) -> Figure:
        """Put the legend of some axes, as `legend` does, and the caption below everything, and finish."""
        self.legend(axes, columns, extra)
        self.gap(below)
        self.notes(notes)
        return self.finish()

    def finish(self) -> Figure:
        """Set the height, and put everything in its place."""
        caption = "".join(f"{line}\n" for line in self._caption)
        self.figure.text(0, 0, "", visible=False, gid="caption", label=caption)
        height = self._depth + MARGIN
        self.figure.set_size_inches(self.width, height)
        for axes, (left, top, width, tall) in self._axes:
            bottom = 1 - (top + tall) / height
            axes.set_position((left / self.width, bottom, width / self.width, tall / height))
        for text, top in self._texts:
            text.set_position((MARGIN / self.width, 1 - top / height))
        return self.figure
