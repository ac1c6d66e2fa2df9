"""Audits of a schedule: whether a machine could have run it, by which rule each job starts, which
jobs later ones delayed, and which scheduler would have made it.
"""

import bisect
import heapq
import itertools
from collections import Counter

from conformance.easy import NEVER, Job
from conformance.explain import OTHERS, PUBLISHED
from conformance.rules import Rules, simulate

MOST = 5  # pairs, jobs and schedulers that are named
FEW = 2000  # jobs of a log for which pairs of changes are tried
PLANNED = 1500  # jobs for which conservative backfilling is simulated
TOLERANCE = 0.001  # s; simulators that count in fractions of a second print microseconds
#: Why a schedule is impossible, by the key of `check`.
WRONG = {
    "before_submission": "start before their submission",
    "backwards": "end before their start",
    "larger": "are larger than the machine",
    "repeated": "have the number of another job",
    "overlapping_runs": "begin again before their last run has ended",
    "set_smaller": "hold fewer resources than they asked for",
    "missing": "of the log are not in the schedule",
    "unknown": "are not in the log",
    "other_submission": "have another submission than in the log",
    "other_size": "hold fewer processors than the log asks for",
    "other_run_time": "run for another time than in the log",
}
#: What is allowed, and worth a line.
REMARKS = {
    "set_larger": "hold more resources than they asked for",
    "past_estimate": "ran past their estimate",
    "never_ran": "never ran",
}
#: How a job starts, and the sentences.
STARTS = {
    "head": "from the head of the queue (E5)",
    "in-time": "backfilled, to end by the shadow time (E10, E11)",
    "extra": "backfilled on extra processors (E12)",
    "past-fitting-head": "before a head that fits, against E5",
    "against-reservation": "against the reservation of the head, which E10 and E12 forbid",
}


class AuditError(ValueError):
    """A file without the data that an audit needs."""


def check(schedule, machine=None, log=None):
    """Return whether a machine could have run a schedule, and the number of faults by kind.

    Parameters
    ----------
    schedule : conformance.formats.Schedule
    machine : int, processors, optional
        By default the size in the file.
    log : conformance.formats.Schedule, optional
        The jobs that were to be scheduled, with their run times.

    Returns
    -------
    dict
        ``possible``: bool, or None if nothing is wrong but the machine is unknown; ``peak``: most
        processors in use at once; ``over_from``: first second with too many, or None; numbers of
        jobs by the keys of `WRONG` and `REMARKS`; ``with_set``: number of jobs with a set of
        resources, None if the file has none; ``resources``: different ones; ``shared``: pairs of
        jobs that hold one at the same time, see `shared`.
    """
    runs, machine = schedule.runs, machine or schedule.machine
    pieces = [(r.start, r.end, r.size) for r in runs]
    pieces += [(start, end, r.size) for r in runs for start, end in r.earlier]
    steps = Counter()
    for start, end, size in pieces:
        if end > start:  # backward runs would free processors that they never used
            steps[start] += size
            steps[end] -= size
    used, peak, over_from = 0, 0, None
    for time in sorted(steps):
        used += steps[time]
        peak = max(peak, used)
        if machine and used > machine and over_from is None:
            over_from = schedule.seconds(time)
    numbers = Counter(run.name for run in runs)
    faults = {
        "before_submission": sum(
            min([run.start, *(start for start, _ in run.earlier)]) < run.submit for run in runs
        ),
        "backwards": sum(run.end < run.start for run in runs),
        "larger": sum(run.size > machine for run in runs) if machine else 0,
        "repeated": sum(count - 1 for count in numbers.values()),
        "overlapping_runs": sum(map(_overlaps, runs)),
        "set_smaller": sum(_width(r) < r.size for r in runs if r.resources),
    }
    if log is not None:
        faults.update(_against(schedule, log))
    sets = {"with_set": None, "resources": None, "shared": []}
    if schedule.has_sets and any(run.resources for run in runs):
        every = {(first, last) for run in runs for first, last in run.resources or ()}
        sets["with_set"] = sum(bool(run.resources) for run in runs)
        sets["resources"] = _length(every)
        sets["shared"] = shared(schedule)
    too_many = bool(machine) and (sets["resources"] or 0) > machine
    wrong = any(faults.values()) or over_from is not None or too_many or bool(sets["shared"])
    slack = TOLERANCE * schedule.per_second
    return {
        "possible": False if wrong else True if machine else None,
        "machine": machine,
        "jobs": len(runs),
        "in_milliseconds": schedule.per_second > 1,
        "peak": peak,
        "over_from": over_from,
        **faults,
        "set_larger": sum(_width(r) > r.size for r in runs if r.resources),
        "past_estimate": sum(r.end - r.start > r.estimate + slack for r in runs if r.estimate >= 0),
        "never_ran": schedule.left_out,
        **sets,
    }


