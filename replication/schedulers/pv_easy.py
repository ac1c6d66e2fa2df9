"""PV-EASY (Yuan, Yang, Wu and Zheng 2010): strict fairness by preemption, and backfilling at a venture."""

from dataclasses import dataclass

from replication.basics.choices import Number, option
from replication.basics.lazy import lazily
from replication.predictors import Last, Predictor
from replication.schedulers import options
from replication.schedulers.scheduler import Scheduler, refuse_beyond

kernel = lazily("replication.core.pv_easy")
running = lazily("replication.core.running")
state = lazily("replication.core.shadow")

MODES = ("kill", "suspend", "checkpoint")  # in the order of the kernel's numbers


def _predictor(given):
    predictor = Predictor.check(given)
    if predictor.asks_for_starts:
        raise ValueError(
            f"any other predictor: {predictor!r} must be told when jobs start, "
            "and keeps a list of running jobs that knows no preemption"
        )
    return predictor


@dataclass(frozen=True)
class PVEasy(Scheduler, name="pv-easy"):
    """PV-EASY: strict fairness by preemption, backfilling at a venture; see docs/semantics/pv_easy.md.

    Parameters
    ----------
    predictor : replication.predictors.Predictor
        What predicts run times; none that must be told when jobs start.
    refresh, correction, reservation, events
        As of `replication.schedulers.easy.EASY`.
    venture : {"yes", "no"}
        Whether jobs that are not predicted to end in time are backfilled too.
    mode : {"kill", "suspend", "checkpoint"}
        What a preempted job keeps of its work: nothing, all, or what its last checkpoint holds.
    interval : int, s
        Work from one checkpoint to the next.
    cost : int, s
        What each resumption (suspend) or each checkpoint takes.
    """

    validated = False
    draws_at_random = False

    predictor: Predictor = options.predictor(Last(), _predictor)
    refresh: str = options.refresh()
    correction: str = options.correction()
    reservation: str = options.reservation()
    events: str = options.events("together", "one-by-one")
    venture: str = option(
        "yes",
        ("yes", "no"),
        "whether jobs that are not predicted to end in time are backfilled too",
    )
    mode: str = option(
        "kill",
        MODES,
        "what a preempted job keeps of its work: nothing, all, or what its last checkpoint holds",
    )
    interval: int = option(
        3600, Number(1, whole=True), "seconds of work from one checkpoint to the next"
    )
    cost: int = option(
        0, Number(0, whole=True), "seconds that each resumption (suspend) or each checkpoint takes"
    )

    def check_room(self, workload, estimate):
        """Refuse what the kernel's keys of time and job cannot hold."""
        # Somebody always runs for good while anybody waits, so all is done once the work is, with what saving
        # it takes; a prediction is at most twice the run time.
        work = float(workload.run_time.sum(dtype="float64"))
        saving = self.cost * (work / self.interval + len(workload))
        last = float(workload.submit[-1]) + 3 * (work + saving) + float(estimate.max())
        refuse_beyond(workload, last, running.LATEST, running.SLOT_MASK, "preemption")

    @property
    def rules(self):
        """What the kernel calls the options."""
        return state.Rules(
            at_submission=self.refresh == "submission",
            one_by_one=self.events == "one-by-one",
            correction=options.CORRECTIONS.index(self.correction),
            kept=self.reservation == "kept",
            venture=self.venture == "yes",
            mode=MODES.index(self.mode),
            interval=self.interval,
            cost=self.cost,
        )

    def run(self, workload, estimate, seed):
        """The columns it decides; see `replication.schedulers.scheduler.Scheduler.run`."""
        jobs, killed = kernel.pv_easy(
            workload.submit,
            workload.run_time,
            estimate,
            workload.processors,
            workload.machine,
            self.rules,
            self.predictor.memory(workload, estimate, seed),
        )
        columns = {
            "start": state.START,
            "prediction": state.PREDICTION,
            "times_killed": state.TIMES_KILLED,
        }
        if self.mode != "kill":
            columns["length"] = state.LENGTH
        decided = {name: jobs[:, place].copy() for name, place in columns.items()}
        return decided | {"backfilled": jobs[:, state.BACKFILLED] != 0, "killed_runs": killed}
