"""Compiled schedulers have no subclasses, and refuse arrays that they cannot read."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

import replication as rp
from replication.simulator.schedulers import SchedulerError
from tests.workloads import random_jobs

COMPILED = (rp.FCFS, rp.EASY, rp.OrderedEASY, rp.LargestAreaFirst, rp.Conservative, rp.PVEasy)


def busy(n):
    """Return jobs of which many wait."""
    return random_jobs(n, machine=8, span=20 * n, longest=90, spare=200)


class Mixin:
    """Something besides."""


@pytest.mark.parametrize("mixins", [(), (Mixin,)], ids=["", "mixin"])
@pytest.mark.parametrize("base", COMPILED)
def test_a_subclass_of_a_compiled_scheduler_is_refused_with_what_to_write(base, mixins):
    message = f"^Own: {base.__name__} is compiled .* subclass of PythonScheduler, or a compiled"
    with pytest.raises(SchedulerError, match=message):
        type("Own", (*mixins, base), {"run": lambda self, workload, estimate, seed: {}})


@pytest.mark.parametrize(
    "scheduler", [rp.OrderedEASY(lambda w: w.run_time), *(kind() for kind in COMPILED)], ids=repr
)
@pytest.mark.parametrize(
    ("estimate", "found"), [(np.ones(3, int), "int64[3]"), (np.full(9, -1), "-1 to -1")]
)
def test_estimates_that_a_kernel_cannot_read_are_refused(scheduler, estimate, found):
    message = f"estimates.*: {re.escape(found)}; expected whole numbers"
    with pytest.raises(SchedulerError, match=message):
        scheduler.run(busy(9), estimate, 1)


def test_classes_of_a_predictor_have_a_number_for_each_job():
    @dataclass(frozen=True)
    class Short(rp.Last):
        def classes(self, workload, estimate):
            return np.zeros(1, np.int64)

    with pytest.raises(SchedulerError, match=r"Short\(\): classes: int64\[1\]; expected"):
        rp.simulate(busy(9), rp.PVEasy(predictor=Short()))
