"""The search for the simulator behind Tables 1, 2, 4, 5 and 6: choices, their products, and what the numbers identify.

A number depends on the choices of its own policy alone, so each policy's product of choices is simulated on its own,
and the products are joined along the choices that policies share. The distance of one of our numbers is
``|ln(ours/published)|``, at most ln 2: a number that is off by a factor of two or more is simply wrong. The distance
of a combination is the mean over its numbers. Unlike a median, a mean is a sum of parts, which makes the search of
all products small. The default is the first of each list of choices; a search never changes it.
"""

import itertools
import math

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from replication.papers import published, variants
from replication.papers.pv_easy import counts, runs
from replication.papers.variants import Variant
from replication.simulator import paths, text, traces
from replication.simulator.simulation import simulate, warm

ITEMS = ("table1", "table2", "table4", "table5", "table6")
WRONG = math.log(2)
# How much farther, in shares of the distance, the best combination without a choice that is identified must be.
IDENTIFIED = 0.10

#: Dimension to its entry in ``data/published/pv_easy/readings.toml``: of, changes, choices.
DIMENSIONS = published.entries(runs.PAPER, "readings.toml")["search"]
POLICIES = tuple(runs.POLICIES)
FOLDER = paths.DATA / "pv_easy"
#: The tables that `main` writes, and their captions.
CAPTIONS = {
    "nearest": "The nearest combinations of all numbers, of each policy's and of each log's; distances in %",
    "choices": "Each choice: the best combination with it and without it, %",
    "held_out": "Chosen on the other logs, tried on the one left out; distances in %",
    "best": "Published numbers beside the default, the nearest combination and the reconstructed simulator",
}
#: The combination shown as the reconstructed simulator, as far as it is not the default; see `reconstructed`.
RECONSTRUCTED = {
    "reservation": "held",
    "extra": "not-used-up",
    "delay": "since running jobs ended",
    "whose": "users' estimates",
    "blame": "any-later",
}


def dimensions(policy, *kinds):
    """Return the names of the dimensions that concern a policy, of some kinds of changes or of all."""
    return [
        name
        for name, entry in DIMENSIONS.items()
        if policy in entry["of"] and (not kinds or entry["changes"] in kinds)
    ]


def products(names):
    """Yield all products of the choices of some dimensions, each a dict of dimension to choice."""
    for chosen in itertools.product(*(DIMENSIONS[name]["choices"] for name in names)):
        yield dict(zip(names, chosen, strict=True))


def _fields(chosen, changes):
    fields = {}
    for name, choice in chosen.items():
        if DIMENSIONS[name]["changes"] == changes:
            fields |= DIMENSIONS[name]["choices"][choice]
    return fields


def scheduler(policy, chosen):
    """Return the scheduler of a policy under some choices by dimension."""
    own = {name: choice for name, choice in chosen.items() if policy in DIMENSIONS[name]["of"]}
    found = Variant("", scheduler=_fields(own, "scheduler")).of(runs.POLICIES[policy])
    predictor = _fields(own, "predictor")
    if predictor:
        found = Variant("", scheduler={"predictor": text.predictor(predictor["name"])}).of(found)
    return found


_KINDS = (
    (counts.kinds, ("blocked",), ("blocked",)),
    (counts.kinds, ("backfilled",), ("backfilled",)),
)
#: Of each policy: what counts its numbers, the dimensions on which these depend, and their names.
COUNTED = {
    "EASY": (
        (counts.delays, ("blocked", "delay"), ("delayed", "mean_delay", "max_delay")),
        *_KINDS,
    ),
    "EASY-Last": (
        (
            counts.violations,
            ("whose", "blame"),
            ("violated", "violated_mean_size", "mean_dtr", "max_dtr", "mean_si", "max_si"),
        ),
    ),
    "PV-EASY": (
        *_KINDS,
        (counts.loads, ("span",), ("total_load", "wasted_load")),
        (counts.preemptions, ("waste",), ("rtw",)),
        (counts.preemptions, (), ("preempted", "preempted_share", "mkt")),
    ),
}


