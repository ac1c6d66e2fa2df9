"""The simulators of PV-EASY's baseline: EASY, and EASY with predictions (EASY-Last).

``data/published/pv_easy/variants.toml`` lists the choices that the paper leaves open. Those of the
scheduler (the lifetime of a reservation, the ageing of plans, extra processors and others) are all
combined, and so are those of counting. A *pair* has one scheduler for EASY and one for EASY-Last,
with the same reservation. Each scheduler is simulated once on each log, and counted in the way that
suits its numbers best, among the counts of reservations that it makes.

The distance of one of our numbers is ``|ln(ours/published)|``, at most ln 2: a number that differs
by a factor of two or more is simply wrong. The distance of a scheduler is the mean over the numbers
of its policy in Tables 1, 2 and 4, and that of a pair the larger of its two. Maxima over jobs are
left out, since each depends on one job. Claims on EASY are decided by the schedulers for EASY that
are near, those on EASY with predictions by the near pairs (docs/decisions/rules.md).
"""

import itertools
import math
from dataclasses import replace

import numpy as np

import replication as rp
from notebooks.pv_easy import counts, runs
from replication.simulator.precompilation import warm
from replication.simulator.sweeps import engines
from replication.verdicts import published, rules

ITEMS = ("table1", "table2", "table4")
#: What counts the numbers of each policy, and the choices that it depends on.
COUNTED = {
    "EASY": {counts.delays: ("blocked", "delay"), counts.kinds: ("blocked", "backfilled")},
    "EASY-Last": {counts.violations: ("whose", "blame")},
}
EASY, LAST = POLICIES = tuple(COUNTED)
BOTH = "EASY and EASY-Last"
#: The policies by whose numbers a pair is judged, by the name of the group.
GROUPS = {policy: (policy,) for policy in POLICIES} | {BOTH: POLICIES}
#: The policies that simulators of a baseline simulate, and the names of these.
SIMULATED = {(EASY,): "EASY", POLICIES: "pair"}
#: Dimension to its entry in ``data/published/pv_easy/variants.toml``: of, changes, choices.
DIMENSIONS = published.entries(runs.PAPER, "variants.toml")["search"]
WRONG = math.log(2)


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


def is_count_of_own(way) -> bool:
    """Return whether a way of counting, choices by dimension, is one of reservations that the
    scheduler makes.
    """
    return not any(choice in DIMENSIONS[name].get("only_shown", ()) for name, choice in way.items())


def fields(chosen, names) -> dict:
    """Return the options or keywords of the choices of some dimensions."""
    options = {}
    for name in names:
        options |= DIMENSIONS[name]["choices"][chosen[name]]
    return options


def scheduler(policy, chosen, predictor=None) -> rp.PaperEASY:
    """Return the scheduler of a policy under some choices by dimension, with its own predictor
    unless another is given.
    """
    dimensions = {name: DIMENSIONS[name] for name in chosen if policy in DIMENSIONS[name]["of"]}
    names = [name for name, entry in dimensions.items() if entry["changes"] == "scheduler"]
    predictor = predictor or runs.POLICIES[policy].predictor
    return rp.PaperEASY(predictor=predictor, **fields(chosen, names))


def pv_easy(chosen) -> rp.PVEasy:
    """Return PV-EASY with a pair's correction of an expired prediction."""
    return replace(runs.POLICIES["PV-EASY"], **fields(chosen, ["correction"]))


def correction(chosen) -> str:
    """Return the correction of a pair; ``unaged`` for plans that do not age and never expire."""
    return chosen["ageing"] if chosen["ageing"] == "unaged" else chosen["correction"]


def distinct_pairs() -> list[dict[str, str]]:
    """Return the pairs of different schedulers, choices by dimension, the textbook first."""
    pairs = {}
    for chosen in products("EASY-Last", "scheduler"):
        kernels = tuple(scheduler(policy, chosen).kernel() for policy in POLICIES)
        pairs.setdefault(kernels, chosen)
    return [*pairs.values()]


