"""PV-EASY's headline conclusions under other readings, cleanings, logs and loads."""

import numpy as np

from replication.evidence import published, robustness
from replication.evidence.robustness import CLEANING, DEFAULT, READING, Change
from replication.papers.pv_easy import counts, intervals, runs, slowdown
from replication.schedule import audits

MEASURES = {"mbs": "MBS", "mwbs": "MWBS"}
#: Options of the schedulers that the paper's words leave open.
OPTIONS = ("reservation", "extra", "shadow", "events", "order", "refresh", "correction")
#: CTC's machine: the paper has 430 processors, the log's header 512, 338 of them for batch jobs.
MACHINES = (338, 512)
HEADLINES = robustness.Headlines("pv_easy")
decides = HEADLINES.decides


def changes(page):
    """The default; every open option alone, and some together; cleanings, other logs and loads."""
    logs = tuple(page.logs)
    together = [reading for reading in runs.READINGS if len(reading.options) > 1]
    cleanings = [reading for reading in runs.READINGS if reading.cleaning]
    return [
        Change(DEFAULT, "default", logs),
        *robustness.readings(logs, OPTIONS),
        Change(READING, "blocked jobs: those of EASY under both", logs, {"same": True}),
        Change(READING, "span of a load: since the log's time 0", logs, {"since": "time-0"}),
        *(
            Change(READING, reading.name, logs, {"scheduler": reading.options})
            for reading in together
        ),
        *(Change(CLEANING, reading.name, logs, cleaning=reading.cleaning) for reading in cleanings),
        *robustness.machines(page, "CTC-SP2", MACHINES),
        *robustness.others(page),
    ]


class Evidence:
    """The schedules of one case, each simulated once.

    Parameters
    ----------
    case : replication.evidence.robustness.Case
    """

    def __init__(self, case):
        self.case, self.workload, self.options = case, case.workload, case.change.options
        reading = runs.Reading(case.change.name, self.options.get("scheduler", {}))
        self.schedules = {
            policy: runs.schedule(case, case.log, policy, reading) for policy in runs.POLICIES
        }
        self.everyone = {policy: np.ones(len(self.workload), bool) for policy in runs.POLICIES}

    def quotient(self, policy, base, measure, masks):
        """A policy's mean over another's with its 95 % interval, of some jobs of each."""
        columns = np.hstack(
            [slowdown.sums(self.schedules[name], masks[name], measure) for name in (policy, base)]
        )
        drawn = np.vstack(
            [columns.sum(axis=0), intervals.resample(columns, self.workload, self.case.seed)]
        )
        values = intervals.ratio(drawn, 0, 1) / intervals.ratio(drawn, 2, 3)
        return float(values[0]), *intervals.between(values[1:])

    def below(self, policy, base, level):
        """A case for each measure: whether a policy's mean over another's is below a level."""
        for measure, short in MEASURES.items():
            value, low, high = self.quotient(policy, base, measure, self.everyone)
            answer = True if high < level else False if low >= level else None
            yield short, f"{value:.2f} ({low:.2f} to {high:.2f})", answer


def study(page):
    """The cases of every headline under every change; see `replication.evidence.robustness.study`."""
    return robustness.study(page, HEADLINES, changes(page), Evidence)


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
    own = {policy: "EASY" if e.options.get("same") else policy for policy in ("PV-EASY", "EASY")}
    blocked = {policy: audits.blocked(e.schedules[whose]) for policy, whose in own.items()}
    quarter, lower = slowdown.quarter(e.workload), []
    for k in range(1, len(slowdown.QUARTERS)):
        masks = {policy: hit & (quarter == k) for policy, hit in blocked.items()}
        if all(mask.any() for mask in masks.values()):
            lower += [
                _mean(e, "PV-EASY", masks, measure) < _mean(e, "EASY", masks, measure)
                for measure in MEASURES
            ]
    if not lower:
        raise robustness.NotApplicable("no blocked job is that large")
    yield "", f"{sum(lower)} of {len(lower)}", 2 * sum(lower) > len(lower)


def _mean(e, policy, masks, measure):
    total, weight = slowdown.sums(e.schedules[policy], masks[policy], measure).sum(axis=0)
    return total / weight


@decides("as-good-as-easy")
def _(e):
    return e.below("PV-EASY", "EASY", 1.1)


@decides("better-than-easy-last")
def _(e):
    return e.below("PV-EASY", "EASY-Last", 1)


@decides("estimates-beat-last")
def _(e):
    return e.below("EASY", "EASY-Last", 1)


@decides("little-waste")
def _(e):
    most = published.largest("pv_easy", "table5", "wasted_load")
    since = e.options.get("since", "first-submission")
    value = counts.loads(e.schedules["PV-EASY"], since)["wasted_load"][0]
    yield "", f"{value:.2f} %", round(value, most.decimals) <= most.value
