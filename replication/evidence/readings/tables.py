"""What a search over readings found, as tables: the nearest, what is identified, ranges, and the hold-out."""

import numpy as np
import pandas as pd

from replication.evidence import compare
from replication.evidence.readings import IDENTIFIED

OPEN, KNOWN, UNMOVED, UNDECIDED = "left open", "identified", "moves nothing", "not decided here"
NEAR = 0.20  # the widest distance that compare still calls near


def percent(share):
    """A relative difference in per cent."""
    return 100 * float(share)


def ranking(found, decided=True, first=10):
    """The nearest combinations, and where the default stands.

    Parameters
    ----------
    found : replication.evidence.readings.Found
    decided : bool
        False where the data prove nothing: then no number matches, and none is near.
    first : int
        How many.

    Returns
    -------
    pandas.DataFrame
        rank, median, worst (relative differences, %), match, near (numbers that match; within 20 %), reading.
    """
    order = found.order
    places = [*range(min(first, len(order))), int(np.flatnonzero(order == 0)[0])]
    rows = []
    for place in dict.fromkeys(places):
        k = order[place]
        rows.append(
            (
                place + 1,
                percent(found.distances[k]),
                percent(found.differences[k].max()),
                int(found.matched[k].sum()),
                int((found.differences[k] <= NEAR).sum()),
                found.grid.words(k),
            )
        )
    table = pd.DataFrame(rows, columns=["rank", "median", "worst", "match", "near", "reading"])
    return table if decided else table.drop(columns=["match", "near"])


def left_out(found):
    """Combinations tried, and those left out with the reason, a row each."""
    rows = [
        ("tried", len(found)),
        *((f"left out: {why}", n) for why, n in found.grid.left_out.items()),
    ]
    return pd.DataFrame(rows, columns=["combinations", "number"])


def choices(found, decided=True):
    """Which choices the published numbers identify: the best combination with each against the best without.

    Asked of all numbers, and of each policy's. A choice is judged by the numbers that its dimension moves at
    all. It is identified if the best combination with it is nearer than the best without it by
    `replication.evidence.readings.IDENTIFIED`, and if it is also in the best one when any log is left out.

    Parameters
    ----------
    found : replication.evidence.readings.Found
    decided : bool
        False where the data prove nothing.

    Returns
    -------
    pandas.DataFrame
        group (of numbers), dimension, choice, words, default, numbers (that it moves), best_with,
        best_without (distances to these, %), fits (how often it is best when one log is left out, of how
        many), verdict.
    """
    rows = []
    for group, numbers in found.groups.items():
        for dimension in found.grid.dimensions:
            moved = [k for k in numbers if dimension.name in found.dimensions(k)]
            best, fits = _bests(found, dimension, moved), _fits(found, dimension, moved)
            for c, (name, words) in enumerate(dimension.choices.items()):
                others = np.delete(best, c).min()
                known = (
                    best[c] < others
                    and best[c] <= (1 - IDENTIFIED) * others
                    and fits
                    and set(fits) == {c}
                )
                verdict = (KNOWN if known else OPEN if moved else UNMOVED) if decided else UNDECIDED
                rows.append(
                    (
                        group,
                        dimension.name,
                        name,
                        words,
                        "yes" if c == 0 else "",
                        len(moved),
                        percent(best[c]),
                        percent(others),
                        f"{fits.count(c)} of {len(fits)}",
                        verdict,
                    )
                )
    return pd.DataFrame(
        rows,
        columns=[
            "group",
            "dimension",
            "choice",
            "words",
            "default",
            "numbers",
            "best_with",
            "best_without",
            "fits",
            "verdict",
        ],
    )


def _bests(found, dimension, numbers):
    """Least distance to some numbers with each choice of a dimension; inf where there is none."""
    if not numbers:
        return np.full(len(dimension.choices), np.inf)
    some, distance = found.told_apart(numbers)
    codes = found.grid.codes[some, found.grid.place[dimension.name]]
    return np.array(
        [distance[codes == c].min(initial=np.inf) for c in range(len(dimension.choices))]
    )


def _fits(found, dimension, moved):
    """The best choice of a dimension when each log in turn is left out; -1 where two are as good."""
    fits = []
    for log in found.logs if moved and len(found.logs) > 1 else ():
        best = _bests(found, dimension, [k for k in moved if found.numbers[k].trace != log])
        fits.append(int(best.argmin()) if (best == best.min()).sum() == 1 else -1)
    return fits


