"""What a search over readings found, as tables: the nearest, what is identified, ranges, and the hold-out."""

import numpy as np
import pandas as pd

from replication.papers import compare, published
from replication.papers.readings import IDENTIFIED

OPEN, KNOWN, UNMOVED, UNDECIDED = "left open", "identified", "moves nothing", "not decided here"
NEAR = 0.20  # the widest distance that compare still calls near
HELD_OUT = ["group", "tested_on", "tried", "fit", "test", "default", "blind", "possible"]
HELD_OUT += ["beaten", "reading"]


def percent(share):
    """A relative difference in per cent."""
    return 100 * float(share)


def ranking(found, decided=True, first=10):
    """The `first` nearest combinations, and where the default stands: rank, median and worst
    (relative differences, %), match and near (numbers that match; within 20 %), reading. Without
    the last two where the data decide nothing.
    """
    ranks = list(dict.fromkeys([*range(1, min(first, len(found)) + 1), found.default_rank]))
    k = found.order[[rank - 1 for rank in ranks]]
    far = found.differences[k]
    columns = {
        "rank": ranks,
        "median": 100 * found.distances[k].astype(float),
        "worst": 100 * far.max(axis=1).astype(float),
        "match": found.matched[k].sum(axis=1),
        "near": (far <= NEAR).sum(axis=1),
        "reading": [found.grid.words(one) for one in k],
    }
    return pd.DataFrame(columns).drop(columns=[] if decided else ["match", "near"])


def left_out(found):
    """Combinations tried, and those left out with the reason, a row each."""
    rows = [
        ("tried", len(found)),
        *((f"left out: {why}", n) for why, n in found.grid.left_out.items()),
    ]
    return pd.DataFrame(rows, columns=["combinations", "number"])


def choices(found, decided=True):
    """Which choices the published numbers identify: the best combination with each against the best
    without.

    Asked of all numbers, and of each policy's. A choice is judged by the numbers that its dimension
    moves at all. It is identified if the best combination with it is nearer than the best without
    it by `replication.papers.readings.IDENTIFIED`, and if it is also in the best one when any log
    is left out.

    Columns are group (of numbers), dimension, choice, words, default, numbers (that it moves),
    best_with and best_without (distances to these, %), fits (how often it is best when one log is
    left out, of how many), verdict: not decided where the data prove nothing.
    """
    rows = []
    for group, numbers in found.groups.items():
        for dimension, alternatives in found.grid.dimensions.items():
            moved = [k for k in numbers if dimension in found.dimensions(k)]
            best, fits = _bests(found, dimension, moved), _fits(found, dimension, moved)
            for c, one in enumerate(alternatives):
                others = np.delete(best, c).min()
                nearer = best[c] < others and best[c] <= (1 - IDENTIFIED) * others
                known = nearer and fits and set(fits) == {c}
                verdict = KNOWN if known else OPEN if moved else UNMOVED
                row = group, dimension, one.name, one.words, "" if c else "yes", len(moved)
                fit = percent(best[c]), percent(others), f"{fits.count(c)} of {len(fits)}"
                rows.append((*row, *fit, verdict if decided else UNDECIDED))
    columns = ["group", "dimension", "choice", "words", "default", "numbers"]
    return pd.DataFrame(rows, columns=[*columns, "best_with", "best_without", "fits", "verdict"])


def _bests(found, dimension, numbers):
    """Least distance to some numbers with each choice of a dimension; inf where there is none."""
    choices = range(len(found.grid.names[dimension]))
    if not numbers:
        return np.full(len(choices), np.inf)
    some, distance = found.told_apart(numbers)
    codes = found.grid.codes[some, found.grid.place[dimension]]
    return np.array([distance[codes == c].min(initial=np.inf) for c in choices])


def _fits(found, dimension, moved):
    """The best choice of a dimension when each log in turn is left out; -1 where two are as good."""
    fits = []
    for log in found.logs if moved and len(found.logs) > 1 else ():
        best = _bests(found, dimension, [k for k in moved if found.numbers[k].trace != log])
        fits.append(int(best.argmin()) if (best == best.min()).sum() == 1 else -1)
    return fits


