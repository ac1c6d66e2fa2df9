"""The numbers of Tables 1, 2, 4, 5 and 6 of one simulation, in every way of counting them.

What the choices mean stands in `replication.papers.pv_easy.readings`. Each function takes the jobs and the
choices that need a simulation of their own, and yields (policy, measure, ways of counting by dimension,
value).
"""

from replication.papers.pv_easy import counts, runs

#: Options of schedulers that are not the choices' defaults.
OPTIONS = {
    "reservation": ("kept",),
    "extra": ("not-used-up",),
    "shadow": ("first",),
    "events": ("one-by-one",),
    "order": ("submissions-first",),
    "refresh": ("submission",),
    "correction": ("tsafrir", "doubling", "now"),
}
BLOCKED = ("any", "others-wait", "passed")
DELAY = ("alone", "head", "running")
VIOLATION = ("under-predicted", "any-later", "since-reserved")
BACKFILLED = ("last-run", "starts", "ever", "in-shadow")
SPAN = ("first-submission", "time-0")
WASTE = ("mean", "total")


def options(chosen):
    """Options of a scheduler under some choices: those that are not the default."""
    return {name: choice for name, choice in chosen.items() if choice in OPTIONS.get(name, ())}


def easy(workload, chosen):
    """EASY's numbers: Tables 1 and 4."""
    others = options(chosen)
    schedule = runs.simulated(workload, "EASY", others)
    for blocked in BLOCKED:
        for since in DELAY:
            # Without later jobs, simulations are repeated from every submission: possible for the textbook's
            # EASY.
            if since != "alone" or not others:
                found = counts.delays(schedule, since, blocked)
                yield from _rows(
                    "EASY",
                    {"blocked": blocked, "delay": since},
                    found,
                    ("delayed", "mean_delay", "max_delay"),
                )
    yield from _kinds(schedule, "EASY")


def easy_last(workload, chosen):
    """EASY-Last's numbers: Table 2."""
    schedule = runs.simulated(workload, "EASY-Last", options(chosen))
    for blame in VIOLATION:
        yield from _rows("EASY-Last", {"violation": blame}, counts.violations(schedule, blame))


def pv_easy(workload, chosen):
    """PV-EASY's numbers: Tables 4, 5 and 6."""
    schedule = runs.simulated(workload, "PV-EASY", options(chosen))
    yield from _kinds(schedule, "PV-EASY")
    for since in SPAN:
        yield from _rows("PV-EASY", {"span": since}, counts.loads(schedule, since))
    for waste in WASTE:
        found = counts.preemptions(schedule, waste)
        yield from _rows("PV-EASY", {"waste": waste}, found, ("rtw",))
    yield from _rows("PV-EASY", {}, found, ("preempted", "preempted_share", "mkt"))


def _kinds(schedule, policy):
    for blocked in BLOCKED:
        found = counts.kinds(schedule, blocked=blocked)
        yield from _rows(policy, {"blocked": blocked}, found, ("blocked",))
    for backfilled in BACKFILLED:
        found = counts.kinds(schedule, backfilled)
        yield from _rows(policy, {"backfilled": backfilled}, found, ("backfilled",))


def _rows(policy, counted, found, measures=None):
    return [
        (policy, measure, counted, value)
        for measure, (value, _) in found.items()
        if measures is None or measure in measures
    ]
