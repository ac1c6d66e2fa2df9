"""Schedulers that follow the sentences, and the other interpretations of them, in plain Python.

They answer two questions: which schedule a scheduler with given rules produces, and which rules
produce a given schedule. A scheduler is no more than a `pass` over the waiting jobs; the loop
around it takes the events in the order of sentences E2 to E4.
"""

import heapq
import math
from collections import defaultdict

from conformance.rules import RuleError

HOUR = 3600
#: Steps by which a prediction is corrected, s (Tsafrir, Etsion and Feitelson 2007, section 4.2).
STEPS = (60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR)
NEVER = math.inf


class Job:
    """A job of a log, and its state in a simulation. Times are in s.

    Parameters
    ----------
    number, submit, size, estimate, run_time, user : int
    place : int, optional
        Its place in the log, where jobs submitted together may be listed in any order.
    """

    __slots__ = (
        "number", "submit", "size", "estimate", "run_time", "user", "place", "rank",
        "first", "prediction", "plan", "start", "end", "held",
    )  # fmt: skip

    def __init__(self, number, submit, size, estimate, run_time, user=-1, place=0):
        self.number, self.submit, self.size = number, submit, size
        self.estimate, self.run_time, self.user, self.place = estimate, run_time, user, place
        self.start = self.end = self.plan = None

    @property
    def planned_end(self):
        """The end that the scheduler expects of the running job."""
        return self.start + self.plan

    def copy(self):
        """Return the job before a simulation."""
        own = (self.number, self.submit, self.size, self.estimate, self.run_time, self.user)
        return Job(*own, self.place)


def simulate(jobs, processors, rules):
    """Return the start of each job by its number, s.

    Parameters
    ----------
    jobs : list of Job
    processors : int
    rules : conformance.rules.Rules

    Raises
    ------
    RuleError
        If the rules' scheduler is not simulated here, or a job is larger than the machine.
    """
    kinds = {"conservative": Conservative, "largest-area-first": LargestAreaFirst}
    kinds |= {"easy": Easy, "fcfs": Easy, "greedy": Easy}
    kind = kinds.get(rules["scheduler"])
    if kind is None:
        raise RuleError(f"scheduler={rules['scheduler']}; simulated are {', '.join(kinds)}")
    if kind is Easy and rules["reservations"] > 1:
        kind = SeveralReservations
    large = next((job.number for job in jobs if job.size > processors), None)
    if large is not None:
        raise RuleError(f"job {large} is larger than the machine of {processors} processors")
    if rules["zero"] == "dropped":
        jobs = [job for job in jobs if job.run_time > 0]
    run = kind([job.copy() for job in jobs], processors, rules)
    run.run()
    return {job.number: job.start for job in run.jobs}


