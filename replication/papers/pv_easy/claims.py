"""The paper's sentences about its own results, each decided by the rule in ``claims.toml`` of its numbers."""

import functools

from replication.evidence.claims import (
    Answer,
    Claims,
    below,
    between,
    every,
    level,
    opposite,
    totals,
)
from replication.papers.pv_easy import counts, modes, runs, slowdown, virtual
from replication.papers.pv_easy.slowdown import SHORT
from replication.schedule import audits
from replication.schedulers import PVEasy

ERRORS = (0, 5, 10, 20, 40, 60, 80, 100)
BLUE = "SDSC-BLUE"
MODES = {
    "kill": PVEasy(),
    "suspend": PVEasy(mode="suspend"),
    "checkpoint 1 h": PVEasy(mode="checkpoint", interval=3600),
}
# Claims that rest on replays of many jobs, which take longest.
REPLAYED = ("delay-90-hours", "strict-by-the-words")
CLAIMS = Claims("pv_easy")
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate
__all__ = ["CLAIMS", "ERRORS", "Evidence", "REPLAYED", "evaluate", "totals"]


class Evidence:
    """What the claims rest on, worked out when first asked for: under a reading of the schedulers,
    with so many draws (repeats) of the virtual predictor.
    """

    def __init__(self, workloads, repeats=5, reading=runs.DEFAULT, seed=1, workers=1):
        self.workloads, self.repeats, self.reading = workloads, repeats, reading
        self.seed, self.workers = seed, workers

    @functools.cache
    def simulated(self, log, scheduler):
        """A log's schedule under a scheduler."""
        return runs.simulated(self.workloads[log], scheduler, self.reading, self.seed)

    def schedule(self, log, policy):
        """A log's schedule under one of the paper's policies."""
        return self.simulated(log, runs.POLICIES[policy])

    def schedules(self, *policies):
        """Those of all logs, as ``schedules[log][policy]``."""
        return {log: {p: self.schedule(log, p) for p in policies} for log in self.workloads}

    @functools.cache
    def count(self, what, log, policy):
        """Values of one of the counts, by measure."""
        return _values(what(self.schedule(log, policy)))

    @functools.cache
    def everyone(self, measure, base):
        """Slowdowns of all jobs, by log and policy."""
        table = slowdown.everyone(self.schedules(*runs.POLICIES), measure, base, self.seed)
        return table.set_index(["trace", "policy"])

    @functools.cache
    def blocked(self, measure):
        """Slowdowns of blocked jobs by size under PV-EASY, with quotients to EASY's."""
        table = slowdown.blocked(self.schedules("EASY", "PV-EASY"), measure, seed=self.seed)
        return table[(table["policy"] == "PV-EASY") & table["quotient"].notna()]

    @functools.cached_property
    def virtual(self):
        """Fig. 4's means."""
        correction = self.reading.scheduler.get("correction", "request")
        seeds = range(self.seed, self.seed + self.repeats)
        return virtual.results(
            self.workloads, virtual.POLICIES, ERRORS, seeds, correction, self.workers
        )

    @functools.cached_property
    def modes(self):
        """Results by mode of preemption."""
        schedules = {
            log: {mode: self.simulated(log, scheduler) for mode, scheduler in MODES.items()}
            for log in self.workloads
        }
        return modes.results(schedules).set_index(["trace", "mode"])


def _values(counted):
    return {name: value for name, (value, _) in counted.items()}


def _each(evidence, what, policy, measure, rule, form="{:.2f}"):
    """A case a log: one number of a count, and whether the rule takes it."""
    for log in evidence.workloads:
        value = evidence.count(what, log, policy)[measure]
        yield log, form.format(value), bool(rule(value))


def _quotient(row):
    """A quotient with its interval."""
    return tuple(row[name] for name in ("quotient", "quotient_low", "quotient_high"))


def _words(change):
    return "{:.2f} ({:.2f} to {:.2f})".format(*change)


def _to_base(evidence, policy, base, rule, concerned=lambda log: True):
    """Cases for a policy's slowdown over another's, on the logs concerned."""
    for log in filter(concerned, evidence.workloads):
        for measure, short in SHORT.items():
            change = _quotient(evidence.everyone(measure, base).loc[log, policy])
            yield f"{log} {short}", _words(change), rule(change)


def _at_most_one(change):
    return below(change, 1)


