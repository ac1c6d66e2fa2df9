"""Generated workloads that take the place of the archive's logs where those are not to be had.

A stand-in lets every command, table and figure run. It is no copy of a log and proves nothing about a paper: what is
drawn from one is marked, and no verdict comes from it. docs/standins.md says how it is made, and what of it is the log's.
A stand-in depends on its log's name, the paper and the seed alone.
"""

import contextlib

from replication.simulator import paths, seeding
from replication.simulator.data import toml
from replication.simulator.hints import among
from replication.simulator.standins import model
from replication.simulator.workload import Workload

TABLE = paths.DATA / "standins.toml"
VERSION = 1  # of the generator: another number, other jobs
ALIASES = {"KTH-SP2-2": "KTH-SP2"}  # the same log as recorded
MATCHED = ("jobs", "machine", "users", "span", "load", "mean_size", "mean_run_time", "e_max_share")
DRAWS = 200


class StandInError(ValueError):
    """A stand-in that does not exist; the message lists those that do."""


def names():
    """Names of the logs that have a stand-in."""
    return list(toml(TABLE))


def facts(name, paper=None):
    """What the generator knows of a log, ``KTH-SP2-2`` too: its section of ``data/standins.toml``,
    with the numbers under a paper's rules and on its machine where one is named.
    """
    among([*names(), *ALIASES], "no stand-in for log", name, StandInError)
    known = dict(toml(TABLE)[ALIASES.get(name, name)])
    papers = known.pop("paper")
    if paper is None:
        return known
    return known | papers[among(papers, f"no stand-in of {name} for paper", paper, StandInError)]


def make(name, paper=None, seed=None):
    """Generate the stand-in of a log as a workload with `stand_in` set, for a paper's rules or the
    default ones; another `seed` gives other jobs of the same kind. StandInError for a name,
    paper or seed that is not allowed.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise StandInError(f"{name}: seed {seed!r}; allowed: a whole number from 0, or none")
    known, log = facts(name, paper), ALIASES.get(name, name)
    for draw in range(DRAWS):
        with contextlib.suppress(model.Unreachable):
            rng = seeding.generator("stand-in", VERSION, log, seed, draw)
            columns = model.generate(known, rng)
            break
    else:
        raise StandInError(
            f"{log}: none of {DRAWS} draws with seed {seed} has the log's mean run time and load; "
            "allowed: another seed"
        )
    return Workload.from_columns(
        name,
        known["machine"],
        stand_in=True,
        **columns,
        provenance={
            "generator": f"replication.simulator.standins {VERSION}",
            "paper": paper,
            "seed": seed,
            "draw": draw,
            "targets": {quantity: known[quantity] for quantity in MATCHED},
        },
    )
