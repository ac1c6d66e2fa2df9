"""The search for the simulator behind Tables 1, 2, 4, 5 and 6: choices, their products, and what
the numbers identify.

A number depends on the choices of its own policy alone, so each policy's product of choices is
simulated on its own, and the products are joined along the choices that policies share. The
distance of one of our numbers is ``|ln(ours/published)|``, at most ln 2: a number that differs by a
factor of two or more is simply wrong. The distance of a combination is the mean over its numbers.
Maxima over jobs are left out, since each depends on one job, unless a table says that it has them.
Unlike a median, a mean is a sum of parts, which makes the search of all products small. The default
is the first of each list of choices; a search never changes it.
"""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd

from notebooks import variants
from notebooks.pv_easy import counts, runs
from notebooks.variants import Variant
from replication import simulate
from replication.simulator.logs import registry
from replication.simulator.precompilation import warm
from replication.simulator.sweeps import engines
from replication.verdicts import published

ITEMS = ("table1", "table2", "table4", "table5", "table6")
WRONG = math.log(2)
# How much farther, in shares of the distance, the best combination without a choice that is
# identified must be.
IDENTIFIED = 0.10

#: Dimension to its entry in ``data/published/pv_easy/readings.toml``: of, changes, choices.
DIMENSIONS = published.entries(runs.PAPER, "readings.toml")["search"]
SHAPE = tuple(len(entry["choices"]) for entry in DIMENSIONS.values())
#: The combination of the defaults; a combination is the place of each dimension's choice.
DEFAULT = (0,) * len(SHAPE)
POLICIES = tuple(runs.POLICIES)
FOLDER = Path(__file__).parent
#: The tables that `main` writes, and their captions.
CAPTIONS = {
    "tried": "Combinations, the simulations behind them on each log, and the published numbers "
    "they are compared with",
    "nearest": "The nearest combinations of all numbers, of each policy's and of each log's; "
    "distances in %",
    "choices": "Each choice: the best combination with it and without it, %",
    "held_out": "Chosen on the other logs, tried on the one left out; distances in %",
    "forms": "The nearest combination of each form of reservation, without and with maxima; chosen "
    "on all logs, or on two and tested on the third; distances in %",
    "best": "Published numbers beside the default and the nearest combination of each form of "
    "reservation",
}
#: Units of their columns: of distances.
UNITS = dict.fromkeys(("distance", "with_it", "without_it"), "%")
UNITS |= dict.fromkeys(("fit", "test", "own", "middle"), "%")
UNITS |= {f"test_{log}": "%" for log in registry.names("pv_easy")}
#: The forms of a reservation: choices of two dimensions, given by the beginning of their names.
FORMS = {
    "computed at every pass": ("recomputed", "aged"),
    "until due": ("until due", "aged"),
    "until start": ("until start", "aged"),
    "unaged": ("", "unaged"),
}
#: The numbers by which a form may be nearest.
GROUPS = {
    "EASY": ("EASY",),
    "EASY-Last": ("EASY-Last",),
    "EASY and EASY-Last": ("EASY", "EASY-Last"),
}


def dimensions(policy, *kinds):
    """Return the names of the dimensions that concern a policy, of some kinds of
    changes or of all.
    """
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
    return Variant("", scheduler=_fields(own, "scheduler")).of(runs.POLICIES[policy])


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
    """Yield (dict of counting dimensions to choices, measure, value) for all ways of counting a
    policy's numbers.
    """
    for count, names, measures in COUNTED[policy]:
        for chosen in products(names):
            numbers = count(schedule, **_fields(chosen, "count"))
            for measure in measures:
                yield chosen, measure, numbers[measure][0]


def extent(logs):
    """Return how much a search on some logs compares: a table of what and number."""
    simulated = ("cleaning", "scheduler")
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
        "numbers without maxima": sum(not measure.startswith("max_") for *_, measure in numbers),
    }
    return pd.DataFrame(found.items(), columns=["what", "number"])


def _combinations(names):
    """Return the number of products of the choices of some dimensions."""
    return math.prod(len(DIMENSIONS[name]["choices"]) for name in names)