def percent(share) -> float:
    """Return a share in per cent with three digits."""
    return float(f"{100 * share:.3g}")


def logarithmic_distance(values, printed) -> np.ndarray:
    """Return the distance of each of our values from the published one; of equal ones, also if
    both are 0 or missing, it is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(np.log(values / printed))
    equal = (values == printed) | (np.isnan(values) & np.isnan(printed))
    return np.where(equal, 0, np.minimum(np.nan_to_num(away, nan=WRONG), WRONG))


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
        Place of each pair's scheduler. Pairs may share one.
    ways : list of dict
        Choices of counting by dimension.
    numbers : list of replication.verdicts.published.Published
        The published numbers of the policy, each once.
    values, distances : float64[schedulers, ways, numbers]
    may_count : bool[ways]
        Whether a way counts reservations that the scheduler makes.
    facts : list of dict
        `facts` of each scheduler, by log and measure.
    """

    def __init__(self, name, workloads, pairs, workers):
        self.name, self.ways = name, products(name, "count")
        self.may_count = np.array([is_count_of_own(way) for way in self.ways])
        by_rules = {}
        for choice in (scheduler(name, chosen) for chosen in pairs):
            by_rules.setdefault(choice.kernel(), choice)
        self.schedulers, places = (
            [*by_rules.values()],
            {rules: k for k, rules in enumerate(by_rules)},
        )
        self.of_pair = np.array([places[scheduler(name, chosen).kernel()] for chosen in pairs])
        printed = {}
        for row in (row for item in ITEMS for row in published.rows(runs.PAPER, item)):
            if row.policy == name and row.trace in workloads:
                printed.setdefault(row.key, row)
        self.numbers = [*printed.values()]
        self.values = np.empty((len(self.schedulers), len(self.ways), len(self.numbers)))
        self.facts = [{} for _ in self.schedulers]
        for log, jobs in workloads.items():
            places = [k for k, row in enumerate(self.numbers) if row.trace == log]
            measures = [self.numbers[k].measure for k in places]

            def count(choice, jobs=jobs, measures=measures):
                schedule = rp.simulate(jobs, choice)
                ways = [self.count(schedule, way, measures) for way in self.ways]
                return ways, facts(schedule)

            counted = engines.each(count, self.schedulers, workers)
            self.values[:, :, places] = [ways for ways, _ in counted]
            for by_measure, (_, values) in zip(self.facts, counted, strict=True):
                by_measure |= {(log, measure): value for measure, value in values.items()}
        self.distances = logarithmic_distance(self.values, [row.value for row in self.numbers])

    def count(self, schedule, way, measures):
        """Return some numbers of a schedule, counted in one way."""
        numbers = {}
        for count, names in COUNTED[self.name].items():
            numbers |= count(schedule, **fields(way, names))
        return [numbers[measure][0] for measure in measures]

    def places(self, logs):
        """Return the places of the numbers of some logs, maxima left out."""
        return [
            k
            for k, row in enumerate(self.numbers)
            if row.trace in logs and not row.measure.startswith("max_")
        ]

    def sums(self, places) -> np.ndarray:
        """Return the sums of the distances of some numbers, float64[pairs, ways]."""
        return self.distances[:, :, places].sum(axis=2)[self.of_pair]


def facts(schedule) -> dict[str, float]:
    """Return what claims need of a schedule, by measure: slowdowns, shares of large and small jobs
    that are blocked, the last end.
    """
    several = counts.slowdowns, counts.blocked_by_size, counts.last_end
    return {name: value for count in several for name, (value, _) in count(schedule).items()}


