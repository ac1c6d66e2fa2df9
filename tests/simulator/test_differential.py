"""Every scheduler, option and predictor on random workloads: kernels against reference implementations.

REPLICATION_ROUNDS sets the number of simulations, 1,200 by default.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from replication.simulator.predictors import (
    CVH,
    Biased,
    Clairvoyant,
    Complete,
    Last,
    Request,
    Scaled,
    TopPercent,
    Tsafrir,
    Virtual,
)
from replication.simulator.reference.conservative import Conservative as ReferenceConservative
from replication.simulator.reference.conservative import LargestAreaFirst as ReferenceLargest
from replication.simulator.reference.easy import Easy, Fcfs
from replication.simulator.reference.pv_easy import PVEasy as ReferencePVEasy
from replication.simulator.reference.queue_orders import OrderedEasy
from replication.simulator.reference.reservations import ReservedEasy
from replication.simulator.schedulers import (
    EASY,
    FCFS,
    Conservative,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
    SchedulerError,
)
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload

ROUNDS = int(os.environ.get("REPLICATION_ROUNDS", 1200))
REFERENCES = {
    FCFS: Fcfs,
    EASY: Easy,
    Conservative: ReferenceConservative,
    LargestAreaFirst: ReferenceLargest,
    OrderedEASY: OrderedEasy,
    PVEasy: ReferencePVEasy,
}
PREDICTORS = (
    Request(),
    Clairvoyant(),
    Virtual(0.8),
    Scaled(0.5),
    Last(),
    Tsafrir(),
    Complete(),
    TopPercent(3),
    TopPercent(20, coded=True),
    TopPercent(20, decay=1, artificial=0, weights="equal"),
    CVH(),
    Biased(Tsafrir(), 1.5),
)


def by_size(workload):
    return -workload.processors


NUMBERS = {
    "limit": (None, 0, 5, 30),
    "interval": (1, 3, 10),
    "cost": (0, 1, 4),
    "reservations": (1, 1, 2, 3),
    "let_past": (0.0, 0.0, 0.0, 0.5),
}


def random_workload(random):
    """Few distinct values, for many ties; zero run times, full-width jobs and machines of one processor among them."""
    machine, n = int(random.choice([1, 3, 8, 16, 40])), int(random.integers(1, 45))
    widest = random.choice([max(machine // 5, 1), max(machine // 2, 1), machine])
    size = random.integers(1, widest, n, endpoint=True)
    size[random.random(n) < 0.1] = machine
    run_time = random.choice([0, 1, 2, 5, 10, 10, 30], n)
    request = run_time + random.choice([0, 0, 1, 5, 20], n)
    if random.random() < 0.3:  # estimates below run times
        request = random.choice([0, 1, 5, 10, 30], n)
    submit = np.cumsum(random.choice([0, 0, 1, 3], n) * random.choice([0, 1, 4]))
    people = {name: random.integers(0, 3, n) for name in ("user", "executable")}
    return Workload.from_columns("random", machine, submit, run_time, size, request, **people)


def random_scheduler(random, kind):
    """A scheduler with up to four options drawn at random."""
    while True:
        options = {}
        names = list(kind.options())
        for name in random.permutation(names)[: random.integers(0, 5)] if names else ():
            allowed = kind.options()[name].metadata["allowed"]
            values = NUMBERS.get(name, allowed)
            if name == "predictor":
                values = PREDICTORS
            elif kind is EASY and name in ("order", "candidates"):
                values = (*allowed, by_size)
            options[str(name)] = values[random.integers(len(values))]
        try:
            return kind(**options)
        except SchedulerError:  # options that exclude each other
            continue


def compare(workload, scheduler):
    """Fail unless kernel and reference implementation agree on every job; return the most jobs that ran at once."""
    fast = simulate(workload, scheduler).validate()
    options = {name: getattr(scheduler, name) for name in scheduler.options()}
    reference = REFERENCES[type(scheduler)]
    if getattr(scheduler, "is_ordered", False):
        reference = ReservedEasy
    if getattr(scheduler, "intervenes", False):
        options["permissions"] = scheduler.permissions(workload, 1)
    slow = reference(workload, fast.estimate, **options).run()
    assert fast.start.tolist() == slow.start
    assert fast.backfilled.tolist() == slow.backfilled
    if "predictor" in scheduler.options():
        assert fast.prediction.tolist() == slow.prediction
    if isinstance(scheduler, PVEasy):
        assert fast.times_killed.tolist() == slow.times_killed
    return max(int(((fast.start <= t) & (fast.end > t)).sum()) for t in fast.start)


@pytest.mark.parametrize("kind", REFERENCES, ids=lambda kind: kind.name)
def test_kernel_and_reference_implementation_agree(kind):
    share = {FCFS: 0.02, EASY: 0.5, LargestAreaFirst: 0.08, OrderedEASY: 0.1}.get(kind, 0.15)
    most = 0
    for seed in range(max(int(ROUNDS * share), 1)):
        random = np.random.default_rng([seed, len(kind.name)])
        workload, scheduler = random_workload(random), random_scheduler(random, kind)
        try:
            most = max(most, compare(workload, scheduler))
        except Exception as error:
            error.add_note(f"seed {seed}: {scheduler!r}, {len(workload)} jobs")
            raise
    assert most >= 4 or ROUNDS < 1000


@pytest.mark.parametrize("kind", [EASY, Conservative])
def test_ends_of_one_instant_with_events_by_plan(kind):
    """Four jobs and more end at one instant, some of them as planned; the running jobs stay in order."""
    for seed in range(max(ROUNDS // 12, 1)):
        random = np.random.default_rng([seed, 1])
        n = 40
        size, submit = random.integers(1, 4, n), np.sort(random.integers(0, 30, n))
        run_time = random.choice([4, 8, 12], n)
        request = run_time + random.choice([0, 0, 3, 6], n)
        workload = Workload.from_columns("ends", 16, submit, run_time, size, request)
        order = ("ends-first", "submissions-first")[seed % 2]
        predictor = PREDICTORS[seed % len(PREDICTORS)]
        assert compare(workload, kind(predictor, events="by-plan", order=order)) >= 4


@pytest.mark.slow
def test_kernels_stay_within_their_arrays():
    """The differential and the conformance tests with numba's checks of array bounds."""
    files = [
        str(Path(__file__).with_name(f"test_{name}.py")) for name in ("differential", "conformance")
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *files],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1", "REPLICATION_ROUNDS": "1200"},
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
