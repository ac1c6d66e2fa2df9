"""The style of figures: legible in grey, in print and to colour-blind readers; the same bytes on
every run.
"""

import functools
import io
import itertools
import textwrap
from pathlib import Path

import cycler
import matplotlib.figure as figures
import matplotlib.style as mpl_style
from PIL import Image as images
from PIL import PngImagePlugin as picture_files

from replication.simulator.paths import toml

WIDTH = 6.4
ROW = 2.9
DPI = 128
BANNER_POINTS, FOOTNOTE_POINTS = 9, 7.5
COLOURS_OF_A_PICTURE = 128
# Steps of lightness (CIE L*) of at least 9 tell the first six apart in grey; the hues survive
# protan, deutan and tritan sight. The seventh, grey, is told apart by its marker and hatch.
COLOURS = ("#0B3C7D", "#E9A227", "#A2264B", "#35A79C", "#000000", "#7F6FC0", "#8C8C8C")
LINES = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1.2)),
    (0, (5, 1.2, 1, 1.2)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)
MARKERS = ("o", "s", "^", "D", "v", "X", "P")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "++")
#: Places in COLOURS, LINES, MARKERS and HATCHES of what several pictures show.
PLACES = toml(Path(__file__).with_name("places.toml"))
BANNER_COLOURS, FOOTNOTE_COLOURS = ("#5A1A00", "#FFE1B8"), ("#444444", "#FFFFFF")
SHEET = str(Path(__file__).parent / "figures.mplstyle")


def apply() -> None:
    """Set matplotlib's defaults for this process; each `Page` does.

    The user's own matplotlibrc is ignored, so that figures do not depend on it.
    """
    cycle = cycler.cycler(color=COLOURS) + cycler.cycler(linestyle=LINES)
    settings = {"axes.prop_cycle": cycle, "figure.figsize": (WIDTH, 3.8), "savefig.dpi": DPI}
    mpl_style.use(["default", SHEET, settings])


def size(rows=1, columns=1) -> tuple[float, float]:
    """Return a figure size, inches, for a grid of panels."""
    return {1: WIDTH, 2: 8.4}.get(columns, 10.4), ROW * rows + 0.6


def series(names, marker=True) -> dict[str, dict]:
    """Return keywords of ``Axes.plot`` for each of several series; lines of many points need no
    marker.
    """
    looks = {"color": COLOURS, "linestyle": LINES} | ({"marker": MARKERS} if marker else {})
    return _in_turn(names, looks)


def bars(names) -> dict[str, dict]:
    """Return keywords of ``Axes.bar`` for each of several series."""
    return _in_turn(names, {"facecolor": COLOURS, "edgecolor": ("white",), "hatch": HATCHES})


def _in_turn(names, looks):
    """Give names of `PLACES` their own look, and the others the remaining ones in turn."""
    names = list(names)
    reserved = {PLACES[name] for name in names if name in PLACES}
    remaining = itertools.cycle([k for k in range(len(COLOURS)) if k not in reserved])
    places = {name: PLACES[name] if name in PLACES else next(remaining) for name in names}
    return {
        name: {"label": name} | {key: values[k % len(values)] for key, values in looks.items()}
        for name, k in places.items()
    }


def png(figure, banner="", footnote="", facts=None) -> bytes:
    """Return a figure as PNG with a palette, the same bytes for the same figure.

    The words of a `banner` are on a strip above the picture, those of a `footnote` below it;
    `facts` are stored in the file by PNG keyword (Title, Description, Source).
    """
    parts, width = [_raster(figure)], figure.get_figwidth()
    if banner:
        parts.insert(0, _strip(banner, width, BANNER_POINTS, BANNER_COLOURS, "bold"))
    if footnote:
        parts.append(_strip(footnote, width, FOOTNOTE_POINTS, FOOTNOTE_COLOURS, "normal"))
    picture = images.new("RGBA", (parts[0].width, sum(part.height for part in parts)), "white")
    top = 0
    for part in parts:
        picture.paste(part, (0, top))
        top += part.height
    text = picture_files.PngInfo()
    for keyword, value in sorted((facts or {}).items()):
        text.add_itxt(keyword, value)
    buffer = io.BytesIO()
    # A palette looks the same in a third of the bytes; the report and the repository hold a hundred
    # of these.
    picture.convert("RGB").quantize(COLOURS_OF_A_PICTURE, dither=images.Dither.NONE).save(
        buffer, "png", pnginfo=text, dpi=(DPI, DPI), optimize=True
    )
    return buffer.getvalue()


def _raster(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, pil_kwargs={"compress_level": 0})
    buffer.seek(0)
    return images.open(buffer)


@functools.cache
def _strip(text, width, points, colours, weight):
    """Return a picture of some words alone, as tall as their lines need."""
    # A bold letter of DejaVu Sans is about 0.7 of its size wide.
    lines = textwrap.wrap(text, max(20, int(width * 72 / (0.72 * points))))
    ink, paper = colours
    height = (len(lines) * 1.35 + 0.9) * points / 72
    strip = figures.Figure(figsize=(width, height), facecolor=paper)
    look = {"color": ink, "weight": weight, "size": points}
    strip.text(0.5, 0.5, "\n".join(lines), ha="center", va="center", **look)
    return _raster(strip)
