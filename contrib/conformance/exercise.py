"""The event loop and the grader of `exercise.ipynb`: a student writes what happens in one pass."""

import heapq
from types import SimpleNamespace

from conformance import report, suite

#: A question for each sentence, to be asked when a log on it fails; none of them is the answer.
HINTS = {
    "E2": "The loop takes the events of an instant together. Do you keep anything from one pass to "
    "the next?",
    "E3": "A job of run time 0 has ended before the next pass of the same instant. Does your code "
    "count on a later time in each pass?",
    "E4": "The queue comes in the right order. Do you sort it by something else?",
    "E5": "When the first job has started, another one is first. Does it get its chance now?",
    "E6": "Which jobs may start when the first one does not fit?",
    "E7": "For how many jobs do you set processors aside, and when do you do so anew?",
    "E8": "Sort the running jobs by the end that you expect. After which end is there room for "
    "the blocked job?",
    "E9": "Several jobs may be expected to end in the same second. How many of them do you count?",
    "E10": "In which order do you try the jobs behind the blocked one, and how often?",
    "E11": "A job that ends when the blocked job is to start is in nobody's way.",
    "E12": "How many processors does the blocked job leave free when it starts? What is left of "
    "them after one job has taken some, and does a job take any if it is gone by then?",
    "E13": "Which jobs of the list that you return have started before?",
    "E14": "You know estimates only. Do you use a number that only the machine knows?",
    "E15": "A job may run past its estimate. When do you expect its end, once its estimated end is "
    "past?",
}


class Mistake(Exception):
    """A pass that returns what cannot start."""


def simulate(schedule, jobs, processors):
    """Return the start of each job by its number, s.

    Parameters
    ----------
    schedule : callable
        Takes the time, the waiting and the running jobs and the free processors; returns the jobs
        to start. A job has a number, size, submit and estimate, and a start if it runs.
    jobs : list of conformance.easy.Job
    processors : int
    """
    coming = sorted(jobs, key=lambda arrival: (arrival.submit, arrival.number))
    queue, running, ends, starts, free = [], [], [], {}, processors
    while coming or ends:
        now = min([arrival.submit for arrival in coming[:1]] + [end for end, _, _ in ends[:1]])
        while ends and ends[0][0] == now:
            ended = heapq.heappop(ends)[2]
            running.remove(ended)
            free += ended.size
        while coming and coming[0].submit == now:
            arrival = coming.pop(0)
            job = SimpleNamespace(number=arrival.number, size=arrival.size)
            job.submit, job.estimate = arrival.submit, arrival.estimate
            queue.append((job, arrival.run_time))
        waiting = [job for job, _ in queue]
        for job in schedule(now, list(waiting), list(running), free) or ():
            if not any(job is j for j in waiting):
                raise Mistake(f"at {now} s: {job!r} does not wait, or was returned twice")
            if job.size > free:
                raise Mistake(f"at {now} s: job {job.number} needs {job.size} of {free} processors")
            place = next(k for k, (j, _) in enumerate(queue) if j is job)
            waiting.remove(job)
            run_time = queue.pop(place)[1]
            job.start = starts[job.number] = now
            free -= job.size
            running.append(job)
            heapq.heappush(ends, (now + run_time, job.number, job))
    return starts


def grade(schedule, levels=("easy",)):
    """Print which logs a pass gets right, with the first failure and a hint; return the share."""
    chosen = [pair for level in levels for pair in suite.choose(level)]
    # The loop, which is given, takes care of most that E2 to E4 say.
    chosen.sort(key=lambda pair: pair[0].sentence in ("E2", "E3", "E4"))
    passed = 0
    for log, rules in chosen:
        try:
            starts = simulate(schedule, *log.jobs())
        except Mistake as mistake:
            print(f"{log.name}: {mistake}.")
            break
        result = suite.Result(log, rules, log.expected(rules), starts)
        if not result.passed:
            print(
                "\n".join([*report.lines_of(report.failure(result))[:2], *report.pictures(result)])
            )
            print(f"\nHint: {HINTS[log.sentence]}")
            break
        passed += 1
    print(f"\n{passed} of {len(chosen)} logs, in their order, are as expected.")
    return passed / len(chosen)
