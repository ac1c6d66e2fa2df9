"""The paper's sentences about its own results, each decided by the rule in ``claims.toml`` of its numbers."""

import functools

from replication.basics.lazy import pandas as pd
from replication.evidence import published
from replication.evidence.claims import Claims, totals, within
from replication.papers.pv_easy import counts, modes, runs, slowdown, virtual
from replication.papers.pv_easy.slowdown import SHORT
from replication.schedule import audits
from replication.schedulers import PVEasy

ERRORS = (0, 5, 10, 20, 40, 60, 80, 100)
MODES = {
    "kill": PVEasy(),
    "suspend": PVEasy(mode="suspend"),
    "checkpoint 1 h": PVEasy(mode="checkpoint", interval=3600),
}
# Claims that rest on replays of many jobs, which take longest.
REPLAYED = ("delay-90-hours", "one-in-five-delayed", "strict-by-the-words")
CLAIMS = Claims("pv_easy")
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate
__all__ = ["CLAIMS", "ERRORS", "Evidence", "REPLAYED", "beside", "evaluate", "totals"]


class Evidence:
    """What the claims rest on, worked out when first asked for.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
    repeats : int
        Draws of the virtual predictor.
    reading : replication.evidence.variants.Variant
        Of the schedulers.
    seed, workers : int
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


def beside(default, other, reading):
    """The verdicts of two evaluations side by side, where they differ.

    Parameters
    ----------
    default, other : pandas.DataFrame
        From `evaluate`, the second under another reading and perhaps of fewer claims.
    reading : str
        Its name.

    Returns
    -------
    pandas.DataFrame
        claim, statement, the two verdicts and the other's numbers.
    """
    default = default.set_index("claim").loc[other["claim"]]
    table = pd.DataFrame(
        {
            "claim": other["claim"],
            "statement": other["statement"],
            "default": default["verdict"].to_numpy(),
            reading: other["verdict"],
            "numbers": other["numbers"],
        }
    )
    return table[table["default"] != table[reading]].reset_index(drop=True)


def _each(evidence, what, policy, measure, rule, form="{:.2f}"):
    """A case a log: one number of a count, and whether the rule takes it."""
    for log in evidence.workloads:
        value = evidence.count(what, log, policy)[measure]
        yield log, form.format(value), bool(rule(value))


def _quotients(table, below):
    """A case a row: a quotient and its interval, and whether it is below a level."""
    for what, row in table:
        low, high = row["quotient_low"], row["quotient_high"]
        answer = True if high < below else False if low >= below else None
        yield what, f"{row['quotient']:.2f} ({low:.2f} to {high:.2f})", answer


def _to_base(evidence, policy, base, below, logs=None, measures=SHORT):
    """Cases for a policy's slowdown over another's."""
    rows = [
        (f"{log} {SHORT[m]}", evidence.everyone(m, base).loc[log, policy])
        for log in logs or evidence.workloads
        for m in measures
    ]
    return _quotients(rows, below)


@decides("delay-90-hours")
def _(e):
    worst = max((e.count(counts.delays, log, "EASY")["max_delay"], log) for log in e.workloads)
    yield worst[1], f"{worst[0]:.1f} h", worst[0] > 90


@decides("one-in-five-delayed")
def _(e):
    for log in e.workloads:
        found = e.count(counts.delays, log, "EASY")
        share = 100 * found["delayed"] / found["blocked"]
        yield log, f"{share:.1f} %", 15 <= share <= 25


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


@decides("easy-last-violates")
def _(e):
    return _each(e, counts.violations, "EASY-Last", "violated", lambda v: 10 <= v < 1000, "{:,}")


@decides("violations-100-minutes")
def _(e):
    return _each(e, counts.violations, "EASY-Last", "mean_dtr", lambda v: v > 100, "{:.1f} min")


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


def _share_below(tables):
    """One case: the share of rows whose quotient is below 1."""
    quotients = pd.concat(tables)["quotient"]
    share = 100 * float((quotients < 1).mean())
    yield "", f"{share:.0f} % ({int((quotients < 1).sum())} of {len(quotients)})", share > 50


@decides("blocked-mostly-better")
def _(e):
    return _share_below([e.blocked(m) for m in SHORT])


@decides("large-blocked-better")
def _(e):
    return _share_below([e.blocked(m)[e.blocked(m)["jobs"] != slowdown.names()[0]] for m in SHORT])


@decides("small-blocked-not-better")
def _(e):
    rows = [
        (f"{row['trace']} {SHORT[m]}", row)
        for m in SHORT
        for row in e.blocked(m).to_dict("records")
        if row["jobs"] == slowdown.names()[0]
    ]
    for what, words, below in _quotients(rows, 1):
        yield what, words, None if below is None else not below


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


def _leads(e, errors):
    """A case a log and measure: at how many of the errors PV-EASY is ahead of both EASYs."""
    chosen = e.virtual[e.virtual["error"].isin(errors)]
    for (log, measure), part in chosen.groupby(["trace", "measure"], sort=False):
        ahead = virtual.is_ahead(virtual.by_error(part))
        yield f"{log} {SHORT[measure]}", f"{int(ahead.sum())} of {len(ahead)}", bool(ahead.all())


@decides("prediction-ten-percent")
def _(e):
    return _leads(e, [error for error in ERRORS if error <= 10])


@decides("prediction-above-ten-percent")
def _(e):
    return _leads(e, [error for error in ERRORS if error >= 10])


@decides("smaller-on-blue")
def _(e):
    return _to_base(e, "PV-EASY", "EASY", 1, [log for log in e.workloads if log == "SDSC-BLUE"])


@decides("similar-elsewhere")
def _(e):
    for log in e.workloads:
        if log != "SDSC-BLUE":
            yield from _similar(log, e)


def _similar(log, e):
    """A case a measure: whether PV-EASY's slowdown is within a tenth of EASY's, better or worse."""
    for measure, short in SHORT.items():
        row = e.everyone(measure, "EASY").loc[log, "PV-EASY"]
        quotient = tuple(row[name] for name in ("quotient", "quotient_low", "quotient_high"))
        yield (
            f"{log} {short}",
            "{:.2f} ({:.2f} to {:.2f})".format(*quotient),
            within([x - 1 for x in quotient], 0.1),
        )


@decides("better-than-easy-last")
def _(e):
    return _to_base(e, "PV-EASY", "EASY-Last", 1)


@decides("easy-last-worst")
def _(e):
    for log in e.workloads:
        table = e.everyone("mwbs", "EASY-Last").loc[log]
        yield from _quotients(
            [(log, table.loc[table.loc[["PV-EASY", "EASY"], "quotient"].idxmax()])], 1
        )


@decides("estimates-beat-last")
def _(e):
    return _to_base(e, "EASY", "EASY-Last", 1)


@decides("estimates-beat-virtual")
def _(e):
    at = e.virtual[(e.virtual["error"] == 10) & (e.virtual["policy"] == "FCFS-EASY")]
    at = at.set_index(["trace", "measure"])
    for log in e.workloads:
        for measure, short in SHORT.items():
            ours, row = e.count(counts.slowdowns, log, "EASY")[measure], at.loc[log, measure]
            answer = True if ours < row["low"] else False if ours > row["high"] else None
            yield f"{log} {short}", f"{100 * (ours / row['mean'] - 1):+.0f} %", answer


def _changes(log, name, ours, other):
    """A case a measure: per cent change of a slowdown."""
    for measure, short in SHORT.items():
        change = 100 * (ours[measure] / other[measure] - 1)
        yield f"{log} {short}{name}", f"{change:+.0f} %", bool(change < 0)


@decides("venture-helps")
def _(e):
    for log in e.workloads:
        without = _values(counts.slowdowns(e.simulated(log, PVEasy(venture="no"))))
        yield from _changes(log, "", e.count(counts.slowdowns, log, "PV-EASY"), without)


def _up_to_printed(e, count, item, measure):
    """A case a log: whether PV-EASY's number is at most the largest that a table prints, at its rounding."""
    most = published.largest("pv_easy", item, measure)
    return _each(
        e, count, "PV-EASY", measure, lambda v: round(v, most.decimals) <= most.value, "{:.2f} %"
    )


@decides("little-waste")
def _(e):
    return _up_to_printed(e, counts.loads, "table5", "wasted_load")


@decides("same-end")
def _(e):
    for log in e.workloads:
        later = int(e.schedule(log, "PV-EASY").end.max() - e.schedule(log, "EASY").end.max()) / 3600
        yield log, f"{later:+.2f} h", abs(later) < 1


@decides("one-in-eight")
def _(e):
    return _up_to_printed(e, counts.preemptions, "table6", "preempted_share")


@decides("killed-less-than-twice")
def _(e):
    return _each(e, counts.preemptions, "PV-EASY", "mkt", lambda v: v < 2)


@decides("half-a-run-wasted")
def _(e):
    low, high = (
        published.value("pv_easy", "text", measure=f"rtw_{end}").value for end in ("min", "max")
    )
    return _each(
        e, counts.preemptions, "PV-EASY", "rtw", lambda v: low <= round(v, -1) <= high, "{:.1f} %"
    )


@decides("suspending-is-better")
def _(e):
    for log in e.workloads:
        for mode in ("suspend", "checkpoint 1 h"):
            yield from _changes(log, f" {mode}", e.modes.loc[log, mode], e.modes.loc[log, "kill"])