def _overlaps(run):
    pieces = sorted([*run.earlier, (run.start, run.end)])
    return any(before[1] > after[0] for before, after in zip(pieces, pieces[1:]))


def _width(run):
    return sum(last + 1 - first for first, last in run.resources)


def _length(parts):
    total, reached = 0, -1
    for first, last in sorted(parts):
        total += max(last - max(first, reached + 1) + 1, 0)
        reached = max(reached, last)
    return total


def _against(schedule, log):
    """Return the number of jobs that differ from those of the log, by kind."""
    jobs = {run.name: run for run in log.runs}
    count = Counter(missing=len(set(jobs) - {run.name for run in schedule.runs}))
    ratio = schedule.per_second / log.per_second
    shift = schedule.seconds(0) - log.seconds(0)
    for run in schedule.runs:
        job = jobs.get(run.name)
        if job is None:
            count["unknown"] += 1
            continue
        submit = job.submit / log.per_second - shift
        length = (job.end - job.start) * ratio
        cut = min(length, job.estimate * ratio) if job.estimate >= 0 else length
        ran = run.end - run.start
        slack = TOLERANCE * schedule.per_second
        count["other_submission"] += abs(submit * schedule.per_second - run.submit) > slack
        count["other_size"] += run.size < job.size
        resumed = bool(run.earlier)
        count["other_run_time"] += not resumed and min(abs(ran - length), abs(ran - cut)) > slack
    return {
        key: count[key]
        for key in ("missing", "unknown", "other_submission", "other_size", "other_run_time")
    }


def shared(schedule):
    """Return the pairs of jobs that hold the same resource at the same time.

    A job that takes a resource from several jobs is listed with each; resources that it took so are
    compared no further.

    Returns
    -------
    list of dict
        ``jobs``: the names of both; ``resource``: the first that they share; ``since`` and
        ``until``, s.
    """
    runs = schedule.runs
    pairs, running = {}, []
    held = []  # (first, last, job) of running jobs, ascending and disjoint
    for job in sorted(range(len(runs)), key=lambda k: runs[k].start):
        start, end = runs[job].start, runs[job].end
        while running and running[0][0] <= start:
            del held[bisect.bisect_left(held, heapq.heappop(running)[1])]
        for first, last in (runs[job].resources or ()) if start < end else ():
            k = bisect.bisect_left(held, (first,))
            k -= k > 0 and held[k - 1][1] >= first
            taken = list(itertools.takewhile(lambda part: part[0] <= last, held[k:]))
            for begin, _, holder in taken:
                pairs.setdefault((holder, job), max(first, begin))
            if not taken:
                held.insert(k, (first, last, job))
                heapq.heappush(running, (end, held[k]))
    return [
        {
            "jobs": [runs[job].name for job in pair],
            "resource": resource,
            "since": schedule.seconds(runs[pair[1]].start),
            "until": schedule.seconds(min(runs[job].end for job in pair)),
        }
        for pair, resource in pairs.items()
    ]


def as_jobs(schedule, machine=None):
    """Return the jobs of a schedule in queue order, those with a start and end, and the machine.

    Jobs without an estimate are planned with their run times.

    Raises
    ------
    AuditError
        If the machine is unknown.
    """
    machine = machine or schedule.machine
    if not machine:
        raise AuditError(f"{schedule.path}: the machine is unknown; give --processors")
    jobs = []
    for place, run in enumerate(schedule.runs):
        whole = run.name.isdecimal() and len(run.name) < 19
        length = run.end - run.start
        estimate = run.estimate if run.estimate >= 0 else length
        number = int(run.name) if whole else place
        job = Job(number, run.submit, run.size, estimate, length, run.user, place)
        job.start, job.end, job.plan = run.start, run.end, estimate
        jobs.append(job)
    if len({job.number for job in jobs}) < len(jobs):
        for job in jobs:
            job.number = job.place
    jobs.sort(key=lambda job: (job.submit, job.number))
    for rank, job in enumerate(jobs):
        job.rank = rank
    return jobs, machine


