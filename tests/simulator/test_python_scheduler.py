"""Schedulers of users in Python: their rules, their errors, and the functions that take them."""

import itertools
import math
from dataclasses import FrozenInstanceError

import pytest

import replication as rp
from notebooks import audits
from replication.simulator.schedulers import SchedulerError
from replication.simulator.workload import generator
from tests.extending import Backfilling
from tests.simulator.test_differential import CHANGING
from tests.workloads import jobs, random_jobs

CROWD = random_jobs(300, 8, 4000, 200, 400)
THREE = jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))
REFRESH, CORRECTIONS = ("pass", "submission"), ("estimate", "tsafrir", "doubling", "now")
PREDICTORS = [rp.Estimate(), rp.Last(), rp.CVH(), rp.Biased(rp.Tsafrir(), 0.5), *CHANGING]


@pytest.mark.parametrize("k", range(6))
def test_easy_in_ten_lines_equals_easy(k):
    options = {"refresh": REFRESH[k % 2], "correction": CORRECTIONS[k % 4]}
    options["predictor"] = PREDICTORS[k]
    easy, backfilling = (rp.simulate(CROWD, kind(**options)) for kind in (rp.EASY, Backfilling))
    for column in ("start", "backfilled", "prediction", "first_prediction"):
        assert getattr(backfilling, column).tolist() == getattr(easy, column).tolist()


def test_it_runs_in_sweeps_and_audits():
    schedulers, models = [rp.EASY(), Backfilling()], [rp.Perfect(), rp.FModel(2)]
    swept = rp.sweep([THREE], schedulers, models, seeds=2, folder=None, trim=False)
    waits = swept.pivot_table(index=["estimates", "seed"], columns="scheduler", values="mean_wait")
    assert len(waits) == 3 and (waits["EASY()"] == waits["Backfilling()"]).all()
    easy, backfilling = (
        audits.alone(rp.simulate(CROWD, scheduler), range(0, 300, 60)) for scheduler in schedulers
    )
    assert backfilling.tolist() == easy.tolist()


def test_it_is_a_value_whose_state_lasts_one_simulation():
    class Counting(Backfilling, name=""):
        calls: object = itertools.count()

        def schedule(self, now):
            if next(self.calls) > 2:
                super().schedule(now)

    counting = Counting()
    first, again = (rp.simulate(CROWD, counting).start.tolist() for _ in range(2))
    assert first == again and next(counting.calls) == 0 and not hasattr(counting, "queue")
    assert Backfilling(slack=5) == Backfilling(5)
    with pytest.raises(FrozenInstanceError, match="cannot assign to the option 'slack'"):
        Backfilling().slack = 3


def test_random_numbers_depend_on_the_seed():
    class Drawn(rp.PythonScheduler, name="drawn"):
        draws_at_random = True

        def prepare(self, workload):
            self.draw = generator("drawn", self.seed).random(len(workload))

        def schedule(self, now):
            for job in sorted(self.queue, key=lambda job: self.draw[job.index]):
                if job.size <= self.free:
                    self.begin(job)

    starts = [rp.simulate(CROWD, Drawn(), seed=seed).start.tolist() for seed in (1, 1, 2)]
    assert starts[0] == starts[1] != starts[2]

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
@pytest.mark.parametrize("name", ["jobs", "free", "slack", "_planned"])
def test_state_with_a_name_of_the_loop_or_of_an_option_is_refused(where, name):
    class Colliding(Backfilling, name=""):
        def prepare(self, workload):
            if where == "prepare":
                setattr(self, name, {})

        def schedule(self, now):
            if where == "schedule":
                setattr(self, name, {})
            super().schedule(now)

    if name.startswith("_"):
        assert rp.simulate(THREE, Colliding()).start.tolist() == [0, 9, 2]
    else:
        with pytest.raises(SchedulerError, match=rf"Colliding\(\) assigns to self.{name}, "):
            rp.simulate(THREE, Colliding())


def test_a_reservation_if_another_job_began_and_among_some_jobs():
    answers = []

    class Asking(rp.PythonScheduler, name=""):
        def schedule(self, now):
            for job in self.queue if now != 1 else ():
                if job.size <= self.free:
                    self.begin(job)
            if now == 1:
                head, small = self.queue
                answers.append(self.reservation(head))
                answers.append(self.reservation(head, begun=[small]))
                answers.append(self.reservation(small, among=self.running[:1], free=0))
                answers.append(self.reservation(head, among=self.running[:1], free=3))
                answers.append(self.earliest_start(head))
                answers.append(self.earliest_start(small))
                answers.append(self.earliest_start(small, [(4, 14, 4)]))
                answers.append(self.earliest_start(small, [(4, 14, 4)], length=3))

    # Jobs of 2 run until 10 and 12 on 8 processors; at 1 come one of 6 and one of 2 for 30 s.
    rp.simulate(jobs(8, (0, 10, 2), (0, 12, 2), (1, 5, 6), (1, 30, 2)), Asking())
    assert answers == [(10, 0), (12, 0), (10, 0), (math.inf, 0), 10, 1, 10, 1]


def test_events_can_be_noted():
    notes = []

    class Noting(Backfilling, name=""):
        def note_events(self, ended, submitted, corrected):
            assert not {*ended} & {*self.running}
            notes.append((self.now, [job.id for job in ended], [job.id for job in submitted]))

    rp.simulate(THREE, Noting())
    assert notes[:3] == [(0, [], [1]), (1, [], [2]), (2, [], [3])]
    assert notes[3:] == [(5, [3], []), (9, [1], []), (14, [2], [])]


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
    class Wrong(Backfilling, name=""):
        def schedule(self, now):
            act(self)
            super().schedule(now)

    with pytest.raises(SchedulerError, match=message):
        rp.simulate(THREE, Wrong())


def test_jobs_are_preempted_without_a_predictor_that_is_notified_of_starts():
    class Preempting(Backfilling, name=""):
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
    with pytest.raises(
        SchedulerError, match=f"^Derived: {base.__name__} is compiled .* PythonSched"
    ):
        type("Derived", (base,), {"run": lambda self, workload, estimate, seed: {}})
