"""Reading figures back: artists by their ids, all texts with their boxes."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

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


def crowding(figure):
    """Texts that leave the figure, and pairs of texts that overlap; empty for a readable figure."""
    with apply_style():
        figure.set_dpi(100)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in texts(figure)]
    outside = [
        text
        for text, box in boxes
        if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1
    ]
    # One pixel of slack: boxes of lines above each other may touch.
    pairs = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    return outside + pairs


def meshes(figure, gid):
    """Values of the coloured cells with an id, as arrays with nan where nothing is drawn."""
    return [
        np.ma.filled(np.ma.asarray(mesh.get_array(), dtype=float), np.nan).reshape(
            np.array(mesh.get_coordinates().shape[:2]) - 1
        )
        for mesh in artists(figure, gid)
    ]