class Loop:
    """Events, queue, running jobs and predictions; a subclass has the `schedule` of one pass."""

    def __init__(self, jobs, processors, rules):
        self.rules, self.machine, self.free, self.now = rules, processors, processors, -NEVER
        keys = {
            "by-number": lambda job: (job.submit, job.number),
            "as-listed": lambda job: (job.submit, job.place),
            "highest-number": lambda job: (job.submit, -job.number),
        }
        self.jobs = sorted(jobs, key=keys[rules["listed"]])  # E4
        for rank, job in enumerate(self.jobs):
            job.rank = rank
            if rules["kills"] == "yes":
                job.run_time = min(job.run_time, job.estimate)
        self.first_submission = self.jobs[0].submit if jobs else 0
        self.queue, self.running, self.submitted = [], [], 0
        self.ends, self.gone = [], []
        self.ended_jobs = defaultdict(list)  # of each user
        self.together = rules["events"] == "together"
        self.submissions_first = rules["ties"] == "submissions-first"
        self.ages = rules["predictor"] != "estimate"

    def run(self):
        """Simulate until the last job has ended."""
        while True:
            self.now = self.next_instant()
            if self.now == NEVER:
                break
            if self.process_events():
                self.schedule()

    def next_instant(self):
        """Return the time of the next event."""
        coming = self.jobs[self.submitted].submit if self.submitted < len(self.jobs) else NEVER
        return min(coming, self.ends[0][0] if self.ends else NEVER)

    def process_events(self):
        """Process the events of an instant (E2), or one of them; return whether a pass follows."""
        now, last = self.now, self.submitted
        ending = []
        while self.ends and self.ends[0][0] == now:
            ending.append(heapq.heappop(self.ends)[2])
        if self.rules["events"] == "by-plan":  # P22
            left = [job for job in ending if job not in self.gone and job.planned_end == now]
            self.gone += left
            self.leave(left)
            ending.sort(key=lambda job: (job.start, job.rank))
        while last < len(self.jobs) and self.jobs[last].submit == now:
            last += 1
        coming = self.jobs[self.submitted : last]
        if not self.together:
            if coming and (self.submissions_first or not ending):
                later, ending, coming = ending, [], coming[:1]
            else:
                later, ending, coming = ending[1:], ending[:1], []
            for job in later:
                heapq.heappush(self.ends, (job.end, job.rank, job))
        fits = self.submissions_first and self.submit(coming)
        self.leave([job for job in ending if job not in self.gone])
        self.gone = [job for job in self.gone if job not in ending]
        for job in ending:
            self.ended_jobs[job.user].append(job)
        if not self.submissions_first:
            fits = self.submit(coming)
        corrected = self.correct_plans()
        self.note_events(ending, corrected)
        return bool(ending) or fits or (bool(coming) and self.rules["passes"] == "always")

    def note_events(self, ended, corrected):
        """Note the events; `corrected` is whether the plan of a running job changed."""

    def leave(self, jobs):
        """Free the processors of jobs."""
        for job in jobs:
            self.running.remove(job)
            self.free += job.size

    def submit(self, jobs):
        """Append jobs to the queue; return whether one of them fits the free processors."""
        self.submitted += len(jobs)
        self.queue += jobs
        for job in jobs:
            job.first = self.predict(job)
        return any(job.size <= self.free for job in jobs)

    def predict(self, job):
        """Return the prediction of a waiting job, at most its estimate (V14, P26)."""
        kind, ended = self.rules["predictor"], self.ended_jobs[job.user]
        predicted = job.estimate
        if kind == "run-time":
            predicted = job.run_time
        elif kind == "half-run-time":
            predicted = round(job.run_time / 2)
        elif kind == "quarter-run-time":
            predicted = round(job.run_time / 4)
        elif kind == "last" and ended and ended[-1].estimate:
            predicted = round(ended[-1].run_time / ended[-1].estimate * job.estimate)
        elif kind == "tsafrir" and len(ended) > 1:
            predicted = (ended[-1].run_time + ended[-2].run_time) // 2
        return max(min(predicted, job.estimate), min(job.estimate, 1))

    def planned(self, job):
        """Return the run time that a waiting job is planned with (P1)."""
        return self.predict(job) if self.rules["refresh"] == "pass" else job.first

    def correct_plans(self):
        """Correct the expired predictions of running jobs (P5, P6); return whether one changed."""
        changed = False
        for job in self.running if self.ages else ():
            ran = self.now - job.start
            if job.plan <= ran:
                plan = self.corrected(job, ran)
                changed |= plan != job.plan
                job.plan = plan
        return changed

    def corrected(self, job, ran):
        """Return the first prediction that exceeds `ran`, or the estimate."""
        way, steps, plan = self.rules["correction"], list(STEPS), job.prediction
        while plan <= ran and plan < job.estimate and way != "now":
            if way == "tsafrir" and steps:
                plan = job.prediction + steps.pop(0)
            else:
                plan = max(2 * plan, 1) if way == "doubling" else job.estimate
            plan = min(plan, job.estimate)
        return plan

    def begin(self, job):
        """Start a waiting job; the caller takes it out of the queue."""
        job.start, job.plan = self.now, self.planned(job)
        job.prediction = job.plan
        length = job.run_time
        if length == 0 and self.rules["zero"] == "a-second-later":
            length = 1
        job.end = self.now + length
        heapq.heappush(self.ends, (job.end, job.rank, job))
        self.running.append(job)
        self.free -= job.size

    def expected_ends(self):
        """Return planned end and job of the running jobs, in the order of the ends (E15, P7)."""
        by_limit = self.rules["head-by"] == "limit"
        by_start = self.rules["shadow"] == "first-started"
        ends = sorted(
            (job.plan if by_limit else job.planned_end, job.start if by_start else 0, job.rank, job)
            for job in self.running
        )
        return [(self.expected(job), job) for *_, job in ends]

    def expected(self, job):
        """Return the planned end of a running job, which is now if it is past."""
        if job.planned_end >= self.now or self.rules["past-estimate"] == "past":
            return job.planned_end
        return self.now if self.rules["past-estimate"] == "now" else NEVER

    def in_order(self, queue):
        """Return waiting jobs in the order of the queue (Q1 to Q8)."""
        if self.rules["order"] == "submission":
            return queue
        return sorted(queue, key=lambda job: (*self.value(job), job.rank))

    def value(self, job):
        """Return whether a waiting job is within the limit, and the value of the order."""
        waited, limit = self.now - job.submit, self.rules["limit"]
        if limit != "none" and waited >= limit:
            return False, 0
        plan = self.planned(job)
        length, arrival = max(plan, 1), max(job.submit - self.first_submission, 1)
        ratio = waited / length
        return True, {
            "shortest": lambda: plan,
            "smallest-area": lambda: plan * job.size,
            "wfp3": lambda: -(ratio * ratio * ratio * job.size),
            "f1": lambda: math.log10(length) * job.size + 870 * math.log10(arrival),
        }[self.rules["order"]]()

    def candidates(self, waiting):
        """Return the jobs that are tried behind blocked ones, in their order (E10, P9, P31)."""
        keys = {"shortest": self.planned, "smallest": lambda job: job.size}
        keys["last-first"] = lambda job: -job.rank
        if self.rules["candidates"] in keys:
            waiting = sorted(waiting, key=keys[self.rules["candidates"]])
        limit = self.rules["candidates-limit"]
        return waiting if limit == "none" else waiting[:limit]