@decides("delay-90-hours")
def _(e):
    worst = max((e.count(counts.delays, log, "EASY")["max_delay"], log) for log in e.workloads)
    yield worst[1], f"{worst[0]:.1f} h", worst[0] > 90


@decides("strict-at-the-head")
def _(e):
    for log in e.workloads:
        found = int(audits.head_violations(e.schedule(log, "PV-EASY")).sum())
        yield log, f"{found:,}", found == 0


@decides("strict-by-the-words")
def _(e):
    for log in e.workloads:
        schedule = e.schedule(log, "PV-EASY")
        found = int((schedule.start > audits.alone(schedule)).sum())
        yield log, f"{found:,} jobs", found == 0


@decides("no-violation")
def _(e):
    for log in e.workloads:
        found = counts.violations(e.schedule(log, "PV-EASY"), "any-later")["violated"][0]
        yield log, f"{found}", found == 0


@decides("violations-30-hours")
def _(e):
    worst = max(
        (e.count(counts.violations, log, "EASY-Last")["max_dtr"], log) for log in e.workloads
    )
    yield worst[1], f"{worst[0]:.1f} h", worst[0] > 30


@decides("victims-are-large")
def _(e):
    for log in e.workloads:
        schedule = e.schedule(log, "EASY-Last")
        late = audits.reservation_delays(schedule) > 0
        large = slowdown.size_class(schedule.workload)[late] > 0
        share = 100 * float(large.mean()) if late.any() else float("nan")
        yield log, f"{share:.0f} %", share > 50


@decides("busy-logs")
def _(e):
    for log, w in e.workloads.items():
        load, size, run_time = 100 * w.load, w.processors.mean(), w.run_time.mean()
        answer = 60 <= load <= 80 and 10 <= size < 100 and run_time > 3600
        yield log, f"{load:.1f} %, {size:.1f}, {run_time:.0f} s", answer


@decides("a-year-each")
def _(e):
    for log, w in e.workloads.items():
        yield log, f"{w.span / 86400:.0f} days", w.span >= 365 * 86400


def _blocked(e, of_size, rule):
    """A case a log and quarter of the machine. Both measures are nearly one there: the plain one decides."""
    for (log, jobs), row in e.blocked("mbs").set_index(["trace", "jobs"]).iterrows():
        if of_size(jobs):
            weighted = e.blocked("mwbs").set_index(["trace", "jobs"]).loc[log, jobs]
            plain, other = _quotient(row), _quotient(weighted)
            answer = rule(plain)
            sure = answer.sure and rule(other).holds == answer.holds
            words = f"{_words(plain)}, MWBS {_words(other)}"
            yield f"{log} {jobs}:", words, answer._replace(sure=sure)


@decides("large-more-often-blocked")
def _(e):
    for log in e.workloads:
        schedule = e.schedule(log, "EASY")
        blocked, large = audits.blocked(schedule), slowdown.size_class(schedule.workload) > 0
        shares = [100 * float(blocked[of].mean()) for of in (large, ~large)]
        yield log, f"{shares[0]:.1f} % against {shares[1]:.1f} %", shares[0] > shares[1]


@decides("fewer-backfilled")
def _(e):
    for log in e.workloads:
        ours, easy = (e.count(counts.kinds, log, policy) for policy in ("PV-EASY", "EASY"))
        words = (
            f"backfilled {ours['backfilled']:,} against {easy['backfilled']:,}, "
            f"blocked {ours['blocked']:,} against {easy['blocked']:,}"
        )
        yield (
            log,
            words,
            ours["backfilled"] < easy["backfilled"] and ours["blocked"] > easy["blocked"],
        )


@decides("small-killed-more")
def _(e):
    for log in e.workloads:
        schedule = e.schedule(log, "PV-EASY")
        killed, large = schedule.times_killed > 0, slowdown.size_class(schedule.workload) > 0
        shares = [100 * float(killed[of].mean()) for of in (~large, large)]
        yield log, f"{shares[0]:.1f} % against {shares[1]:.1f} %", shares[0] > shares[1]