class Search:
    """Distances of all pairs, and the slowdowns of their schedulers.

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
    pv_easy : list of dict
        `facts` of PV-EASY with the correction of each pair, by log and measure.
    """

    def __init__(self, workloads, workers=2):
        warm()
        self.logs, self.pairs = [*workloads], distinct_pairs()
        self.policies = {
            policy: Policy(policy, workloads, self.pairs, workers) for policy in POLICIES
        }
        facts_of = {
            scheduler: {
                (log, measure): value
                for log, jobs in workloads.items()
                for measure, value in facts(rp.simulate(jobs, scheduler)).items()
            }
            for scheduler in {pv_easy(chosen) for chosen in self.pairs}
        }
        self.pv_easy = [facts_of[pv_easy(chosen)] for chosen in self.pairs]

    def simulators(self, of=POLICIES) -> dict[str, int]:
        """Return the pair of each simulator of some policies by the simulator's name; the first is
        the textbook.

        A scheduler for EASY alone is in several pairs, of which the first has the default
        correction.
        """
        schedulers = zip(*(self.policies[policy].of_pair for policy in of), strict=True)
        pairs = {}
        for pair, places in enumerate(schedulers):
            pairs.setdefault(places, pair)
        return {f"{SIMULATED[of]} {k}": pair for k, pair in enumerate(pairs.values(), start=1)}

    def facts(self, pair) -> dict[str, dict]:
        """Return the facts of a pair's policies and of PV-EASY, by policy."""
        facts = {name: policy.facts[policy.of_pair[pair]] for name, policy in self.policies.items()}
        return facts | {"PV-EASY": self.pv_easy[pair]}

    def distances(self, of=POLICIES, logs=None, without=(), may_count=is_count_of_own):
        """Return the distance of each pair, the largest of its mean distances from the numbers of
        some policies; nan without any number.

        Parameters
        ----------
        of : list of str
        logs : list of str, optional
            All by default.
        without : list of str
            Measures that are left out.
        may_count : callable
            Whether a scheduler may be counted in a way, choices by dimension; of those that may the
            way that suits it best counts.

        Returns
        -------
        float64[pairs]
        """
        logs, away = self.logs if logs is None else logs, []
        for policy in map(self.policies.get, of):
            ways = [may_count(way) for way in policy.ways]
            places = [k for k in policy.places(logs) if policy.numbers[k].measure not in without]
            with np.errstate(invalid="ignore"):
                away.append(policy.sums(places)[:, ways].min(axis=1) / np.float64(len(places)))
        return np.max(away, axis=0)

    def voters(self, of=POLICIES, limit=1.0, **how) -> dict[str, int]:
        """Return the pair of each simulator of some policies that votes on claims, by its name:
        those near each policy's numbers, at `limit` times the limit of *near*.

        `how` has parameters of `distances`.
        """
        away = 100 * self.distances(of, **how)
        simulators = self.simulators(of).items()
        return {name: pair for name, pair in simulators if rules.is_near(away[pair], limit)}

    def away(self) -> dict[str, dict[str, float]]:
        """Return the mean distance of each simulator from the numbers of each of its policies, %,
        by its name.
        """
        distances = {policy: 100 * self.distances((policy,)) for policy in POLICIES}
        return {
            name: {policy: float(distances[policy][pair]) for policy in of}
            for of in SIMULATED
            for name, pair in self.simulators(of).items()
        }

    def nearest(self, chosen, of=POLICIES, logs=None) -> int:
        """Return the nearest pair that has some choices, a dict by dimension; of equal ones the
        first.
        """
        has = [all(pair[name] == value for name, value in chosen.items()) for pair in self.pairs]
        return int(np.where(has, self.distances(of, logs), np.inf).argmin())

    def ways(self, pair) -> dict[str, int]:
        """Return the place of the way of counting that suits each policy of a pair best."""
        return {
            name: int(self._sums(policy)[pair].argmin()) for name, policy in self.policies.items()
        }

    def _sums(self, policy):
        """Return the sums of the distances of a policy's numbers, float64[pairs, ways]; infinite in
        ways of counting that may not be chosen.
        """
        return np.where(policy.may_count, policy.sums(policy.places(self.logs)), np.inf)
