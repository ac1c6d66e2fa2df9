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
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedules.schedule import ScheduleError
from replication.simulator.workload import generator
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


class OfQueueInOneCall(OfQueue, name="of-queue-2"):
    """The same, for many jobs in one call."""

    def predict_many(self, some, now):
        return [self.predict(job, now) for job in some]


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
        return memory.request[job] * ((job * 31 + now * 17) % 11) // 10


CHANGING = [OfTime(), OfStarts(), OfQueue(), OfQueueInOneCall(), OfLoad()]


def one_option_each(kind):
    """Yield options of a scheduler: none, and each value of each option alone."""
    yield {}
    for name, own in kind.options().items():
        values = () if name == "predictor" else NUMBERS.get(name, own.metadata["allowed"])
        for value in (*values, by_size) if name in ("by", "candidates") else values:
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
        one_by_one = getattr(scheduler, "events", "together") != "together"
        if one_by_one and isinstance(predictor, OfQueueInOneCall):
            continue  # it is asked about all jobs of an instant before their own events
        for _ in range(max(ROUNDS // 1200, 1)):
            agree(random_workload(random), scheduler)


def test_a_compiled_predictor_of_the_time():
    crowd = random_jobs(200, 8, 3000, 200, 400)
    for scheduler in (rp.EASY(), rp.EASY(candidates="sjf"), rp.OrderedEASY(), rp.Conservative()):
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


def test_a_promise_is_used_and_holds_for_the_class_that_makes_it():
    """Job 3 is predicted short at 60 only, when a job comes and none ends."""

    class Late(Predictor, name="late"):
        def predict(self, job, now):
            return job.estimate if now < 50 else 10

    class Promised(Late, name="promised"):
        changes_only_at_ends = True

        def predict(self, job, now):
            return super().predict(job, now)

    class Changed(Promised, name="changed"):
        def predict(self, job, now):
            return super().predict(job, now)

    w = jobs(5, (0, 100, 4), (1, 10, 5), (2, 10, 1, 200), (60, 5, 1, 500))
    found = [rp.simulate(w, rp.EASY(p())).start[2] for p in (Late, Promised, Changed)]
    assert found == [60, 65, 60]
    assert not Changed.changes_only_at_ends and rp.Last.changes_only_at_ends
    assert rp.Biased(rp.Last(), 2).changes_only_at_ends
    assert not rp.Biased(Late(), 2).changes_only_at_ends


class Rule:
    """A callable object in place of a method."""

    def __call__(self, job, now):
        return part(job, now)


class Mixin:
    def predict(self, job, now):
        return part(job, now)


class Counting(Predictor, name=""):
    begin = OfStarts.begin


class Halving:
    @compiled
    def predict(memory, job, now):
        return memory.request[job] // (1 + job % 5)


class Shifted:
    """Breaks what schedulers and estimate models promise."""

    def run(self, workload, estimate, seed):
        return super().run(workload, estimate, seed) | {"start": workload.submit.copy()}

    def estimate(self, workload, seed):
        return workload.run_time * generator("shifted", seed).integers(1, 9, len(workload))


class Promising(Predictor, name=""):
    changes_only_at_ends = True

    def predict(self, job, now):
        return job.estimate


@pytest.mark.parametrize(
    "kind",
    [
        type("Mixed", (Mixin, Promising), {}, name=""),
        type("Object", (Promising,), {"predict": Rule()}, name=""),
        type("Beside", (Promising, Counting), {}, name=""),
        type("Deep", (type("Empty", (Mixin,), {}), Promising), {}, name=""),
        dataclass(frozen=True)(type("Halved", (Halving, rp.Last), {}, name="")),
    ],
)
def test_promises_of_predictors_do_not_survive_other_classes_with_methods(kind):
    assert not kind.changes_only_at_ends and kind.draws_at_random
    assert kind.classes is Predictor.classes
    again = type("Again", (kind,), {"changes_only_at_ends": True}, name="")
    assert again.changes_only_at_ends


def test_promises_survive_classes_without_methods():
    @dataclass(frozen=True)
    class Longer(rp.Last, name=""):
        factor: float = 2.0

    @dataclass(frozen=True)
    class Longest(Longer, name=""):
        factor: float = 3.0

    assert Longest.changes_only_at_ends and Longest.classes is rp.Last.classes
    assert not Longest.draws_at_random

    class Stated(Mixin, Predictor, name=""):
        changes_only_at_ends = True

    class Inheriting(Stated, name=""):
        hours: int = 1

    assert Stated.changes_only_at_ends and Inheriting.changes_only_at_ends


@pytest.mark.parametrize("base", [rp.EASY, rp.WildEASY, rp.PVEasy, rp.FCFS, rp.Exact, rp.Users])
def test_promises_of_schedulers_and_estimates_do_not_survive_a_mixin(base):
    own = dataclass(frozen=True)(type("Own", (Shifted, base), {}, name=""))
    assert {name: getattr(own, name) for name in base.promises} == base.promises
    crowd = random_jobs(60, 8, 600, 200, 400)
    if issubclass(base, rp.Scheduler):
        with pytest.raises(ScheduleError):
            rp.simulate(crowd, own())


def test_promises_of_built_in_classes_do_not_hold_for_subclasses_with_methods():
    @dataclass(frozen=True)
    class Own(rp.Last, name="own-last"):
        def tables(self, workload, request, seed):
            return super().tables(workload, request, seed)

    @dataclass(frozen=True)
    class OwnEASY(rp.EASY, name="own-easy"):
        def permissions(self, workload, seed):
            return super().permissions(workload, seed)

    @dataclass(frozen=True)
    class OwnUsers(rp.Users, name="own-log"):
        def estimate(self, workload, seed):
            return super().estimate(workload, seed)

    assert Own().draws_at_random and not Own().changes_only_at_ends
    assert Own().classes(jobs(1, (0, 1, 1)), None) is None
    assert OwnEASY.validated and not OwnEASY().is_plain and rp.EASY().is_plain
    assert OwnUsers().draws_at_random and not rp.Users().draws_at_random
