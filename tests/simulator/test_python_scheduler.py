"""Schedulers in Python on the public event loop: their rules, their errors,
and the places that take them.
"""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from notebooks import audits
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedulers.event_loop import earliest_start
from replication.simulator.workload import generator
from tests.users_scheduler import Own
from tests.workloads import jobs, random_jobs

PREDICTORS = [rp.Estimate(), rp.Last(), rp.Clairvoyant(), rp.CVH(), rp.Biased(rp.Tsafrir(), 0.5)]
CROWD = random_jobs(300, 8, 4000, 200, 400)


class OnlineMean(rp.Predictor, name="online-mean"):
    """The mean of all run times so far."""

    def start(self, workload):
        self.seen = []

    def predict(self, job, now):
        return sum(self.seen) / len(self.seen) if self.seen else job.estimate

    def learn(self, job, now):
        self.seen.append(job.run_time)


@pytest.mark.parametrize(
    ("refresh", "correction"),
    [("pass", "estimate"), ("submission", "tsafrir"), ("pass", "doubling"), ("submission", "now")],
)
@pytest.mark.parametrize("predictor", [*PREDICTORS, OnlineMean()], ids=repr)
def test_easy_in_ten_lines_equals_easy(predictor, refresh, correction):
    options = {"predictor": predictor, "refresh": refresh, "correction": correction}
    kernel, own = rp.simulate(CROWD, rp.EASY(**options)), rp.simulate(CROWD, Own(**options))
    assert own.start.tolist() == kernel.start.tolist()
    assert own.backfilled.tolist() == kernel.backfilled.tolist()
    assert own.prediction.tolist() == kernel.prediction.tolist()
    assert own.first_prediction.tolist() == kernel.first_prediction.tolist()


def test_slack_shortens_the_wait_of_small_jobs_at_the_heads_expense():
    workload = jobs(4, (0, 10, 3), (1, 5, 4), (2, 12, 1))
    assert rp.simulate(workload, Own()).start.tolist() == [0, 10, 15]
    assert rp.simulate(workload, Own(slack=4)).start.tolist() == [0, 14, 2]
    assert rp.simulate(workload, Own(slack=3)).start.tolist() == [0, 10, 15]


def test_a_preempted_job_returns_to_its_place_and_repeats_its_work():
    class Preempting(rp.PythonScheduler, name="preempting"):
        def schedule(self, now):
            if now == 0:
                return self.begin(self.queue[1])
            for job in self.running if now == 4 else ():
                self.end(job)
            for job in self.queue:
                if job.size <= self.free:
                    self.begin(job)

    run = rp.simulate(jobs(4, (0, 10, 3), (0, 6, 3), (4, 1, 1)), Preempting())
    assert run.start.tolist() == [4, 14, 4]
    assert run.backfilled.tolist() == [False, False, True]
    assert run.times_killed.tolist() == [0, 1, 0]
    assert run.killed_runs.tolist() == [[1, 0, 4]]
    with pytest.raises(SchedulerError, match="allowed with end: predictors without a method begin"):
        rp.simulate(jobs(4, (0, 10, 3), (0, 6, 3), (4, 1, 1)), Preempting(predictor=rp.CVH()))


def test_it_runs_where_schedulers_run(tmp_path):
    table = rp.compare(CROWD, [rp.EASY(), Own(), Own(slack=50, predictor=rp.Last())])
    assert table["mean_wait"][0] == table["mean_wait"][1] != table["mean_wait"][2]
    swept = rp.sweep([CROWD], [rp.EASY(), Own()], [rp.Perfect(), rp.FModel(2)], seeds=2)
    waits = swept.pivot_table(index=["estimates", "seed"], columns="scheduler", values="mean_wait")
    assert len(waits) == 3 and (waits["EASY()"] == waits["Own()"]).all()
    schedule = rp.simulate(CROWD, Own())
    assert audits.alone(schedule).tolist() == audits.alone(rp.simulate(CROWD)).tolist()
    assert rp.Scheduler.check("Own(60, predictor=Last())") == Own(60, predictor=rp.Last())
    assert schedule.provenance["scheduler"] == "Own()"


def test_it_is_a_value_with_options_and_without_state():
    own = Own(slack=5)
    assert own == Own(5) and hash(own) == hash(Own(5)) and repr(own) == "Own(slack=5)"
    rp.simulate(CROWD, own)
    assert not hasattr(own, "queue")
    with pytest.raises(FrozenInstanceError, match="cannot assign to the option 'slack'"):
        own.slack = 3
    with pytest.raises(SchedulerError, match="Own has no option 'slak'"):
        Own(slak=3)
    assert "pythonscheduler" not in rp.Scheduler.members


