"""The rules that a conformance log each holds, and the other reading that it tells each from.

The other reading is a scheduler as text, or an edit of the readable twins: what stands in their source, and what
would stand there instead.
"""

from typing import NamedTuple


class Rule(NamedTuple):
    """One log's reason.

    Parameters
    ----------
    name : str
        The sentence of docs/semantics, with the page where it is not the first; a letter where it has several logs.
    scheduler : str
        Text of the scheduler that follows the rule.
    other : str
        The other reading, in words.
    instead : str or tuple
        A scheduler's text; or (module, old, new) of an edit.
    jobs : dict
        What the random logs have; see `tests.conformance.search.Kind`.
    """

    name: str
    scheduler: str
    other: str
    instead: str | tuple
    jobs: dict = {}


def easy(*edits):
    """Edits of the twin of EASY, on which the other twins run: old and new in turn."""
    return "easy", *edits


def orders(*edits):
    """Edits of the twin of EASY over an ordered queue."""
    return "queue_orders", *edits


# In an edit of the twin, `self.ended` is whether a job ended at this instant.
ENDED = (
    "return bool(ending) or fits or",
    "self.ended = bool(ending)\n        return bool(ending) or fits or",
)
# Who waits is tried again after an end only.
AFTER_ENDS = (
    "self.queue[1:]\n",
    "[job for job in self.queue[1:] if self.ended or self.submit[job] == now]\n",
    *ENDED,
)
CROWD = {"users": 2}
INDEX_THRESHOLD = {"unit": 60, "longest": 15}
AT_ITS_VERY_END = "at the very end of its prediction a job has not outlived it yet"
NOT_YET = "while predicted <= ran and", "while predicted < ran and"
PREDICTED = "easy:predictor=scaled=0.5"
BY_PLAN = "easy:events=by-plan,order=submissions-first"
CAREFUL = "conservative:events=by-plan,order=submissions-first,compression=each"
# Until when who ended had been planned to hold on to his processors; nobody is brought forward to a later start.
ONLY_WHAT_ENDED = (
    "conservative",
    "        corrected = any(",
    "        gone = [self.start[job] + max(plans[job], 1) for job in plans if job not in self.running]\n"
    "        self.until = max(gone, default=now)\n        corrected = any(",
    "            self.reserved = {}\n",
    "            self.old, self.reserved = self.reserved, {}\n",
    "self.reserved[job] = self.earliest(job, max(predicted, 1), now), predicted",
    "start = self.earliest(job, max(predicted, 1), now)\n"
    "            if job in again and not self.failed and start >= self.until:\n"
    "                start = self.old[job][0]\n"
    "            self.reserved[job] = start, predicted",
)
ORDER = "key=lambda job: (*self.place(job, now), job)"