def rules_of_starts(schedule, machine=None):
    """Return by which rule each job starts, a key of `STARTS`, by its place in the file.

    The queue and the running jobs are those of the schedule; the reservation of the blocked head is
    that of EASY with the users' estimates (E7 to E9).
    """
    jobs, machine = as_jobs(schedule, machine)
    earlier = [(start, end, job) for job in jobs for start, end in schedule.runs[job.place].earlier]
    begins = [(job.start, job.end, job) for job in jobs]
    times = sorted({job.start for job in jobs})
    pieces = sorted([*begins, *earlier], key=lambda piece: (piece[0], piece[2].rank))
    queue, running, rules = [], [], {}
    coming, next_piece = 0, 0
    for now in times:
        while coming < len(jobs) and jobs[coming].submit <= now:
            queue.append(jobs[coming])
            coming += 1
        while next_piece < len(pieces) and pieces[next_piece][0] < now:
            running.append(pieces[next_piece])
            next_piece += 1
        # A preempted run that begins now is no start for good, but holds its processors.
        k = next_piece
        while k < len(pieces) and pieces[k][0] == now:
            if pieces[k][1] != pieces[k][2].end or pieces[k][0] != pieces[k][2].start:
                running.append(pieces[k])
                del pieces[k]
            else:
                k += 1
        running = [piece for piece in running if piece[1] > now]
        held = [(max(start + job.plan, now), job) for start, _, job in running]
        free = machine - sum(job.size for _, job in held)
        starting = {job for job in queue if job.start == now}
        free = _explain_starts(now, queue, starting, held, free, rules)
        queue = [job for job in queue if job not in starting]
    return rules


def _explain_starts(now, queue, starting, held, free, rules):
    """Note the rule of each job that starts now; return the free processors."""
    waiting = list(queue)
    first = 0
    while first < len(waiting) and waiting[first] in starting and waiting[first].size <= free:
        job = waiting[first]
        rules[job.place] = "head"
        if job.end > now:
            free -= job.size
            held.append((now + job.plan, job))
        first += 1
    others = [job for job in waiting[first:] if job in starting]
    if not others:
        return free
    head = waiting[first]
    shadow, extra = reservation(head, free, held)
    for job in others:
        if head.size <= free and head not in starting:
            rules[job.place] = "past-fitting-head"
        elif now + job.plan <= shadow:
            rules[job.place] = "in-time"
        elif job.size <= extra:
            rules[job.place] = "extra"
            extra -= job.size
        else:
            rules[job.place] = "against-reservation"
        free -= job.size
    return free


def reservation(head, free, held):
    """Return shadow time and extra processors of a blocked head; `held` lists planned ends."""
    available, shadow = free, None
    for end, job in sorted(held, key=lambda pair: (pair[0], pair[1].rank)):
        if shadow is not None and end > shadow:
            break
        available += job.size
        if shadow is None and available >= head.size:
            shadow = end
    return (NEVER, 0) if shadow is None else (shadow, available - head.size)


