"""The paper's sentences about its own results, each decided by the rule in ``claims.toml`` of its numbers."""

import functools

from replication.papers.deciders import (
    Answer,
    Claims,
    above,
    at_least,
    at_most,
    below,
    between,
    contrary,
    each_log,
    every,
    level,
    totals,
)
from replication.papers.pv_easy import counts, modes, runs, slowdown, virtual
from replication.papers.pv_easy.slowdown import SHORT
from replication.simulator import audits
from replication.simulator.schedulers import PVEasy

ERRORS = (0, 5, 10, 20, 40, 60, 80, 100)
BLUE = "SDSC-BLUE"
MODES = {
    "kill": PVEasy(),
    "suspend": PVEasy(mode="suspend"),
    "checkpoint 1 h": PVEasy(mode="checkpoint", interval=3600),
}
# Claims that rest on replays of many jobs, which take longest.
REPLAYED = ("delay-90-hours", "strict-by-the-words")
FORM = "{:.2f} ({:.2f} to {:.2f})"
CLAIMS = Claims("pv_easy", FORM)
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate
__all__ = ["CLAIMS", "ERRORS", "Evidence", "REPLAYED", "evaluate", "totals"]


class Evidence:
    """What the claims rest on, worked out when first asked for: under a reading of the schedulers,
    with so many draws (repeats) of the virtual predictor.
    """

    def __init__(self, workloads, repeats=5, reading=runs.DEFAULT, seed=1, workers=1):
        self.workloads, self.repeats, self.reading = workloads, repeats, reading
        self.seed, self.workers = seed, workers
        for name in ("schedule", "count", "everyone"):
            setattr(self, name, functools.cache(getattr(self, name)))

    def schedule(self, log, policy):
        """A log's schedule under one of the paper's policies, or another scheduler."""
        scheduler = runs.POLICIES.get(policy, policy)
        return runs.simulated(self.workloads[log], scheduler, self.reading, self.seed)

    def schedules(self, policies):
        """Those of all logs, as ``schedules[log][policy]``; the policies may be schedulers by name."""
        named = policies if isinstance(policies, dict) else {name: name for name in policies}
        return {
            log: {name: self.schedule(log, policy) for name, policy in named.items()}
            for log in self.workloads
        }

    def count(self, what, log, policy, *how):
        """Values of one of the counts, by measure."""
        counted = what(self.schedule(log, policy), *how)
        return {name: value for name, (value, _) in counted.items()}

    def everyone(self, measure, base):
        """Slowdowns of all jobs, by log and policy."""
        table = slowdown.everyone(self.schedules(runs.POLICIES), measure, base, self.seed)
        return table.set_index(["trace", "policy"])

    def quotient(self, log, measure, policy, base):
        """A policy's slowdown over another's, with its interval."""
        return _quotient(self.everyone(measure, base).loc[log, policy])

    @functools.cached_property
    def blocked(self):
        """Both slowdowns of blocked jobs under PV-EASY over EASY's, each with its interval, by log and quarter of the
        machine.
        """
        same, schedules = self.reading.count.get("same", False), self.schedules(["EASY", "PV-EASY"])
        found = {}
        for measure in SHORT:
            table = slowdown.blocked(schedules, measure, same=same, seed=self.seed)
            own = table[(table["policy"] == "PV-EASY") & table["quotient"].notna()]
            for row in own.to_dict("records"):
                key = row["trace"], row["jobs"]
                found[key] = found.get(key, ()) + _quotient(row)
        return found

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
        return modes.results(self.schedules(MODES)).set_index(["trace", "mode"])


def _quotient(row):
    return tuple(row[name] for name in ("quotient", "quotient_low", "quotient_high"))


# ---- what is measured


def number(what, policy, measure, *how):
    """One number of a count on each log."""
    return each_log(lambda e, log: e.count(what, log, policy, *how)[measure])


def largest(what, policy, measure):
    """The largest of those."""

    def measured(e):
        value, log = max((e.count(what, log, policy)[measure], log) for log in e.workloads)
        yield log, value

    return measured


def to_base(policy, base, **which):
    """A policy's slowdowns over another's, on all logs or on some."""
    return each_log(lambda e, log, measure: e.quotient(log, measure, policy, base), SHORT, **which)


