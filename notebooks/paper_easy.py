"""EASY with what papers leave open, and with interventions that no real scheduler could make.

`rp.EASY` is the textbook's. `PaperEASY` has the textbook's rules as defaults, and for each of them
the alternatives that the studies of the papers try: the lifetime of a reservation, the jobs that
count for its extra processors, the jobs that may use them, the passes. Sentences P10 to P29 and P32
of docs/semantics/predicted.md and O10 to O15 of docs/semantics/observation.md define them;
``tests/reference/easy.py`` is the reference implementation.

This is also an example of a compiled scheduler on the machine of
`replication.simulator.kernels.machine`: a loop over the events, and a pass over the queue. Its
compiled code is stored on disk like that of the package.
"""

from collections import namedtuple
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numba import njit

from replication.simulator.choices import Number, option
from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_call, njit_noalloc, sort
from replication.simulator.kernels.machine import (
    ARRIVED,
    EXTRA,
    FREE,
    FREED,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    NO_JOB,
    RESERVED,
    RUNNING,
    SHADOW,
    SMALLEST,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER, insert, remove
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import Scheduler, SchedulerError, options
from replication.simulator.workload import generator

Shadow = Literal["all", "first", "first-started"]
Wild = Literal["allowed", "forbidden", "shorter", "longer", "half"]

#: Permissions of a job to pass the head: by the reservation, never wildly, whenever it fits, wildly
#: if its true run time is shorter or longer than the median of the waiting jobs.
BY_RESERVATION, NEVER_WILD, WHENEVER_IT_FITS, WILD_IF_SHORTER, WILD_IF_LONGER = range(5)
PERMISSIONS = {"forbidden": NEVER_WILD, "shorter": WILD_IF_SHORTER, "longer": WILD_IF_LONGER}

# The options as the compiled pass reads them. `closed` : no job is backfilled on extra processors
# of a reservation that lasts and is due.
Rules = namedtuple(
    "Rules",
    "shortest_first lasts until_start recounts closed uses_up none_extra strict unaged all_count "
    "by_start only_if_fits",
)


@dataclass(frozen=True)
class PaperEASY(options.OnPredictions, Scheduler):
    """EASY with what papers leave open, and with interventions; by default the textbook's.

    The interventions `wild` and `let_past` use what no scheduler can know, to show the effect of
    wild backfills: those that move the time at which the head could really start (heel-and-toe,
    section 5). The jobs that ``wild="half"`` and `let_past` choose depend on the draw key of the
    workload, its length, the share and the seed.
    """

    validated = False  # tests compare it with the reference implementation
    version = 1  # of stored results: one more whenever a schedule changes

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
        rules = Rules(
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
        machine = self.rules(**{"correction": machines.NOW} if rules.unaged else {})
        return simulate, machine, rules

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the permission of each job to pass the head."""
        return (self.permissions(workload, seed),)

    def permissions(self, workload, seed) -> np.ndarray:
        """Return the permission of each job to pass the head, int8[n]."""
        n = len(workload)
        permissions = np.full(n, PERMISSIONS.get(self.wild, BY_RESERVATION), np.int8)
        if self.wild == "half":
            draws = generator(workload.draw_key, n, "wild", int(seed)).random(n)
            permissions[draws < 0.5] = NEVER_WILD
        if self.let_past > 0:
            key = workload.draw_key, n, "let-past", self.let_past, int(seed)
            permissions[generator(*key).random(n) < self.let_past] = WHENEVER_IT_FITS
        return permissions


@njit(nogil=True, cache=True)
def simulate(memory, processors, shared, rules, permission):
    """Simulate; `shared` are the rules of the machine, `permission` has one for each job."""
    machine = machines.idle_machine(len(memory.submit), processors)
    ends = np.full((2, len(machine.by_plan)), NEVER)
    _simulate(machine, memory, shared, rules, permission, (ends[0], ends[1]))
    return machine


@njit_call
def _simulate(machine, memory, shared, rules, permission, ends):
    """Run the event loop.

    `ends` is space for two lists of the running jobs like `machine.by_plan`: of planned lengths for
    plans that do not age, and with equal planned ends in the order of starts.
    """
    count, now = machine.count, 0
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        ended, came, fits, _ = machines.process_events(machine, memory, shared, now)
        if rules.unaged:
            for k in range(count[FREED]):
                job = machine.freed[k]
                key = machine.planned[job] << JOB_BITS | job
                remove(ends[0], count[RUNNING] + count[FREED] - k, key)
        if ended or fits or (came and not rules.only_if_fits):
            _pass(machine, memory, shared, rules, permission, ends, now)


@njit_noalloc
def _pass(machine, memory, shared, rules, permission, ends, now):
    """Start heads while they fit, make a reservation for the blocked head, and backfill."""
    count, waiting = machine.count, machine.waiting
    while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
        job = waiting[count[HEAD]]
        length = machines.predicted_now(machine, memory, shared, job, now)
        _begin(machine, memory, rules, ends, job, length, now)
        count[HEAD] += 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return

    # Only jobs that fit are candidates. Without any the reservation matters if it lasts.
    fitting = 0
    if count[SMALLEST] <= count[FREE]:
        fitting = machines.fitting(machine, count[HEAD] + 1)
    head, places = waiting[count[HEAD]], machine.scratch[:fitting]
    if fitting > 0 or rules.lasts:
        _reserve(machine, memory, rules, ends, head, now)
    if rules.shortest_first:
        _sort_by_prediction(machine, memory, shared, places, now)

    has_gaps = False
    for place in places:
        job = waiting[place]
        size = memory.size[job]
        if size > count[FREE]:
            continue
        length = machines.predicted_now(machine, memory, shared, job, now)
        in_time = now + length <= count[SHADOW] - rules.strict
        if _may_pass(machine, memory, permission[job], job, head, in_time, now):
            _begin(machine, memory, rules, ends, job, length, now)
            machine.backfilled[job] = has_gaps = True
            waiting[place] = NO_JOB
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
                if count[EXTRA] < 0:  # the job was let past the head, which needs a new reservation
                    count[RESERVED] = NO_JOB
                    _reserve(machine, memory, rules, ends, head, now)
    if has_gaps:
        machines.compact_queue(machine, count[HEAD] + 1)


@njit_noalloc
def _begin(machine, memory, rules, ends, job, length, now):
    """Start a job with its prediction."""
    if rules.unaged:
        insert(ends[0], machine.count[RUNNING], length << JOB_BITS | job)
    machines.begin(machine, memory, job, length, now)


@njit_call
def _sort_by_prediction(machine, memory, shared, places, now):
    """Sort places of the queue by the prediction of their jobs, equal ones in queue order."""
    for k in range(len(places)):
        job = machine.waiting[places[k]]
        places[k] |= machines.predicted_now(machine, memory, shared, job, now) << JOB_BITS
    sort(places)
    for k in range(len(places)):
        places[k] &= JOB_MASK


# ---- The reservation of the head


@njit_call
def _reserve(machine, memory, rules, ends, head, now):
    """Make the reservation of the blocked head, unless it has one that is still valid."""
    count, size = machine.count, memory.size[head]
    is_valid = rules.lasts and count[RESERVED] == head
    is_valid &= rules.until_start or count[SHADOW] > now
    if not is_valid or rules.recounts:
        # Plans that do not age are planned lengths, so times are counted from now on.
        since = now if rules.unaged else 0
        order = ends[0] if rules.unaged else machine.by_plan
        if rules.by_start:
            _sort_by_start(machine, order, ends[1])
            order = ends[1]
        if is_valid:
            shadow = max(count[SHADOW], now) - since
            count[EXTRA] = _extra_at(machine, memory, rules, order, size, shadow, now - since)
        else:
            shadow, count[EXTRA] = _earliest(machine, memory, rules, order, size, now - since)
            count[SHADOW] = since + shadow
    count[RESERVED] = head
    if rules.none_extra or (rules.closed and count[SHADOW] <= now):
        count[EXTRA] = 0


@njit_noalloc
def _earliest(machine, memory, rules, order, size, now):
    """Return the earliest planned end at which the head fits, and the extra processors then."""
    free, shadow, k = machine.count[FREE], now, machine.count[RUNNING]
    while free < size or (rules.all_count and _planned_end(order, k, now) == shadow):
        shadow = _planned_end(order, k, now)
        free += memory.size[order[k] & JOB_MASK]
        k -= 1
    return shadow, free - size


@njit_noalloc
def _extra_at(machine, memory, rules, order, size, shadow, now):
    """Return the extra processors at a reserved time, below 0 if the head does not fit then."""
    free, k = machine.count[FREE], machine.count[RUNNING]
    while _planned_end(order, k, now) <= shadow:
        if not rules.all_count and free >= size and _planned_end(order, k, now) == shadow:
            break
        free += memory.size[order[k] & JOB_MASK]
        k -= 1
    return free - size


@njit_noalloc
def _planned_end(order, k, now):
    """Return a planned end; a job past its plan is expected to end now."""
    return max(order[k] >> JOB_BITS, now)


@njit_noalloc
def _sort_by_start(machine, order, by_start):
    """Copy a list of the running jobs, those with equal planned ends in the order of starts."""
    for k in range(1, machine.count[RUNNING] + 1):
        by_start[k], place = order[k], k
        while _started_earlier(machine, by_start[place - 1], order[k]):
            by_start[place] = by_start[place - 1]
            place -= 1
        by_start[place] = order[k]


@njit_noalloc
def _started_earlier(machine, one, other):
    """Return whether a job started earlier than another one with the same planned end."""
    is_same = one >> JOB_BITS == other >> JOB_BITS
    return is_same and machine.start[one & JOB_MASK] < machine.start[other & JOB_MASK]


# ---- Interventions


@njit_noalloc
def _may_pass(machine, memory, permission, job, head, in_time, now):
    """Return whether a job that fits may pass the head."""
    if permission == WHENEVER_IT_FITS:
        return True
    if not in_time and memory.size[job] > machine.count[EXTRA]:
        return False
    if permission == BY_RESERVATION or not _would_be_wild(machine, memory, job, head, now):
        return True
    return permission != NEVER_WILD and _is_on_side(machine, memory, permission, job, head)


@njit_call
def _would_be_wild(machine, memory, job, head, now):
    """Return whether the real shadow time of the head would move if the job started now."""
    shadow, extra = machines.reservation(machine, machine.by_end, memory, memory.size[head], now)
    return now + memory.run_time[job] > shadow and memory.size[job] > extra


@njit_call
def _is_on_side(machine, memory, permission, job, head):
    """Return whether the true run time of a job is on the permitted side
    of the median of the waiting jobs.
    """
    waiting = beyond = 0  # jobs, and those of them that the job is not shorter, or not longer, than
    for other in range(head, machine.count[ARRIVED]):
        if machine.start[other] < 0:
            more = memory.run_time[other] - memory.run_time[job]
            waiting += 1
            beyond += more <= 0 if permission == WILD_IF_SHORTER else more >= 0
    return 2 * beyond <= waiting