class Easy(Loop):
    """EASY, and FCFS, which backfills nothing (E5 to E15)."""

    last = None, NEVER, 0  # head, shadow time and extra processors of the last pass

    def head_waits(self):
        """Return whether the head waits for its reserved time, whether or not it fits."""
        head, shadow, _ = self.last
        waits = self.rules["reserved-head"] == "waits-for-its-time"
        return waits and head is not None and head.start is None and shadow > self.now

    def next_instant(self):
        """Return the time of the next event, or that of a head that waits while nothing runs."""
        waits = self.head_waits() and not self.running
        return min(super().next_instant(), self.last[1] if waits else NEVER)

    def process_events(self):
        """Process the events of an instant; return whether a pass follows."""
        waited = self.rules["reserved-head"] == "waits-for-its-time" and self.last[1] == self.now
        return super().process_events() or waited

    def schedule(self):
        """Start heads, make the reservation of the blocked head, and backfill."""
        queue, begun = self.in_order(self.queue), 0
        waits = self.head_waits() and bool(queue) and self.last[0] is queue[0]
        while begun < len(queue) and queue[begun].size <= self.free and not waits:  # E5
            self.take(queue[begun])
            begun += 1
            if self.rules["heads"] == "one":
                break
        kind, waiting, started = self.rules["scheduler"], queue[begun:], set(queue[:begun])
        stopped = waiting and waiting[0].size <= self.free and not waits
        if waiting and not stopped and kind != "fcfs":  # E6
            started.update(self.backfill(waiting[0], waiting[1:], kind == "greedy"))
        if started:
            self.queue = [job for job in self.queue if job not in started]

    def backfill(self, head, waiting, whatever):
        """Start the candidates that do not delay the head, and return them (E10 to E12)."""
        shadow, extra = (NEVER, 0) if whatever else self.reserve(head)
        self.last, started = (head, shadow, extra), []
        if not self.free:
            return started
        reserved = self.reserved(head, shadow) if self.rules["processors"] == "named" else ()
        for job in self.candidates(waiting):
            if job.size > self.free:
                continue
            length = self.planned(job)
            if self.rules["candidate-length"] == "run-time":
                length = job.run_time
            end, way = self.now + length, self.rules["extra"]
            in_time = end < shadow if self.rules["strict"] == "yes" else end <= shadow  # E11
            least = job.size + (way == "one-left")
            allowed = least <= extra and way != "none"
            if self.rules["processors"] == "named":
                allowed = job.size <= len(self.unused() - reserved)
            if in_time or allowed or way == "whoever-fits":
                self.take(job, () if in_time else reserved)
                started.append(job)
                if way == "always-used-up" or (not in_time and way != "not-used-up"):
                    extra -= job.size
                if not self.free:
                    break
        self.last = head, shadow, extra
        return started

    def take(self, job, reserved=()):
        """Start a job, on named processors if the rule has them."""
        if self.rules["processors"] == "named":
            job.held = set(sorted(self.unused().difference(reserved))[: job.size])
        self.begin(job)

    def unused(self):
        """Return the named processors that no job holds."""
        return set(range(self.machine)).difference(*(job.held for job in self.running))

    def reserved(self, head, shadow):
        """Return the lowest named processors that will be free for the head."""
        ending = [job.held for job in self.running if self.expected(job) <= shadow]
        return set(sorted(self.unused().union(*ending))[: head.size])

    def reserve(self, head):
        """Return shadow time and extra processors of the blocked head, kept or new (P10, P23)."""
        lifetime, overdue = self.rules["lifetime"], self.rules["overdue"]
        last, shadow, extra = self.last
        kept = lifetime == "until-start" or (lifetime == "until-due" and shadow > self.now)
        if last is head and kept:
            if self.rules["recount"] == "pass":
                extra = self.extra_at(max(shadow, self.now), head)
        else:
            shadow, extra = self.earliest(head)
        closed = overdue == "nobody" or (overdue == "by-lifetime" and lifetime == "until-start")
        if lifetime != "recomputed" and closed and shadow <= self.now:
            extra = 0
        return shadow, extra

    def earliest(self, head):
        """Return shadow time and extra processors by the present plans (E8, E9)."""
        available, shadow, ends = self.free, None, self.expected_ends()
        if self.rules["shadow"] == "last":
            return ends[-1][0], self.machine - head.size
        for end, job in ends:
            if shadow is not None and (end != shadow or self.rules["shadow"] != "all"):
                break
            available += job.size
            if shadow is None and available >= head.size:
                shadow = end
                if self.rules["head-by"] == "limit":
                    return max(end, self.now), 0
        return shadow, available - head.size

    def extra_at(self, shadow, head):
        """Return the extra processors at a time that was reserved before (P25)."""
        available = self.free
        for end, job in self.expected_ends():
            some = self.rules["shadow"] != "all"
            if end == shadow and some and available >= head.size:
                break
            if end <= shadow:
                available += job.size
        return available - head.size


