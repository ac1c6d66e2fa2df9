"""What the explorer shows, as numbers: which jobs, which schedule, and what is told of them. No widgets."""

import functools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from replication.explore.scene import NUMBER
from replication.simulator import grid, measures, plans, text, traces
from replication.simulator.estimates.modal import SMALLEST_E_MAX
from replication.simulator.schedule import Schedule, usage
from replication.simulator.schedulers import PVEasy
from replication.simulator.simulation import simulate

#: Estimate models by what the control calls them: as text, and in words, in which the badness is still open.
MODELS = {
    "users' own": ("log", "users' estimates"),
    "users' own × (f + 1)": ("log*{factor:g}", "users' estimates × {factor:g}"),
    "perfect": ("perfect", "perfect estimates"),
    "random f-model": ("f={f:g}", "random f = {f:g}"),
    "deterministic f-model": ("deterministic={f:g}", "estimates {factor:g} × run time"),
    "modal": ("modal,emax={longest}", "modal estimates"),
}
PREDICTORS = "request perfect virtual=0.2 last tsafrir complete top=2 top=3 top=4 cvh".split()


@dataclass(frozen=True)
class Jobs:
    """Which jobs are simulated: those of a name of the registry or an SWF file, from a place in the
    log (from 1), so many or all that follow, scaled to an offered load (a share) or at their
    own.
    """

    log: str = "KTH-SP2"
    first: int = 1
    count: int | None = None
    load: float | None = None


@dataclass(frozen=True)
class Choice:
    """One side of the comparison: scheduler and predictor (the scheduler's own if empty) as
    `replication.simulator.text` reads them, a key of `MODELS`, and its badness factor.
    """

    scheduler: str = "easy"
    predictor: str = ""
    model: str = "users' own"
    f: float = 1.0

    @property
    def takes_predictor(self):
        """Whether the scheduler has one."""
        return "predictor" in text.scheduler(self.scheduler).options()

    @property
    def takes_f(self):
        """Whether the estimate model has a badness."""
        return "{f" in MODELS[self.model][0]

    @property
    def given(self):
        """The predictor that takes the place of the scheduler's own, as text; empty for none."""
        return self.predictor if self.takes_predictor else ""

    @property
    def words(self):
        """The side in a few words."""
        return (
            f"{self.scheduler}, {self._filled(1)}{f', predictor {self.given}' * bool(self.given)}"
        )

    def _filled(self, which, longest=None):
        return MODELS[self.model][which].format(f=self.f, factor=self.f + 1, longest=longest)

    def told(self, workload):
        """The estimate model as a value; the modal one's E_max is the longest time of the jobs."""
        longest = max(int(workload.estimate.max()), int(workload.run_time.max()), SMALLEST_E_MAX)
        return text.estimates(self._filled(0, longest))


@functools.lru_cache(4)
def whole(log):
    """All jobs of a log."""
    return traces.load(log)


@functools.lru_cache(8)
def workload(jobs):
    """The jobs that were chosen; SweepError for a load that cannot be."""
    chosen = whole(jobs.log)
    last = len(chosen) if jobs.count is None else jobs.first - 1 + jobs.count
    if jobs.first > 1 or last < len(chosen):
        chosen = chosen.take(slice(jobs.first - 1, last))
    ((_, scaled),) = grid.at_loads(chosen, [jobs.load])
    return scaled


@functools.lru_cache(8)
def side(jobs, choice, seed=1):
    """What a side makes of the jobs, ready to be drawn."""
    chosen, given = workload(jobs), f":predictor={choice.given}" * bool(choice.given)
    scheduler = text.scheduler(choice.scheduler + given)
    return Seen(choice.words, simulate(chosen, scheduler, choice.told(chosen), seed))


@dataclass(frozen=True)
class Seen:
    """One side and what of it does not depend on the window of time."""

    words: str
    schedule: Schedule

    @cached_property
    def runs(self):
        """All runs, those that were preempted too: columns job (index), start and end, s, sunny (from when on
        no job of higher priority waits, s, so that the run is sunny load; the start for schedulers that do not
        preempt), and look (its number).

        A job is shadow load as long as one submitted before it waits (PV-EASY, section 4.1); that is
        over, and for good, when the last of these has started its final run.
        """
        found, start, end = self.schedule, self.schedule.start, self.schedule.end
        final = pd.DataFrame({"job": np.arange(len(start)), "start": start, "end": end})
        final["sunny"] = start
        if isinstance(found.scheduler, PVEasy):
            before = np.concatenate([start[:1], np.maximum.accumulate(start)[:-1]])
            final["sunny"] = np.clip(before, start, end)
        final["look"] = np.where(found.backfilled, NUMBER["backfilled"], NUMBER["regular"])
        killed = pd.DataFrame(found.killed_runs, columns=["job", "start", "end"])
        killed = killed.assign(sunny=killed["end"], look=NUMBER["preempted"])
        return pd.concat([final, killed], ignore_index=True)

    @cached_property
    def over_time(self):
        """Queue (jobs) and machine (used processors) over time: instants, s, and what holds from
        each to the next.
        """
        found, runs = self.schedule, self.runs
        killed, w = found.killed_runs, found.workload
        came = np.concatenate([w.submit, killed[:, 2]])
        left = np.concatenate([found.start, killed[:, 1]])
        return {
            "queue": usage(came, left, np.ones(len(came), np.int64)),
            "used": usage(runs.start.to_numpy(), runs.end.to_numpy(), w.processors[runs.job]),
        }

    @cached_property
    def by_size(self):
        """Mean wait, h, and mean bounded slowdown by the classes of size of
        `replication.simulator.plans`, of the jobs that `replication.simulator.measures` counts; nan
        for a class without jobs.
        """
        found, w = self.schedule, self.schedule.workload
        kept = measures.trimmed(w.submit, found.end)
        if not kept.any():  # all at once: nobody ends before the last arrival
            kept[:] = True
        slowdown = measures.bounded_slowdown(found.wait, w.run_time)
        jobs = pd.DataFrame({"wait": found.wait / 3600, "slowdown": slowdown})[kept]
        means = jobs.groupby(plans.size_class(w.processors[kept])).mean()
        return means.reindex(range(len(plans.size_names())))


def tell(found, job):
    """One line on one job of a schedule."""
    w, kills = found.workload, int(found.times_killed[job])
    times = {"submitted": w.submit, "wait": found.wait, "start": found.start, "end": found.end}
    times |= {"run time": w.run_time, "estimate": found.estimate}
    return (
        f"job {w.job_id[job]}, {w.processors[job]} processors, "
        f"{'backfilled' if found.backfilled[job] else 'started in order'}"
        f"{f', preempted {kills} times' if kills else ''}; "
        + "; ".join(f"{what} {seconds[job] / 3600:,.2f} h" for what, seconds in times.items())
    )
