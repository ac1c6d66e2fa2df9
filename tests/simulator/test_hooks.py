"""Subclasses of shipped schedulers: a run of their own, and arrays of methods that kernels read."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import replication as rp
from replication.simulator.errors import InputError
from replication.simulator.observation import observe
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedulers.options import NO_ORDER
from replication.simulator.schedulers.options import NO_PERMISSIONS as NONE
from tests.workloads import random_jobs

SHIPPED = [
    *(rp.FCFS, rp.EASY, rp.OrderedEASY, rp.LargestAreaFirst),
    *(rp.Conservative, rp.PVEasy, rp.WildEASY, rp.PythonScheduler),
]


def busy(n):
    """Return jobs of which many wait."""
    return random_jobs(n, machine=8, span=20 * n, longest=90, spare=200)


class Scaled:
    """Plans with estimates times the seed."""

    def run(self, workload, estimate, seed):
        decided = rp.EASY().run(workload, estimate * seed, seed)
        return {name: decided[name] for name in ("start", "backfilled")}


@pytest.mark.parametrize("mixin", [True, False])
@pytest.mark.parametrize("base", SHIPPED)
def test_a_run_of_ones_own_is_the_one_that_is_observed_and_repeated(base, mixin):
    bases, body = ((Scaled, base), {}) if mixin else ((base,), {"run": Scaled.run})
    own = dataclass(frozen=True)(type(f"Own{base.__name__}{mixin}", bases, body))
    w = busy(60)
    schedule = rp.simulate(w, own(), seed=3)
    assert schedule.start.tolist() == rp.simulate(w, rp.EASY(), 3 * w.estimate).start.tolist()
    assert own().draws_at_random
    table = rp.sweep(w, [own()], seeds=3, folder=None, progress=False)
    assert table["seed"].tolist() == [1, 2, 3]
    refused = pytest.raises(InputError, match="with its own run; expected|allowed: any EASY")
    with refused:
        observe(w, scheduler=own())
    with refused:
        rp.sweep(w, [own()], watched=True, folder=None, progress=False)
    assert base is rp.PythonScheduler or not base().draws_at_random


@dataclass(frozen=True)
class Twice(rp.EASY):
    """EASY on twice the estimates, in all methods that simulate."""

    def run(self, workload, estimate, seed):
        return super().run(workload, 2 * estimate, seed)

    def run_observed(self, workload, estimate, seed):
        return super().run_observed(workload, 2 * estimate, seed)


def test_methods_beside_a_run_of_ones_own_are_used():
    w = busy(60)
    found, other = rp.simulate(w, Twice()), rp.simulate(w, rp.EASY(), 2 * w.estimate)
    assert found.start.tolist() == other.start.tolist()
    assert observe(w, scheduler=Twice()).schedule.start.tolist() == other.start.tolist()


def by_run_time(workload):
    return workload.run_time


RANKED, TWO = rp.OrderedEASY(by_run_time), {"candidates": by_run_time, "reservations": 2}


@pytest.mark.parametrize(
    ("scheduler", "method", "given", "message"),
    [
        (rp.WildEASY(), "permissions", np.full(3, 2, np.int8), r"permissions: int8\[3\]"),
        (rp.WildEASY(), "permissions", np.full(9, 5), "permissions: 5 to 5; .* from 0 to 4"),
        (rp.WildEASY(), "permissions", np.full(9, 0.5), "permissions: float64"),
        (rp.WildEASY(), "permissions", np.ma.masked_all(9, int), "permissions: a masked array"),
        (rp.LargestAreaFirst(), "columns_of", (np.arange(3), []), r"permissions: int64\[3\]"),
        (RANKED, "columns_of", (NONE, NO_ORDER), r"columns_of\[1\]: int64\[0\]; .* \[9\]"),
        (RANKED, "columns_of", (NONE, np.arange(1, 10)), r"\[1\]: 1 to 9; .* \[9\] from 0 to 8"),
        (rp.EASY(), "columns_of", (NONE,), r"columns_of\[1\]: object"),
        (rp.EASY(**TWO), "columns_of", (np.arange(3),) * 2, r"columns_of\[0\]: int64\[3\]"),
        (replace(RANKED, **TWO), "columns_of", (range(9), None), r"columns_of\[1\]: object"),
        (rp.PVEasy(), "classes", np.arange(3), r"classes: int64\[3\]"),
        (rp.PVEasy(), "classes", -np.arange(9), "classes: -8 to 0; .* from 0 to 8"),
        *(
            (one, "run", wrong, f"estimates.*: {found}; expected whole numbers")
            for one in (rp.FCFS(), rp.EASY(), RANKED, rp.Conservative(), rp.PVEasy())
            for wrong, found in ((np.ones(3, int), r"int64\[3\]"), (np.full(9, -1), "-1 to -1"))
        ),
    ],
)
def test_arrays_that_a_kernel_cannot_read_are_refused(scheduler, method, given, message):
    def own(self, *arguments):
        return super(kind, self).run(jobs_of_nine, given, 1) if method == "run" else given

    kind = dataclass(frozen=True)(
        type(f"Own{type(scheduler).__name__}", (type(scheduler),), {method: own})
    )
    jobs_of_nine = busy(9)
    options = {name: getattr(scheduler, name) for name in scheduler.options()}
    with pytest.raises(SchedulerError, match=message):
        rp.simulate(jobs_of_nine, kind(**options))


def test_arrays_of_other_types_and_of_as_many_jobs_as_permissions_are_read():
    @dataclass(frozen=True)
    class Listed(rp.WildEASY):
        def permissions(self, workload, seed):
            return super().permissions(workload, seed).tolist()

    w = busy(5)
    assert rp.simulate(w, Listed()).start.tolist() == rp.simulate(w, rp.EASY()).start.tolist()
    assert rp.simulate(w, rp.OrderedEASY(lambda w: w.submit)).start.min() >= 0


def test_classes_of_a_predictor_have_a_number_for_each_job():
    @dataclass(frozen=True)
    class Short(rp.Last):
        def classes(self, workload, request):
            return np.zeros(1, np.int64)

    with pytest.raises(SchedulerError, match=r"Short\(\): classes: int64\[1\]; expected"):
        rp.simulate(busy(9), rp.PVEasy(predictor=Short()))