def test_options_with_a_state_are_copied_for_each_simulation():
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
    assert first == again and own.counter.count == 0


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


THREE = jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))


@pytest.mark.parametrize("name", ["jobs", "free", "length", "reservation", "planned", "seed"])
def test_an_option_or_attribute_with_a_name_of_the_loop_is_refused(name):
    for body in ({"__annotations__": {name: int}, name: 3}, {name: ()}):
        with pytest.raises(SchedulerError, match=f"Taken.{name}: .* expected another"):
            type("Taken", (rp.PythonScheduler,), body)
    assert "taken" not in rp.Scheduler.members


@pytest.mark.parametrize(
    ("where", "name"),
    [
        *(("prepare", name) for name in ("jobs", "start", "free", "queue", "now", "most")),
        *(("schedule", name) for name in ("jobs", "start", "free", "running", "most")),
    ],
)
def test_state_with_a_name_of_the_loop_or_of_an_option_is_named(where, name):
    class Colliding(Own, name=""):
        most: int = 2

        def prepare(self, workload):
            if where == "prepare":
                setattr(self, name, {})

        def schedule(self, now):
            if where == "schedule":
                setattr(self, name, {})
            super().schedule(now)

    with pytest.raises(SchedulerError, match=rf"Colliding\(\) assigns to self.{name}, "):
        rp.simulate(THREE, Colliding())
    assert Colliding().most == 2


def test_private_names_of_a_scheduler_are_its_own():
    class Private(Own, name=""):
        def prepare(self, workload):
            for name in ("timers", "end", "planned", "begun", "submitted", "predictor", "leave"):
                setattr(self, f"_{name}", None)

    assert rp.simulate(CROWD, Private()).start.tolist() == rp.simulate(CROWD).start.tolist()


def test_a_job_that_is_taken_off_the_queue_and_never_begins_is_named():
    class Dropping(Own, name=""):
        def schedule(self, now):
            self.queue = tuple(job for job in self.queue if job.id != 3)
            super().schedule(now)

    with pytest.raises(SchedulerError, match="job 3 waits at the end and never begins"):
        rp.simulate(THREE, Dropping())


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


@settings(deadline=None)
@given(
    taken=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(1, 3)), max_size=7),
    size=st.integers(1, 4),
    length=st.integers(1, 5),
    now=st.integers(0, 4),
)
def test_the_earliest_start_is_the_first_second_from_which_all_are_free(taken, size, length, now):
    taken = [(start, start + lasts, processors) for start, lasts, processors in taken]
    used = [sum(p for start, end, p in taken if start <= second < end) for second in range(99)]
    expected = next(
        second
        for second in range(now, 90)
        if all(size + one <= 4 for one in used[second : second + length])
    )
    assert earliest_start(size, 4, taken, length, now) == expected
    assert earliest_start(5, 4, taken, length, now) == math.inf


def test_many_timers_take_no_time_of_their_own():
    class Timed(Own, name=""):
        def prepare(self, workload):
            for second in range(1, 50_000):
                self.wake(second)
                self.wake(second)

    run = rp.simulate(jobs(4, (0, 60_000, 3), (1, 5, 4), (2, 3, 1)), Timed())
    assert run.start.tolist() == [0, 60_000, 2]


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
    assert noted == [
        (0, {}, [1]),
        (1, {}, [2]),
        (2, {}, [3]),
        (5, {3: 3}, []),
        (9, {3: 3, 1: 9}, []),
        (14, {3: 3, 1: 9, 2: 5}, []),
    ]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: s.begin(s.jobs[1]), "job 2 cannot begin at 0 s: it does not wait"),
        (
            lambda s: s.now and s.begin(s.queue[0]),
            "job 2 cannot begin at 1 s: it needs 4 of 1 free processors",
        ),
        (lambda s: s.end(s.jobs[2]), "job 3 cannot end at 0 s: it does not run"),
        (lambda s: None, "job 1 waits at the end and never begins"),
    ],
)
def test_what_no_machine_could_do_is_refused(act, message):
    class Wrong(rp.PythonScheduler, name=f"wrong-{message}"):
        def schedule(self, now):
            act(self)
            if self.queue and message[4] != "1":
                self.begin(self.queue[0])

    with pytest.raises(SchedulerError, match=message):
        rp.simulate(THREE, Wrong())


def test_an_exception_names_the_scheduler_and_the_time():
    class Failing(rp.PythonScheduler, name="failing-schedule"):
        def schedule(self, now):
            self.begin(self.queue[3])

    with pytest.raises(IndexError) as error:
        rp.simulate(THREE, Failing())
    assert error.value.__notes__ == ["in Failing().schedule at 0 s"]