class SeveralReservations(Loop):
    """EASY with a reservation for each of the first k blocked jobs (R1 to R8)."""

    def schedule(self):
        """Start or reserve in order until k jobs are blocked, then try the others."""
        waiting, started = list(self.in_order(self.queue)), set()
        holds = [(self.now, self.expected(job), job.size) for job in self.running]
        blocked = 0
        while waiting and blocked < self.rules["reservations"]:
            job = waiting.pop(0)
            if not self.start_if_it_fits(job, holds, started):
                length = max(self.planned(job), 1)
                start = earliest_start(job.size, self.machine, holds, length, self.now)
                holds.append((start, start + length, job.size))
                blocked += 1
        for job in self.candidates(waiting):
            self.start_if_it_fits(job, holds, started)
        self.queue = [job for job in self.queue if job not in started]

    def start_if_it_fits(self, job, holds, started):
        """Start a job if it delays no reservation; return whether it started."""
        length = self.planned(job)
        if job.size > self.free or not fits(job.size, self.machine, holds, self.now, length):
            return False
        self.begin(job)
        holds.append((self.now, self.now + length, job.size))
        started.add(job)
        return True


class LargestAreaFirst(Loop):
    """The job with the largest planned area that fits starts (P18)."""

    def schedule(self):
        """Try every waiting job in the order of the areas."""
        plans = {job: self.planned(job) for job in self.queue}
        by_area = sorted(plans, key=lambda job: (-job.size * plans[job], -plans[job], job.rank))
        for job in by_area:
            if job.size <= self.free:
                self.begin(job)
                self.queue.remove(job)


