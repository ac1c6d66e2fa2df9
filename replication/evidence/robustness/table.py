"""The table of a paper's conclusions against changes: as a picture, and in words made from the results."""

import pandas as pd

from replication.evidence.claims import HOLDS, PART, UNDECIDED
from replication.evidence.robustness import ABSENT, CLEANING, DEFAULT, LOAD, LOG, OPEN, READING, YES

HEADINGS = {
    READING: "other readings, the paper's logs",
    CLEANING: "other cleanings of the paper's logs",
    LOG: "other logs, default reading",
    LOAD: "other loads, the paper's logs",
}
# From against to for: red to green in hue, and from dark to light throughout, so that grey shows the same.
COLOURS = ("#5E0A1A", "#A3301F", "#CF6A2B", "#DFA548", "#CFD884", "#DFF8DC")
ROW_HEIGHT, COLUMN_WIDTH, LABEL_WIDTH = 0.235, 0.82, 3.4


def words(row):
    """A cell in words: cases that hold of how many, and how many are undecided."""
    if not row["cases"]:
        return "–"
    return f"{row[YES]}/{row['cases']}" + (f" ?{row[OPEN]}" if row[OPEN] else "")


def stated(headlines):
    """The headlines as a table: short name, statement, section, statistic and rule."""
    columns = ["short", "statement", "section", "statistic", "rule"]
    return pd.DataFrame(list(headlines.published().values()))[columns]


def draw(found, headlines):
    """The table as a picture: changes down, headlines across, the share that holds as colour and figures."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    names, places, heads = list(headlines.published()), _places(found), []
    height = (max(places.values()) + 1) * ROW_HEIGHT
    figure, axes = plt.subplots(figsize=(LABEL_WIDTH + COLUMN_WIDTH * len(names), height + 1.5))
    colours = LinearSegmentedColormap.from_list("survival", COLOURS)
    for row in found.to_dict("records"):
        at = names.index(row["headline"]), places[row["kind"], row["change"]]
        _cell(axes, at, row, colours)
    for kind in dict.fromkeys(found["kind"]):
        if kind in HEADINGS:
            first = min(place for (other, _), place in places.items() if other == kind)
            heads.append((first - 1, HEADINGS[kind]))
    ticks = [*((place, name) for (_, name), place in places.items()), *heads]
    axes.set_yticks([place for place, _ in ticks], [name for _, name in ticks])
    for label, (_, name) in zip(axes.get_yticklabels(), ticks, strict=True):
        label.set_weight("bold" if name in HEADINGS.values() else "normal")
    entries = headlines.published()
    axes.set_xticks(range(len(names)), [_folded(entries[name]["short"]) for name in names])
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(max(places.values()) + 0.5, -0.5))
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    shade = plt.cm.ScalarMappable(plt.Normalize(0, 100), colours)
    figure.colorbar(
        shade,
        ax=axes,
        orientation="horizontal",
        fraction=0.4 / (height + 1.5),
        pad=0.01,
        aspect=40,
        label="cases in which the conclusion holds [%]   "
        "(?, hatched: undecided; –: not applicable)",
    )
    return figure


def _places(found):
    """The row of each change, by (kind, name), with a row for each heading before its group."""
    places, place, before = {}, 0, None
    for kind, name in dict.fromkeys(zip(found["kind"], found["change"], strict=True)):
        place += 1 if before is not None else 0
        place += 1 if kind != before and kind in HEADINGS else 0
        places[kind, name], before = place, kind
    return places


def _cell(axes, at, row, colours):
    """One cell: white and struck out where not applicable, in its colour but hatched where undecided."""
    from matplotlib.patches import Rectangle

    absent, still_open = row["verdict"] == ABSENT, row["verdict"] == UNDECIDED
    colour = "white" if absent else colours(row["share"])
    dark = (
        not absent and sum(w * c for w, c in zip((0.3, 0.59, 0.11), colour[:3], strict=True)) < 0.5
    )
    hatched = absent or still_open
    axes.add_patch(
        Rectangle(
            (at[0] - 0.48, at[1] - 0.46),
            0.96,
            0.92,
            facecolor=colour,
            linewidth=0.4,
            edgecolor="#FFFFFF" if still_open else "#BBBBBB",
            hatch="////" if hatched else None,
        )
    )
    axes.text(
        *at,
        words(row),
        ha="center",
        va="center",
        size=7.5,
        color="white" if dark else "black",
        bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.5} if hatched else None,
    )


def _folded(text, width=12):
    import textwrap

    return "\n".join(textwrap.wrap(text, width))


def sentences(page, found, headlines):
    """For each headline how it stands, and which changes let it stand otherwise, in Markdown."""
    if page.kind != "paper":
        return "Nothing is decided here: the results are not of the real logs at paper scale."
    lines = []
    for name, entry in headlines.published().items():
        part = found[(found["headline"] == name) & (found["cases"] > 0)]
        default = part[part["kind"] == DEFAULT].to_dict("records")
        rest = part[part["kind"] != DEFAULT].to_dict("records")
        if default:
            lines.append(
                f"- **{entry['short']}**: by default it {_state(default[0])} ({words(default[0])}). "
                + _otherwise(_state(default[0]), rest)
            )
    return "\n".join(lines)


def _otherwise(state, rest):
    """Which changes leave a headline in another state than the default does."""
    others = {}
    for row in rest:
        if _state(row) != state:
            others.setdefault(_state(row), []).append(f"{row['change']} ({words(row)})")
    same = len(rest) - sum(map(len, others.values()))
    if not others:
        return f"All {same} changes leave it so."
    parts = [f"it {other} under {', '.join(named)}" for other, named in others.items()]
    return f"{same} of {len(rest)} changes leave it so; {'; '.join(parts)}."


def _state(row):
    """How a headline stands: with more than half of its cases, whether all of them or not, it holds."""
    return {HOLDS: HOLDS, PART: HOLDS, UNDECIDED: "stays open"}.get(row["verdict"], row["verdict"])


def not_applicable(found):
    """Which cells are empty, and why, in Markdown; empty if none is."""
    gone = found[found["cases"] == 0]
    reasons = {}
    for row in gone.to_dict("records"):
        reasons.setdefault(row["reason"], []).append(row["change"])
    return "\n".join(
        f"- Not applicable to {', '.join(dict.fromkeys(changes))}: {reason}."
        for reason, changes in reasons.items()
    )
