"""How each kind of job, line and mark looks: in light and in dark, and told apart without colour.

Hatches carry matplotlib's names, so that the still pictures and the canvas agree.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

from replication.basics.data import toml

FILE = Path(__file__).with_suffix(".toml")


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
    name: Look(**look | {"dash": tuple(look.get("dash", ()))}) for name, look in toml(FILE).items()
}
NAMES = list(LOOKS)
NUMBER = {name: number for number, name in enumerate(NAMES)}


def table():
    """The looks as plain data for the page, by name."""
    return {name: asdict(look) | {"dash": list(look.dash)} for name, look in LOOKS.items()}