class Conservative(Loop):
    """Every waiting job has a reservation (P16, P17, P20)."""

    def __init__(self, *args):
        super().__init__(*args)
        self.reserved = {}  # start and planned length of each waiting job's reservation
        self.each = self.rules["compression"] == "each"
        self.ended = self.failed = self.late = False

    def next_instant(self):
        """Return the time of the next event, or reserved start that does not need an end (P20)."""
        starts = [start for start, _ in self.reserved.values()]
        own = self.each or self.rules["compression"] == "none"
        return min([super().next_instant(), *(starts if own and not self.late else ())])

    def process_events(self):
        """Process the events; a pass always follows."""
        super().process_events()
        return True

    def note_events(self, ended, corrected):
        """Note whether a job ended, and whether the plan has failed."""
        was_late = self.late
        self.late = any(job.planned_end <= self.now for job in self.running)
        self.ended = bool(ended)
        self.failed = corrected or self.late or was_late

    def schedule(self):
        """Make reservations, and start the jobs whose reservation begins now."""
        new = [job for job in self.queue if job not in self.reserved]
        again = []
        if self.failed or (self.ended and self.rules["compression"] == "all"):
            again = sorted(self.reserved, key=lambda job: (self.reserved[job][0], job.rank))
            self.reserved = {}
        elif self.ended and self.each:
            again = [job for job in self.queue if job in self.reserved]
        for job in again + new:
            self.reserved.pop(job, None)
            plan = self.planned(job)
            self.reserved[job] = self.earliest(job, max(plan, 1)), plan
        for job in self.queue:
            if self.reserved[job][0] == self.now:
                self.begin(job)
                del self.reserved[job]
        self.queue = [job for job in self.queue if job in self.reserved]

    def planned(self, job):
        """Return the run time that a waiting job is reserved or planned with."""
        return self.reserved[job][1] if job in self.reserved else super().planned(job)

    def earliest(self, job, length):
        """Return the earliest start that running jobs and other reservations permit."""
        holds = [(self.now, max(one.planned_end, self.now + 1), one.size) for one in self.running]
        holds += [
            (start, start + max(plan, 1), one.size) for one, (start, plan) in self.reserved.items()
        ]
        return hole(job.size, self.machine, holds, length, self.now, self.rules["holes"])


def hole(size, machine, holds, length, now, way="whole"):
    """Return the earliest start from `now` on at which `size` processors are free for `length` s.

    `holds` lists (start, end, size); `way` is how the search goes wrong, if it does.
    """
    changes = defaultdict(int, {now: 0})
    used = 0
    for begin, end, other in holds:
        if begin <= now < end:
            used += other
        elif begin > now:
            changes[begin] += other
        if end > now:
            changes[end] -= other
    steps, begins, left = sorted(changes), None, length
    enough = 1 if way == "a-second-short" else 0
    for time, following in zip(steps, [*steps[1:], NEVER]):
        used += changes[time]
        if machine - used < size:
            begins = begins if way == "start-kept" else None
            left = left if way == "covered-before" else length
            continue
        begins = time if begins is None else begins
        left -= following - time
        if left <= enough or way == "start-alone":
            return begins
    return NEVER


def earliest_start(size, machine, holds, length, now):
    """Return the earliest time at which `size` processors are free for `length` s."""
    starts = sorted({now, *(end for _, end, _ in holds if end > now)})
    return next(start for start in starts if fits(size, machine, holds, start, length))


def fits(size, machine, holds, start, length):
    """Return whether `size` processors are free from `start` on for `length` s."""
    begins = {begin for begin, _, _ in holds if start < begin < start + length}
    return length == 0 or all(
        size + sum(other for begin, end, other in holds if begin <= time < end) <= machine
        for time in {start, *begins}
    )
