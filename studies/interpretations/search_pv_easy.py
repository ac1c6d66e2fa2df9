"""The search for the baseline of PV-EASY's Tables 1, 2 and 4: EASY, and EASY with predictions.

``data/published/pv_easy/variants.toml`` lists the choices that the paper leaves open. Those of the
scheduler (the lifetime of a reservation, the ageing of plans, extra processors and others) are all
combined, and so are those of counting. A *pair* has one scheduler for EASY and one for EASY-Last,
with the same reservation. Each scheduler is simulated once on each log, and counted in the way that
suits its numbers best.

The distance of one of our numbers is ``|ln(ours/published)|``, at most ln 2: a number that differs
by a factor of two or more is simply wrong. The distance of a pair is the mean over its numbers.
Maxima over jobs are left out, since each depends on one job. A search never changes a default.
"""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd

from notebooks.paper_easy import PaperEASY
from notebooks.pv_easy import counts, runs
from replication import simulate
from replication.simulator.logs import registry
from replication.simulator.precompilation import warm
from replication.simulator.sweeps import engines
from replication.verdicts import published

ITEMS = ("table1", "table2", "table4")
#: What counts the numbers of each policy, and the choices that it depends on.
COUNTED = {
    "EASY": {counts.delays: ("blocked", "delay"), counts.kinds: ("blocked", "backfilled")},
    "EASY-Last": {counts.violations: ("whose", "blame")},
}
POLICIES = tuple(COUNTED)
BOTH = "EASY and EASY-Last"
#: The policies by whose numbers a pair is judged, by the name of the group.
GROUPS = {policy: (policy,) for policy in POLICIES} | {BOTH: POLICIES}
#: Dimension to its entry in ``data/published/pv_easy/variants.toml``: of, changes, choices.
DIMENSIONS = published.entries(runs.PAPER, "variants.toml")["search"]
WRONG = math.log(2)
#: How much farther, in shares of the distance, the nearest pair of an allowed lifetime may be, and
#: the nearest pair without an identified choice must be.
FARTHER = 0.10

FOLDER = Path(__file__).parent
#: The tables that `main` writes, and their captions.
CAPTIONS = {
    "tried": "Schedulers simulated on each log, their products with the ways of counting, and the "
    "published numbers they are compared with",
    "lifetimes": "The nearest pair of each lifetime, ageing and correction: distance from the "
    "numbers of each policy and of both, and from those of each log if the pair is chosen by the "
    "others, %; a lifetime is allowed if its nearest pair is less than a tenth farther than the "
    "nearest of all",
    "choices": "The nearest pair with each choice and without it, by the numbers of each policy "
    "and of both, %; left out: number of logs without which the choice remains in the nearest pair",
    "pairs": "All pairs: distance from the numbers of each policy and of both, %",
    "best": "Published numbers beside the textbook and the nearest pair of each lifetime",
}
#: Units of their columns: of distances.
UNITS = dict.fromkeys((*GROUPS, "with_it", "without_it"), "%")
UNITS |= {f"{log}, held out": "%" for log in registry.names(runs.PAPER)}


def products(policy, changes) -> list[dict[str, str]]:
    """Return all products of a policy's choices of the scheduler or of counting, the defaults
    first: choices by dimension.
    """
    choices = {
        name: entry["choices"]
        for name, entry in DIMENSIONS.items()
        if policy in entry["of"] and entry["changes"] == changes
    }
    return [
        dict(zip(choices, chosen, strict=True)) for chosen in itertools.product(*choices.values())
    ]


def fields(chosen, names) -> dict:
    """Return the options or keywords of the choices of some dimensions."""
    found = {}
    for name in names:
        found |= DIMENSIONS[name]["choices"][chosen[name]]
    return found


def scheduler(policy, chosen) -> PaperEASY:
    """Return the scheduler of a policy under some choices by dimension."""
    known = {name: DIMENSIONS[name] for name in chosen if policy in DIMENSIONS[name]["of"]}
    own = [name for name, entry in known.items() if entry["changes"] == "scheduler"]
    return PaperEASY(predictor=runs.POLICIES[policy].predictor, **fields(chosen, own))


