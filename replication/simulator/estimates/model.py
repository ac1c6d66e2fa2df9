"""What every estimate model is: a choice that tells the scheduler a run time for each job."""

import math

import numpy as np

from replication.simulator.choices import Choice, ChoiceError, Number, option
from replication.simulator.workload import Workload

LARGEST = 2**62  # s, what fits into the kernels' whole numbers twice


class EstimateError(ChoiceError):
    """An estimate model, a parameter or an estimate that cannot be; the message lists what is allowed."""


class EstimateModel(Choice, family="estimates"):
    """The base of the estimate models: what the scheduler is told about run times.

    A model is a frozen dataclass with a method `estimate`; one that has a field `e_max` (seconds or None, see
    `limit`) is cut to it. No estimate is below the run time, unless the log's own is.

    Attributes
    ----------
    draws_at_random : bool
        Whether estimates depend on the seed.
    """

    error = EstimateError
    draws_at_random = True

    def estimate(self, workload, seed):
        """What the scheduler is told, before it is cut to an E_max.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
            With run times already cut to the E_max, if there is one.
        seed : int
            Of models that draw. The draw should depend on the trace's name, its length, the model's own values
            and the seed alone; `replication.simulator.seeding.generator` makes one of these.

        Returns
        -------
        int64[n], s
        """
        raise NotImplementedError(f"{type(self).__name__} has no method estimate(workload, seed)")

    def make(self, workload, seed=1):
        """The estimates, and the jobs they are for.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        seed : int

        Returns
        -------
        workload : replication.simulator.workload.Workload
            The same, or with run times cut where the model has an E_max.
        estimate : int64[n], s

        Raises
        ------
        EstimateError
            For estimates that no machine of ours can count, and where a model cannot serve the jobs.
        """
        e_max = getattr(self, "e_max", None)
        workload = self.cut(workload)
        estimate = self.estimate(workload, seed)
        return workload, estimate if e_max is None else truncated(estimate, e_max)

    def cut(self, workload: Workload) -> Workload:
        """Return the workload with run times cut to the model's E_max, or as it is where there is none.

        Scale to a load after this (`Workload.at_load`), since cutting lowers the load.
        """
        e_max = getattr(self, "e_max", None)
        return workload if e_max is None else cut_runs(workload, e_max)


def limit():
    """The option that cuts a model: no estimate and no run is longer than so many seconds."""
    return option(
        None, Number(1, LARGEST, whole=True, or_none=True), "no estimate and no run is longer, s"
    )


def whole_seconds(values):
    """Real seconds to the nearest whole ones, int64[n], s.

    Raises
    ------
    EstimateError
        For values that 64 bits do not hold.
    """
    rounded = np.rint(values)
    if len(rounded) and not rounded.max() < LARGEST:
        raise EstimateError(f"estimates reach {rounded.max():.3g} s, allowed: below {LARGEST:.3g}")
    return rounded.astype(np.int64)


def truncated(estimate, e_max):
    """No estimate above the maximal one: min(e, E_max) (heel-and-toe, section 7).

    Run times above `e_max` have to be cut too: see `cut_runs`.
    """
    _at_least_a_second(e_max)
    return np.minimum(estimate, int(e_max))


def cut_runs(workload, e_max):
    """The workload with runs cut to `e_max`, as a scheduler that kills at the estimate would (Fig. 16)."""
    _at_least_a_second(e_max)
    longer = int((workload.run_time > e_max).sum())
    rule = f"run-cut-to-emax-{int(e_max)}"
    if not longer and rule in dict(workload.cleaning):
        return workload
    return workload.replace(
        run_time=np.minimum(workload.run_time, int(e_max)),
        cleaning=(*workload.cleaning, (rule, longer)),
    )


def _at_least_a_second(e_max):
    if not (math.isfinite(e_max) and e_max >= 1):
        raise EstimateError(f"E_max is {e_max}, allowed: 1 or more")
