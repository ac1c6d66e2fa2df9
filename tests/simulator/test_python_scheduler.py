"""Schedulers of users in Python: their rules, their errors, and the functions that take them."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import replication as rp
from notebooks import audits
from replication.simulator.schedulers import SchedulerError
from replication.simulator.workload import generator
from tests.simulator.test_differential import CHANGING
from tests.workloads import jobs, random_jobs


class Own(rp.PythonScheduler, name="own"):
    """EASY with a slack."""

    slack: int = 0

    def schedule(self, now):
        time, extra = math.inf, 0
        for job in self.queue:
            in_time = now + self.planned(job) <= time
            if job.size <= self.free and (in_time or job.size <= extra):
                self.begin(job)
                extra -= 0 if in_time else job.size
            elif time == math.inf:
                time, extra = self.reservation(job)
                time += self.slack


CROWD = random_jobs(300, 8, 4000, 200, 400)
THREE = jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))
REFRESH, CORRECTIONS = ("pass", "submission"), ("estimate", "tsafrir", "doubling", "now")
PREDICTORS = [rp.Estimate(), rp.Last(), rp.CVH(), rp.Biased(rp.Tsafrir(), 0.5), *CHANGING]


@pytest.mark.parametrize("k", range(8))
def test_easy_in_ten_lines_equals_easy(k):
    options = {
        "predictor": PREDICTORS[k],
        "refresh": REFRESH[k % 2],
        "correction": CORRECTIONS[k // 2],
    }
    kernel, own = rp.simulate(CROWD, rp.EASY(**options)), rp.simulate(CROWD, Own(**options))
    for column in ("start", "backfilled", "prediction", "first_prediction"):
        assert getattr(own, column).tolist() == getattr(kernel, column).tolist()


def test_it_runs_where_schedulers_run():
    given = {"seeds": 2, "folder": None, "trim": False}
    swept = rp.sweep([THREE], [rp.EASY(), Own()], [rp.Perfect(), rp.FModel(2)], **given)
    waits = swept.pivot_table(index=["estimates", "seed"], columns="scheduler", values="mean_wait")
    assert len(waits) == 3 and (waits["EASY()"] == waits["Own()"]).all()
    schedule = rp.simulate(CROWD, Own())
    some = range(0, 300, 60)
    alone = audits.alone(rp.simulate(CROWD), some)
    assert audits.alone(schedule, some).tolist() == alone.tolist()
    assert rp.Scheduler.check("Own(60, predictor=Last())") == Own(60, predictor=rp.Last())
    assert schedule.provenance["scheduler"] == "Own()"


def test_it_is_a_value_whose_state_lasts_one_simulation():
    class Counter:
        count = 0

    class Counted(rp.PythonScheduler, name=""):
        counter: object = Counter()

        def schedule(self, now):
            self.counter.count += 1
            for job in self.queue if self.counter.count > 2 else ():
                if job.size <= self.free:
                    self.begin(job)

    own = Counted()
    first, again = (rp.simulate(CROWD, own).start.tolist() for _ in range(2))
    assert first == again and own.counter.count == 0 and not hasattr(own, "queue")
    assert Own(slack=5) == Own(5) and hash(Own(5)) == hash(Own(slack=5))
    assert repr(Own(5)) == "Own(slack=5)" and "pythonscheduler" not in rp.Scheduler.members
    with pytest.raises(FrozenInstanceError, match="cannot assign to the option 'slack'"):
        Own().slack = 3


def test_random_numbers_depend_on_the_seed():
    class Drawn(rp.PythonScheduler, name="drawn"):
        draws_at_random = True

        def prepare(self, workload):
            self.draw = generator("drawn", self.seed).random(len(workload))

        def schedule(self, now):
            for job in sorted(self.queue, key=lambda job: self.draw[job.index]):
                if job.size <= self.free:
                    self.begin(job)

    first, again, other = (rp.simulate(CROWD, Drawn(), seed=seed).start for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)

    class Undeclared(Drawn, name="undeclared"):
        draws_at_random = False

    with pytest.raises(SchedulerError, match=r"Undeclared\(\) reads seed; its class lacks"):
        rp.simulate(CROWD, Undeclared())


@pytest.mark.parametrize("name", ["jobs", "free", "reservation", "seed"])
def test_an_option_or_attribute_with_a_name_of_the_loop_is_refused(name):
    for body in ({"__annotations__": {name: int}, name: 3}, {name: ()}):
        with pytest.raises(SchedulerError, match=f"Taken.{name}: .* expected another"):
            type("Taken", (rp.PythonScheduler,), body)
    assert "taken" not in rp.Scheduler.members


@pytest.mark.parametrize("where", ["prepare", "schedule"])
@pytest.mark.parametrize("name", ["jobs", "start", "free", "slack", "_timers", "_planned"])
def test_state_with_a_name_of_the_loop_or_of_an_option_is_refused(where, name):
    class Colliding(Own, name=""):
        def prepare(self, workload):
            if where == "prepare":
                setattr(self, name, {})

        def schedule(self, now):
            if where == "schedule":
                setattr(self, name, {})
            super().schedule(now)

    if name.startswith("_"):  # its own
        assert rp.simulate(THREE, Colliding()).start.tolist() == [0, 9, 2]
    else:
        with pytest.raises(SchedulerError, match=rf"Colliding\(\) assigns to self.{name}, "):
            rp.simulate(THREE, Colliding())


def test_a_reservation_if_another_job_began_and_among_some_jobs():
    found = []

    class Asking(rp.PythonScheduler, name=""):
        def schedule(self, now):
            for job in self.queue if now != 1 else ():
                if job.size <= self.free:
                    self.begin(job)
            if now == 1:
                head, small = self.queue
                found.append(self.reservation(head))
                found.append(self.reservation(head, begun=[small]))
                found.append(self.reservation(small, among=self.running[:1], free=0))
                found.append(self.reservation(head, among=self.running[:1], free=3))
                found.append(self.earliest_start(head))
                found.append(self.earliest_start(small))
                found.append(self.earliest_start(small, [(4, 14, 4)]))
                found.append(self.earliest_start(small, [(4, 14, 4)], length=3))

    # Jobs of 2 run until 10 and 12 on 8 processors; at 1 come one of 6 and one of 2 for 30 s.
    rp.simulate(jobs(8, (0, 10, 2), (0, 12, 2), (1, 5, 6), (1, 30, 2)), Asking())
    assert found == [(10, 0), (12, 0), (10, 0), (math.inf, 0), 10, 1, 10, 1]


def test_the_end_of_a_job_can_be_noted():
    class Noting(Own, name=""):
        def prepare(self, workload):
            self.ran = {}

        def note_events(self, ended, submitted, corrected):
            for job in ended:
                self.ran[job.id] = self.now - self.start[job.index]
                assert job not in self.running
            noted.append((self.now, dict(self.ran), [job.id for job in submitted]))

    noted = []
    rp.simulate(THREE, Noting())
    submissions = [(0, {}, [1]), (1, {}, [2]), (2, {}, [3])]
    assert noted == [
        *submissions,
        (5, {3: 3}, []),
        (9, {3: 3, 1: 9}, []),
        (14, {3: 3, 1: 9, 2: 5}, []),
    ]


def drop(loop):
    loop.queue = tuple(job for job in loop.queue if job.id != 3)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: s.begin(s.jobs[1]), "job 2 cannot begin at 0 s: it does not wait"),
        (lambda s: s.now and s.begin(s.queue[0]), "job 2 .* at 1 s: it needs 4 of 1 free proc"),
        (lambda s: s.end(s.jobs[2]), "job 3 cannot end at 0 s: it does not run"),
        (lambda s: s.end(s.jobs[0]), "job 1 cannot end at 0 s: it does not run"),
        (drop, "job 3 waits at the end and never begins"),
    ],
)
def test_what_no_machine_could_do_is_refused(act, message):
    class Wrong(Own, name=""):
        def schedule(self, now):
            act(self)
            super().schedule(now)

    with pytest.raises(SchedulerError, match=message):
        rp.simulate(THREE, Wrong())


def test_jobs_are_preempted_without_a_predictor_that_is_notified_of_starts():
    class Preempting(Own, name=""):
        def schedule(self, now):
            for job in self.running if now == 1 else ():
                self.end(job)
            super().schedule(now)

    assert rp.simulate(THREE, Preempting()).killed_runs.tolist() == [[0, 0, 1]]
    with pytest.raises(SchedulerError, match="allowed with end: predictors without a method begin"):
        rp.simulate(THREE, Preempting(predictor=rp.CVH()))


@pytest.mark.parametrize("base", [rp.FCFS, rp.EASY, rp.OrderedEASY, rp.Conservative, rp.PVEasy])
def test_a_subclass_of_a_compiled_scheduler_is_refused(base):
    """Its methods would not be called."""
    with pytest.raises(SchedulerError, match=f"^Own: {base.__name__} is compiled .* PythonSched"):
        type("Own", (base,), {"run": lambda self, workload, estimate, seed: {}})