def identified(choices):
    """The choices in short: a row a dimension, a column a group of numbers.

    Parameters
    ----------
    choices : pandas.DataFrame
        From `choices`.

    Returns
    -------
    pandas.DataFrame
        In a cell the choice that the group identifies, or what else is to be said.
    """

    def cell(part):
        known = part[part["verdict"] == KNOWN]
        return known["choice"].iloc[0] if len(known) else part["verdict"].iloc[0]

    short = {
        (dimension, group): cell(part)
        for (dimension, group), part in choices.groupby(["dimension", "group"])
    }
    defaults = choices[choices["default"] == "yes"].drop_duplicates("dimension")
    return pd.DataFrame(
        [
            {"dimension": row.dimension, "default": row.choice}
            | {group: short[row.dimension, group] for group in dict.fromkeys(choices["group"])}
            for row in defaults.itertuples()
        ]
    )


def ranges(found):
    """How much each published number moves over all readings.

    Returns
    -------
    pandas.DataFrame
        item, trace, policy, measure, unit, published, default, best, lowest, highest, inside (whether the
        paper's number lies in the range).
    """
    rows = []
    for k, row in enumerate(found.numbers):
        values = found.values(k)
        low, high = (float(f(values)) for f in (np.nanmin, np.nanmax))
        rows.append(
            (
                row.item,
                *row.key,
                row.unit,
                row.value,
                float(values[0]),
                float(values[found.best]),
                low,
                high,
                "yes" if low <= row.value <= high else "no",
            )
        )
    return pd.DataFrame(
        rows,
        columns=[
            "item",
            "trace",
            "policy",
            "measure",
            "unit",
            "published",
            "default",
            "best",
            "lowest",
            "highest",
            "inside",
        ],
    )


def each(found, fact="trace"):
    """Whether one reading explains all logs, or tables: the best for each alone, beside the best for all.

    Parameters
    ----------
    found : replication.evidence.readings.Found
    fact : {"trace", "item", "policy"}

    Returns
    -------
    pandas.DataFrame
        The fact, numbers, own, common, default (medians on it, %), near_own, near_common (numbers within 20
        %), reading (its own best).
    """
    rows = []
    for one in dict.fromkeys(getattr(row, fact) for row in found.numbers):
        numbers = found.of(**{fact: one})
        own = found.nearest(numbers)
        median = [percent(np.median(found.differences[k][numbers])) for k in (own, found.best, 0)]
        near = [int((found.differences[k][numbers] <= NEAR).sum()) for k in (own, found.best)]
        rows.append((one, len(numbers), *median, *near, found.words(own, numbers)))
    return pd.DataFrame(
        rows,
        columns=[fact, "numbers", "own", "common", "default", "near_own", "near_common", "reading"],
    )


def hold_out(found):
    """Guard against chance: the best reading for all logs but one, tested on that one.

    Returns
    -------
    pandas.DataFrame
        group (of numbers), tested_on, tried (combinations that the group tells apart), fit (median on the
        other logs, %), test, default, blind (the median combination), possible (the log's own best): medians
        on the log tested on, %; beaten (share of the combinations that are farther on that log, %), reading.
    """
    rows = []
    for group, numbers in found.groups.items():
        some, _ = found.told_apart(numbers)
        for log in found.logs if len(found.logs) > 1 else ():
            own = [k for k in numbers if found.numbers[k].trace == log]
            others = [k for k in numbers if k not in own]
            k, test = found.nearest(others), found.distance(own, some)
            mine, default, fit = (
                np.median(found.differences[c][n]) for c, n in ((k, own), (0, own), (k, others))
            )
            rows.append(
                (
                    group,
                    log,
                    len(some),
                    percent(fit),
                    percent(mine),
                    percent(default),
                    percent(np.median(test)),
                    percent(test.min()),
                    percent((test > mine).mean()),
                    found.words(k, others),
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            "group",
            "tested_on",
            "tried",
            "fit",
            "test",
            "default",
            "blind",
            "possible",
            "beaten",
            "reading",
        ],
    )


def best(found, paper, items, worth="paper", k=None):
    """A combination's numbers beside the published ones, as in a comparison; never mixed with the default's.

    Parameters
    ----------
    found : replication.evidence.readings.Found
    paper : str
    items : sequence of str
    worth : str
        Of the data, one of `replication.pages.record.KINDS`; there are verdicts on ``paper`` alone.
    k : int, optional
        The combination; the best by default.

    Returns
    -------
    pandas.DataFrame
        item, trace, policy, measure, unit, published, ours, difference, verdict, source.
    """
    from replication.evidence import published

    k = found.best if k is None else k
    ours = {
        row.key: (row.unit, float(found.values(place, k)))
        for place, row in enumerate(found.numbers)
    }
    frames = []
    for item in items:
        rows = [row for row in published.rows(paper, item) if row.key in ours]
        mine = [
            dict(zip((*compare.KEY, "unit", "value"), (*row.key, *ours[row.key]), strict=True))
            for row in rows
        ]
        frame = compare.table(paper, item, mine, stand_in=worth == "stand-in")
        frames.append(frame[frame["ours"].notna()])
    table = pd.concat(frames, ignore_index=True).drop(columns="reason")
    if worth != "paper":
        table["verdict"] = compare.NOT_COMPARABLE
    return table