def _leads(e, errors):
    """A case a log and measure: whether PV-EASY is ahead of both EASYs at all of the errors."""
    chosen = e.virtual[e.virtual["error"].isin(errors)]
    for (log, measure), part in chosen.groupby(["trace", "measure"], sort=False):
        by = virtual.by_error(part)
        lead = by["mean"].drop(columns="PV-EASY").min(axis=1) / by["mean"]["PV-EASY"]
        ahead, behind = virtual.is_ahead(by), virtual.is_behind(by)
        answer = every(Answer(lead[at] > 1, ahead[at] or behind[at]) for at in lead.index)
        words = f"{lead.min():.2f} to {lead.max():.2f}, ahead at {(lead > 1).sum()} of {len(lead)}"
        yield f"{log} {SHORT[measure]}", words, answer


@decides("easy-last-worst")
def _(e):
    for log in e.workloads:
        table = e.everyone("mwbs", "EASY-Last").loc[log]
        largest = _quotient(table.loc[table.loc[["PV-EASY", "EASY"], "quotient"].idxmax()])
        yield log, _words(largest), _at_most_one(largest)


@decides("estimates-beat-virtual")
def _(e):
    at = e.virtual[(e.virtual["error"] == 10) & (e.virtual["policy"] == "FCFS-EASY")]
    at = at.set_index(["trace", "measure"])
    for log in e.workloads:
        for measure, short in SHORT.items():
            ours, row = e.count(counts.slowdowns, log, "EASY")[measure], at.loc[log, measure]
            change = [100 * (ours / row[name] - 1) for name in ("mean", "high", "low")]
            yield f"{log} {short}", f"{change[0]:+.0f} %", below(change)


def _changes(log, name, ours, other):
    """A case a measure: per cent change of a slowdown."""
    for measure, short in SHORT.items():
        change = 100 * (ours[measure] / other[measure] - 1)
        yield f"{log} {short}{name}", f"{change:+.0f} %", change < 0


@decides("venture-helps")
def _(e):
    for log in e.workloads:
        without = _values(counts.slowdowns(e.simulated(log, PVEasy(venture="no"))))
        yield from _changes(log, "", e.count(counts.slowdowns, log, "PV-EASY"), without)


@decides("same-end")
def _(e):
    for log in e.workloads:
        later = int(e.schedule(log, "PV-EASY").end.max() - e.schedule(log, "EASY").end.max()) / 3600
        yield log, f"{later:+.2f} h", abs(later) < 1


@decides("suspending-is-better")
def _(e):
    for log in e.workloads:
        for mode in ("suspend", "checkpoint 1 h"):
            yield from _changes(log, f" {mode}", e.modes.loc[log, mode], e.modes.loc[log, "kill"])


def _not_better(change):
    return opposite(_at_most_one(change))


def _similar(change):
    share = level("similar") / 100
    return between(change, 1 - share, 1 + share)


SMALLEST = slowdown.names()[0]
SMALL, AN_EIGHTH = level("small"), 100 / 8 * (1 + level("similar") / 100)
LATE, KILLS = (counts.violations, "EASY-Last"), (counts.preemptions, "PV-EASY")
WASTE = (counts.loads, "PV-EASY", "wasted_load")
CLAIMS.decide_by(
    ("easy-last-violates", _each, *LATE, "violated", lambda v: 10 <= v < 1000, "{:,}"),
    ("violations-100-minutes", _each, *LATE, "mean_dtr", lambda v: v > 100, "{:.1f} min"),
    ("little-waste", _each, *WASTE, lambda v: v <= SMALL, "{:.2f} %"),
    ("one-in-eight", _each, *KILLS, "preempted_share", lambda v: v <= AN_EIGHTH, "{:.2f} %"),
    ("killed-less-than-twice", _each, *KILLS, "mkt", lambda v: v < 2),
    ("blocked-mostly-better", _blocked, lambda jobs: True, _at_most_one),
    ("large-blocked-better", _blocked, lambda jobs: jobs != SMALLEST, _at_most_one),
    ("small-blocked-not-better", _blocked, lambda jobs: jobs == SMALLEST, _not_better),
    ("prediction-ten-percent", _leads, [error for error in ERRORS if error <= 10]),
    ("prediction-above-ten-percent", _leads, [error for error in ERRORS if error >= 10]),
    ("smaller-on-blue", _to_base, "PV-EASY", "EASY", _at_most_one, lambda log: log == BLUE),
    ("similar-elsewhere", _to_base, "PV-EASY", "EASY", _similar, lambda log: log != BLUE),
    ("better-than-easy-last", _to_base, "PV-EASY", "EASY-Last", _at_most_one),
    ("estimates-beat-last", _to_base, "EASY", "EASY-Last", _at_most_one),
)
