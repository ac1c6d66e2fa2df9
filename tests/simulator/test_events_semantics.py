"""One test for each numbered sentence of docs/semantics/events.md,
and the second-by-second reference.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from replication.simulator.schedulers import SchedulerError
from tests.reference import instants
from tests.workloads import jobs, workloads


def simulated(workload, act, **options):
    """Return the schedule of a scheduler that calls act(self, now), and the times of its passes."""
    passes = []

    class Acting(rp.PythonScheduler, name="acting"):
        def schedule(self, now):
            passes.append(now)
            act(self, now)

    return rp.simulate(workload, Acting(**options)), passes


def begin_all(loop):
    for job in loop.queue:
        if job.size <= loop.free:
            loop.begin(job)


def at(second, do):
    """Return an act: do(loop) at a second, then begin all jobs that fit."""

    def act(loop, now):
        if now == second:
            do(loop)
        begin_all(loop)

    return act


def test_T1_a_timer_leads_to_one_pass_after_the_events_of_its_instant():
    def act(loop, now):
        if now == 0:
            for second in (3, 5, 7):
                loop.wake(second)
        if now >= 5:
            begin_all(loop)

    # The second job comes at 5, the first ends at 12: one pass at 5, with both jobs in the queue.
    run, passes = simulated(jobs(4, (0, 7, 2), (5, 1, 2)), act)
    assert run.start.tolist() == [5, 5]
    assert passes == [0, 3, 5, 6, 7, 12]


def test_T2_a_timer_set_twice_counts_once():
    def twice(loop):
        loop.wake(2)
        loop.wake(np.int64(2))

    assert simulated(jobs(4, (0, 5, 2)), at(0, twice))[1] == [0, 2, 5]


@pytest.mark.parametrize("second", [4, 5.5, "6", None, math.inf, 10**30])
def test_T3_a_timer_is_set_for_a_later_instant(second):
    message = r"wake .* at 4 s; expected a whole number from 5"
    with pytest.raises(SchedulerError, match=message):
        simulated(jobs(4, (4, 5, 2)), at(4, lambda loop: loop.wake(second)))


def test_T4_timers_do_not_prolong_a_simulation():
    def act(loop, now):
        loop.wake(now + 2)
        begin_all(loop)

    assert simulated(jobs(4, (0, 5, 2), (9, 0, 4)), act)[1] == [0, 2, 4, 5, 6, 7, 8, 9, 9]
    with pytest.raises(SchedulerError, match="job 1 still waits after 100,000 timers"):
        simulated(jobs(4, (0, 5, 2)), lambda loop, now: loop.wake(now + 1))


def test_T5_a_new_size_is_valid_at_once_and_leads_to_no_pass():
    workload = jobs(4, (0, 5, 2), (1, 5, 2))
    run, passes = simulated(workload, at(1, lambda loop: loop.resize(3)))
    assert run.start.tolist() == [0, 5] and passes == [0, 1, 5, 10]
    run, _ = simulated(workload, at(1, lambda loop: (loop.resize(3), loop.resize(4))))
    assert run.start.tolist() == [0, 1]


def test_T6_running_jobs_stay_when_the_machine_becomes_smaller():
    free = []

    def act(loop, now):
        loop.resize({0: 4, 1: 1, 6: 1, 8: 4}.get(now, loop.machine))
        if now == 1:
            loop.wake(8)
        free.append(loop.free)
        begin_all(loop)

    # At 1 the machine has one processor and three jobs run on four; the job of one processor waits
    # for the end of two of them, that of two processors for the old size.
    workload = jobs(4, (0, 5, 1), (0, 6, 1), (0, 7, 2), (1, 9, 2), (1, 3, 1))
    run, _ = simulated(workload, act)
    assert run.start.tolist() == [0, 0, 0, 8, 7]
    assert free == [4, -3, -2, -1, 1, 3, 2, 4]


def test_T7_a_job_larger_than_the_machine_is_now_has_no_reservation():
    seen = []

    def act(loop, now):
        if now == 1:
            loop.resize(2)
            loop.wake(4)
            seen.append(loop.reservation(loop.queue[0]))
        elif now == 4:
            loop.resize(4)
            seen.append(loop.reservation(loop.queue[0]))
        else:
            begin_all(loop)

    run, _ = simulated(jobs(4, (0, 9, 2), (1, 5, 3)), act)
    assert seen == [(math.inf, 0), (9, 1)] and run.start.tolist() == [0, 9]


@pytest.mark.parametrize("size", [-1, 5, 2.5, "3", None])
def test_T8_the_machine_has_at_most_the_processors_of_the_workload(size):
    message = r"resize .* at 0 s; expected a whole number from 0 to 4"
    with pytest.raises(SchedulerError, match=message):
        simulated(jobs(4, (0, 5, 2)), at(0, lambda loop: loop.resize(size)))
    run, _ = simulated(jobs(4, (0, 5, 2)), at(0, lambda loop: loop.resize(2)), refresh="pass")
    assert run.start.tolist() == [0]


def test_T9_a_preempted_job_returns_to_its_place_and_may_begin_again():
    act = at(2, lambda loop: loop.end(loop.running[0]))
    run, _ = simulated(jobs(4, (0, 9, 2), (0, 9, 2), (2, 1, 4)), act)
    assert run.start.tolist() == [2, 0, 11] and run.killed_runs.tolist() == [[0, 0, 2]]
    assert run.wait.tolist() == [2, 0, 9] and run.length is None


def test_T10_the_next_run_is_shorter_by_the_work_kept():
    def act(loop, now):
        if now in (4, 7):
            loop.end(loop.running[0], keep={4: 3, 7: 2}[now])
        begin_all(loop)

    workload = jobs(4, (0, 10, 4), (4, 1, 1), (7, 1, 1))
    run, _ = simulated(workload, act)
    # Runs of 4 and 3 s, of which 3 and 2 are kept; 5 are left.
    assert run.killed_runs.tolist() == [[0, 0, 4], [0, 4, 7]] and run.times_killed[0] == 2
    assert run.start.tolist() == [7, 12, 12] and run.end.tolist() == [12, 13, 13]
    assert run.length.tolist() == [5, 1, 1] and run.wait.tolist() == [2, 8, 5]
    for keep in (5, -1, 1.5, "1"):
        message = f"keep {keep!r} at 4 s; expected a whole number from 0 to 4"
        with pytest.raises(SchedulerError, match=message):
            simulated(workload, at(4, lambda loop, keep=keep: loop.end(loop.running[0], keep)))


def test_T11_a_job_of_which_work_is_kept_is_planned_with_the_rest_of_its_prediction():
    planned = []

    def act(loop, now):
        if now == 6:
            loop.end(loop.running[0], keep=6)
            planned.append((loop.planned(loop.queue[0]), loop.predicted(loop.queue[0])))
        begin_all(loop)
        if now == 6:
            planned.append(loop.planned(loop.running[0]))

    rows = (0, 20, 4, 30), (6, 1, 1, 1)
    run, _ = simulated(jobs(4, *rows), act)
    assert planned == [(24, 30), 24] and run.prediction.tolist() == [30, 1]
    # A prediction of 5 s is used up: 10 s by doubling, 30 s by the estimate, and not corrected.
    for correction, rest in (("doubling", 4), ("estimate", 24), ("now", 0)):
        planned.clear()
        options = {"predictor": rp.Virtual(0, -0.75), "correction": correction}
        run, _ = simulated(jobs(4, *rows), act, **options)
        assert planned == [(rest, 5), rest] and run.prediction.tolist() == [5, 1]


def test_T12_its_prediction_expires_when_all_its_runs_have_taken_that_long():
    ends = {}

    def act(loop, now):
        if now == 6:
            loop.end(loop.running[0], keep=4)
        begin_all(loop)
        ends[now] = [loop.planned_end(job) for job in loop.running[:1]]

    # Predicted 10 s, of which 4 are done at 6: to 12 s by the plan. From there on it is 20 s by
    # doubling, 16 of them left at 6.
    workload = jobs(4, (0, 20, 4, 40), (6, 1, 1, 1), (11, 1, 1, 1), (12, 1, 1, 1))
    run, _ = simulated(workload, act, predictor=rp.Virtual(0, -0.5), correction="doubling")
    assert [ends[now] for now in (0, 6, 11, 12)] == [[10], [12], [12], [22]]
    assert run.end[0] == 22


@settings(max_examples=150)
@given(
    workloads(most=15),
    st.dictionaries(st.integers(1, 40), st.integers(0, 12), max_size=4),
    st.integers(0, 3),
)
def test_the_event_loop_agrees_with_the_seconds(workload, sizes, modulus):
    """First fit; at some seconds the machine has another size,
    and in some passes a job is preempted.
    """
    sizes = {at: min(size, workload.machine) for at, size in sizes.items()}
    sizes[max(sizes, default=0) + 1] = workload.machine
    sizes = {at: size for at, size in sizes.items() if at > workload.submit[0]}
    size = workload.processors.tolist()
    passes = [0, 0]

    def choose(which, now, queue, running, free):
        """Preempt the job that started last, keep half of its run, and begin what fits."""
        passes[which] += 1
        preempted = []
        if modulus and running and passes[which] % 5 == modulus and passes[which] < 40:
            last = max(running, key=lambda job: (running[job], job))
            if now > running[last]:
                preempted = [(last, (now - running[last]) // 2)]
                free += size[last]
                queue = sorted([*queue, last])
        begun = []
        for job in queue:
            if size[job] <= free:
                begun.append(job)
                free -= size[job]
        return preempted, begun

    class FirstFit(rp.PythonScheduler, name="first-fit"):
        def prepare(self, workload):
            for at in sizes:
                self.wake(at)

        def schedule(self, now):
            self.resize(sizes.get(now, self.machine))
            running = {job.index: self.start[job.index] for job in self.running}
            queue = [job.index for job in self.queue]
            preempted, begun = choose(0, now, queue, running, self.free)
            for job, keep in preempted:
                self.end(self.jobs[job], keep)
            for job in begun:
                self.begin(self.jobs[job])

    run = rp.simulate(workload, FirstFit())
    by_job = [[] for _ in size]
    last = zip(range(len(size)), run.start.tolist(), run.end.tolist(), strict=True)
    for job, start, end in [*run.killed_runs.tolist(), *last]:
        by_job[job].append((start, end))
    seconds = instants.runs(workload, lambda *state: choose(1, *state), sizes)
    assert by_job == seconds and passes[0] == passes[1]
