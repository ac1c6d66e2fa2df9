"""First come, first served, and EASY backfilling on users' estimates or predicted run times."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from replication.simulator.choices import option
from replication.simulator.kernels import easy as plain
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.kernels import observation, ordered_list, reservations
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.options import CORRECTIONS
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

Candidates = Literal["fcfs", "sjf"]
Shadow = Literal["all", "first", "first-started"]


@dataclass(frozen=True)
class FCFS(Scheduler):
    """First come, first served; no backfilling. It ignores estimates."""

    validated = False
    draws_at_random = False
    uses_estimates = False

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        return _plain(workload, estimate, False)[0]


@dataclass(frozen=True)
class EASY(options.WithProfile, Scheduler):
    """EASY backfilling (Lifka 1995), on the users' estimates or on predictions.

    The first four options are for everyday use. The others are interpretations that papers leave
    open; docs/semantics/predicted.md defines them.
    """

    validated = False
    draws_at_random = False

    predictor: Predictor = options.predictor()
    candidates: Candidates | Callable = option(
        "fcfs",
        options.WordsOrFunction(get_args(Candidates)),
        "order of the backfill candidates: the queue's, shortest prediction first, or that of a "
        "function",
    )
    reservations: int = options.reservations()
    candidates_limit: int | None = options.candidates_limit()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()
    reservation: options.Reservation = options.reservation()
    extra: Literal["used-up", "not-used-up"] = option(
        "used-up",
        ("used-up", "not-used-up"),
        "whether jobs that outlive the shadow time take their processors off the extra ones",
    )
    recount: Literal["never", "pass"] = option(
        "never",
        ("never", "pass"),
        "whether the extra processors of a reservation that lasts are counted again at every pass",
    )
    overdue: Literal["by-lifetime", "nobody", "extra"] = option(
        "by-lifetime",
        ("by-lifetime", "nobody", "extra"),
        "which jobs are backfilled while a reservation that lasts is due: none, or those that fit "
        "the extra processors; by default none if it lasts until the start, the latter if it is "
        "due and made again",
    )
    strict: Literal["no", "yes"] = option(
        "no",
        ("no", "yes"),
        "whether a backfilled job has to be planned to end before the shadow time, or may end at "
        "it",
    )
    plans: Literal["aged", "unaged"] = option(
        "aged",
        ("aged", "unaged"),
        "planned end of a running job: its start plus its plan, or the time of the pass plus its "
        "whole plan, as if it had just started",
    )
    shadow: Shadow = option(
        "all",
        get_args(Shadow),
        "of the jobs planned to end at the shadow time, all count as extra, or those that "
        "suffice, the first in the queue or the first started first",
    )
    events: options.Events = options.events("together", "one-by-one", "by-plan")
    ties: options.Ties = options.ties()
    passes: Literal["always", "if-fits"] = option(
        "always",
        ("always", "if-fits"),
        "submissions that trigger a pass: all, or those that fit the free processors",
    )

    def __post_init__(self):
        super().__post_init__()
        free = "predictor candidates refresh correction events ties reservations".split()
        if self.has_profile and not self.is_textbook_but(free):
            raise SchedulerError(
                f"{self!r}: allowed with reservations or functions: {', '.join(free)}"
            )
        if self.plans == "unaged" and self.events == "by-plan":
            raise SchedulerError(
                f"{self!r}: allowed with unaged plans: events together or one-by-one"
            )

    def is_textbook_but(self, names) -> bool:
        """Return whether all options but those of these names have their defaults."""
        return all(
            getattr(self, name) == own.default
            for name, own in EASY.options().items()
            if name not in names
        )

    @property
    def is_plain(self) -> bool:
        """Whether this is textbook EASY on the users' estimates, which has the fastest kernel."""
        return type(self) is EASY and self.is_textbook_but([])

    def check_room(self, workload, estimate) -> None:
        """Raise SchedulerError if the times or the number of jobs exceed the keys of the kernel
        with predictions.
        """
        if not self.is_plain:
            super().check_room(workload, estimate)

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        if self.is_plain:
            return _with_requests(_plain(workload, estimate, True)[0], estimate)
        return super().run(workload, estimate, seed)

    def run_observed(self, workload, estimate, seed) -> tuple:
        """Return the columns of `run` and those of
        `replication.simulator.kernels.observation.observations`.
        """
        if self.has_profile:
            raise SchedulerError(
                f"{self!r} cannot be observed; allowed: one reservation, no functions"
            )
        if not self.is_plain:
            return observed(self, workload, estimate, seed)
        columns, order = _plain(workload, estimate, True)
        columns = _with_requests(columns, estimate)
        submitted = np.searchsorted(workload.submit, columns["start"][order], side="right")
        return columns, _observations(workload, columns, order, submitted)

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return permissions and an empty order, or the ranks of the queue
        and of the candidates.
        """
        if self.has_profile:
            by_arrival = np.zeros(len(workload), np.int64)
            return by_arrival, options.ranks(self, "candidates", workload, estimate)
        return options.NO_PERMISSIONS, options.NO_ORDER

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules; for textbook EASY, those with predictions."""
        if self.has_profile:
            rules = self.rules(
                reservations.Rules,
                reservations=self.reservations,
                shortest_first=self.candidates == "sjf",
            )
            return reservations.easy_with_reservations, rules
        rules = self.rules(
            lists.Rules,
            shortest_first=self.candidates == "sjf",
            lasts=self.reservation != "recomputed",
            until_start=self.reservation == "until-start",
            recounts=self.recount == "pass" and self.reservation != "recomputed",
            closed=self.overdue == "nobody"
            or (self.overdue == "by-lifetime" and self.reservation == "until-start"),
            strict=self.strict == "yes",
            unaged=self.plans == "unaged",
            # Plans that do not age never expire.
            correction=CORRECTIONS.index("now" if self.plans == "unaged" else self.correction),
            candidates_limit=options.limit_of(self),
            uses_up=self.extra == "used-up",
            counted=get_args(Shadow).index(self.shadow),
            only_if_fits=self.passes == "if-fits",
        )
        return lists.list_scheduler, rules


def observed(scheduler, workload, estimate, seed) -> tuple:
    """Simulate; return the columns of the schedule and its observations. SchedulerError for a
    class with another `run` than that of its method `run_observed`.
    """
    if not scheduler._belongs_to_run("run_observed"):
        raise SchedulerError(f"{scheduler!r} with its own run; expected run_observed in its class")
    machine = scheduler.simulated(workload, estimate, seed)
    columns = options.columns(machine)
    return columns, _observations(workload, columns, machine.order, machine.submitted)


def _observations(w, columns, order, submitted):
    run = columns["start"], columns["backfilled"], order, submitted
    return observation.observations(w.run_time, w.processors, w.machine, *run)


def _plain(workload, estimate, backfilling):
    """Return start and backfilled by name, and the jobs in order of start."""
    w, n = workload, len(workload)
    start, backfilled, order = np.full(n, -1), np.zeros(n, bool), np.empty(n, np.int64)
    estimate = options.numbers("estimates of run", estimate, n, ordered_list.LATEST)
    jobs = w.submit, w.run_time, estimate.astype(np.int64), w.processors, w.machine
    plain.easy(*jobs, backfilling, start, backfilled, order)
    return {"start": start, "backfilled": backfilled}, order


def _with_requests(columns, estimate):
    """Add the predictions, which are the estimates from submission to start."""
    return columns | {"prediction": estimate, "first_prediction": estimate}
