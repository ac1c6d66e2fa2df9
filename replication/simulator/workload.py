"""The jobs a scheduler is given: one frozen set of columns, whatever they came from."""

from dataclasses import dataclass, field, replace
from html import escape

import numpy as np

COLUMNS = tuple("job_id submit run_time estimate processors user group executable queue".split())
# Quick scale, a first look at everything: the first jobs of each log.
QUICK_JOBS = 5000


class WorkloadError(ValueError):
    """A workload that cannot be simulated; the message names field, job, value and what is allowed."""


@dataclass(frozen=True)
class Workload:
    """Jobs in order of submission, and the machine they are meant for.

    Columns are read-only ``int64[n]``, ordered by (submit, order in the trace); a job's index is
    its place in the first-come-first-served queue.

    Parameters
    ----------
    name : str
        Registry name of the trace, or the stem of its file.
    machine : int, processors
    job_id : int64[n]
        Job number in the trace.
    submit : int64[n], s
        Submission time since the start of the log.
    run_time : int64[n], s
        True run time, never negative.
    estimate : int64[n], s
        The user's estimate (requested time) after the cleaning rules.
    processors : int64[n], processors
        The job's size, between 1 and `machine`.
    user, group, executable, queue : int64[n]
        Identifiers in the trace; -1 where unknown.
    stand_in : bool
        True for generated workloads; no verdict about a paper is drawn from one.
    provenance : dict
        Where the jobs came from: path, sha256, the rules applied.
    cleaning : tuple of (str, int)
        Each cleaning rule applied with the number of jobs it touched.
    """

    name: str
    machine: int
    job_id: np.ndarray
    submit: np.ndarray
    run_time: np.ndarray
    estimate: np.ndarray
    processors: np.ndarray
    user: np.ndarray
    group: np.ndarray
    executable: np.ndarray
    queue: np.ndarray
    stand_in: bool = False
    provenance: dict = field(default_factory=dict)
    cleaning: tuple = ()

    def __post_init__(self):
        n = len(self.job_id)
        for column in COLUMNS:
            values = np.ascontiguousarray(getattr(self, column), dtype=np.int64)
            if values.shape != (n,):
                raise WorkloadError(
                    f"{self.name}: column {column} has shape {values.shape}, expected ({n},)"
                )
            # A view, so that the caller's own array stays writable.
            values = values.view()
            values.flags.writeable = False
            object.__setattr__(self, column, values)
        self._check()

    def _check(self):
        if self.machine < 1:
            raise WorkloadError(
                f"{self.name}: machine has {self.machine} processors, at least 1 needed"
            )
        if len(self) == 0:
            raise WorkloadError(f"{self.name}: no jobs left to simulate")
        self._refuse("run_time", self.run_time < 0, "0 or more seconds")
        self._refuse("estimate", self.estimate < 0, "0 or more seconds")
        self._refuse("processors", self.processors < 1, "1 or more")
        self._refuse(
            "processors", self.processors > self.machine, f"at most the machine's {self.machine}"
        )
        steps_back = np.flatnonzero(np.diff(self.submit) < 0)
        if len(steps_back):
            k = int(steps_back[0]) + 1
            raise WorkloadError(
                f"{self.name}: job {self.job_id[k]}: submit {self.submit[k]} is before "
                f"the job in front of it ({self.submit[k - 1]}); "
                "jobs go in order of submission"
            )

    def _refuse(self, column, bad, allowed):
        if bad.any():
            k = int(np.argmax(bad))
            raise WorkloadError(
                f"{self.name}: job {self.job_id[k]}: {column} {getattr(self, column)[k]}, "
                f"allowed: {allowed} ({int(bad.sum())} such jobs)"
            )

    def __len__(self):
        return len(self.job_id)

    def __repr__(self):
        kind = " (stand-in)" if self.stand_in else ""
        return f"Workload {self.name}{kind}: {len(self):,} jobs on {self.machine:,} processors"

    def _repr_html_(self):
        """A short table, for notebooks."""
        facts = {
            "jobs": f"{len(self):,}",
            "processors": f"{self.machine:,}",
            "days": f"{self.span / 86_400:,.1f}",
            "offered load": f"{100 * self.load:.1f} %",
            "users": f"{len(np.unique(self.user[self.user >= 0])):,}",
            "mean run time": f"{self.run_time.mean() / 3600:,.2f} h",
            "mean estimate": f"{self.estimate.mean() / 3600:,.2f} h",
        } | {f"cleaning: {rule}": f"{count:,} jobs" for rule, count in self.cleaning}
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(name)}</td><td>{value}</td></tr>"
            for name, value in facts.items()
        )
        kind = " (stand-in)" if self.stand_in else ""
        return f"<table><tr><th colspan=2>{escape(self.name)}{kind}</th></tr>{rows}</table>"

    @property
    def span(self):
        """Seconds from the first submission to the last."""
        return int(self.submit[-1] - self.submit[0])

    @property
    def load(self):
        """Offered load: work over capacity between the first and the last submission (a share).

        nan where all jobs are submitted at once.
        """
        return (
            float(np.dot(self.run_time, self.processors)) / (self.machine * self.span)
            if self.span
            else float("nan")
        )

    def replace(self, **changes):
        """A copy with some columns or facts changed, validated again."""
        return replace(self, **changes)

    def take(self, index):
        """The jobs at `index` (mask, slice or sorted positions), in the same order."""
        return replace(self, **{c: getattr(self, c)[index] for c in COLUMNS})

    def scaled(self, factor):
        """All submission times multiplied by `factor`, rounded to whole seconds.

        Heel-and-toe, section 3: a load of 76 % becomes 80 % with a factor of 76/80.
        """
        if not factor > 0:
            raise WorkloadError(f"{self.name}: scaling factor {factor}, allowed: above 0")
        return replace(self, submit=np.rint(self.submit * float(factor)).astype(np.int64))

    @classmethod
    def from_columns(cls, name, machine, submit, run_time, processors, estimate=None, **others):
        """Build a workload from plain sequences; identifiers default to -1, job ids to 1, 2, ..."""
        n = len(submit)
        names = dict.fromkeys(("user", "group", "executable", "queue"), np.full(n, -1))
        estimate = run_time if estimate is None else estimate
        columns = {"job_id": np.arange(1, n + 1)} | names | others
        return cls(
            name,
            int(machine),
            submit=submit,
            run_time=run_time,
            estimate=estimate,
            processors=processors,
            **columns,
        )


def usage(start, end, processors):
    """Processors in use over time: every instant at which a job starts or ends, ascending,
    int64[m], s, and what is in use from each to the next, int64[m]; 0 after the last.
    """
    instant, place = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.concatenate([processors, -processors])
    return instant, np.cumsum(np.bincount(place, weights=change, minlength=len(instant))).astype(
        np.int64
    )
