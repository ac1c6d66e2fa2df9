"""Predictors whose predictions change between ends: every scheduler
and option on the kernels and on the event loop.

The built-in predictors change only when jobs end, and kernels ask them less often. These change
with the time, with the starts of jobs and with the queue.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import replication as rp
from replication.simulator.predictors import Predictor, compiled
from replication.simulator.predictors.base import PredictorError
from replication.simulator.schedulers import SchedulerError
from tests.agreement import REFERENCES, agree
from tests.simulator.test_differential import (
    NUMBERS,
    ROUNDS,
    by_size,
    random_scheduler,
    random_workload,
)
from tests.users_scheduler import Own
from tests.workloads import jobs, random_jobs


def part(job, number):
    """A part of the estimate, from none to all, that depends on the job and a number."""
    return job.estimate * ((job.index * 31 + number * 17) % 11) // 10


class OfTime(Predictor, name="of-time"):
    """Depends on the time."""

    def predict(self, job, now):
        return part(job, now)


class OfStarts(Predictor, name="of-starts"):
    """Depends on the number of started jobs."""

    def start(self, workload):
        self.begun = 0

    def begin(self, job, now):
        self.begun += 1

    def predict(self, job, now):
        return part(job, self.begun)


class OfQueue(Predictor, name="of-queue"):
    """Depends on the number of waiting jobs."""

    def start(self, workload):
        self.waiting = set()
        self.begun = set()

    def begin(self, job, now):
        self.waiting.discard(job.index)
        self.begun.add(job.index)

    def predict(self, job, now):
        if job.index not in self.begun:
            self.waiting.add(job.index)
        return part(job, len(self.waiting))


class OfLoad(Predictor, name="of-load"):
    """Depends on the number of submitted jobs that have not ended; not notified of starts."""

    def start(self, workload):
        self.present, self.ended = set(), set()

    def learn(self, job, now):
        self.present.discard(job.index)
        self.ended.add(job.index)

    def predict(self, job, now):
        self.present |= {job.index} - self.ended
        return part(job, len(self.present))


@dataclass(frozen=True)
class OfTimeCompiled(Predictor, name="of-time-2"):
    """`OfTime` compiled."""

    @compiled
    def predict(memory, job, now):
        return memory.estimate[job] * ((job * 31 + now * 17) % 11) // 10


CHANGING = [OfTime(), OfStarts(), OfQueue(), OfLoad()]


def one_option_each(kind):
    """Yield options of a scheduler: none, and each value of each option alone."""
    yield {}
    for name, own in kind.options().items():
        values = () if name == "predictor" else NUMBERS.get(name, own.metadata["allowed"])
        for value in (*values, by_size) if name == "order" else values:
            yield {name: value}


@pytest.mark.parametrize("predictor", CHANGING, ids=repr)
@pytest.mark.parametrize("kind", [k for k in REFERENCES if "predictor" in k.options()])
def test_kernels_and_event_loop_agree(kind, predictor):
    random = np.random.default_rng(len(kind.name))
    drawn = (random_scheduler(random, kind) for _ in range(ROUNDS // 120))
    options = [{name: getattr(one, name) for name in kind.options()} for one in drawn]
    for given in [*one_option_each(kind), *options]:
        try:
            scheduler = kind(**given | {"predictor": predictor})
        except SchedulerError:  # an intervention, or PV-EASY with a predictor of starts
            continue
        for _ in range(max(ROUNDS // 1200, 1)):
            agree(random_workload(random), scheduler)


def test_a_compiled_predictor_of_the_time():
    crowd = random_jobs(200, 8, 3000, 200, 400)
    for scheduler in (
        rp.EASY(),
        rp.EASY(candidates="shortest"),
        rp.OrderedEASY(),
        rp.Conservative(),
    ):
        one, other = (
            rp.simulate(crowd, replace(scheduler, predictor=predictor)).start.tolist()
            for predictor in (OfTime(), OfTimeCompiled())
        )
        assert one == other


@pytest.mark.parametrize("predictor", CHANGING, ids=repr)
def test_easy_equals_a_scheduler_in_python(predictor):
    crowd = random_jobs(300, 8, 3000, 200, 400)
    one, other = (rp.simulate(crowd, kind(predictor=predictor)) for kind in (rp.EASY, Own))
    assert one.start.tolist() == other.start.tolist()
    assert one.prediction.tolist() == other.prediction.tolist()


def test_a_statement_is_used_and_counts_for_the_class_that_makes_it():
    """Job 3 is predicted short at 60 only, when a job comes and none ends."""

    class Late(Predictor, name="late"):
        def predict(self, job, now):
            return job.estimate if now < 50 else 10

    class Stated(Late, name="stated"):
        changes_only_at_ends = True

    class Below(Stated, name="below"):
        pass

    w = jobs(5, (0, 100, 4), (1, 10, 5), (2, 10, 1, 200), (60, 5, 1, 500))
    starts = [rp.simulate(w, rp.EASY(p())).start[2] for p in (Late, Stated, Below)]
    assert starts == [60, 65, 60]
    assert rp.Biased(rp.Last(), 2).changes_only_at_ends
    assert not rp.Biased(Late(), 2).changes_only_at_ends


def test_statements_of_the_package_do_not_count_for_subclasses():
    class Halving:
        @compiled
        def predict(memory, job, now):
            return memory.estimate[job] // (1 + job % 5)

    @dataclass(frozen=True)
    class Halved(Halving, rp.Last, name="halved-last"):
        pass

    @dataclass(frozen=True)
    class Random(rp.Users, name="random-log"):
        def estimate(self, workload, seed):
            return workload.run_time + seed

    assert rp.Last.changes_only_at_ends and not rp.Last.draws_at_random
    assert Halved().draws_at_random and not Halved().changes_only_at_ends
    assert Halved().classes(jobs(1, (0, 1, 1)), None) is None
    assert Random().draws_at_random and not rp.Users().draws_at_random


@pytest.mark.parametrize(
    "name", "submit run_time estimate known state predict learn tables".split()
)
def test_tables_with_the_name_of_a_field_of_the_memory_are_refused(name):
    @dataclass(frozen=True)
    class Tabled(Predictor, name=f"tabled-{name}"):
        def tables(self, workload, estimate, seed):
            return {name: np.full(len(workload), 7)}

        @compiled
        def predict(memory, job, now):
            return memory.estimate[job]

    with pytest.raises(PredictorError, match=f"table '{name}' has the name of a field"):
        rp.simulate(jobs(1, (0, 1, 1)), rp.EASY(Tabled()))
