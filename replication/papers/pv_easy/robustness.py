"""PV-EASY's headline conclusions under other readings, cleanings, logs and loads."""

import functools

import numpy as np

from replication.evidence import resampling, robustness, variants
from replication.evidence.claims import below, level
from replication.papers import dimensions
from replication.papers.pv_easy import counts, runs, slowdown
from replication.schedule import audits

HEADLINES = robustness.Headlines("pv_easy")
decides = HEADLINES.decides


def changes(logs):
    """The default; every open option alone, and some together; cleanings, other logs and loads."""
    counted, machines = (dimensions.entered(runs.PAPER, kind) for kind in ("counted", "machines"))
    own = (*runs.ALONE, *counted, *runs.TOGETHER, *runs.CLEANING, *machines)
    return dimensions.changes(logs, *own)


class Evidence:
    """The schedules of one log under one variant, each simulated once; the seed is that of the blocks that
    are drawn.
    """

    def __init__(self, log, workload, variant, seed=1):
        self.workload, self.count, self.seed = workload, variant.count, seed
        self.schedules = {
            policy: runs.simulated(workload, scheduler, variant)
            for policy, scheduler in runs.POLICIES.items()
        }
        self.everyone = {policy: np.ones(len(workload), bool) for policy in runs.POLICIES}

    def quotient(self, policy, base, measure, masks):
        """A policy's mean over another's with its 95 % interval, of some jobs of each."""
        columns = [slowdown.sums(self.schedules[p], masks[p], measure) for p in (policy, base)]
        drawn = resampling.blocks(np.hstack(columns), self.workload, self.seed)
        return resampling.interval(resampling.ratio(drawn, 0, 1) / resampling.ratio(drawn, 2, 3))

    def below(self, policy, base, level):
        """A case for each measure: whether a policy's mean over another's is below a level."""
        for measure, short in slowdown.SHORT.items():
            value, low, high = self.quotient(policy, base, measure, self.everyone)
            yield short, f"{value:.2f} ({low:.2f} to {high:.2f})", below((value, low, high), level)


def study(workloads, first=None, seed=1, workers=1):
    """The cases of every headline under every variant; see `replication.evidence.robustness.study`."""
    evidence = functools.partial(Evidence, seed=seed)
    return robustness.study(HEADLINES, workloads, changes(workloads), evidence, first, workers)


@decides("head-never-delayed")
def _(e):
    found = int(audits.head_violations(e.schedules["PV-EASY"]).sum())
    yield "", f"{found:,} jobs", found == 0


@decides("no-violation")
def _(e):
    found = counts.violations(e.schedules["PV-EASY"], "any-later")["violated"][0]
    yield "", f"{found:,} jobs", found == 0


@decides("large-blocked-better")
def _(e):
    own = {policy: "EASY" if e.count.get("same") else policy for policy in ("PV-EASY", "EASY")}
    blocked = {policy: audits.blocked(e.schedules[whose]) for policy, whose in own.items()}
    quarter, found = slowdown.size_class(e.workload), False
    for k in range(1, slowdown.CLASSES):
        masks = {policy: hit & (quarter == k) for policy, hit in blocked.items()}
        if all(mask.any() for mask in masks.values()):
            # Both measures are nearly one there: the plain one decides, the other bears it out.
            plain, weighted = (e.quotient("PV-EASY", "EASY", m, masks) for m in slowdown.SHORT)
            answer, found = below(plain, 1), True
            sure = answer.sure and below(weighted, 1).holds == answer.holds
            words = "{:.2f} ({:.2f} to {:.2f})".format(*plain)
            yield slowdown.names()[k], words, answer._replace(sure=sure)
    if not found:
        raise variants.NotApplicable("no blocked job is that large")


HEADLINES.decide_by(
    ("as-good-as-easy", Evidence.below, "PV-EASY", "EASY", 1 + level("similar") / 100),
    ("better-than-easy-last", Evidence.below, "PV-EASY", "EASY-Last", 1),
    ("estimates-beat-last", Evidence.below, "EASY", "EASY-Last", 1),
)


@decides("little-waste")
def _(e):
    since = e.count.get("since", "first-submission")
    value = counts.loads(e.schedules["PV-EASY"], since)["wasted_load"][0]
    yield "", f"{value:.2f} %", value <= level("small")
