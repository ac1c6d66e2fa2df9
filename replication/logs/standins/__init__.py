"""Generated workloads that take the place of the archive's logs where those are not to be had.

A stand-in lets every command, table and figure run. It is no copy of a log and proves nothing about a
paper: what is drawn from one is marked, and no verdict comes from it.

The model. A log has so many users, of whom few submit most of the jobs. A user works in campaigns, rows of
jobs of one kind; a kind is an executable, a size and an estimate, and a later campaign often takes up an
old one. Campaign lengths have a Pareto tail. Sizes and estimates are the log's popular ones in their
shares, dealt so that a user's kinds are alike; 90 % of the jobs are on the log's twenty most popular
estimates, E_max among them, in shares that keep the log's mean estimate. A job fails at its start, runs
as long as is typical of its kind, or runs to its limit; mostly its run time is nearly that of the job
before it in the campaign. No job runs longer than its estimate. In each user's part of the log the times
between jobs are of seconds in a burst and of days between sessions. All users share one clock, which
slows as work piles up, since people hold back then; and it is denser by day and from Monday to Friday.

What is the log's. Within 2 %, by default and under each paper's own rules: number of jobs, processors,
users, time from first to last submission, load, mean size, mean run time, share of jobs whose estimate is
E_max. By design, but only roughly: the shares of sizes (so, of powers of two) and of popular estimates; the
profile of the day and of the week; jobs per user; how often users repeat a kind, after how long, and with
the same run time; shares of failed jobs and of jobs that run to their limit, by length of the estimate;
correlations between size, estimate, run time and campaign length; the mean backlog of work.

What is not. No job, user or week of a stand-in is one of the log's; queues are unknown, groups and
executables are numbers without meaning. Estimates are more concentrated than in some logs (KTH has 75 % of
its jobs on twenty values), and no job overruns its estimate, as up to an eighth of a log's do. Users do not
react to one job's fate. Waiting times come out of the same order as the log's, not the same.

The numbers used are in ``data/standins.toml``, which ``data/fitting.py`` measures in the logs. A
stand-in depends on its log's name, the paper and the seed alone.
"""

import functools
import tomllib

from replication.basics import paths, seeding
from replication.logs.standins import model
from replication.logs.workload import Workload

TABLE = paths.DATA / "standins.toml"
VERSION = 1  # of the generator: another number, other jobs
ALIASES = {"KTH-SP2-2": "KTH-SP2"}  # the same log as recorded
MATCHED = ("jobs", "machine", "users", "span", "load", "mean_size", "mean_run_time", "e_max_share")
DRAWS = 200


class StandInError(ValueError):
    """A stand-in that does not exist; the message lists those that do."""


@functools.cache
def _table():
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def names():
    """Names of the logs that have a stand-in."""
    return list(_table())


def facts(name, paper=None):
    """What the generator knows of a log, ``KTH-SP2-2`` too: its section of ``data/standins.toml``,
    with the numbers under a paper's rules and on its machine where one is named.
    """
    log = ALIASES.get(name, name)
    if log not in names():
        raise StandInError(
            f"no stand-in for log {name!r}; allowed: {', '.join([*names(), *ALIASES])}"
        )
    known = dict(_table()[log])
    papers = known.pop("paper")
    if paper is None:
        return known
    if paper not in papers:
        raise StandInError(
            f"no stand-in of {name} for paper {paper!r}; allowed: {', '.join(papers)}"
        )
    return known | papers[paper]


def make(name, paper=None, seed=None):
    """Generate the stand-in of a log as a workload with `stand_in` set, for a paper's rules or the
    default ones; another `seed` gives other jobs of the same kind. StandInError for a name,
    paper or seed that is not allowed.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise StandInError(f"{name}: seed {seed!r}; allowed: a whole number from 0, or none")
    known = facts(name, paper)
    columns, draw = _draw(known, ALIASES.get(name, name), seed)
    return Workload.from_columns(
        name,
        known["machine"],
        stand_in=True,
        **columns,
        provenance={
            "generator": f"replication.logs.standins {VERSION}",
            "paper": paper,
            "seed": seed,
            "draw": draw,
            "targets": {quantity: known[quantity] for quantity in MATCHED},
        },
    )


def _draw(known, log, seed):
    """Columns of the first draw whose jobs can have the log's mean run time and load, and its number."""
    for draw in range(DRAWS):
        try:
            return model.generate(
                known, seeding.generator("stand-in", VERSION, log, seed, draw)
            ), draw
        except model.Unreachable:
            continue
    raise StandInError(
        f"{log}: none of {DRAWS} draws with seed {seed} has the log's mean run time and load; "
        "allowed: another seed"
    )
