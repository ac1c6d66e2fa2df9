"""How each kind of job, line and mark looks: in light and in dark, and told apart without colour.

Hatches carry matplotlib's names, so that the still pictures and the canvas agree.
"""

from dataclasses import asdict, dataclass

from replication.basics import style

NAVY, AMBER, WINE, TEAL, BLACK, VIOLET = style.COLOURS
PALE, DEEP = "#E6EAF0", "#2F3A48"


@dataclass(frozen=True)
class Look:
    """One entry of the legend: its colours on a light and on a dark page, and what tells it apart
    without colour. That is a hatch of `replication.basics.style.HATCHES` in a colour of its own,
    a hollow outline, a dash, the width of a line in pixels, or a triangle (``up`` or ``down``).
    """

    label: str
    light: str
    dark: str
    hatch: str = ""
    light_hatch: str = "#000000"
    dark_hatch: str = "#FFFFFF"
    hollow: bool = False
    dash: tuple = ()
    width: float = 2
    mark: str = ""
    line: bool = False


LOOKS = {
    "regular": Look("started in order", NAVY, "#5C8FDB"),
    "backfilled": Look("backfilled", AMBER, "#B97B0C", "///"),
    "shadow": Look("shadow load: may be preempted (the rest is sunny)", TEAL, "#1F8278", "..."),
    "preempted": Look(
        "preempted: this run was stopped", "#E8A6B8", WINE, "xxx", "#5A0F25", "#FFD7E1"
    ),
    "gained": Look("starts earlier than on the left", "#00695C", "#5BE3D3", mark="up"),
    "lost": Look("starts later than on the left", "#9C1748", "#FF8FB3", mark="down"),
    "first": Look("left", VIOLET, "#9A8BDD"),
    "second": Look("right", "#D9D3F0", "#4B3F85", "\\\\\\"),
    "own": Look("this side", NAVY, "#8FB5F0", line=True),
    "other": Look("the other side", "#8C6D1F", "#E9C46A", dash=(5, 3), line=True),
    "ran": Look("run, as it really is", "#7FA7A0", "#2C7A6C"),
    "believed": Look(
        "what the scheduler believes is still to come",
        "#FBF0B2",
        "#6B6226",
        "...",
        "#6E6423",
        "#F5E9A0",
    ),
    "past": Look("ended", PALE, DEEP),
    "mild": Look("backfilled mildly", AMBER, "#B97B0C", "///"),
    "wild": Look("backfilled wildly", "#C65A78", WINE, "\\\\\\", "#000000", "#FFD7E1"),
    "hole": Look("hole: free until the reservation", NAVY, "#9CC2FF", hollow=True, dash=(6, 3)),
    "spare": Look("extra processors: free for longer", VIOLET, "#C3B8FF", hollow=True, dash=(2, 3)),
    "stolen": Look("time stolen from the head", "#E8A6B8", WINE, "xxx", "#5A0F25", "#FFD7E1"),
    "now": Look("now", BLACK, "#FFFFFF", width=3, line=True),
    "reservation": Look("reservation (believed)", NAVY, "#9CC2FF", dash=(8, 4), line=True),
    "real": Look("real shadow time (true)", WINE, "#FF8FB3", dash=(2, 3), width=3, line=True),
}
NAMES = list(LOOKS)
NUMBER = {name: number for number, name in enumerate(NAMES)}


def table():
    """The looks as plain data for the page, by name."""
    return {name: asdict(look) | {"dash": list(look.dash)} for name, look in LOOKS.items()}
