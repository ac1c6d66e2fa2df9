"""The search for the simulator behind Table I: every combination of the choices that the paper
leaves open.

A combination is one simulator, so it is compared with all published numbers at once. Its distance
is the median of their relative differences ``|ours - published| / |published|`` over all logs. The
default is the first of each list of choices; a search never changes it.
"""

from itertools import product

import numpy as np
import pandas as pd

from notebooks import variants
from notebooks.top_percent import runs
from notebooks.variants import Variant
from replication.simulator.schedules import measures
from replication.simulator.sweeps import engines
from replication.verdicts import published, rules, tables
from replication.verdicts.published import EvidenceError

PAPER, ITEM = runs.PAPER, "table1"
#: The alternatives of each dimension, as variants, the default first.
CLEANING = variants.alternatives("cleaning", PAPER)
EVENTS = variants.options("passes", "ties")
PREDICTION = variants.options(*variants.PREDICTION)
TOP = variants.alternatives("predictor", PAPER)
R2 = variants.alternatives("counting", PAPER)
DIMENSIONS = CLEANING | EVENTS | PREDICTION | TOP | R2
#: Policies, and the dimensions that need a simulation of their own for these.
PARTS = (
    (("Reqtime", "Clairvoyant"), (*CLEANING, *EVENTS)),
    (("Complete", "CVH", "Tsafrir"), (*CLEANING, *EVENTS, *PREDICTION)),
    (("Top02", "Top03", "Top04"), (*CLEANING, *EVENTS, *PREDICTION, *TOP)),
)
IDENTIFIED = 0.10  # how much nearer the best combination with an identified choice must be
OPEN, KNOWN, UNMOVED, UNDECIDED = "left open", "identified", "moves nothing", "not decided here"
NEAR = 0.20  # the largest difference of a near number, see `replication.verdicts.rules`
UNITS = dict.fromkeys(("median", "worst", "best_with", "best_without", "fit", "test"), "%")
UNITS |= dict.fromkeys(("own", "common", "blind", "possible", "beaten"), "%")


def numbers(workload, variant, policies):
    """Yield policy, measure, how it is counted (choices by dimension) and value, for every way of
    counting.
    """
    base = runs.measure(runs.run(workload, runs.REFERENCE, variant))
    for policy in policies:
        schedule = runs.run(workload, policy, variant)
        measured = runs.measure(schedule)
        at_submission = schedule.first_prediction
        # The paper's simulator records -1 where no predictor runs (docs/decisions/top_percent.md).
        none = np.full(len(workload), -1)
        predictions = {
            "submission": at_submission,
            "start": schedule.prediction,
            "recorded": none if policy == runs.REFERENCE else at_submission,
        }
        for way, predicted in predictions.items():
            yield policy, "r2", {"r2": way}, measures.determination(workload.run_time, predicted)
        del measured["r2"]
        yield from ((policy, name, {}, value / base[name]) for name, value in measured.items())


def combinations(single=False, fixed=()):
    """Return the place of each choice in all combinations, int8[combinations, dimensions]; the
    default comes first.

    If `single`, at most one choice differs from the default; the dimensions in `fixed` stay at
    theirs.
    """
    sizes = [len(choices) for choices in DIMENSIONS.values()]
    codes = np.indices(sizes, dtype=np.int8).reshape(len(sizes), -1).T
    if single:
        codes = codes[np.count_nonzero(codes, axis=1) <= 1]
    stays = [name in fixed for name in DIMENSIONS]
    return codes[~codes[:, stays].any(axis=1)]


def simulate_all(workloads, codes, first=None, workers=1):
    """Return (choices by dimension, value) of each number under all choices that it depends on, by
    log, policy and measure.
    """
    tasks, loaded = [], {}
    for policies, names in PARTS:
        places = [list(DIMENSIONS).index(name) for name in names]
        for log, row in product(workloads, np.unique(codes[:, places], axis=0)):
            chosen = {name: DIMENSIONS[name][k] for name, k in zip(names, row, strict=True)}
            variant = _together(chosen.values())
            key = log, repr(sorted(variant.cleaning.items()))
            if key not in loaded:
                loaded[key] = variants.jobs(PAPER, workloads, log, variant, first)
            by_name = {name: choice.name for name, choice in chosen.items()}
            tasks.append((log, policies, loaded[key], by_name, variant))

    def compute(task):
        log, policies, jobs, chosen, variant = task
        return [
            ((log, policy, measure), (chosen | counted, float(value)))
            for policy, measure, counted, value in numbers(jobs, variant, policies)
        ]

    cells = {}
    for part in engines.each(compute, tasks, workers):
        for key, cell in part:
            cells.setdefault(key, []).append(cell)
    return cells


