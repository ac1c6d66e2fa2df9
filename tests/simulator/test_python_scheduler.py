"""Schedulers in Python on the public event loop: their rules, their errors,
and the places that take them.
"""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import replication as rp
from notebooks import audits
from replication.simulator.schedulers import SchedulerError
from replication.simulator.workload import generator
from tests.users_scheduler import Own
from tests.workloads import jobs, random_jobs

PREDICTORS = [rp.Request(), rp.Last(), rp.Clairvoyant(), rp.CVH(), rp.Biased(rp.Tsafrir(), 0.5)]
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
    [("pass", "request"), ("submission", "tsafrir"), ("pass", "doubling"), ("submission", "now")],
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
    swept = rp.sweep([CROWD], [rp.EASY(), Own()], [rp.Exact(), rp.FModel(2)], seeds=2)
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
