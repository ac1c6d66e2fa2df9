"""PV-EASY's headline conclusions under other interpretations, cleanings, logs and loads."""

from dataclasses import replace
from functools import partial

import sensitivity
from notebooks import variants
from notebooks.pv_easy import claims, counts, runs

#: Every open option alone, and some together; ways of counting, cleanings.
CHANGES = (
    *runs.ALONE,
    *variants.entered(runs.PAPER, "counted"),
    *runs.TOGETHER,
    *(
        replace(variant, name=f"variant of the baseline: {name}")
        for name, variant in runs.VARIANTS.items()
        if variant.easy
    ),
    *runs.CLEANING,
    *variants.entered(runs.PAPER, "machines"),
)


def tables(log, jobs, variant, seed=1):
    """Return the tables that decide the headlines on one log under a variant."""
    schedules = claims.schedules({log: jobs}, variant, seed, runs.POLICIES)
    return {
        "numbers": numbers(schedules, variant),
        "over": claims.over(schedules),
        "blocked": claims.blocked(schedules),
    }


def numbers(schedules, variant):
    """Return the numbers of PV-EASY that decide a headline, counted as the variant does."""
    loads = partial(counts.loads, since=variant.count.get("since", "first-submission"))
    counted = {"PV-EASY": (claims.heads, claims.violations, loads)}
    return claims.numbers(schedules, replays=False, counted=counted)


def study(workloads, first=None, workers=1, seed=1):
    """Return the cases of every headline, see `sensitivity.study`."""
    tables_of = partial(tables, seed=seed)
    return sensitivity.study(runs.PAPER, claims, tables_of, CHANGES, workloads, first, workers)