def words(chosen) -> str:
    """Return the choices other than the default as text."""
    others = [
        f"{name}: {choice}"
        for name, choice in chosen.items()
        if choice != next(iter(DIMENSIONS[name]["choices"]))
    ]
    return "; ".join(others) or "the default"


def percent(share) -> float:
    """Return a share in per cent with three digits."""
    return float(f"{100 * share:.3g}")


def logarithmic_distance(values, printed) -> np.ndarray:
    """Return the distance of each of our values from the published one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(np.log(values / printed))
    return np.minimum(np.nan_to_num(away, nan=WRONG), WRONG)


class Policy:
    """The numbers of all schedulers of one policy, counted in all ways.

    Parameters
    ----------
    name : str
    workloads : dict of str to Workload
    pairs : list of dict
        Choices by dimension.
    workers : int

    Attributes
    ----------
    schedulers : list of PaperEASY
    of_pair : int64[pairs]
        Place of each pair's scheduler. Choices without an effect lead to the same scheduler.
    ways : list of dict
        Choices of counting by dimension.
    numbers : list of replication.verdicts.published.Published
        The published numbers of the policy, each once.
    values, distances : float64[schedulers, ways, numbers]
    """

    def __init__(self, name, workloads, pairs, workers):
        self.name, self.ways = name, products(name, "count")
        known = {}
        for one in (scheduler(name, chosen) for chosen in pairs):
            known.setdefault(one.kernel(), one)
        self.schedulers, places = [*known.values()], {rules: k for k, rules in enumerate(known)}
        self.of_pair = np.array([places[scheduler(name, one).kernel()] for one in pairs])
        printed = {}
        for row in (row for item in ITEMS for row in published.rows(runs.PAPER, item)):
            if row.policy == name and row.trace in workloads:
                printed.setdefault(row.key, row)
        self.numbers = [*printed.values()]
        self.values = np.empty((len(self.schedulers), len(self.ways), len(self.numbers)))
        for log, jobs in workloads.items():
            places = [k for k, row in enumerate(self.numbers) if row.trace == log]
            measures = [self.numbers[k].measure for k in places]

            def count(one, jobs=jobs, measures=measures):
                schedule = simulate(jobs, one)
                return [self.count(schedule, way, measures) for way in self.ways]

            self.values[:, :, places] = engines.each(count, self.schedulers, workers)
        self.distances = logarithmic_distance(self.values, [row.value for row in self.numbers])

    def count(self, schedule, way, measures):
        """Return some numbers of a schedule, counted in one way."""
        found = {}
        for count, names in COUNTED[self.name].items():
            found |= count(schedule, **fields(way, names))
        return [found[measure][0] for measure in measures]

    def some(self, logs):
        """Return the places of the numbers of some logs, maxima left out."""
        return [
            k
            for k, row in enumerate(self.numbers)
            if row.trace in logs and not row.measure.startswith("max_")
        ]

    def sums(self, logs):
        """Return the sums of the distances, float64[pairs, ways]."""
        return self.distances[:, :, self.some(logs)].sum(axis=2)[self.of_pair]


class Search:
    """Distances of all pairs.

    Parameters
    ----------
    workloads : dict of str to Workload
        The paper's logs by name.
    workers : int

    Attributes
    ----------
    logs : list of str
    pairs : list of dict
        Choices by dimension, the textbook first.
    policies : dict of str to Policy
    """

    def __init__(self, workloads, workers=2):
        warm()
        self.logs, self.pairs = [*workloads], products("EASY-Last", "scheduler")
        self.policies = {
            policy: Policy(policy, workloads, self.pairs, workers) for policy in POLICIES
        }

    def others(self, log):
        """Return the logs but one."""
        return [one for one in self.logs if one != log]

    def distances(self, of=POLICIES, logs=None, way=None) -> np.ndarray:
        """Return the mean distance of each pair from the numbers of some policies and logs, each
        scheduler counted in the way that suits it best; `way` is a choice of counting that it must
        have, (dimension, choice).
        """
        logs = self.logs if logs is None else logs
        total, count = 0.0, 0
        for policy in map(self.policies.get, of):
            sums = policy.sums(logs)
            if way is not None and way[0] in policy.ways[0]:
                sums = sums[:, [one[way[0]] == way[1] for one in policy.ways]]
            total, count = total + sums.min(axis=1), count + len(policy.some(logs))
        return total / count

    def nearest(self, chosen, of=POLICIES, logs=None) -> int:
        """Return the nearest pair that has some choices, a dict by dimension; of equal ones the
        first.
        """
        has = [all(pair[name] == one for name, one in chosen.items()) for pair in self.pairs]
        return int(np.where(has, self.distances(of, logs), np.inf).argmin())

    def ways(self, pair, logs=None) -> dict[str, int]:
        """Return the place of the way of counting that suits each policy of a pair best."""
        logs = self.logs if logs is None else logs
        return {name: int(one.sums(logs)[pair].argmin()) for name, one in self.policies.items()}

    def test(self, pair, log) -> float:
        """Return the distance of a pair from the numbers of a log, counted in the ways that suit it
        best on the others.
        """
        ways = self.ways(pair, self.others(log))
        sums = [one.sums([log])[pair, ways[name]] for name, one in self.policies.items()]
        return sum(sums) / sum(len(one.some([log])) for one in self.policies.values())

    def tried(self) -> pd.DataFrame:
        """Return the extent of the search: policy, schedulers, products (with the ways of
        counting), numbers, with_maxima.
        """
        rows = []
        for name, one in self.policies.items():
            numbers = len(one.some(self.logs)), len(one.numbers)
            rows.append((name, len(one.schedulers), len(one.schedulers) * len(one.ways), *numbers))
        kinds = len(set(zip(*(one.of_pair for one in self.policies.values()), strict=True)))
        ways = math.prod(len(one.ways) for one in self.policies.values())
        numbers = [sum(row[k] for row in rows) for k in (3, 4)]
        rows.append((f"pairs of {BOTH}", kinds, kinds * ways, *numbers))
        columns = ["policy", "schedulers", "products", "numbers", "with_maxima"]
        return pd.DataFrame(rows, columns=columns)

    def lifetimes(self) -> pd.DataFrame:
        """Return the nearest pair of each lifetime, ageing and correction.

        Returns
        -------
        DataFrame
            lifetime, ageing, correction (none for plans that do not age, which never expire);
            distance from the numbers of EASY, of EASY-Last and of both, and from those of a log
            with the pair chosen by the others (``LOG, held out``), %; allowed (the lifetime); shown
            (the variants: of an allowed lifetime the nearest pair with each correction); choices.
        """
        factors = {
            name: DIMENSIONS[name]["choices"] for name in ("lifetime", "ageing", "correction")
        }
        distances = {group: self.distances(of) for group, of in GROUPS.items()}
        both = distances[BOTH]
        rows = []
        for lifetime, ageing, correction in itertools.product(*factors.values()):
            chosen = {"lifetime": lifetime, "ageing": ageing, "correction": correction}
            if ageing == "unaged" and correction != "estimate":
                continue
            pair = self.nearest(chosen)
            best = self.nearest({"lifetime": lifetime})
            row = chosen | {"correction": "" if ageing == "unaged" else correction}
            row |= {group: percent(distance[pair]) for group, distance in distances.items()}
            for log in self.logs:
                other = self.nearest(chosen, logs=self.others(log))
                row[f"{log}, held out"] = percent(self.test(other, log))
            allowed = both[best] < (1 + FARTHER) * both.min()
            row["allowed"] = "yes" if allowed else ""
            row["shown"] = "yes" if allowed and ageing == "aged" else ""
            rows.append(row | {"choices": self.words(pair)})
        return pd.DataFrame(rows)

    def words(self, pair) -> str:
        """Return the choices of a pair and its ways of counting as text."""
        chosen = dict(self.pairs[pair])
        for name, way in self.ways(pair).items():
            chosen |= self.policies[name].ways[way]
        return words(chosen)

    def choices(self) -> pd.DataFrame:
        """Return each choice: the nearest pair with it and without it, and whether the numbers
        identify it.

        A choice is identified if the nearest pair without it is farther by a tenth, and if it is in
        the nearest also when any one log is left out.

        Returns
        -------
        DataFrame
            dimension, choice, numbers (a group), with_it, without_it (distances in %), left_out
            (number of logs without which the choice remains in the nearest pair), identified.
        """
        rows = []
        for name, entry in DIMENSIONS.items():
            for group, of in GROUPS.items():
                if not set(of) & set(entry["of"]):
                    continue
                least = self._least(name, of)
                rests = [self._least(name, of, self.others(log)) for log in self.logs]
                for choice, with_it in least.items():
                    without = least.drop(choice).min()
                    stays = sum(rest[choice] < rest.drop(choice).min() for rest in rests)
                    known = with_it * (1 + FARTHER) < without and stays == len(self.logs)
                    ends = percent(with_it), percent(without), stays, "yes" if known else ""
                    rows.append((name, choice, group, *ends))
        columns = ["dimension", "choice", "numbers", "with_it", "without_it", "left_out"]
        return pd.DataFrame(rows, columns=[*columns, "identified"])

    def _least(self, name, of, logs=None):
        """Return the distance of the nearest pair with each choice of a dimension."""
        entry, least = DIMENSIONS[name], {}
        for choice in entry["choices"]:
            if entry["changes"] == "count":
                least[choice] = self.distances(of, logs, way=(name, choice)).min()
            else:
                has = [pair[name] == choice for pair in self.pairs]
                least[choice] = self.distances(of, logs)[has].min()
        return pd.Series(least)

    def distinct_pairs(self) -> pd.DataFrame:
        """Return the pairs of different schedulers, the nearest first: choices by dimension, and
        the distance by the numbers of each group, %.
        """
        table = pd.DataFrame(self.pairs)
        for group, of in GROUPS.items():
            table[group] = [percent(one) for one in self.distances(of)]
        places = [one.of_pair for one in self.policies.values()]
        table = table[~pd.DataFrame(places).T.duplicated()]
        return table.sort_values(BOTH, kind="stable", ignore_index=True)

    def best(self) -> pd.DataFrame:
        """Return each published number beside those of the textbook, counted by default, and of the
        nearest pair of each lifetime.
        """
        shown = {"textbook": (0, dict.fromkeys(POLICIES, 0))}
        for lifetime in DIMENSIONS["lifetime"]["choices"]:
            pair = self.nearest({"lifetime": lifetime})
            shown[lifetime] = pair, self.ways(pair)
        rows = []
        for name, one in self.policies.items():
            for k, row in enumerate(one.numbers):
                ours = [
                    one.values[one.of_pair[pair], ways[name], k] for pair, ways in shown.values()
                ]
                rows.append((row.item, *row.key, row.unit, row.value, *ours))
        columns = ["item", "trace", "policy", "measure", "unit", "published", *shown]
        return pd.DataFrame(rows, columns=columns)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the results as tables by name."""
        return {
            "tried": self.tried(),
            "lifetimes": self.lifetimes(),
            "choices": self.choices(),
            "pairs": self.distinct_pairs(),
            "best": self.best(),
        }


def read() -> dict[str, pd.DataFrame]:
    """Return the tables that `main` wrote, by name."""
    return {name: pd.read_csv(FOLDER / f"pv_easy_{name}.csv").fillna("") for name in CAPTIONS}


def main():
    """Search at full scale, and write the tables beside this module."""
    logs = registry.names(runs.PAPER)
    found = Search({log: registry.load(log, paper=runs.PAPER) for log in logs})
    for name, table in found.tables().items():
        table.to_csv(FOLDER / f"pv_easy_{name}.csv", index=False, float_format="%.9g")


if __name__ == "__main__":
    main()