def policy_numbers(workloads, log, policy, workers):
    """Return (measure, choices by dimension, value) for every number of a policy on a log under all
    its products.
    """
    warm()
    found = []
    for clean in products(dimensions(policy, "cleaning")):
        variant = Variant("", cleaning=_fields(clean, "cleaning"))
        try:
            jobs = variants.jobs(runs.PAPER, workloads, log, variant)
        except variants.NotApplicable:
            continue  # a stand-in has no lines to clean otherwise

        known = {}  # many choices make no difference, and a schedule has the same numbers each time

        def one(chosen, jobs=jobs, clean=clean, known=known):
            schedule = simulate(jobs, scheduler(policy, chosen))
            plans = {name: chosen.get(name) for name in ("correction", "plans")}
            key = schedule.start.tobytes(), *plans.values()
            if key not in known:
                known[key] = [*measurements(policy, schedule)]
            return [
                (measure, clean | chosen | counted, value) for counted, measure, value in known[key]
            ]

        several = products(dimensions(policy, "scheduler"))
        for rows in engines.each(one, several, workers):
            found += rows
    return found


def place(chosen):
    """Return the combination of some choices by dimension, the default elsewhere: the place of each
    dimension's choice.
    """
    return tuple(
        list(entry["choices"]).index(chosen[name]) if name in chosen else 0
        for name, entry in DIMENSIONS.items()
    )


def on_axes(cells):
    """Return the values of a number, (choices, value) each, as an array with an axis for each
    dimension.

    An axis has length 1 where the number does not depend on the dimension.
    """
    on = {name for chosen, _ in cells for name in chosen}
    shape = [length if name in on else 1 for name, length in zip(DIMENSIONS, SHAPE, strict=True)]
    array = np.full(shape, np.nan)
    for chosen, value in cells:
        array[place(chosen)] = value
    return array


