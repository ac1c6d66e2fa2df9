"""PV-EASY (Yuan, Yang, Wu and Zheng 2010): strict fairness by preemption; venture backfilling."""

from dataclasses import dataclass
from typing import Literal, final, get_args

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import pv_easy
from replication.simulator.predictors import Last, Predictor
from replication.simulator.predictors.history import number_groups
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

Preemption = Literal["kill", "suspend", "checkpoint"]  # in the order of the kernel's numbers
PREEMPTIONS = get_args(Preemption)


def _check_predictor(predictor):
    """Return a predictor; raise ValueError if it uses the starts of jobs,
    which this scheduler does not pass on.
    """
    predictor = Predictor.check(predictor)
    if predictor.has_begin:
        raise ValueError(
            f"predictors without a method begin; {predictor!r} uses the starts of jobs, "
            "which PVEasy repeats after each preemption"
        )
    return predictor


@dataclass(frozen=True)
class Preempting(options.OnPredictions):
    """The options and the simulation of PV-EASY, for classes that change its compiled rules."""

    predictor: Predictor = options.predictor(Last(), _check_predictor)
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()
    lifetime: options.Lifetime = options.lifetime()
    events: Literal["together", "one-by-one"] = options.events("together", "one-by-one")
    venture: Literal["yes", "no", "easy"] = option(
        "yes",
        ("yes", "no", "easy"),
        "whether jobs that are not predicted to end before the reservation are backfilled too; or "
        "EASY's backfilling in place of all steps of venture backfilling",
    )
    preemption: Preemption = option(
        "kill",
        PREEMPTIONS,
        "work that a preempted job keeps: none, all, or that of its last checkpoint",
    )
    interval: int = option(
        3600, Number(1, whole=True), "seconds of work from one checkpoint to the next"
    )
    cost: int = option(
        0, Number(0, whole=True), "seconds that each resumption (suspend) or each checkpoint takes"
    )

    def __post_init__(self):
        super().__post_init__()
        if self.venture == "easy" and self.lifetime != "recomputed":
            raise SchedulerError(f"{self!r}: allowed with venture='easy': lifetime='recomputed'")

    def last_second(self, workload, estimate) -> float:
        """Return an upper bound on all times, float, s."""
        # While a job waits, another runs to its end, so all jobs have ended after the total work
        # and its saving; a prediction is at most twice the run time.
        work = float(workload.run_time.sum(dtype="float64"))
        saving = self.cost * (work / self.interval + len(workload))
        return float(workload.submit[-1]) + 3 * (work + saving) + float(estimate.max())

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        shared = self.rules()
        rules = self.rules(
            pv_easy.Rules,
            # A predictor whose predictions change at any time may note the submissions.
            at_submission=shared.volatile or not shared.refresh,
            lasts=self.lifetime != "recomputed",
            venture=("no", "yes", "easy").index(self.venture),
            preemption=PREEMPTIONS.index(self.preemption),
            interval=self.interval,
            cost=self.cost,
            spares=False,
        )
        return pv_easy.pv_easy, rules

    def classes(self, workload, estimate) -> np.ndarray:
        """Return a number for each job, int64[n]: waiting jobs
        of a class have equal predictions and sizes.
        """
        classes = self.predictor.classes(workload, estimate)
        # A job's prediction at its submission, and its saved work, are its own.
        if classes is None or self.refresh == "submission" or self.preemption != "kill":
            return np.arange(len(workload))
        classes = options.numbers(f"{self.predictor!r}: classes", classes, len(workload))
        return number_groups(classes, workload.processors)

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        machine, runs = self.simulated(workload, estimate, seed)
        decided = {
            "start": machine.start,
            "backfilled": machine.backfilled,
            "prediction": machine.prediction,
            "times_killed": runs.times_killed,
            "killed_runs": runs.killed,
        }
        if self.refresh == "submission":
            decided["first_prediction"] = machine.first
        return decided if self.preemption == "kill" else decided | {"length": runs.length}

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the classes of the jobs."""
        return (self.classes(workload, estimate),)


@final
@dataclass(frozen=True)
class PVEasy(Preempting, Scheduler):
    """PV-EASY: strict fairness by preemption, and venture backfilling
    (Yuan, Yang, Wu and Zheng 2010, section 4).

    docs/semantics/pv_easy.md defines the decisions.
    """

    validated = False
    draws_at_random = False