def quarters(of_size):
    """Both slowdowns of blocked jobs in some quarters of the machine, under PV-EASY over EASY's."""
    return lambda e: [
        (f"{log} {jobs}:", both) for (log, jobs), both in e.blocked.items() if of_size(jobs)
    ]


def borne_out(rule):
    """The rule for both slowdowns: they are nearly one in a quarter of the machine, so the plain one decides, and the
    other bears it out.
    """

    def both(values):
        plain, weighted = rule(values[:3]), rule(values[3:])
        return plain._replace(sure=plain.sure and weighted.holds == plain.holds)

    return both


def _means(w):
    return 100 * w.load, w.processors.mean(), w.run_time.mean()


def heads_kept_waiting(e, log):
    """Jobs that wait at the head although PV-EASY could start them."""
    return int(audits.head_violations(e.schedule(log, "PV-EASY")).sum())


def _delayed(e, log):
    schedule = e.schedule(log, "PV-EASY")
    return int((schedule.start > audits.alone(schedule)).sum())


def _large(schedule):
    return slowdown.size_class(schedule.workload) > 0


def _large_among_late(e, log):
    schedule = e.schedule(log, "EASY-Last")
    late = audits.reservation_delays(schedule) > 0
    return 100 * float(_large(schedule)[late].mean()) if late.any() else float("nan")


def _by_size(policy, which):
    """Shares of large and of small jobs that are `which` under a policy."""

    def measured(e, log):
        schedule = e.schedule(log, policy)
        large, hit = _large(schedule), which(schedule)
        return [100 * float(hit[of].mean()) for of in (large, ~large)]

    return each_log(measured)


def _kinds(e, log):
    ours, easy = (e.count(counts.kinds, log, policy) for policy in OURS)
    return [one[name] for name in ("backfilled", "blocked") for one in (ours, easy)]


def _last_to_others(e, log):
    """The larger of PV-EASY's and EASY's slowdown over EASY-Last's."""
    return max(e.quotient(log, "mwbs", policy, "EASY-Last") for policy in ("PV-EASY", "EASY"))


def _estimates_to_virtual(e, log, measure):
    """Per cent change from Fig. 4's EASY at an error of 10 % to EASY with estimates."""
    at = e.virtual[(e.virtual["error"] == 10) & (e.virtual["policy"] == "FCFS-EASY")]
    row = at.set_index(["trace", "measure"]).loc[log, measure]
    ours = e.count(counts.slowdowns, log, "EASY")[measure]
    return [100 * (ours / row[name] - 1) for name in ("mean", "high", "low")]


def _without_venture(e, log, measure):
    ours, without = (
        e.count(counts.slowdowns, log, policy) for policy in ("PV-EASY", PVEasy(venture="no"))
    )
    return 100 * (ours[measure] / without[measure] - 1)


def _later_end(e, log):
    later = e.schedule(log, "PV-EASY").end.max() - e.schedule(log, "EASY").end.max()
    return int(later) / 3600


def _modes(e):
    for log in e.workloads:
        for mode in ("suspend", "checkpoint 1 h"):
            change = 100 * (e.modes.loc[log, mode] / e.modes.loc[log, "kill"] - 1)
            for measure, short in SHORT.items():
                yield f"{log} {short} {mode}", change[measure]


def _leads(at_error):
    """Whether PV-EASY is ahead of both EASYs at all of some errors."""

    def cases(e):
        chosen = e.virtual[e.virtual["error"].map(at_error)]
        for (log, measure), part in chosen.groupby(["trace", "measure"], sort=False):
            by = virtual.by_error(part)
            lead = by["mean"].drop(columns="PV-EASY").min(axis=1) / by["mean"]["PV-EASY"]
            ahead, behind = virtual.is_ahead(by), virtual.is_behind(by)
            answer = every(Answer(lead[at] > 1, ahead[at] or behind[at]) for at in lead.index)
            words = f"{lead.min():.2f} to {lead.max():.2f}, ahead at {(lead > 1).sum()} of"
            yield f"{log} {SHORT[measure]}", f"{words} {len(lead)}", answer

    return cases


# ---- the rules