def identified(choices):
    """The choices in short: a row a dimension, a column a group, in a cell the choice that it identifies."""
    said = choices["verdict"].where(choices["verdict"] != KNOWN, choices["choice"])
    # A choice that is identified comes first among those of its dimension and group.
    first = choices.assign(said=said).sort_values(
        "verdict", key=lambda v: v != KNOWN, kind="stable"
    )
    first = first.drop_duplicates(["dimension", "group"])
    short = first.pivot(index="dimension", columns="group", values="said")
    defaults = choices[choices["default"] == "yes"].drop_duplicates("dimension")
    table = defaults[["dimension", "choice"]].rename(columns={"choice": "default"})
    return table.join(short[list(dict.fromkeys(choices["group"]))], on="dimension").reset_index(
        drop=True
    )


def ranges(found):
    """How much each published number moves over all readings: what names it, published, default,
    best, lowest, highest, inside (whether the paper's number lies in the range).
    """
    rows = []
    for k, row in enumerate(found.numbers):
        values = found.values(k)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        ours = float(values[0]), float(values[found.best]), low, high
        inside = "yes" if low <= row.value <= high else "no"
        rows.append((row.item, *row.key, row.unit, row.value, *ours, inside))
    columns = ["item", *compare.KEY, "unit", "published", "default", "best", "lowest", "highest"]
    return pd.DataFrame(rows, columns=[*columns, "inside"])


def each(found):
    """Whether one reading explains all logs: the best for each alone, beside the best for all.

    A row for each log: trace, numbers, own, common and default
    (medians on it, %), near_own and near_common (numbers within 20 %), reading (its own best).
    """
    rows = []
    for one in found.logs:
        numbers = found.of(trace=one)
        own = found.nearest(numbers)
        away = [found.differences[k][numbers] for k in (own, found.best, 0)]
        near = [int((far <= NEAR).sum()) for far in away[:2]]
        medians = [percent(np.median(far)) for far in away]
        rows.append((one, len(numbers), *medians, *near, found.words(own, numbers)))
    columns = ["trace", "numbers", "own", "common", "default", "near_own", "near_common", "reading"]
    return pd.DataFrame(rows, columns=columns)


def hold_out(found):
    """Guard against chance: the best reading for all logs but one, tested on that one.

    Columns are group (of numbers), tested_on, tried (combinations that the group tells apart), fit
    (median on the other logs, %); test, default, blind (the median combination) and possible (the
    log's own best), medians on the log tested on, %; beaten (share of the combinations that are
    farther on that log, %), reading.
    """
    rows = []
    for group, numbers in found.groups.items():
        some, _ = found.told_apart(numbers)
        for log in found.logs if len(found.logs) > 1 else ():
            own = [k for k in numbers if found.numbers[k].trace == log]
            others = [k for k in numbers if k not in own]
            k, test = found.nearest(others), found.distance(own, some)
            fit, mine = (np.median(found.differences[k][part]) for part in (others, own))
            default = np.median(found.differences[0][own])
            shares = fit, mine, default, np.median(test), test.min(), (test > mine).mean()
            row = group, log, len(some), *map(percent, shares), found.words(k, others)
            rows.append(row)
    return pd.DataFrame(rows, columns=HELD_OUT)


def best(found, paper, items, decided=True):
    """The nearest combination's numbers beside the published ones of some items, as in a
    comparison; never mixed with the default's, and without verdicts where the data decide nothing.
    """
    ours = {row.key: float(found.values(k, found.best)) for k, row in enumerate(found.numbers)}
    frames = []
    for item in items:
        rows = [row for row in published.rows(paper, item) if row.key in ours]
        mine = [(*row.key, ours[row.key], row.unit) for row in rows]
        mine = pd.DataFrame(mine, columns=list(compare.OURS))
        frame = compare.table(paper, item, mine)
        frames.append(frame[frame["ours"].notna()])
    table = pd.concat(frames, ignore_index=True).drop(columns="reason")
    return table if decided else table.assign(verdict=compare.NOT_COMPARABLE)
