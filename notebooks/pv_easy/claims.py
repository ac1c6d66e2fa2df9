"""The statistics of the paper's claims; the rules are in ``data/published/pv_easy/claims.toml``.

Each function returns the cases of the claim of its name, or of those that name it. Claims about
single numbers have none: their cases are rows of a table, named by ``select``.

Tables
------
numbers : pandas.DataFrame
    Numbers of single schedules: `numbers`.
over : pandas.DataFrame
    Slowdowns of all jobs under a policy over the slowdowns under another policy: `over`.
blocked : pandas.DataFrame
    Slowdowns of blocked jobs by size, under PV-EASY over the slowdowns under EASY: `blocked`.
errors : pandas.DataFrame
    Mean slowdowns with the virtual predictor, `notebooks.pv_easy.virtual.results`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

import replication as rp
from notebooks import audits
from notebooks.pv_easy import baseline, counts, runs, slowdown, virtual
from notebooks.pv_easy.slowdown import SHORT
from notebooks.ratios import percent_more
from notebooks.variants import NotApplicable
from replication.verdicts import published
from replication.verdicts.rules import BETWEEN, Case, level, near

ERRORS = (0, 5, 10, 20, 40, 60, 80, 100)  # per cent
LARGE_ERRORS = ERRORS[2:]  # those that claims speak of
MODES = ("suspend", "checkpoint 1 h")
EASYS = "EASY's backfilling"
#: The schedulers that claims speak of, by policy.
POLICIES = runs.POLICIES | {
    EASYS: rp.PVEasy(venture="easy"),
    "suspend": rp.PVEasy(preemption="suspend"),
    "checkpoint 1 h": rp.PVEasy(preemption="checkpoint", interval=3600),
}
#: Claims that need a replay for each job.
REPLAYED = ("delay-90-hours", "strict-by-the-words")
#: The two policies of each quotient in the table `over`, and the denominators.
PAIRS = (("PV-EASY", "EASY"), ("PV-EASY", "EASY-Last"), ("EASY", "EASY-Last"))
BASES = ("EASY", "EASY-Last")


# ---- tables


def killed_by_size(schedule: rp.Schedule) -> dict:
    """Return the shares of the large jobs and of the others that are killed."""
    return counts.by_size(schedule, "killed", schedule.times_killed > 0)


def heads(schedule: rp.Schedule) -> dict:
    """Return the number of heads of the queue that wait while idle and shadow
    processors would do.
    """
    return {"heads delayed": (int(audits.head_violations(schedule).sum()), "jobs")}


def violations(schedule: rp.Schedule) -> dict:
    """Return the number of violated reservations, if any later job may be to blame."""
    return {"violated by later jobs": counts.violations(schedule, "any-later")["violated"]}


def delays(schedule: rp.Schedule) -> dict:
    """Return the number of jobs that start later than if no later job had been submitted."""
    late = schedule.start > audits.alone(schedule)
    return {"delayed by later jobs": (int(late.sum()), "jobs")}


#: The counts of each policy, and those that take a replay for each job.
COUNTS = {
    "EASY": (counts.kinds, counts.blocked_by_size, counts.slowdowns, counts.last_end),
    "EASY-Last": (counts.violations, counts.slowdowns),
    "PV-EASY": (
        *(heads, violations, counts.kinds, counts.loads, counts.preemptions, counts.slowdowns),
        *(killed_by_size, counts.last_end),
    ),
} | dict.fromkeys((EASYS, *MODES), (counts.slowdowns,))
REPLAYS = {"EASY": (counts.delays,), "PV-EASY": (delays,)}


def textbook(workloads, seed, repeats, workers=1) -> dict[str, pd.DataFrame]:
    """Return all tables under the default: numbers, over, blocked and errors."""
    by_log = schedules(workloads, seed=seed)
    draws = range(seed, seed + repeats)
    return {
        "numbers": numbers(by_log),
        "over": over(by_log),
        "blocked": blocked(by_log),
        "errors": virtual.results(workloads, virtual.POLICIES, ERRORS, draws, workers=workers),
    }


def of_simulators(search) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the tables of each simulator of a `notebooks.pv_easy.baseline.Search`, by its name:
    numbers and over.
    """
    return {
        name: _of_pair(search, pair)
        for of in baseline.SIMULATED
        for name, pair in search.simulators(of).items()
    }


def _of_pair(search, pair):
    facts = pd.DataFrame(search.facts(pair)).rename_axis(["log", "measure"]).rename(index=SHORT)
    return {"numbers": _long(facts, "policy"), "over": _long(_over(facts), "policies")}