SIMILAR, SMALLEST, OURS = level("similar") / 100, slowdown.names()[0], ("PV-EASY", "EASY")
NEVER, LOWER, NEARLY_ONE = at_most(0), below(1), between(1 - SIMILAR, 1 + SIMILAR)
LITTLE, AN_EIGHTH = at_most(level("small")), at_most(100 / 8 * (1 + SIMILAR))
LATE, KILLS = (counts.violations, "EASY-Last"), (counts.preemptions, "PV-EASY")
BY_ALL = (counts.violations, "PV-EASY", "violated", "any-later")
WASTE = (counts.loads, "PV-EASY", "wasted_load")
SMALL_JOBS, LARGE_JOBS = (
    quarters(lambda jobs: jobs == SMALLEST),
    quarters(lambda jobs: jobs != SMALLEST),
)
BOTH = FORM + ", MWBS " + FORM
AGAINST, SMALL_AGAINST = "{0:.1f} % against {1:.1f} %", "{1:.1f} % against {0:.1f} %"
KINDS = "backfilled {:,} against {:,}, blocked {:,} against {:,}"
decides("delay-90-hours", above(90), "{:.1f} h")(largest(counts.delays, "EASY", "max_delay"))
decides("strict-at-the-head", NEVER, "{:,}")(each_log(heads_kept_waiting))
decides("strict-by-the-words", NEVER, "{:,} jobs")(each_log(_delayed))
decides("no-violation", NEVER, "{}")(number(*BY_ALL))
decides("easy-last-violates", lambda n: 10 <= n < 1000, "{:,}")(number(*LATE, "violated"))
decides("violations-100-minutes", above(100), "{:.1f} min")(number(*LATE, "mean_dtr"))
decides("violations-30-hours", above(30), "{:.1f} h")(largest(*LATE, "max_dtr"))
decides("victims-are-large", above(50), "{:.0f} %")(each_log(_large_among_late))
decides(
    "busy-logs",
    lambda v: 60 <= v[0] <= 80 and 10 <= v[1] < 100 and v[2] > 3600,
    "{:.1f} %, {:.1f}, {:.0f} s",
)(each_log(lambda e, log: _means(e.workloads[log])))
decides("a-year-each", at_least(365), "{:.0f} days")(
    each_log(lambda e, log: e.workloads[log].span / 86400)
)
decides("blocked-mostly-better", borne_out(LOWER), BOTH)(quarters(lambda jobs: True))
decides("large-blocked-better", borne_out(LOWER), BOTH)(LARGE_JOBS)
decides("small-blocked-not-better", borne_out(contrary(LOWER)), BOTH)(SMALL_JOBS)
decides("large-more-often-blocked", lambda v: v[0] > v[1], AGAINST)(
    _by_size("EASY", audits.blocked)
)
decides("fewer-backfilled", lambda v: v[0] < v[1] and v[2] > v[3], KINDS)(each_log(_kinds))
decides("small-killed-more", lambda v: v[1] > v[0], SMALL_AGAINST)(
    _by_size("PV-EASY", lambda run: run.times_killed > 0)
)
decides("little-waste", LITTLE, "{:.2f} %")(number(*WASTE))
decides("one-in-eight", AN_EIGHTH, "{:.2f} %")(number(*KILLS, "preempted_share"))
decides("killed-less-than-twice", below(2), "{:.2f}")(number(*KILLS, "mkt"))
decides("prediction-ten-percent")(_leads(lambda error: error <= 10))
decides("prediction-above-ten-percent")(_leads(lambda error: error >= 10))
decides("smaller-on-blue", LOWER)(to_base(*OURS, of=lambda log: log == BLUE))
decides("similar-elsewhere", NEARLY_ONE)(to_base(*OURS, of=lambda log: log != BLUE))
decides("better-than-easy-last", LOWER)(to_base("PV-EASY", "EASY-Last"))
decides("estimates-beat-last", LOWER)(to_base("EASY", "EASY-Last"))
decides("easy-last-worst", LOWER)(each_log(_last_to_others))
decides("estimates-beat-virtual", below(), "{:+.0f} %")(each_log(_estimates_to_virtual, SHORT))
decides("venture-helps", below(), "{:+.0f} %")(each_log(_without_venture, SHORT))
decides("same-end", lambda hours: abs(hours) < 1, "{:+.2f} h")(each_log(_later_end))
decides("suspending-is-better", below(), "{:+.0f} %")(_modes)