def logarithmic_distance(values, published):
    """Return the distance of each of our values from the published one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(np.log(values / published))
    return np.minimum(np.nan_to_num(away, nan=WRONG), WRONG)


class Search:
    """Numbers of all products of choices.

    Parameters
    ----------
    workloads : dict of str to Workload
        The paper's logs by name.
    workers : int

    Attributes
    ----------
    numbers : list of replication.verdicts.published.Published
        The published numbers that count, each once.
    values, distances : list of ndarray
        Our values of each number, and their distances from it, as from `on_axes`.
    """

    def __init__(self, workloads, workers=2):
        printed, found = {}, {}
        for row in (row for item in ITEMS for row in published.rows(runs.PAPER, item)):
            printed.setdefault(row.key, row)
        for log, policy in itertools.product(workloads, POLICIES):
            for measure, chosen, value in policy_numbers(workloads, log, policy, workers):
                found.setdefault((log, policy, measure), []).append((chosen, value))
        self.logs = list(workloads)
        self.numbers = [row for key, row in printed.items() if key in found]
        self.values = [on_axes(found[row.key]) for row in self.numbers]
        pairs = zip(self.values, self.numbers, strict=True)
        self.distances = [logarithmic_distance(values, row.value) for values, row in pairs]

    def some(self, policies=POLICIES, logs=None, maxima=False):
        """Return the places of the numbers of some policies and logs, or of all; without maxima
        over jobs unless they are asked for.
        """
        logs = self.logs if logs is None else logs
        return [
            k
            for k, row in enumerate(self.numbers)
            if row.policy in policies
            and row.trace in logs
            and (maxima or not row.measure.startswith("max_"))
        ]

    def others(self, log):
        """Return the logs but one."""
        return [one for one in self.logs if one != log]

    def total(self, numbers):
        """Return the mean distance to some numbers of every combination that they distinguish, an
        array.
        """
        total = 0.0
        # The sums within a policy are small arrays; only their sum is large.
        for policy in POLICIES:
            own = [self.distances[k] for k in numbers if self.numbers[k].policy == policy]
            total = total + sum(own) if own else total
        return total / len(numbers)

    def nearest(self, numbers):
        """Return the combination nearest to some numbers, and its distance."""
        total = self.total(numbers)
        return np.unravel_index(int(total.argmin()), total.shape), float(total.min())

    def nearest_of_form(self, form, numbers):
        """Return the combination of a form of reservation that is nearest to some numbers, and its
        distance.
        """
        total = np.broadcast_to(self.total(numbers), SHAPE)
        names, places = [*DIMENSIONS], []
        for dimension, beginning in zip(("reservation", "plans"), FORMS[form], strict=True):
            axis, choices = names.index(dimension), [*DIMENSIONS[dimension]["choices"]]
            own = [k for k, choice in enumerate(choices) if choice.startswith(beginning)]
            total = np.take(total, own, axis)
            places.append((axis, own))
        best = [*np.unravel_index(int(total.argmin()), total.shape)]
        for axis, own in places:
            best[axis] = own[best[axis]]
        return tuple(int(place) for place in best), float(total.min())

    def forms(self):
        """Return how near each form of a reservation comes to the numbers: a row for each form,
        group of numbers, and with maxima or not.

        Columns: form, numbers, maxima, distance (on all logs), test_LOG for each log (chosen on the
        others, tested on it), all in %; allowed (nearest, or less than a tenth farther than the
        nearest of all, on all logs or with one left out), choices.
        """
        rows = []
        for (group, of), maxima in itertools.product(GROUPS.items(), (False, True)):
            fits = {"": self.some(of, maxima=maxima)}
            fits |= {log: self.some(of, self.others(log), maxima) for log in self.logs}
            best = {log: self.nearest(fit)[1] for log, fit in fits.items()}
            for form in FORMS:
                found = {log: self.nearest_of_form(form, fit) for log, fit in fits.items()}
                near = any(found[log][1] < (1 + IDENTIFIED) * best[log] for log in fits)
                row = {"form": form, "numbers": group, "maxima": "yes" if maxima else "no"}
                row["distance"] = percent(found[""][1])
                for log in self.logs:
                    own = self.some(of, [log], maxima)
                    row[f"test_{log}"] = percent(self.distance(own, found[log][0]))
                rows.append(
                    row | {"allowed": "yes" if near else "", "choices": words(found[""][0])}
                )
        return pd.DataFrame(rows)

    def value(self, number, combination):
        """Return our value of a number under a combination."""
        return float(np.broadcast_to(self.values[number], SHAPE)[combination])

    def distance(self, numbers, combination):
        """Return the mean distance of a combination to some numbers."""
        own = (np.broadcast_to(self.distances[k], SHAPE)[combination] for k in numbers)
        return float(np.mean([*own]))

    def choices(self):
        """Return each choice: the best combination with it and without it, and whether the numbers
        identify it.

        Judged by the numbers of the policies that the dimension concerns. A choice is identified if
        the best combination without it is farther by a tenth, and if it is in the best combination
        also when any one log is left out. Columns: dimension, choice, default, with_it, without_it
        (distances in %), left_out (logs without which it is still best), identified, numbers (that
        depend on the dimension).
        """
        rows = []
        for axis, (name, entry) in enumerate(DIMENSIONS.items()):
            numbers = self.some(entry["of"])
            best = self._bests(axis, numbers)
            rests = [self.some(entry["of"], self.others(log)) for log in self.logs]
            left = [int(self._bests(axis, rest).argmin()) for rest in rests]
            for k, choice in enumerate(entry["choices"]):
                others, stays = float(np.delete(best, k).min()), left.count(k)
                known = best[k] * (1 + IDENTIFIED) < others and stays == len(self.logs)
                rows.append(
                    {
                        "dimension": name,
                        "choice": choice,
                        "default": "" if k else "yes",
                        "with_it": percent(best[k]),
                        "without_it": percent(others),
                        "left_out": stays,
                        "identified": "yes" if known else "",
                        "numbers": sum(self.values[n].shape[axis] > 1 for n in numbers),
                    }
                )
        return pd.DataFrame(rows)

    def _bests(self, axis, numbers):
        """Return the distance of the best combination with each choice of a dimension."""
        total = self.total(numbers)
        return total.min(axis=tuple(k for k in range(total.ndim) if k != axis))

    def held_out(self):
        """Return the best combination of all logs but one, tested on that log: a row for each log
        and group of numbers.

        Columns: numbers (all, or a policy's), tested_on, fit, test, default, own (the log's own
        best) and middle (the median combination), distances in %; better (share of all combinations
        nearer on the log tested, %), choices.
        """
        rows = []
        groups = {"all": POLICIES} | {policy: (policy,) for policy in POLICIES}
        for (group, of), log in itertools.product(groups.items(), self.logs):
            own, fit = self.some(of, [log]), self.some(of, self.others(log))
            nearest, distance = self.nearest(fit)
            every, test = self.total(own), self.distance(own, nearest)
            shares = {
                "fit": distance,
                "test": test,
                "default": self.distance(own, DEFAULT),
                "own": every.min(),
                "middle": np.median(every),
                "better": (every < test - 1e-12).mean(),
            }
            shares = {name: percent(share) for name, share in shares.items()}
            row = {"numbers": group, "tested_on": log} | shares
            rows.append(row | {"choices": words(nearest)})
        return pd.DataFrame(rows)

    def best(self, **combinations):
        """Return each published number beside ours under some combinations, by name."""
        rows = []
        for k, row in enumerate(self.numbers):
            ours = [self.value(k, one) for one in combinations.values()]
            rows.append((row.item, *row.key, row.unit, row.value, *ours))
        columns = ["item", "trace", "policy", "measure", "unit", "published", *combinations]
        return pd.DataFrame(rows, columns=columns)

    def groups(self):
        """Return the nearest combination by all numbers, by the numbers of each policy and by those
        of each log: a row for each.
        """
        groups = {"all": self.some(), "all, with maxima": self.some(maxima=True)}
        groups |= {one: self.some([one]) for one in POLICIES}
        groups |= {one: self.some(logs=[one]) for one in self.logs}
        rows = []
        for name, numbers in groups.items():
            nearest, distance = self.nearest(numbers)
            default = self.distance(numbers, DEFAULT)
            rows.append((name, len(numbers), words(nearest), percent(distance), percent(default)))
        return pd.DataFrame(rows, columns=["numbers", "count", "choices", "distance", "default"])


def words(combination):
    """Return the choices of a combination other than the default as text."""
    pairs = zip(DIMENSIONS.items(), combination, strict=True)
    others = [f"{name}: {list(entry['choices'])[k]}" for (name, entry), k in pairs if k]
    return "; ".join(others) or "the default"


def percent(share):
    """Return a share in per cent with three digits."""
    return float(f"{100 * share:.3g}")


def tables(found):
    """Return the results of a `Search` as tables by name, for the notebook ``pv_easy``."""
    both = found.some(GROUPS["EASY and EASY-Last"])
    forms = {form: found.nearest_of_form(form, both)[0] for form in FORMS}
    return {
        "tried": extent(found.logs),
        "choices": found.choices(),
        "held_out": found.held_out(),
        "forms": found.forms(),
        "best": found.best(default=DEFAULT, **forms),
        "nearest": found.groups(),
    }


def identified(choices):
    """Return the choices that the numbers identify, of the table of `Search.choices`."""
    columns = ["dimension", "choice", "default", "with_it", "without_it"]
    return choices.loc[choices["identified"] == "yes", columns].reset_index(drop=True)


def read():
    """Return the tables that `main` wrote, by name."""
    return {name: pd.read_csv(FOLDER / f"pv_easy_{name}.csv").fillna("") for name in CAPTIONS}


def main():
    """Search at full scale, and write the tables beside this module; this takes more than an hour
    on two cores.
    """
    logs = registry.names(runs.PAPER)
    found = Search({log: registry.load(log, paper=runs.PAPER) for log in logs})
    for name, table in tables(found).items():
        table.to_csv(FOLDER / f"pv_easy_{name}.csv", index=False)


if __name__ == "__main__":
    main()