def delays(schedule, machine=None, latency=0):
    """Return how often jobs at the head of the queue, in the order of submission, were delayed.

    Parameters
    ----------
    schedule : conformance.formats.Schedule
    machine : int, processors, optional
    latency : float, s
        Time that the scheduler may take to start a job that fits.

    Returns
    -------
    dict
        ``blocked``: jobs that waited at the head of the queue. Of these, ``head_delayed``: jobs
        that lacked processors which later jobs held, for longer than the latency, and
        ``head_delay``: their mean time so, s; ``idle_delayed``: other jobs for which enough
        processors were idle for longer than the latency, and ``idle_delay``: their mean time so, s;
        ``within_latency``: further jobs that could have started earlier. Means over no jobs are 0.
    """
    jobs, machine = as_jobs(schedule, machine)
    steps, unit = _usage(schedule), schedule.per_second
    times = [time for time, _ in steps]
    reached, others = jobs[0].submit if jobs else 0, []
    blocked, head, idle, within = 0, [], [], 0
    for job in jobs:
        since = max(job.submit, reached)
        others = [holder for holder in others if holder.end > since]
        if job.start > since:
            blocked += 1
            earliest = _earliest(job, since, others, machine)
            late = job.start - earliest
            lacked = 0
            if late > 0:
                first = max(bisect.bisect_right(times, earliest) - 1, 0)
                last = bisect.bisect_left(times, job.start)
                for k in range(first, last):
                    until = min(times[k + 1] if k + 1 < len(times) else job.start, job.start)
                    if steps[k][1] + job.size > machine:
                        lacked += until - max(times[k], earliest)
                if lacked > latency * unit:
                    head.append(lacked / unit)
                elif late - lacked > latency * unit:
                    idle.append((late - lacked) / unit)
                else:
                    within += 1
        reached = max(reached, job.start)
        others.append(job)
    return {
        "blocked": blocked,
        "head_delayed": len(head),
        "head_delay": sum(head) / len(head) if head else 0,
        "idle_delayed": len(idle),
        "idle_delay": sum(idle) / len(idle) if idle else 0,
        "within_latency": within,
    }


def _usage(schedule):
    """Return instants and the processors in use from each on, a list of pairs."""
    steps = Counter()
    for run in schedule.runs:
        for start, end in [(run.start, run.end), *run.earlier]:
            steps[start] += run.size
            steps[end] -= run.size
    return list(zip(sorted(steps), itertools.accumulate(steps[time] for time in sorted(steps))))


def _earliest(job, since, others, machine):
    """Return the first instant from `since` on at which earlier jobs leave the job its room."""
    used = sum(holder.size for holder in others)
    needed = used + job.size - machine
    if needed <= 0:
        return since
    for holder in sorted(others, key=lambda holder: holder.end):
        needed -= holder.size
        if needed <= 0:
            return holder.end
    return job.start


def compare_with(schedule, rules, machine=None):
    """Return how a schedule differs from the one of a scheduler with these rules.

    Returns
    -------
    dict
        ``rules``: text; ``same``: number of jobs with the same start; ``first``: of the jobs that
        differ the one that starts first in either schedule, with its ``job``, ``start`` and
        ``expected`` start, s, or None if it would never start; None if the schedules are equal.
    """
    jobs, machine = as_jobs(schedule, machine)
    expected = simulate(jobs, machine, rules)
    slack = TOLERANCE * schedule.per_second if schedule.per_second > 1 else 0
    late = {number: NEVER for number, start in expected.items() if start is None}
    expected = {**dict.fromkeys((job.number for job in jobs), NEVER), **expected, **late}
    wrong = [job for job in jobs if abs(job.start - expected[job.number]) > slack]
    difference = None
    if wrong:
        job = min(wrong, key=lambda job: min(job.start, expected[job.number]))
        never = expected[job.number] == NEVER
        difference = {
            "job": schedule.runs[job.place].name,
            "start": schedule.seconds(job.start),
            "expected": None if never else schedule.seconds(expected[job.number]),
        }
    return {"rules": str(rules), "same": len(jobs) - len(wrong), "first": difference}