def measurements(policy, schedule):
    """Yield (dict of counting dimensions to choices, measure, value) for all ways of counting a policy's numbers."""
    for count, names, measures in COUNTED[policy]:
        for chosen in products(names):
            numbers = count(schedule, **_fields(chosen, "count"))
            for measure in measures:
                yield chosen, measure, numbers[measure][0]


def extent(logs):
    """Return how much a search on some logs compares: a table of what and number."""
    simulated = ("cleaning", "scheduler", "predictor")
    numbers = {
        row.key
        for item in ITEMS
        for row in published.rows(runs.PAPER, item)
        if row.trace in logs
        and any(row.measure in known for *_, known in COUNTED.get(row.policy, ()))
    }
    found = {
        "combinations": _combinations(DIMENSIONS),
        "simulations of a log": sum(_combinations(dimensions(one, *simulated)) for one in POLICIES),
        "numbers": len(numbers),
    }
    return pd.DataFrame(found.items(), columns=["what", "number"])


def _combinations(names):
    """Return the number of products of the choices of some dimensions."""
    return math.prod(len(DIMENSIONS[name]["choices"]) for name in names)


class Search:
    """Numbers of all products of choices.

    Parameters
    ----------
    workloads : dict of str to Workload
        The paper's logs by name.
    first : int, optional
        Only so many jobs of each log.
    workers : int

    Attributes
    ----------
    numbers : list of replication.papers.published.Published
        The published numbers that count, each once.
    names : list of str
        All dimensions.
    values : list of ndarray
        Of each number, our values, with one axis for each dimension; of length 1 where it does not depend on it.
    """

    def __init__(self, workloads, first=None, workers=2):
        printed = {}
        for item in ITEMS:
            for row in published.rows(runs.PAPER, item):
                if row.policy != "log" and row.trace in workloads:
                    printed.setdefault(row.key, row)
        self.names, self.logs = list(DIMENSIONS), list(workloads)
        cells = {}
        for log, policy in itertools.product(workloads, POLICIES):
            for key, value in self._policy(workloads, log, policy, first, workers):
                cells.setdefault((log, policy, key[0]), {})[key[1]] = value
        self.numbers = [row for key, row in printed.items() if key in cells]
        self.values = [self._array(cells[row.key]) for row in self.numbers]
        self.distances = [self._distance(k) for k in range(len(self.numbers))]

    def _policy(self, workloads, log, policy, first, workers):
        """((measure, ((dimension, choice), ...)), value) of each number of a policy on a log."""
        warm()
        cleanings = dimensions(policy, "cleaning")
        found = []
        for clean in products(cleanings):
            variant = Variant("", cleaning=_fields(clean, "cleaning"))
            try:
                jobs = variants.jobs(runs.PAPER, workloads, log, variant, first)
            except variants.NotApplicable:
                continue  # a stand-in has no lines to clean otherwise

            def one(chosen, jobs=jobs, clean=clean):
                schedule = simulate(jobs, scheduler(policy, chosen))
                rows = []
                for counted, measure, value in measurements(policy, schedule):
                    key = tuple(sorted((clean | chosen | counted).items()))
                    rows.append(((measure, key), value))
                return rows

            several = list(products(dimensions(policy, "scheduler", "predictor")))
            in_threads = Parallel(workers, prefer="threads")
            for rows in in_threads(delayed(one)(chosen) for chosen in several):
                found += rows
        return found

    def _array(self, cells):
        """Return the values of a number as an array with an axis for each dimension."""
        on = {name for key in cells for name, _ in key}
        places = {name: list(DIMENSIONS[name]["choices"]) for name in self.names}
        array = np.full([len(places[n]) if n in on else 1 for n in self.names], np.nan)
        for key, value in cells.items():
            chosen = dict(key)
            index = tuple(places[n].index(chosen[n]) if n in on else 0 for n in self.names)
            array[index] = value
        return array

    def _distance(self, number):
        """Return the distances of a number, an array like its values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            away = np.abs(np.log(self.values[number] / self.numbers[number].value))
        return np.minimum(np.nan_to_num(away, nan=WRONG), WRONG)

    def some(self, **facts):
        """Return the places of the numbers with some facts, such as ``trace="CTC-SP2"``."""
        return [
            k
            for k, row in enumerate(self.numbers)
            if all(getattr(row, name) == value for name, value in facts.items())
        ]

    def total(self, numbers):
        """Return the mean distance of every combination to some numbers, an array over the dimensions that these depend on."""
        total = 0.0
        # The sums within a policy are small arrays; only their sum is large.
        for policy in POLICIES:
            own = [self.distances[k] for k in numbers if self.numbers[k].policy == policy]
            total = total + sum(own) if own else total
        return total / len(numbers)

    def nearest(self, numbers):
        """Return the combination nearest to some numbers, dict of dimension to choice, and its distance."""
        total = self.total(numbers)
        place = np.unravel_index(int(total.argmin()), total.shape)
        chosen = {
            name: list(DIMENSIONS[name]["choices"])[k]
            for name, k, length in zip(self.names, place, total.shape, strict=True)
            if length > 1
        }
        return chosen, float(total.min())

    def index(self, chosen, number):
        """Place of a combination in the array of a number; the default where nothing is chosen."""
        place = []
        for name, length in zip(self.names, self.values[number].shape, strict=True):
            choices = list(DIMENSIONS[name]["choices"])
            place.append(choices.index(chosen[name]) if length > 1 and name in chosen else 0)
        return tuple(place)

    def value(self, number, chosen):
        """Our value of a number under a combination."""
        return float(self.values[number][self.index(chosen, number)])

    def distance(self, numbers, chosen):
        """Return the mean distance of a combination to some numbers."""
        return float(np.mean([self.distances[k][self.index(chosen, k)] for k in numbers]))

    def groups(self):
        """Return the places of all numbers, of those of each policy, and of those of each log, by name."""
        found = {"all": [*range(len(self.numbers))]}
        found |= {policy: self.some(policy=policy) for policy in POLICIES}
        return found | {log: self.some(trace=log) for log in self.logs}

    def without(self, log):
        """Return the places of the numbers of the other logs."""
        return [k for k, row in enumerate(self.numbers) if row.trace != log]

    def choices(self):
        """Return for each choice the best combination with it and without it, and whether the numbers identify it.

        Judged by the numbers of the policies that the dimension concerns. A choice is identified if the best
        combination without it is farther by a tenth, and if it is in the best combination also when any one log is
        left out. Columns: dimension, choice, default, with_it, without_it (distances in %), left_out (logs without
        which it is still best), identified.
        """
        rows = []
        for axis, name in enumerate(self.names):
            numbers = [
                k for k, row in enumerate(self.numbers) if row.policy in DIMENSIONS[name]["of"]
            ]
            moved = [k for k in numbers if self.values[k].shape[axis] > 1]
            best = self._bests(axis, numbers)
            left = [
                int(
                    self._bests(axis, [k for k in numbers if self.numbers[k].trace != log]).argmin()
                )
                for log in self.logs
            ]
            for k, choice in enumerate(DIMENSIONS[name]["choices"]):
                others = float(np.delete(best, k).min())
                stays = left.count(k)
                known = best[k] * (1 + IDENTIFIED) < others and stays == len(self.logs)
                rows.append(
                    (
                        name,
                        choice,
                        "yes" if k == 0 else "",
                        percent(best[k]),
                        percent(others),
                        stays,
                        "yes" if known else "",
                        len(moved),
                    )
                )
        columns = ["dimension", "choice", "default", "with_it", "without_it", "left_out"]
        return pd.DataFrame(rows, columns=[*columns, "identified", "numbers"])

    def _bests(self, axis, numbers):
        """Distance of the best combination with each choice of a dimension."""
        total = self.total(numbers)
        return total.min(axis=tuple(k for k in range(total.ndim) if k != axis))

    def held_out(self):
        """Return the best combination of two logs, evaluated on the third: a row for each log and group of numbers.

        Columns: numbers (all, or a policy's), tested_on, fit, test, default, own (the log's own best) and middle (the
        median combination), distances in %; better (share of all combinations nearer on the log tested, %), choices.
        """
        rows = []
        groups = {"all": None} | {policy: policy for policy in POLICIES}
        for group, policy in groups.items():
            for log in self.logs if len(self.logs) > 1 else ():
                facts = {"trace": log} | ({"policy": policy} if policy else {})
                own = self.some(**facts)
                fit = [
                    k
                    for k in self.without(log)
                    if policy is None or self.numbers[k].policy == policy
                ]
                chosen, distance = self.nearest(fit)
                every = self.total(own)
                test = self.distance(own, chosen)
                shares = distance, test, self.distance(own, {}), every.min(), np.median(every)
                rows.append(
                    (
                        group,
                        log,
                        *map(percent, shares),
                        percent((every < test - 1e-12).mean()),
                        words(chosen),
                    )
                )
        columns = ["numbers", "tested_on", "fit", "test", "default", "own", "middle", "better"]
        return pd.DataFrame(rows, columns=[*columns, "choices"])

    def best(self, **combinations):
        """Return each published number with ours by default and under some combinations, by name."""
        rows = []
        for k, row in enumerate(self.numbers):
            ours = [self.value(k, chosen) for chosen in combinations.values()]
            rows.append((row.item, *row.key, row.unit, row.value, self.value(k, {}), *ours))
        columns = ["item", "trace", "policy", "measure", "unit", "published", "default"]
        return pd.DataFrame(rows, columns=[*columns, *combinations])


def words(chosen):
    """Return a combination in words, without the defaults."""
    others = [
        f"{name}: {choice}"
        for name, choice in chosen.items()
        if choice != next(iter(DIMENSIONS[name]["choices"]))
    ]
    return "; ".join(others) or "the default"


def percent(share):
    """Return a share in %, to three digits."""
    return float(f"{100 * share:.3g}")


def tables(found):
    """Return the results of a `Search`: tables by name, for the notebook ``readings``."""
    nearest, _ = found.nearest(range(len(found.numbers)))
    return {
        "choices": found.choices(),
        "held_out": found.held_out(),
        "best": found.best(nearest=nearest, reconstructed=RECONSTRUCTED),
        "nearest": pd.DataFrame(
            [
                (
                    name,
                    len(rows),
                    words(chosen),
                    percent(distance),
                    percent(found.distance(rows, {})),
                )
                for name, rows in found.groups().items()
                for chosen, distance in [found.nearest(rows)]
            ],
            columns=["numbers", "count", "choices", "distance", "default"],
        ),
    }


def identified(choices):
    """Return the choices that the numbers identify, of the table of `Search.choices`."""
    columns = ["dimension", "choice", "default", "with_it", "without_it"]
    return choices.loc[choices["identified"] == "yes", columns].reset_index(drop=True)


def read():
    """Return the tables that `main` wrote, by name."""
    return {name: pd.read_csv(FOLDER / f"search_{name}.csv").fillna("") for name in CAPTIONS}


def main():
    """Search at full scale, and write the tables to ``data/pv_easy``: minutes on two cores."""
    logs = traces.names(runs.PAPER)
    found = Search({log: traces.load(log, paper=runs.PAPER) for log in logs})
    for name, table in tables(found).items():
        table.to_csv(FOLDER / f"search_{name}.csv", index=False)


if __name__ == "__main__":
    main()