def _together(several):
    """Return the variant that makes the changes of several."""
    changes = {"scheduler": {}, "predictor": {}, "cleaning": {}}
    for variant in several:
        for part, fields in changes.items():
            fields |= getattr(variant, part)
    return Variant("", **changes)


def search(workloads, first=None, workers=1):
    """Return the `Search` on some workloads by log, or on their first jobs.

    Synthetic logs have no lines to clean otherwise; on these and on first jobs only single changes
    are tried.
    """
    stand_in = any(workload.stand_in for workload in workloads.values())
    codes = combinations(stand_in or first is not None, CLEANING if stand_in else ())
    # Reqtime over Reqtime is 1 under every combination.
    printed = [
        row
        for row in published.rows(PAPER, ITEM)
        if row.policy != runs.REFERENCE or row.measure == "r2"
    ]
    return Search(codes, simulate_all(workloads, codes, first, workers), printed)


class Search:
    """The numbers of all combinations, and their distances from the published ones.

    Parameters
    ----------
    codes : int8[combinations, dimensions]
        From `combinations`.
    cells : dict
        From `simulate_all`.
    printed : list of replication.verdicts.published.Published
        One that is not in the cells does not count.
    dimensions : dict of str to tuple of Variant, optional

    Attributes
    ----------
    numbers, logs : list
        The published numbers that count, and their logs.
    values : float64[combinations, numbers]
    differences : float32[combinations, numbers]
        Relative differences, infinite where a value is undefined.
    matched : bool[combinations, numbers]
        By the rule of `replication.verdicts.rules`.
    distances : float32[combinations]
    order : int64[combinations]
        Combinations from the nearest to the farthest: by median, worst difference, and place.
    """

    def __init__(self, codes, cells, printed, dimensions=DIMENSIONS):
        self.dimensions, self.codes = dimensions, codes
        self.numbers = [row for row in printed if row.key in cells]
        if not self.numbers:
            raise EvidenceError("none of the published numbers was computed")
        self.logs = list(dict.fromkeys(row.trace for row in self.numbers))
        self.all = [*range(len(self.numbers))]
        self._moving, columns, matched = [], [], []
        for row in self.numbers:
            names, grid = self._on_axes(cells[row.key])
            self._moving.append({name for axis, name in enumerate(names) if _moves(grid, axis)})
            columns.append(grid[tuple(codes[:, [*dimensions].index(name)] for name in names)])
            values, place = np.unique(columns[-1], return_inverse=True)
            verdicts = [rules.number_verdict(float(value), row).verdict for value in values]
            matched.append((np.array(verdicts) == rules.MATCH)[place])
        self.values, self.matched = np.column_stack(columns), np.column_stack(matched)
        # A published 0 has no relative difference: the difference itself counts, as in rules.
        units = [abs(row.value) or 1.0 for row in self.numbers]
        away = np.abs(self.values - [row.value for row in self.numbers]) / units
        self.differences = np.where(np.isnan(away), np.inf, away).astype(np.float32)
        self.distances = self.distance(self.all)
        self.order = np.lexsort((self.differences.max(axis=1), self.distances))
        self.best = int(self.order[0])
        self.default_rank = int(np.flatnonzero(self.order == 0)[0]) + 1

    def __len__(self):
        return len(self.codes)

    def _on_axes(self, cells):
        """Return the dimensions that a number was computed for, and its values with an axis for
        each.
        """
        names = list(cells[0][0])
        choices = {name: [choice.name for choice in self.dimensions[name]] for name in names}
        values = np.full([len(several) for several in choices.values()], np.nan)
        for chosen, value in cells:
            values[tuple(several.index(chosen[name]) for name, several in choices.items())] = value
        return names, values

    def on(self, log):
        """Return the places of the numbers of a log."""
        return [k for k, row in enumerate(self.numbers) if row.trace == log]

    def moving(self, numbers):
        """Return the dimensions that some numbers depend on."""
        names = set().union(*(self._moving[k] for k in numbers))
        return [name for name in self.dimensions if name in names]

    def distance(self, numbers):
        """Return the median relative difference to some numbers under every combination,
        float32[combinations].
        """
        return np.median(self.differences[:, numbers], axis=1)

    def nearest(self, numbers):
        """Return the combination nearest to some numbers: by median, worst difference,
        and place.
        """
        distance = self.distance(numbers)
        tied = np.flatnonzero(distance == distance.min())
        return int(tied[np.argmin(self.differences[np.ix_(tied, numbers)].max(axis=1))])

    def words(self, k, numbers=None):
        """Return a combination as the words of its choices other than the default, as far as some
        numbers depend on them.
        """
        names = [*self.dimensions] if numbers is None else self.moving(numbers)
        pairs = zip(self.dimensions.items(), self.codes[k], strict=True)
        others = [several[at].words for (name, several), at in pairs if at and name in names]
        return "; ".join(others) or "the default"


