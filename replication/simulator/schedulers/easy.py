"""First come, first served, and EASY backfilling on the users' estimates or on predicted run times."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import easy as plain
from replication.simulator.kernels import easy_predicted as predicted
from replication.simulator.kernels import observing, reservations
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError
from replication.simulator.workload import generator

Candidates = Literal["fcfs", "sjf"]


@dataclass(frozen=True)
class FCFS(Scheduler):
    """First come, first served; no backfilling."""

    validated = False
    draws_at_random = False
    uses_estimates = False

    def run(self, workload, estimate, seed):
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        return _plain(workload, estimate, False)


@dataclass(frozen=True)
class EASY(options.OnPredictions, Scheduler):
    """EASY backfilling (Lifka 1995), on the users' estimates or on predictions.

    docs/semantics/predicted.md defines the options. `wild` and `let_past` are interventions that no real scheduler could
    make; they show the effect of wild backfills. The jobs that `let_past` chooses depend on the draw key of the workload,
    its length, the share and the seed.
    """

    validated = False

    predictor: Predictor = options.predictor()
    candidates: Candidates | Callable = option(
        "fcfs",
        options.WordsOrFunction(get_args(Candidates)),
        "order of the backfill candidates: the queue's, shortest prediction first, or that of a function",
    )
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
        "whether the extra processors of a kept or held reservation are counted again at every pass",
    )
    overdue: Literal["nobody", "extra"] = option(
        "nobody",
        ("nobody", "extra"),
        "which jobs are backfilled once a held reservation is due: none, or those that fit the extra processors",
    )
    shadow: Literal["all", "first"] = option(
        "all",
        ("all", "first"),
        "of the jobs planned to end at the shadow time, all count as extra, or the first that suffice",
    )
    events: options.Events = options.events("together", "one-by-one", "by-plan")
    order: options.Order | Callable = option(
        "ends-first",
        options.WordsOrFunction(get_args(options.Order)),
        "events of one instant; or a function, the order of the queue",
    )
    passes: Literal["always", "if-fits"] = option(
        "always",
        ("always", "if-fits"),
        "submissions that trigger a pass: all, or those that fit the free processors",
    )
    wild: Literal["allowed", "forbidden"] = option(
        "allowed",
        ("allowed", "forbidden"),
        "whether backfills that would delay the head are allowed; only a simulator knows them",
    )
    let_past: float = option(
        0.0,
        Number(0, 1),
        "share of jobs, drawn at random, that pass a blocked head whenever they fit",
    )
    reservations: int = option(
        1, Number(1, 2**20, whole=True), "how many of the first blocked jobs have a reservation"
    )

    def __post_init__(self):
        super().__post_init__()
        free = "predictor candidates refresh correction events order reservations".split()
        if self.is_ordered and any(
            getattr(self, name) != own.default
            for name, own in EASY.options().items()
            if name not in free
        ):
            raise SchedulerError(
                f"{self!r}: allowed with reservations or functions: {', '.join(free)}"
            )
        if self.intervenes and not self.is_plain:
            raise SchedulerError(
                f"{self!r}: allowed with wild and let_past: the users' estimates and the textbook's rules"
            )
        if self.wild == "forbidden" and self.let_past > 0:
            raise SchedulerError(
                f"{self!r}: allowed: either wild='forbidden' or let_past, not both"
            )

    @property
    def is_plain(self):
        """Whether this is textbook EASY on the users' estimates, which has the fastest kernel."""
        return all(
            getattr(self, name) == own.default
            for name, own in EASY.options().items()
            if name not in ("wild", "let_past")
        )

    @property
    def is_ordered(self):
        """Whether there are several reservations or orders given by functions."""
        return self.reservations > 1 or callable(self.order) or callable(self.candidates)

    @property
    def intervenes(self):
        """Whether an intervention is active (`wild` or `let_past`)."""
        return self.wild != "allowed" or self.let_past > 0

    @property
    def draws_at_random(self):
        """Whether the schedule depends on the seed, predictors and estimates aside."""
        return self.let_past > 0

    def check_room(self, workload, estimate):
        """Raise SchedulerError if the times or the number of jobs exceed the keys of the kernel with predictions."""
        if not self.is_plain:
            super().check_room(workload, estimate)

    def last_second(self, workload, estimate):
        """Return an upper bound on all times, float, s."""
        if self.is_ordered:
            return options.last_reserved_second(workload, estimate)
        return super().last_second(workload, estimate)

    def run(self, workload, estimate, seed):
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        seen = self.empty_observations(workload) if self.intervenes else None
        return self.run_observed(workload, estimate, seed, seen)

    def empty_observations(self, workload):
        """Return the arrays that `run_observed` fills; see `replication.simulator.kernels.observing.Seen`."""
        return observing.empty_observations(len(workload))

    def run_observed(self, workload, estimate, seed, seen):
        """Simulate as `run`, and store the observations in `seen`."""
        if not self.is_plain:
            return self.run_on_predictions(workload, estimate, seed, seen)
        # To predict the request is to plan with it from submission to start.
        allowed = self._permissions(workload, seed) if self.intervenes else None
        predictions = {"prediction": estimate, "first_prediction": estimate}
        return _plain(workload, estimate, True, seen, allowed) | predictions

    def _permissions(self, workload, seed):
        """Return the backfills allowed to each job, int8[n], by the numbers in `replication.simulator.kernels.observing`."""
        n = len(workload)
        draws = generator(workload.draw_key, n, "let-past", self.let_past, int(seed)).random(n)
        others = observing.NEVER_WILD if self.wild == "forbidden" else observing.AS_BELIEVED
        return np.where(draws < self.let_past, observing.LET_PAST, others).astype(np.int8)

    def run_on_predictions(self, workload, estimate, seed, seen=None):
        """Simulate as `run` by the kernel with predictions, even if the faster one would do."""
        kernel, rules = self.kernel()
        if self.is_ordered:
            if seen is not None:
                raise SchedulerError(
                    f"{self!r} cannot be watched; allowed: one reservation, no functions"
                )
            ranks = (
                options.ranks(self, name, workload, estimate) for name in ("order", "candidates")
            )
            with self.predictor.memory(workload, estimate, seed) as memory:
                return options.columns(kernel(memory, workload.machine, rules, *ranks))
        if seen is not None:
            seen = predicted.with_running(seen, workload.machine)
        with self.predictor.memory(workload, estimate, seed) as memory:
            return options.columns(kernel(memory, workload.machine, rules, seen))

    def kernel(self):
        """Return the compiled kernel and its rules."""
        if self.is_ordered:
            rules = self.rules(
                reservations.Rules,
                reservations=self.reservations,
                shortest_first=self.candidates == "sjf",
            )
            return reservations.easy_with_reservations, rules
        rules = self.rules(
            predicted.Rules,
            shortest_first=self.candidates == "sjf",
            kept=self.reservation != "recomputed",
            held=self.reservation == "held",
            recounts=self.recount == "pass" and self.reservation != "recomputed",
            closed=self.overdue == "nobody",
            uses_up=self.extra == "used-up",
            all_count=self.shadow == "all",
            only_if_fits=self.passes == "if-fits",
        )
        return predicted.easy_predicted, rules


def _plain(workload, estimate, backfilling, seen=None, allowed=None):
    """Return the columns decided by the kernel without predictions."""
    w, start, backfilled = workload, np.full(len(workload), -1), np.zeros(len(workload), bool)
    jobs = w.submit, w.run_time, estimate, w.processors, w.machine
    plain.easy(*jobs, backfilling, start, backfilled, seen, allowed)
    return {"start": start, "backfilled": backfilled}
