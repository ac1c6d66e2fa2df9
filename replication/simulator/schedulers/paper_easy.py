"""EASY with the rules that papers leave open, and with interventions that no real scheduler has.

`EASY` is the textbook's. `PaperEASY` has the textbook's rules as defaults, and for each of them the
alternatives: the lifetime of a reservation, the jobs that count for its extra processors, the jobs
that may use them, the passes. Sentences P10 to P29 and P32 of docs/semantics/predicted.md and O10
to O15 of docs/semantics/observation.md define them.
"""

from dataclasses import dataclass
from typing import Literal, final, get_args

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import machine
from replication.simulator.kernels import paper_easy as compiled
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError
from replication.simulator.workload import generator

Shadow = Literal["all", "first", "first-started"]
Wild = Literal["allowed", "forbidden", "shorter", "longer", "half"]
#: Permissions of all jobs by the option `wild`.
PERMISSIONS = {
    "forbidden": compiled.NEVER_WILD,
    "shorter": compiled.WILD_IF_SHORTER,
    "longer": compiled.WILD_IF_LONGER,
}


@final
@dataclass(frozen=True)
class PaperEASY(options.OnPredictions, Scheduler):
    """EASY with what papers leave open, and with interventions; by default the textbook's.

    The interventions `wild` and `let_past` use what no scheduler can know, to show the effect of
    wild backfills: those that move the time at which the head could really start (heel-and-toe,
    section 5). The jobs that ``wild="half"`` and `let_past` choose depend on the draw key of the
    workload, its length, the share and the seed.
    """

    validated = False

    predictor: Predictor = options.predictor()
    candidates: options.Candidates = options.candidates()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()
    lifetime: options.Lifetime = options.lifetime()
    extra: Literal["used-up", "not-used-up", "none"] = option(
        "used-up",
        ("used-up", "not-used-up", "none"),
        "extra processors: jobs that outlive the shadow time use them up, or do not, or there are "
        "none, so that a backfilled job has to end by the shadow time",
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
    strict: bool = option(
        False,
        (False, True),
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
    wild: Wild = option(
        "allowed",
        get_args(Wild),
        "jobs whose wild backfills are allowed: all, none, those with a run time shorter or longer "
        "than the median of the waiting jobs, or half of the jobs, drawn at random",
    )
    let_past: float = option(
        0.0,
        Number(0, 1),
        "share of jobs, drawn at random, that pass a blocked head whenever they fit",
    )

    def __post_init__(self):
        super().__post_init__()
        if self.plans == "unaged" and self.events == "by-plan":
            raise SchedulerError(
                f"{self!r}: allowed with unaged plans: events together or one-by-one"
            )
        if self.wild != "allowed" and self.let_past > 0:
            raise SchedulerError(f"{self!r}: allowed: either wild or let_past, not both")

    @property
    def draws_at_random(self) -> bool:
        """Whether the schedule depends on the seed, estimates and predictor aside."""
        return self.let_past > 0 or self.wild == "half"

    run_observed = options.run_observed

    def kernel(self) -> tuple:
        """Return the compiled loop, the rules of the machine, and those of the pass."""
        lasts, until_start = self.lifetime != "recomputed", self.lifetime == "until-start"
        none_extra = self.extra == "none"
        closed = self.overdue == "nobody" or (self.overdue == "by-lifetime" and until_start)
        # Schedulers whose rules are equal are the same: a rule without an effect is off.
        rules = compiled.Rules(
            shortest_first=self.candidates == "shortest",
            lasts=lasts,
            until_start=until_start,
            recounts=lasts and not none_extra and self.recount == "pass",
            closed=lasts and not none_extra and closed,
            uses_up=self.extra != "not-used-up",
            none_extra=none_extra,
            strict=self.strict,
            unaged=self.plans == "unaged",
            all_count=self.shadow == "all",
            by_start=self.shadow == "first-started",
            only_if_fits=self.passes == "if-fits",
        )
        # Plans that do not age never expire.
        machine_rules = self.rules(**{"correction": machine.NOW} if rules.unaged else {})
        return compiled.simulate, machine_rules, rules

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the permission of each job to pass the head."""
        return (self.permissions(workload, seed),)

    def permissions(self, workload, seed) -> np.ndarray:
        """Return the permission of each job to pass the head, int8[n]."""
        n = len(workload)
        permissions = np.full(n, PERMISSIONS.get(self.wild, compiled.BY_RESERVATION), np.int8)
        if self.wild == "half":
            draws = generator(workload.draw_key, n, "wild", int(seed)).random(n)
            permissions[draws < 0.5] = compiled.NEVER_WILD
        if self.let_past > 0:
            key = workload.draw_key, n, "let-past", self.let_past, int(seed)
            permissions[generator(*key).random(n) < self.let_past] = compiled.WHENEVER_IT_FITS
        return permissions