def _moves(cells, axis):
    """Return whether any value differs along an axis."""
    first = cells.take([0], axis)
    return np.any((cells != first) & ~np.isnan(cells) & ~np.isnan(first))


def percent(share):
    """Return a relative difference in per cent."""
    return 100 * float(share)


def ranking(search, decided=True, first=10):
    """Return the `first` nearest combinations and the default.

    Columns: rank, median and worst (relative differences, %), match and near (numbers that match,
    and within 20 %; left out where the data decide nothing), choices (the combination in words).
    """
    ranks = list(dict.fromkeys([*range(1, min(first, len(search)) + 1), search.default_rank]))
    k = search.order[[rank - 1 for rank in ranks]]
    far = search.differences[k]
    columns = {
        "rank": ranks,
        "median": 100 * search.distances[k].astype(float),
        "worst": 100 * far.max(axis=1).astype(float),
        "match": search.matched[k].sum(axis=1),
        "near": (far <= NEAR).sum(axis=1),
        "choices": [search.words(combination) for combination in k],
    }
    return pd.DataFrame(columns).drop(columns=[] if decided else ["match", "near"])


def size(search):
    """Return the number of combinations as a table."""
    return pd.DataFrame([("tried", len(search))], columns=["combinations", "number"])


def choices(search, decided=True):
    """Return which choices the published numbers identify.

    A choice is judged by the numbers that its dimension moves. It is identified if the best
    combination with it is nearer than the best without it by `IDENTIFIED`, and if it is also in the
    best one when any log is left out. Columns: group, dimension, choice, words, default, numbers
    (that the dimension moves), best_with and best_without (distances, %), fits (in how many of the
    logs left out it is best), verdict.
    """
    rows = []
    for place, (dimension, alternatives) in enumerate(search.dimensions.items()):
        moved = [k for k in search.all if dimension in search.moving([k])]
        best, fits = _bests(search, place, moved), _fits(search, place, moved)
        for c, choice in enumerate(alternatives):
            others = np.delete(best, c).min()
            nearer = best[c] < others and best[c] <= (1 - IDENTIFIED) * others
            is_identified = nearer and fits and set(fits) == {c}
            verdict = KNOWN if is_identified else OPEN if moved else UNMOVED
            row = "all", dimension, choice.name, choice.words, "" if c else "yes", len(moved)
            fit = percent(best[c]), percent(others), f"{fits.count(c)} of {len(fits)}"
            rows.append((*row, *fit, verdict if decided else UNDECIDED))
    columns = ["group", "dimension", "choice", "words", "default", "numbers"]
    return pd.DataFrame(rows, columns=[*columns, "best_with", "best_without", "fits", "verdict"])


def _bests(search, place, numbers):
    """Return the least distance to some numbers with each choice of a dimension; infinite where
    there is none.
    """
    codes, several = search.codes[:, place], range(len([*search.dimensions.values()][place]))
    if not numbers:
        return np.full(len(several), np.inf)
    distance = search.distance(numbers)
    return np.array([distance[codes == c].min(initial=np.inf) for c in several])


def _fits(search, place, moved):
    """Return the best choice of a dimension when each log in turn is left out; -1 where two are as
    good.
    """
    fits = []
    for log in search.logs if moved and len(search.logs) > 1 else ():
        best = _bests(search, place, [k for k in moved if search.numbers[k].trace != log])
        fits.append(int(best.argmin()) if (best == best.min()).sum() == 1 else -1)
    return fits


def identified(choices):
    """Return the choices in short: a row for each dimension with its default and the choice that is
    identified.
    """
    rows = []
    for dimension, part in choices.groupby("dimension", sort=False):
        names = part.loc[part["verdict"] == KNOWN, "choice"]
        said = names.iloc[0] if len(names) else part["verdict"].iloc[0]
        rows.append((dimension, part["choice"].iloc[0], said))
    return pd.DataFrame(rows, columns=["dimension", "default", "all"])