def of_voters(workloads, search, seed, repeats, workers=1) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the tables of the simulators that vote which take many more simulations, by the name
    of the simulator: blocked of the schedulers for EASY, errors of the pairs.

    Parameters
    ----------
    workloads : dict of str to Workload
    search : notebooks.pv_easy.baseline.Search
    seed : int
    repeats : int
        Draws of the virtual predictor.
    """
    easy, pairs = (
        {name: search.pairs[pair] for name, pair in search.voters(of).items()}
        for of in ((baseline.EASY,), baseline.POLICIES)
    )
    jobs = {name: {"blocked": _blocked_under(workloads, chosen)} for name, chosen in easy.items()}
    errors = _errors_under(workloads, pairs, seed, repeats, workers)
    return jobs | {name: {"errors": table} for name, table in errors.items()}


def _over(facts):
    """Return the quotients of `PAIRS` from a table with a column for each policy."""
    slowdowns = facts[facts.index.get_level_values("measure").isin(SHORT.values())]
    return pd.DataFrame(
        {f"{policy} over {base}": slowdowns[policy] / slowdowns[base] for policy, base in PAIRS}
    )


def _long(table, column):
    return table.rename_axis(columns=column).stack().rename("value").reset_index()


def _blocked_under(workloads, chosen):
    """Return the table of blocked jobs under the choices of a scheduler for EASY."""
    both = {"EASY": baseline.scheduler("EASY", chosen), "PV-EASY": baseline.pv_easy(chosen)}
    return blocked(schedules(workloads, policies=both))


def _errors_under(workloads, pairs, seed, repeats, workers):
    """Return the table of the virtual predictor under each of some pairs, choices by name."""
    tables = {}
    for correction in sorted({chosen["correction"] for chosen in pairs.values()}):
        with_correction = {
            name: choices for name, choices in pairs.items() if choices["correction"] == correction
        }
        policies = {virtual.BASE: virtual.POLICIES[virtual.BASE]} | {
            (name, policy): replace(
                baseline.scheduler("EASY-Last", chosen), candidates=scheduler.candidates
            )
            for name, chosen in with_correction.items()
            for policy, scheduler in virtual.POLICIES.items()
            if policy != virtual.BASE
        }
        draws = range(seed, seed + repeats)
        how = {"correction": correction, "workers": workers}
        table = virtual.results(workloads, policies, LARGE_ERRORS, draws, **how)
        is_base = table["policy"] == virtual.BASE
        for name in with_correction:
            under_pair = table[[policy[0] == name for policy in table["policy"]]]
            under_pair = under_pair.assign(policy=under_pair["policy"].str[1])
            tables[name] = pd.concat([table[is_base], under_pair])
    return tables


def schedules(
    workloads: Mapping[str, rp.Workload],
    variant=runs.DEFAULT,
    seed: int = 1,
    policies: Mapping[str, rp.Scheduler] = POLICIES,
) -> dict[str, dict[str, rp.Schedule]]:
    """Return the validated schedules of some policies under a variant, by log and policy."""
    return runs.schedules(workloads, policies, variant, seed)


def numbers(schedules: Mapping, replays: bool = True, counted: Mapping = COUNTS) -> pd.DataFrame:
    """Return the numbers of some schedules and logs.

    Parameters
    ----------
    schedules : dict
        By log and policy.
    replays : bool
        Include the numbers that take a replay for each job.
    counted : dict
        Counts (see `notebooks.pv_easy.counts`) by policy.

    Returns
    -------
    DataFrame
        log, policy (``log`` for facts of the log), measure, value, unit.
    """
    rows = []
    for log, by_policy in schedules.items():
        jobs = next(iter(by_policy.values())).workload
        facts = {
            "load": (100 * jobs.load, "%"),
            "mean_size": (float(jobs.processors.mean()), "processors"),
            "mean_run_time": (float(jobs.run_time.mean()), "s"),
            "span": (jobs.span / 86400, "days"),
        }
        rows += [(log, "log", name, *number) for name, number in facts.items()]
        for policy, schedule in by_policy.items():
            several = counted.get(policy, ()) + (REPLAYS.get(policy, ()) if replays else ())
            for count in several:
                for name, number in count(schedule).items():
                    rows.append((log, policy, SHORT.get(name, name), *number))
    frame = pd.DataFrame(rows, columns=["log", "policy", "measure", "value", "unit"])
    return frame.drop_duplicates(["log", "policy", "measure"], ignore_index=True)


def over(schedules: Mapping) -> pd.DataFrame:
    """Return the slowdowns of policies over the slowdowns of other policies: log, policies,
    measure, value, low, high.
    """
    compared = {
        log: {name: by_policy[name] for name in runs.POLICIES}
        for log, by_policy in schedules.items()
    }
    frames = []
    for measure, short in SHORT.items():
        tables = {base: slowdown.everyone(compared, measure, base) for base in BASES}
        for policy, base in PAIRS:
            rows = tables[base][tables[base]["policy"] == policy]
            frames.append(_quotients(rows).assign(policies=f"{policy} over {base}", measure=short))
    columns = ["log", "policies", "measure", "value", "low", "high"]
    table = pd.concat(frames)[columns]
    return pd.concat([table[table["log"] == log] for log in schedules], ignore_index=True)


def blocked(schedules: Mapping) -> pd.DataFrame:
    """Return the slowdowns under PV-EASY over those under EASY of the jobs that a third schedule
    blocks, by quarters of the machine.

    The third schedule is EASY's with perfect estimates.

    Returns
    -------
    DataFrame
        log, jobs (the size class), value (of MBS), low, high (its 95 % interval), mwbs (the same
        quotient of MWBS), placebo and placebo_mwbs (the same quotients of EASY with shifted
        submissions over EASY).
    """
    compared = {
        log: {name: by_policy[name] for name in ("EASY", "PV-EASY")}
        for log, by_policy in schedules.items()
    }
    same = {log: slowdown.selection(by_policy["EASY"]) for log, by_policy in compared.items()}
    plain, weighted = (
        slowdown.blocked(compared, measure, same=same).query("policy == 'PV-EASY'")
        for measure in SHORT
    )
    both = {"mwbs": weighted["quotient"], "placebo_mwbs": weighted["placebo"]}
    table = _quotients(plain).assign(**both)
    columns = ["log", "jobs", "value", "low", "high", "mwbs", "placebo", "placebo_mwbs"]
    return table[columns].dropna(subset="value", ignore_index=True)


def _quotients(table):
    """Return the quotients of a table of `slowdown` under the names of a table of claims."""
    names = {"trace": "log", "quotient": "value", "quotient_low": "low", "quotient_high": "high"}
    return table.drop(columns=["value", "low", "high"]).rename(columns=names)


# ---- claims


def column(numbers: pd.DataFrame, policy: str, measure: str) -> pd.Series:
    """Return a number of a policy by log, in the order of the table."""
    rows = numbers[(numbers["policy"] == policy) & (numbers["measure"] == measure)]
    return rows.set_index("log")["value"]


def near_printed(numbers, item, policy, measures, logs=None) -> Iterator[Case]:
    """Return numbers of a policy on some logs, or on all; each must be near the number that an item
    prints.
    """
    for measure in measures:
        for log, value in column(numbers, policy, measure).items():
            if logs is None or log in logs:
                asked = {"trace": log, "policy": policy, "measure": measure}
                printed = published.value(runs.PAPER, item, **asked)
                part = measure.replace("_", " ") if len(measures) > 1 else ""
                rule = {"operator": BETWEEN, "threshold": near(printed), "unit": printed.unit}
                yield Case(log, value, part=part, **rule)


def less(numbers, number, other) -> list[Case]:
    """Return a number less another one on each log; each is given by its policy and measure."""
    difference = column(numbers, *number) - column(numbers, *other)
    return [Case(log, value) for log, value in difference.items()]


def changes(numbers, policies, base) -> Iterator[Case]:
    """Return the change of the slowdown from a policy to others, per cent."""
    for log in dict.fromkeys(numbers["log"]):
        for policy in policies:
            for name in SHORT.values():
                ours, theirs = (column(numbers, side, name)[log] for side in (policy, base))
                case = f"{log} {name}" + (f" {policy}" if len(policies) > 1 else "")
                yield Case(case, percent_more(ours, theirs))


def borne_out(blocked, jobs=None) -> Iterator[Case]:
    """Yield the quotient of MBS of each size class; its interval is widened to the quotient of
    MWBS, which must bear it out.

    Slowdowns are lower only if they are lower than the placebo's, too.
    """
    chosen = blocked if jobs is None else blocked[blocked["jobs"].isin(jobs)]
    if chosen.empty:
        raise NotApplicable("no blocked job is that large")
    for row in chosen.to_dict("records"):
        low, high = min(row["low"], row["mwbs"]), max(row["high"], row["mwbs"])
        beyond = row["placebo"] if row["placebo"] < 1 - level("none") / 100 else None
        yield Case(f"{row['log']} {row['jobs']}", row["value"], low, high, threshold=beyond)


def leads(errors, least, most) -> Iterator[Case]:
    """Return the better EASY's mean over PV-EASY's at each error from `least` to `most`
    per cent.
    """
    selected = errors[errors["error"].between(least, most)]
    for (log, measure), part in selected.groupby(["trace", "measure"], sort=False):
        for error, several in part[part["policy"] != virtual.BASE].groupby("error"):
            lead = several.loc[several["over"].idxmin(), virtual.OVER]
            yield Case(f"{log} {SHORT[measure]}", *lead, part=f"error {error} %")


def easy_last_worst(over) -> Iterator[Case]:
    """Return the larger of PV-EASY's and EASY's weighted slowdown over EASY-Last's."""
    rows = over[over["policies"].str.endswith("over EASY-Last") & (over["measure"] == "MWBS")]
    for log, part in rows.groupby("log", sort=False):
        ends = part.columns.intersection(["value", "low", "high"], sort=False)
        yield Case(log, *max(part[ends].itertuples(index=False, name=None)))


def estimates_beat_virtual(numbers, errors) -> Iterator[Case]:
    """Return the change from EASY with the virtual predictor at an error of 10 % to EASY with
    estimates, per cent.
    """
    at = errors[(errors["error"] == 10) & (errors["policy"] == "FCFS-EASY")]
    for row in at.to_dict("records"):
        name = SHORT[row["measure"]]
        ours = column(numbers, "EASY", name)[row["trace"]]
        change = (percent_more(ours, row[end]) for end in ("mean", "high", "low"))
        yield Case(f"{row['trace']} {name}", *change)