def schedulers_of(schedule, machine=None):
    """Return the rules that give exactly this schedule, and for how many jobs this was tried.

    Tried are the schedulers one change from EASY, FCFS and conservative backfilling, in logs of up
    to `FEW` jobs those two changes from EASY, and the rules of published simulators. Most are ruled
    out by the first jobs alone: what is submitted later changes no earlier start. Plans of
    conservative backfilling are made for the first `PLANNED` jobs only.

    Returns
    -------
    list of (conformance.rules.Rules, int)
        Those with the fewest rules.
    """
    jobs, machine = as_jobs(schedule, machine)
    bases = [Rules.of({"scheduler": name}) for name in ("easy", "fcfs", "conservative")]
    pool = [*bases, *map(Rules.of, PUBLISHED), Rules.of({"scheduler": "largest-area-first"})]
    singles = [(base, change) for base in bases for change in OTHERS]
    pool += [change.of(base) for base, change in singles if base["scheduler"] in change.schedulers]
    shortest = Rules.of({"candidates": "shortest"})
    pool += [rules | shortest for rules in pool if rules["scheduler"] == "easy"]
    if len(jobs) <= FEW:
        pairs = itertools.combinations([o for o in OTHERS if "easy" in o.schedulers], 2)
        pool += [b.of(a.of(Rules())) for a, b in pairs]
    starts = {job.number: job.start for job in jobs}
    for number in sorted({len(rules.chosen) for rules in pool}):
        left = list(dict.fromkeys(rules for rules in pool if len(rules.chosen) == number))
        matches, count = [], 30
        while left:
            horizon = jobs[count].submit if count < len(jobs) else NEVER
            part = jobs[:count]
            left = [rules for rules in left if _agrees(part, machine, rules, starts, horizon)]
            done = [rules for rules in left if count >= _most(rules, len(jobs))]
            matches += [(rules, min(count, len(jobs))) for rules in done]
            left = [rules for rules in left if rules not in done]
            count *= 4
        if matches:
            return matches
    return []


def _most(rules, count):
    return min(count, PLANNED) if rules["scheduler"] == "conservative" else count


def _agrees(jobs, machine, rules, starts, horizon):
    expected = simulate(jobs, machine, rules)
    for job in jobs:
        start = expected.get(job.number)  # None for one that is dropped, or that never starts
        start = NEVER if start is None else start
        if start != starts[job.number] and min(start, starts[job.number]) < horizon:
            return False
    return True


def compare(first, second):
    """Return how two schedules of the same jobs differ; jobs are matched by their names.

    Waits are compared rather than starts, since programs begin to count time at different instants.

    Returns
    -------
    dict
        ``same``: whether the schedules are equal; ``matched``, ``only_first``, ``only_second``,
        ``other_size``, ``other_run_time``, ``same_wait``: numbers of jobs; ``mean_wait`` (s) and
        ``mean_bounded_slowdown`` of the matched jobs, pairs; ``first``: name and waits (s) of the
        job that differs and starts first.

    Raises
    ------
    AuditError
        If a job is repeated in a file, or no job is in both.
    """
    both = []
    for schedule in (first, second):
        count = Counter(run.name for run in schedule.runs)
        job, times = count.most_common(1)[0]
        if times > 1:
            raise AuditError(f"{schedule.path}: {times} jobs have number {job}; expected one")
        both.append({run.name: (schedule, run) for run in schedule.runs})
    names = [name for name in both[0] if name in both[1]]
    if not names:
        raise AuditError(
            f"{first.path} and {second.path} have no job in common: "
            f"{next(iter(both[0]))}, ... and {next(iter(both[1]))}, ..."
        )
    rows = []
    for name in names:
        pair = [both[k][name] for k in (0, 1)]
        waits = [(run.start - run.submit) / s.per_second for s, run in pair]
        lengths = [(run.end - run.start) / s.per_second for s, run in pair]
        rows.append((name, pair[0][0].seconds(pair[0][1].start), waits, lengths, pair))
    differ = [row for row in rows if abs(row[2][0] - row[2][1]) > TOLERANCE]
    counts = {
        "matched": len(names),
        "only_first": len(first.runs) - len(names),
        "only_second": len(second.runs) - len(names),
        "other_size": sum(row[4][0][1].size != row[4][1][1].size for row in rows),
        "other_run_time": sum(abs(row[3][0] - row[3][1]) > TOLERANCE for row in rows),
        "same_wait": len(rows) - len(differ),
    }
    earliest = min(differ, key=lambda row: row[1] - max(row[2][0] - row[2][1], 0), default=None)
    slowdowns = [
        [max((row[2][k] + row[3][k]) / max(row[3][k], 10), 1) for row in rows] for k in (0, 1)
    ]
    return {
        "same": not differ and not sum(list(counts.values())[1:5]),
        **counts,
        "mean_wait": [sum(row[2][k] for row in rows) / len(rows) for k in (0, 1)],
        "mean_bounded_slowdown": [sum(values) / len(rows) for values in slowdowns],
        "first": earliest and {"job": earliest[0], "waits": earliest[2]},
    }