def ranges(search):
    """Return the range of each number over all combinations, and whether the published one lies
    inside.
    """
    rows = []
    for row, values in zip(search.numbers, search.values.T, strict=True):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        ours = float(values[0]), float(values[search.best]), low, high
        inside = "yes" if low <= row.value <= high else "no"
        rows.append((row.item, *row.key, row.unit, row.value, *ours, inside))
    columns = ["item", *tables.KEY, "unit", "published", "default", "best", "lowest", "highest"]
    return pd.DataFrame(rows, columns=[*columns, "inside"])


def each(search):
    """Return the best combination of each log, and the best for all logs on it.

    Columns: trace, numbers; own, common and default (medians, %); near_own and near_common (numbers
    within 20 %); choices (the log's own best in words).
    """
    rows = []
    for log in search.logs:
        numbers = search.on(log)
        nearest = search.nearest(numbers)
        away = [search.differences[k][numbers] for k in (nearest, search.best, 0)]
        near = [int((far <= NEAR).sum()) for far in away[:2]]
        medians = [percent(np.median(far)) for far in away]
        rows.append((log, len(numbers), *medians, *near, search.words(nearest, numbers)))
    columns = ["trace", "numbers", "own", "common", "default", "near_own", "near_common", "choices"]
    return pd.DataFrame(rows, columns=columns)


def hold_out(search):
    """Return the best combination for all logs but one, tested on that one: a row for each log.

    Columns: group, tested_on, tried (combinations that the numbers distinguish), fit (median on the
    other logs, %); test, default, blind (the median combination) and possible (the log's own best),
    medians on the log tested, %; beaten (share of the combinations that are farther there, %),
    choices.
    """
    rows = []
    columns = [[*search.dimensions].index(name) for name in search.moving(search.all)]
    distinct = np.sort(np.unique(search.codes[:, columns], axis=0, return_index=True)[1])
    for log in search.logs if len(search.logs) > 1 else ():
        tested = search.on(log)
        others = [k for k in search.all if k not in tested]
        k, test = search.nearest(others), search.distance(tested)[distinct]
        fit, mine = (np.median(search.differences[k][part]) for part in (others, tested))
        default = np.median(search.differences[0][tested])
        shares = fit, mine, default, np.median(test), test.min(), (test > mine).mean()
        rows.append(("all", log, len(distinct), *map(percent, shares), search.words(k, others)))
    names = ["group", "tested_on", "tried", "fit", "test", "default", "blind", "possible"]
    return pd.DataFrame(rows, columns=[*names, "beaten", "choices"])


def best(search, decided=True):
    """Return the numbers of the nearest combination compared with the published ones; without
    verdicts if not `decided`.
    """
    ours = [
        (*row.key, float(search.values[search.best, k]), row.unit)
        for k, row in enumerate(search.numbers)
    ]
    rows = pd.DataFrame(ours, columns=list(tables.OURS))
    frame = tables.comparison(PAPER, ITEM, rows, decided=decided)
    return frame[frame["ours"].notna()].drop(columns="reason").reset_index(drop=True)


def finding(search, choices):
    """Return the result of the search as Markdown, from the table of its choices."""
    if (choices["verdict"] == UNDECIDED).any():
        return (
            f"{len(search):,} combinations were tried. "
            "Synthetic or shortened logs decide nothing about a paper."
        )

    def fit(k):
        matched, near = search.matched[k].sum(), (search.differences[k] <= NEAR).sum()
        return (
            f"{_digits(percent(search.distances[k]))} % ({matched} numbers match, {near} are "
            f"within {100 * NEAR:.0f} %)"
        )

    identified, left = (choices[choices["verdict"] == word] for word in (KNOWN, OPEN))
    texts = [
        f"*{row.words}* ({_digits(row.best_with)} %; {_digits(row.best_without)} % otherwise"
        f"{'; the default' if row.default else ''})"
        for row in identified.itertuples()
    ]
    names = left.loc[~left["dimension"].isin(identified["dimension"]), "dimension"].unique()
    return (
        f"- **Distances.** The median difference from {len(search.numbers)} numbers is {fit(0)} "
        f"under the default, which is "
        f"number {search.default_rank:,} of {len(search):,} in order, and {fit(search.best)} under "
        f"the nearest combination: "
        f"{search.words(search.best)}.\n"
        f"- **Identified choices**, with the median difference of the best combination with each: "
        f"{'; '.join(texts) or 'none'}. Left open: {', '.join(names) or 'none'}."
    )


def _digits(value):
    """Return per cent with two digits, or more above 100, as text."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