RULES = [
    Rule(
        "E2",
        "easy",
        "each end and each submission of an instant has its own pass",
        "easy:events=one-by-one",
    ),
    Rule(
        "E3",
        "easy",
        "a job of run time 0 ends a second after it starts",
        easy(
            "return self.start[job] + self.run_time[job]",
            "return self.start[job] + max(self.run_time[job], 1)",
        ),
        {"shortest": 0},
    ),
    Rule(
        "E4",
        "easy",
        "of jobs submitted together the one of the higher number goes first",
        easy(
            "deque(range(n))", "deque(sorted(range(n), key=lambda job: (self.submit[job], -job)))"
        ),
    ),
    Rule(
        "E5",
        "easy",
        "a pass starts no more than one head",
        easy(
            "while self.queue and self.size[self.queue[0]] <= self.free():",
            "if self.queue and self.size[self.queue[0]] <= self.free():",
        ),
    ),
    Rule("E6a", "fcfs", "jobs may pass a blocked head, as in EASY", "easy"),
    Rule(
        "E6b",
        "fcfs",
        "jobs that have waited may pass a blocked head when another ends",
        easy(
            "if not self.queue or not self.backfills:",
            "if not self.queue or not self.ended:",
            "self.queue[1:]\n",
            "[job for job in self.queue[1:] if self.submit[job] < now]\n",
            *ENDED,
        ),
    ),
    Rule("E7a", "easy", "every waiting job gets a reservation", "conservative"),
    Rule("E7b", "easy", "the reservation is kept as first made", "easy:reservation=kept"),
    Rule(
        "E7c",
        "easy",
        "the reservation is kept as long as no job that waits fits the free processors",
        easy(
            'if way == "recomputed" or self.kept is None or self.kept[0] != self.queue[0]:',
            "if self.kept is None or self.kept[0] != self.queue[0] or any("
            "self.size[job] <= self.free() for job in self.queue if self.submit[job] < now):",
        ),
        {"longest": 10},
    ),
    Rule(
        "E8",
        "easy",
        "the shadow time is when all running jobs are estimated to have ended",
        easy(
            "for shadow in sorted({end for end, _ in planned}):",
            "for shadow in [max(end for end, _ in planned)]:",
        ),
    ),
    Rule("E9", "easy", "only as many ends as the head needs count", "easy:shadow=first"),
    Rule("E10", "easy", "the shortest estimate is tried first", "easy:candidates=sjf"),
    Rule(
        "E11a",
        "easy",
        "a job must be estimated to end before the shadow time",
        easy("self.predicted(job, now) <= shadow", "self.predicted(job, now) < shadow"),
    ),
    Rule(
        "E11b",
        "easy",
        "a job that has waited must be estimated to end before the shadow time",
        easy(
            "self.predicted(job, now) <= shadow",
            "self.predicted(job, now) < shadow + (self.submit[job] == now)",
        ),
    ),
    Rule(
        "E12a",
        "easy",
        "a job must leave one extra processor over",
        easy("not in_time and self.size[job] > extra", "not in_time and self.size[job] >= extra"),
    ),
    Rule("E12b", "easy", "extra processors are not used up", "easy:extra=not-used-up"),
    Rule(
        "E12c",
        "easy",
        "a job that has waited uses up extra processors even if it ends in time",
        easy(
            'if not in_time and self.options["extra"]',
            'if not (in_time and self.submit[job] == now) and self.options["extra"]',
        ),
    ),
    Rule(
        "E12d",
        "easy",
        "extra processors are not used up by a job that comes now",
        easy(
            'if not in_time and self.options["extra"]',
            'if not in_time and self.submit[job] < now and self.options["extra"]',
        ),
    ),
    Rule(
        "E12e",
        "easy",
        "a job that comes now uses up extra processors even if it ends in time",
        easy(
            'if not in_time and self.options["extra"]',
            'if not (in_time and self.submit[job] < now) and self.options["extra"]',
        ),
    ),
    Rule(
        "E12f",
        PREDICTED,
        "a job predicted to end in time uses up extra processors too",
        easy('if not in_time and self.options["extra"]', 'if self.options["extra"]'),
    ),
    Rule("E12g", PREDICTED, "extra processors are not used up", PREDICTED + ",extra=not-used-up"),
    Rule(
        "E12h",
        "easy-by=shortest",
        "extra processors are not used up",
        easy("extra -= self.size[job]", "pass"),
    ),
    Rule(
        "E12i",
        "easy-by=shortest",
        "a job estimated to end in time uses up extra processors too",
        easy('if not in_time and self.options["extra"]', 'if self.options["extra"]'),
    ),
    Rule("E13", "easy", "running jobs may be stopped for the head", "pv-easy:predictor=request"),
    Rule("E14", "easy", "the scheduler knows the run times", "easy:predictor=perfect"),
    Rule(
        "E15a",
        "easy",
        "a job is killed at its estimate",
        easy(
            "return self.start[job] + self.run_time[job]",
            "return self.start[job] + min(self.run_time[job], self.request[job])",
        ),
        {"overrun": True},
    ),
    Rule(
        "E15b",
        "easy",
        "a job past its estimate keeps the past as its planned end",
        easy("planned = [(max(end, now), ", "planned = [(end, "),
        {"overrun": True},
    ),
    Rule(
        "E15c",
        "easy",
        "that jobs are past their estimates lets nobody who waits start until a job ends",
        easy(*AFTER_ENDS),
        {"overrun": True},
    ),
    Rule(
        "predicted-P1",
        "easy:predictor=tsafrir",
        "a waiting job keeps the prediction of its submission",
        "easy:predictor=tsafrir,refresh=submission",
        CROWD,
    ),
    Rule(
        "predicted-P2",
        "easy:predictor=last",
        "of jobs that end together the later in the queue is learnt from first",
        easy(
            "ending = sorted(job for job in self.running if self.end(job) == now)",
            "ending = sorted(job for job in self.running if self.end(job) == now)[::-1]",
        ),
        CROWD,
    ),
    Rule(
        "predicted-P3",
        PREDICTED,
        "a job is killed at its prediction",
        easy(
            "return self.start[job] + self.run_time[job]",
            "return self.start[job] + min(self.run_time[job], self.prediction[job])",
        ),
    ),
    Rule(
        "predicted-P4",
        "easy:predictor=tsafrir,correction=now",
        "a running job is planned with the newest prediction of it",
        easy(
            "return self.start[job] + self.planned[job]",
            "return self.start[job] + self.predictor.predict(job, 0)",
        ),
        CROWD,
    ),
    Rule(
        "predicted-P5a",
        PREDICTED,
        "a correction leads to a pass",
        easy(
            "return [self.end(job) for job in self.running] + [",
            "return [self.end(job) for job in self.running] + "
            "[self.planned_end(job) for job in self.running "
            "if self.planned[job] < min(self.run_time[job], self.request[job])] + [",
            "return bool(ending) or fits or",
            "return True or fits or",
        ),
    ),
    Rule("predicted-P5b", PREDICTED, AT_ITS_VERY_END, easy(*NOT_YET)),
    Rule(
        "predicted-P6a",
        "easy:predictor=scaled=0.25,correction=tsafrir",
        "an outlived prediction becomes the request at once",
        "easy:predictor=scaled=0.25",
        INDEX_THRESHOLD,
    ),
    Rule(
        "predicted-P6b",
        "easy:predictor=scaled=0.25,correction=doubling",
        "an outlived prediction becomes the request at once",
        "easy:predictor=scaled=0.25",
    ),
    Rule(
        "predicted-P6c",
        "easy:predictor=scaled=0.25,correction=doubling",
        "corrections go beyond the request",
        easy("predicted = min(predicted, request)", "predicted = predicted"),
    ),
    Rule(
        "predicted-P6d",
        "easy:predictor=scaled=0.25,correction=tsafrir",
        "steps are added to the prediction as it has become",
        easy("predicted = first + steps.pop(0)", "predicted = predicted + steps.pop(0)"),
        INDEX_THRESHOLD,
    ),
    Rule(
        "predicted-P6e",
        "easy:predictor=scaled=0.25,correction=tsafrir",
        "steps go beyond the request",
        easy(
            "predicted = min(predicted, request)",
            'predicted = predicted if way == "tsafrir" else min(predicted, request)',
        ),
        INDEX_THRESHOLD,
    ),
    Rule(
        "predicted-P6f",
        "easy:predictor=scaled=0.25,correction=tsafrir",
        "a step that ends at this instant suffices",
        easy(
            "while predicted <= ran and",
            'while predicted - (way != "tsafrir" or predicted == first) < ran and',
        ),
        INDEX_THRESHOLD,
    ),
    Rule(
        "predicted-P6g",
        "easy:predictor=scaled=0.25,correction=doubling",
        "a doubling that ends at this instant suffices",
        easy("while predicted <= ran and", "while predicted - (predicted == first) < ran and"),
    ),
    Rule(
        "predicted-P6h",
        "easy-by=shortest,predictor=scaled=0.25",
        "an outlived prediction stays as it is",
        "easy-by=shortest,predictor=scaled=0.25,correction=now",
    ),
    Rule(
        "predicted-P7a",
        PREDICTED + ",correction=now",
        "an outlived prediction becomes the request",
        PREDICTED,
    ),
    Rule(
        "predicted-P7b",
        PREDICTED + ",correction=now",
        "that jobs are past their predictions lets nobody who waits start until a job ends",
        easy(*AFTER_ENDS),
    ),
    Rule(
        "predicted-P7c",
        PREDICTED + ",correction=now",
        "a job past its prediction keeps the past as its planned end",
        easy("planned = [(max(end, now), ", "planned = [(end, "),
    ),
    Rule(
        "predicted-P9",
        "easy:candidates=sjf",
        "of equal predictions the later in the queue is tried first",
        easy(
            "candidates.sort(key=lambda job: self.predicted(job, now))",
            "candidates.sort(key=lambda job: (self.predicted(job, now), -job))",
        ),
    ),
    Rule(
        "predicted-P10a",
        "easy:reservation=kept",
        "a kept reservation is kept after its time has come",
        easy('way == "held" or self.kept[1] > now', "True"),
        {"overrun": True},
    ),
    Rule("predicted-P10b", "easy:reservation=kept", "nothing is kept", "easy"),
    Rule(
        "predicted-P10c",
        "easy:reservation=kept",
        "there is no reservation to be kept until another job fits",
        easy(
            "        shadow, extra = self.reserve(now)\n        self.show",
            "        if all(self.size[job] > self.free() for job in self.queue[1:]):\n"
            "            return\n"
            "        shadow, extra = self.reserve(now)\n        self.show",
        ),
    ),
    Rule(
        "predicted-P10d",
        "easy:reservation=kept",
        "that its time has come lets nobody who waits start until a job ends",
        easy(*AFTER_ENDS),
        {"overrun": True},
    ),
    Rule("predicted-P11a", "easy:extra=not-used-up", "extra processors are used up", "easy"),
    Rule(
        "predicted-P11b",
        "easy:extra=not-used-up",
        "who waits is held against the extra processors again only after an end",
        easy(*AFTER_ENDS),
        {"machine": 8, "shortest": 5, "longest": 20},
    ),
    Rule(
        "predicted-P12a",
        "easy:shadow=first",
        "of jobs planned to end together the later in the queue counts first",
        easy(
            "for end, job in sorted(ends):",
            "for end, job in sorted(ends, key=lambda e: (e[0], -e[1])):",
        ),
    ),
    Rule("predicted-P12b", "easy:shadow=first", "all of them count", "easy"),
    Rule(
        "predicted-P12c",
        "easy:shadow=first",
        "which of them count is worked out again only after an end",
        easy(*AFTER_ENDS),
        {"machine": 8},
    ),
    Rule(
        "predicted-P13a",
        "easy:events=one-by-one",
        "submissions of an instant come before its ends",
        "easy:events=one-by-one,order=submissions-first",
    ),
    Rule(
        "predicted-P13b",
        "easy:events=one-by-one",
        "the ends of an instant share a pass",
        easy("ending, coming = ending[:1], []", "coming = []"),
    ),
    Rule(
        "predicted-P14",
        "easy:predictor=tsafrir,refresh=submission,order=submissions-first",
        "ends of an instant are learnt from before its submissions",
        "easy:predictor=tsafrir,refresh=submission",
        CROWD,
    ),
    Rule(
        "predicted-P15",
        PREDICTED + ",passes=if-fits",
        "every submission leads to a pass",
        PREDICTED,
    ),
    Rule("predicted-P16", "conservative", "only the head has a reservation", "easy"),
    Rule(
        "predicted-P17a",
        "conservative",
        "reservations are made again in queue order",
        (
            "conservative",
            "sorted(self.reserved, key=lambda job: (self.reserved[job][0], job))",
            "sorted(self.reserved)",
        ),
    ),
    Rule(
        "predicted-P17b",
        "conservative:predictor=scaled=0.5",
        "reservations are made again after ends alone, not when a plan has failed",
        ("conservative", "self.failed = corrected or self.late or was_late", "self.failed = False"),
    ),
    Rule(
        "predicted-P17c",
        "conservative:predictor=scaled=0.5,correction=now",
        "a job past its plan is expected two seconds from now",
        ("conservative", "max(self.planned_end(j), now + 1)", "max(self.planned_end(j), now + 2)"),
    ),
    Rule(
        "predicted-P17d",
        "conservative",
        "nobody is brought forward into time that was given up by another who was, only by who ended",
        ONLY_WHAT_ENDED,
    ),
    Rule(
        "predicted-P17e",
        "conservative",
        "no reservation is made again after an end",
        (
            "conservative",
            "self.ended = not plans.keys() <= set(self.running)",
            "self.ended = False",
        ),
        {"shortest": 2, "longest": 10},
    ),
    Rule(
        "predicted-P18a",
        "laf",
        "the widest is tried first",
        (
            "conservative",
            "(-self.size[job] * self.predicted(job, now), -self.predicted(job, now), job)",
            "(-self.size[job], -self.predicted(job, now), job)",
        ),
    ),
    Rule(
        "predicted-P18b",
        "laf",
        "of equal areas the earlier is tried first, not the longer",
        (
            "conservative",
            "(-self.size[job] * self.predicted(job, now), -self.predicted(job, now), job)",
            "(-self.size[job] * self.predicted(job, now), job)",
        ),
    ),
    Rule(
        "predicted-P18c",
        "laf",
        "of equal areas and lengths the later is tried first",
        (
            "conservative",
            "(-self.size[job] * self.predicted(job, now), -self.predicted(job, now), job)",
            "(-self.size[job] * self.predicted(job, now), -self.predicted(job, now), -job)",
        ),
    ),
    Rule(
        "predicted-P20a",
        CAREFUL,
        "all reservations are made again after an end",
        CAREFUL.replace(",compression=each", ""),
    ),
    Rule(
        "predicted-P20b",
        CAREFUL,
        "a reservation that comes due is noticed when the next job ends or comes",
        ("conservative", "if self.each and not self.late:", "if False:"),
        {"overrun": True},
    ),
    Rule(
        "predicted-P21a",
        CAREFUL,
        "there is one pass for an instant",
        "conservative:order=submissions-first,compression=each",
    ),
    Rule(
        "predicted-P21b",
        CAREFUL,
        "ends of an instant are taken in queue order",
        easy("ending.sort(key=self.start.__getitem__)", "pass"),
    ),
    Rule(
        "predicted-P22",
        CAREFUL,
        "a job holds its processors until its own end is taken",
        easy("self.gone = {job for job in ending if self.planned_end(job) == now}", "pass"),
    ),
    Rule(
        "predicted-P23a",
        "easy:reservation=held",
        "a reservation that is due is made again",
        "easy:reservation=kept",
        {"overrun": True},
    ),
    Rule("predicted-P23b", "easy:reservation=held", "nothing is held", "easy"),
    Rule(
        "predicted-P23c",
        "easy:reservation=held",
        "jobs that fit the extra processors are backfilled once the reservation is due, too",
        "easy:reservation=held,overdue=extra",
        {"overrun": True},
    ),
    Rule(
        "predicted-P23d",
        "easy:reservation=held",
        "a reservation is due only when its time is past",
        easy('"nobody" and shadow <= now', '"nobody" and shadow < now'),
        {"overrun": True},
    ),
    Rule(
        "predicted-P24a",
        "easy:reservation=held,overdue=extra",
        "a reservation that is due is made again",
        "easy:reservation=kept",
        {"overrun": True, "machine": 8},
    ),
    Rule(
        "predicted-P24b",
        "easy:reservation=held,overdue=extra",
        "any job is backfilled once the reservation is due",
        easy("and self.size[job] > extra:", "and self.size[job] > extra and self.kept[1] > now:"),
        {"overrun": True},
    ),
    Rule(
        "predicted-P24c",
        "easy:reservation=held,overdue=extra",
        "no job is backfilled once the reservation is due",
        "easy:reservation=held",
        {"overrun": True},
    ),
    Rule(
        "predicted-P25a",
        "easy:reservation=held,recount=pass",
        "extra processors are counted with the reservation",
        "easy:reservation=held",
    ),
    Rule(
        "predicted-P25b",
        "easy:reservation=kept,recount=pass",
        "extra processors are counted with the reservation",
        "easy:reservation=kept",
    ),
    Rule(
        "predicted-P25c",
        f"{PREDICTED},reservation=held,recount=pass,overdue=extra",
        "a head that does not fit at its time leaves as many processors as before",
        easy("return available - needed", "return max(available - needed, self.kept[2])"),
        INDEX_THRESHOLD,
    ),
    Rule(
        "predicted-P25d",
        "easy:reservation=held,recount=pass,shadow=first",
        "all jobs planned to end at the shadow time count",
        "easy:reservation=held,recount=pass",
    ),
    Rule(
        "predicted-P25e",
        "easy:reservation=held,recount=pass,shadow=first",
        "of the jobs planned to end before the shadow time, too, only the first that suffice count",
        easy("if max(end, now) == shadow and first and", "if first and"),
        {"machine": 8},
    ),
    Rule(
        "predicted-P25f",
        "easy:reservation=held,recount=pass",
        "only the first jobs that suffice at the shadow time count",
        "easy:reservation=held,recount=pass,shadow=first",
    ),
    Rule(
        "predicted-P25g",
        "easy:reservation=held,recount=pass,shadow=first",
        "no job planned to end at the shadow time counts",
        easy("first and available >= needed", "first"),
    ),
    Rule(
        "predicted-P25h",
        "easy:reservation=held,recount=pass,overdue=extra",
        "extra processors are those of the shadow time also when it is past",
        easy("if max(end, now) <= shadow:", "if end <= self.kept[1]:"),
        {"overrun": True},
    ),
    Rule("pv-easy-P4a", "pv-easy:predictor=request", "nobody is preempted", "easy"),
    Rule(
        "pv-easy-P4b",
        "pv-easy:predictor=request",
        "the shadow job of the highest priority is preempted first",
        ("pv_easy", "self.kill(shadow.pop(), now)", "self.kill(shadow.pop(0), now)"),
    ),
    Rule(
        "pv-easy-P5",
        "pv-easy:predictor=request",
        "shadow jobs are preempted although they do not suffice for the head",
        (
            "pv_easy",
            "            return False\n",
            "            shadow and self.kill(shadow.pop(), now)\n            return False\n",
        ),
    ),
    Rule(
        "pv-easy-P6",
        "pv-easy:predictor=request",
        "a preempted job returns to the end of the queue",
        ("pv_easy", "self.queue = sorted([*self.queue, job])", "self.queue = [*self.queue, job]"),
    ),
    Rule(
        "pv-easy-P7",
        "pv-easy:predictor=request",
        "a job started past a head stays shadow load",
        (
            "pv_easy",
            "shadow = sorted(job for job in self.running if job > head)",
            "shadow = sorted(job for job in self.running if job > head or self.backfilled[job])",
        ),
    ),
    Rule(
        "pv-easy-P8",
        "pv-easy:predictor=request,venture=no",
        "the reservation counts on the shadow load too",
        (
            "pv_easy",
            "sunny = [job for job in self.running if job < head]",
            "sunny = list(self.running)",
        ),
    ),
    Rule(
        "pv-easy-P9a",
        "pv-easy:predictor=request",
        "jobs in time are started in order of priority",
        ("pv_easy", "sorted(waiting, key=lambda job: (self.left(job), job))", "sorted(waiting)"),
    ),
    Rule(
        "pv-easy-P9b",
        "pv-easy:predictor=request",
        "of equal predictions the one of lower priority goes first",
        (
            "pv_easy",
            "sorted(waiting, key=lambda job: (self.left(job), job))",
            "sorted(waiting, key=lambda job: (self.left(job), -job))",
        ),
    ),
    Rule(
        "pv-easy-P10",
        "pv-easy:predictor=request",
        "nobody is started at a venture",
        "pv-easy:predictor=request,venture=no",
    ),
    Rule(
        "pv-easy-P11",
        "pv-easy",
        "a killed job goes on where it was stopped",
        "pv-easy:mode=suspend",
        CROWD,
    ),
    Rule(
        "pv-easy-P12",
        "pv-easy:venture=no",
        "predictions are made at submission",
        "pv-easy:venture=no,refresh=submission",
        CROWD,
    ),
    Rule(
        "pv-easy-P13a",
        "pv-easy:predictor=scaled=0.5,venture=no",
        "a job past its prediction is expected now",
        "pv-easy:predictor=scaled=0.5,venture=no,correction=now",
    ),
    Rule(
        "pv-easy-P13b", "pv-easy:predictor=scaled=0.5,venture=no", AT_ITS_VERY_END, easy(*NOT_YET)
    ),
    Rule(
        "pv-easy-P14",
        "pv-easy:venture=no",
        "jobs are planned with their requests",
        "pv-easy:venture=no,predictor=request",
        CROWD,
    ),
    Rule(
        "pv-easy-P15",
        "pv-easy:predictor=request,mode=suspend,cost=2",
        "a resumption costs nothing",
        "pv-easy:predictor=request,mode=suspend",
    ),
    Rule(
        "pv-easy-P16a",
        "pv-easy:predictor=request,mode=checkpoint,interval=2,cost=1",
        "a job goes on from where it was stopped",
        "pv-easy:predictor=request,mode=suspend,cost=1",
    ),
    Rule(
        "pv-easy-P16b",
        "pv-easy:predictor=request,mode=checkpoint,interval=2,cost=1",
        "a checkpoint is written at the end of a job too",
        (
            "pv_easy",
            "range(self.interval, self.length[job], self.interval)",
            "range(self.interval, self.length[job] + 1, self.interval)",
        ),
    ),
    Rule(
        "pv-easy-P16c",
        "pv-easy:predictor=request,mode=checkpoint,interval=2,cost=1",
        "the cost of a checkpoint counts as work",
        ("pv_easy", "ran // (self.interval + self.cost)", "ran // self.interval"),
    ),
    Rule(
        "pv-easy-P17",
        "pv-easy:predictor=request,mode=suspend",
        "a resumed job is planned with its whole prediction",
        (
            "pv_easy",
            "return max(self.corrected(job, done) - done, 0) if done else self.prediction[job]",
            "return self.prediction[job]",
        ),
    ),
    Rule(
        "pv-easy-P18a",
        "pv-easy:predictor=request,killed=next-event",
        "a preempted job returns at once",
        "pv-easy:predictor=request",
    ),
    Rule(
        "pv-easy-P18b",
        "pv-easy:predictor=request,killed=next-event",
        "a job that was preempted starts only after an end",
        (
            "pv_easy",
            "waiting = self.queue[1:]\n",
            "began = [job for job, start in enumerate(self.start) if start is not None]\n"
            "        ended = any(self.end(job) == now for job in began)\n"
            "        waiting = [job for job in self.queue[1:] if ended or not self.times_killed[job]]\n",
        ),
        {"machine": 8, "shortest": 1, "longest": 3},
    ),
    Rule(
        "pv-easy-P18c",
        "pv-easy:predictor=request,killed=next-event",
        "a preempted job returns behind the head",
        (
            "pv_easy",
            "self.queue = sorted([*self.queue, *self.preempted])",
            "self.queue = self.queue[:1] + sorted([*self.queue[1:], *self.preempted])",
        ),
    ),
    Rule(
        "queue-orders-Q1",
        "easy-by=wfp3",
        "the queue is put in order when jobs come, not at every event",
        orders(
            f"        self.queue.sort({ORDER})\n",
            "        if any(self.submit[job] == now for job in self.queue):\n"
            f"            self.queue.sort({ORDER})\n",
        ),
    ),
    Rule(
        "queue-orders-Q2a",
        "easy-by=shortest",
        "the order is that of the candidates alone",
        "easy:candidates=sjf",
    ),
    Rule(
        "queue-orders-Q2b",
        "easy-by=smallest-area",
        "the order decides who is first alone, and the others are tried as they came",
        orders(
            "        super().schedule(now)",
            "        self.queue[1:] = sorted(self.queue[1:])\n        super().schedule(now)",
        ),
    ),
    Rule(
        "queue-orders-Q3",
        "easy-by=shortest",
        "of equal values the later goes first",
        orders(ORDER, ORDER.replace(", job)", ", -job)")),
    ),
    Rule(
        "queue-orders-Q4",
        "easy-by=shortest,predictor=last",
        "the order is by the user's estimate, whatever is predicted",
        orders("self.value(self.predicted(job, now)", "self.value(self.request[job]"),
        CROWD,
    ),
    Rule("queue-orders-Q5a", "easy-by=shortest", "least area first", "easy-by=smallest-area"),
    Rule(
        "queue-orders-Q5b",
        "easy-by=smallest-area",
        "fewest processors first",
        orders("lambda: predicted * size", "lambda: size"),
    ),
    Rule(
        "queue-orders-Q6a",
        "easy-by=wfp3",
        "squared, not cubed",
        orders("(waited / length) * (waited / length) * (waited", "(waited / length) * (waited"),
    ),
    Rule(
        "queue-orders-Q6b",
        "easy-by=wfp3",
        "the least goes first",
        orders("lambda: -(", "lambda: +("),
    ),
    Rule(
        "queue-orders-Q6c",
        "easy-by=wfp3",
        "the processors do not count",
        orders("(waited / length) * size)", "(waited / length))"),
    ),
    Rule(
        "queue-orders-Q7a",
        "easy-by=f1",
        "arrival is counted from time 0",
        orders("max(submit - self.submit[0], 1)", "max(submit, 1)"),
    ),
    Rule(
        "queue-orders-Q7b",
        "easy-by=f1",
        "arrival does not count",
        orders(" + 870 * log10(arrival)", ""),
    ),
    Rule(
        "queue-orders-Q7c",
        "easy-by=f1",
        "the prediction itself, not its logarithm",
        orders("log10(length) * size", "length * size"),
    ),
    Rule(
        "queue-orders-Q8a",
        "easy-by=shortest,limit=5",
        "nobody goes before the others however long he waits",
        "easy-by=shortest",
    ),
    Rule(
        "queue-orders-Q8b",
        "easy-by=shortest,limit=5",
        "who has waited just the limit has not passed it yet",
        orders("waited >= limit", "waited > limit"),
    ),
    Rule(
        "queue-orders-Q8c",
        "easy-by=shortest,limit=5",
        "who is past the limit goes by the order, not by arrival",
        orders("return False, 0.0", "return False, self.predicted(job, now)"),
    ),
    Rule(
        "queue-orders-Q9",
        "easy-by=shortest,limit=5",
        "that a job reaches the limit leads to a pass",
        orders(
            "    def place(self",
            "    def instants(self):\n"
            "        now = [self.submit[job] + 5 for job in self.queue]\n"
            "        return super().instants() + [at for at in now if at > self.seen]\n\n"
            "    seen = -1\n\n"
            "    def process_events(self, now):\n"
            "        self.seen = now\n"
            "        super().process_events(now)\n"
            "        return True\n\n"
            "    def place(self",
        ),
    ),
    Rule(
        "queue-orders-Q10", "easy-by=shortest,limit=0", "a limit of 0 is none", "easy-by=shortest"
    ),
    Rule(
        "queue-orders-Q11",
        "easy-by=shortest",
        "who has a reservation keeps it until he starts",
        orders(
            ORDER,
            ORDER.replace("(*", '(job != getattr(self, "held", None), *'),
            "        super().schedule(now)\n",
            "        super().schedule(now)\n"
            "        self.held = self.queue[0] if self.queue else None\n",
        ),
    ),
]
