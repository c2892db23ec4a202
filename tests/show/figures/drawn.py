"""Reading figures back: artists by their ids, all texts with their boxes."""

import itertools

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from idinf.show.figures.canvas import apply_style


def artists(figure, gid):
    """All artists with an id."""
    return [artist for artist in figure.findobj() if artist.get_gid() == gid]


def points(figure, gid):
    """The data of the one line with an id, as pairs."""
    (line,) = artists(figure, gid)
    return [(x, y) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def texts(figure):
    """Every text that is seen."""
    found = [*figure.texts]
    for axes in figure.axes:
        found += axes.texts
        if axes.get_legend() is not None:
            found += axes.get_legend().get_texts()
        if axes.axison:
            for axis in (axes.xaxis, axes.yaxis):
                low, high = sorted(axis.get_view_interval())
                ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
                found += [axis.label, *(label for place, label in ticks if low <= place <= high)]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def said(figure):
    """All texts as one."""
    return "\n".join(text.get_text() for text in texts(figure))


def rendered(figure):
    """Draw a figure at 100 dots an inch, and give what measures texts."""
    with apply_style():
        figure.set_dpi(100)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    return canvas.get_renderer()


def overlap(a, b):
    """Whether boxes share more than the pixel by which lines above each other may touch."""
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1


def leaves(box, room):
    """Whether a box reaches out of another one, by more than half a pixel."""
    return (
        box.x0 < room.x0 - 0.5 or box.y0 < room.y0 - 0.5 or box.x1 > room.x1 + 0.5 or box.y1 > room.y1 + 0.5
    )


def crowding(figure):
    """Texts that leave the figure, and pairs of texts that overlap; empty for a readable figure."""
    renderer = rendered(figure)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts(figure)]
    outside = [text for text, box in boxes if leaves(box, figure.bbox)]
    pairs = [(one, other) for (one, a), (other, b) in itertools.combinations(boxes, 2) if overlap(a, b)]
    return outside + pairs


def misplaced(figure):
    """Texts beside points that leave their axes, or lie on a marker."""
    renderer, found = rendered(figure), []
    for axes in figure.axes:
        marks = [
            path.get_window_extent(renderer)
            for line in axes.lines
            if line.get_marker() not in ("None", "", None)
            for path in _single_marks(line)
        ]
        for text in axes.texts:
            box = text.get_window_extent(renderer)
            if leaves(box, axes.bbox):
                found.append((text.get_text(), "leaves its axes"))
            found += [(text.get_text(), "on a marker") for mark in marks if overlap(box, mark)]
    return found


def _single_marks(line):
    """A line for each marker of a line."""
    every = line.get_markevery()
    points = [*zip(line.get_xdata(), line.get_ydata(), strict=True)]
    for x, y in points if every is None else [points[k] for k in every]:
        one = Line2D([x], [y], linestyle="none", transform=line.get_transform())
        one.set_figure(line.figure)
        one.set_marker(line.get_marker())
        one.set_markersize(line.get_markersize())
        yield one


def unlike(figure):
    """Symbols of legends that no axes draw: marker, colours, fill, size; colour and dashes of a line."""
    symbols = [artist for axes in figure.axes if axes.get_legend() for artist in _handles(axes.get_legend())]
    drawn = {look for axes in figure.axes for artist in axes.get_children() for look in _looks(artist)}
    return [look for symbol in symbols for look in _looks(symbol) if look not in drawn]


def _handles(legend):
    return [
        *legend.findobj(Line2D),
        *(patch for patch in legend.findobj(Patch) if patch is not legend.get_frame()),
    ]


def _looks(artist):
    if isinstance(artist, Line2D) and len(artist.get_xdata()):
        if artist.get_marker() not in ("None", "", None):
            fill = [artist.get_markerfacecolor(), artist.get_markeredgecolor()]
            colours = [colour if colour == "none" else to_hex(colour) for colour in fill]
            yield artist.get_marker(), *colours, artist.get_fillstyle(), artist.get_markersize()
        if artist.get_linestyle() not in ("None", ""):
            yield to_hex(artist.get_color()), str(artist._unscaled_dash_pattern), artist.get_linewidth()
    elif isinstance(artist, Patch):
        yield to_hex(artist.get_facecolor()), to_hex(artist.get_edgecolor()), artist.get_hatch()


def ticks(axes, side="x"):
    """The numbers at which an axis has a tick with a text that is seen."""
    low, high = sorted(getattr(axes, f"get_{side}lim")())
    places = getattr(axes, f"get_{side}ticks")()
    labels = getattr(axes, f"get_{side}ticklabels")()
    return {float(n) for n, text in zip(places, labels, strict=True) if low <= n <= high and text.get_text()}


def meshes(figure, gid):
    """Values of the coloured cells with an id, as arrays with nan where nothing is drawn."""
    return [
        np.ma.filled(np.ma.asarray(mesh.get_array(), dtype=float), np.nan).reshape(
            np.array(mesh.get_coordinates().shape[:2]) - 1
        )
        for mesh in artists(figure, gid)
    ]
