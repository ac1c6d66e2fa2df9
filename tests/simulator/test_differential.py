"""Every scheduler, option and predictor on random workloads:
kernels against reference implementations.

REPLICATION_ROUNDS sets the number of simulations, 1,200 by default.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import replication as rp
from replication.simulator.kernels import list_scheduler
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedulers.queue_orders import ORDERS
from tests.agreement import PREDICTORS, REFERENCES, agree
from tests.workloads import jobs

ROUNDS = int(os.environ.get("REPLICATION_ROUNDS", 1200))


def by_size(workload):
    return -workload.processors


NUMBERS = {
    "waiting_limit": (None, 0, 5, 30),
    "interval": (1, 3, 10),
    "cost": (0, 1, 4),
    "reservations": (1, 1, 2, 3, 5),
    "let_past": (0.0, 0.0, 0.0, 0.5),
    "candidates_limit": (None, None, 0, 1, 2, 4),
}


def random_workload(random):
    """Few distinct values, for many ties; zero run times, full-width jobs and machines of one
    processor and of 100,000 among them. Now and then the times are twenty times as long, so that
    predictions are corrected by several steps.
    """
    machine, n = int(random.choice([1, 3, 8, 16, 40, 100_000])), int(random.integers(1, 45))
    if random.random() < 0.05:
        n *= 5  # queues of more than a block, which are compacted
    widest = random.choice([max(machine // 5, 1), max(machine // 2, 1), machine])
    size = random.integers(1, widest, n, endpoint=True)
    size[random.random(n) < 0.1] = machine
    run_time = random.choice([0, 1, 2, 5, 10, 10, 30], n)
    estimate = run_time + random.choice([0, 0, 1, 5, 20], n)
    if random.random() < 0.3:  # estimates below run times
        estimate = random.choice([0, 1, 5, 10, 30], n)
    submit = np.cumsum(random.choice([0, 0, 1, 3], n) * random.choice([0, 1, 4]))
    scale, first = random.choice([1, 1, 1, 20]), random.choice([0, 1000])
    times = first + scale * submit, scale * run_time, size, scale * estimate
    people = {name: random.integers(0, 3, n) for name in ("user", "executable")}
    return rp.Workload.from_columns("random", machine, *times, **people, without_estimate=0.0)


def random_scheduler(random, kind):
    """A scheduler: one in three with the defaults, the others with up to four options drawn at
    random.
    """
    if random.random() < 1 / 3:
        return kind()
    while True:
        options = {}
        names = list(kind.options())
        for name in random.permutation(names)[: random.integers(0, 5)] if names else ():
            allowed = kind.options()[name].metadata["allowed"]
            values = NUMBERS.get(name, allowed)
            if name == "predictor":
                values = PREDICTORS
            elif name == "order":
                values = (*allowed, by_size)
            options[str(name)] = values[random.integers(len(values))]
        try:
            return kind(**options)
        except SchedulerError:  # options that exclude each other
            continue


def most_running(schedule):
    """Return the largest number of jobs that ran at once."""
    start, end = schedule.start, schedule.end
    return max(int(((start <= now) & (end > now)).sum()) for now in start)


def part(job, number):
    """A part of the estimate, from none to all, that depends on the job and a number."""
    return job.estimate * ((job.index * 31 + number * 17) % 11) // 10


class OfLoad(rp.Predictor, name="of-load"):
    """Depends on the time and on the number of submitted jobs that have not ended; not notified of
    starts.
    """

    def start(self, workload):
        self.present, self.ended = set(), set()

    def learn(self, job, now):
        self.present.discard(job.index)
        self.ended.add(job.index)

    def predict(self, job, now):
        self.present |= {job.index} - self.ended
        return part(job, now + 3 * len(self.present))


class OfQueue(rp.Predictor, name="of-queue"):
    """Depends on the numbers of started and of waiting jobs."""

    def start(self, workload):
        self.waiting, self.begun = set(), set()

    def begin(self, job, now):
        self.waiting.discard(job.index)
        self.begun.add(job.index)

    def predict(self, job, now):
        self.waiting |= {job.index} - self.begun
        return part(job, len(self.waiting) + 3 * len(self.begun))


#: Unlike those of the package, which change when jobs end and which kernels ask less often.
CHANGING = (OfLoad(), OfQueue())


def agree_on_random_jobs(kind, rounds, predictors=()):
    """Compare kernel and reference; return the most jobs that ran at once, and how many runs were
    killed. All schedulers have one of the predictors, if there are any.
    """
    most, kills = 0, 0
    for seed in range(max(int(rounds), 1)):
        random = np.random.default_rng([seed, len(kind.name)])
        workload, scheduler = random_workload(random), random_scheduler(random, kind)
        try:
            if predictors:
                scheduler = replace(scheduler, predictor=predictors[seed % len(predictors)])
        except SchedulerError:  # an intervention, or PV-EASY with a predictor of starts
            continue
        try:
            schedule = agree(workload, scheduler)
        except Exception as error:
            error.add_note(f"seed {seed}: {scheduler!r}, {len(workload)} jobs")
            raise
        most, kills = max(most, most_running(schedule)), kills + schedule.times_killed.sum()
    return most, kills


SHARE = {
    rp.FCFS: 0.1,
    rp.EASY: 0.4,
    rp.PaperEASY: 0.5,
    rp.LargestAreaFirst: 0.08,
    rp.OrderedEASY: 0.1,
}


@pytest.mark.parametrize("kind", REFERENCES, ids=lambda kind: kind.name)
def test_kernel_and_reference_implementation_agree(kind):
    most, kills = agree_on_random_jobs(kind, ROUNDS * SHARE.get(kind, 0.15))
    assert most >= 4 or ROUNDS < 1000
    assert kills > 100 or kind is not rp.PVEasy or ROUNDS < 1000


@pytest.mark.parametrize("kind", [k for k in REFERENCES if "predictor" in k.options()])
def test_they_agree_with_predictions_that_change_between_ends(kind):
    agree_on_random_jobs(kind, ROUNDS * SHARE.get(kind, 0.15), predictors=CHANGING)


#: Cases that random workloads seldom contain.
# fmt: off
RARE = {
    "the second of two jobs finds the extra processors that the first leaves": (
        rp.EASY(),
        jobs(10, (0, 10, 6), (0, 10, 8), (1, 100, 2), (2, 100, 1)),
    ),
    "the only job that fits is the last of a long queue": (
        rp.EASY(),
        jobs(10, (0, 20, 4, 100), (0, 50, 5), (0, 10, 1), *[(0, 5, 6)] * 1101, (0, 200, 1)),
    ),
    "a size beyond 2**15 in a long queue": (
        rp.EASY(),
        jobs(
            100_000, (0, 100, 60_000), (0, 10, 35_000), *[(0, 5, 100_000)] * 500,
            (0, 50, 35_000), *[(0, 5, 100_000)] * 700,
        ),
    ),
    "a job that fits in a long queue whose first half has just started": (
        rp.EASY(),
        jobs(
            2000, (0, 100, 2000), *[(1, 10, 1)] * 1201, *[(1, 5, 2000)] * 500, (1, 5, 1),
            *[(1, 5, 2000)] * 600,
        ),
    ),
    "the narrowest job of a long queue, which is not the shortest": (
        rp.EASY(),
        jobs(
            12, (0, 50, 3), (0, 20, 9), (0, 5, 10, 2000), *[(0, 5, 12, 2000)] * 1060,
            (0, 5, 3, 1000), *[(0, 5, 12, 2000)] * 30, (0, 7, 2, 1000),
        ),
    ),
    "the arrivals of F1 count from the first submission": (
        rp.OrderedEASY("f1"),
        jobs(1, (1000, 10, 1), (1001, 100, 1), (1002, 1, 1)),
    ),
    "no checkpoint is written at the end of a job": (
        rp.PVEasy(preemption="checkpoint", interval=1, cost=4),
        jobs(1, (0, 1, 1), (0, 0, 1)),
    ),
    "a reservation of one second before another": (
        rp.EASY(reservations=2),
        jobs(3, (0, 10, 2), (0, 1, 2), (0, 5, 3), (0, 12, 1)),
    ),
    "a reservation that ends where another begins": (
        rp.EASY(reservations=4),
        jobs(
            8, (1, 30, 2, 28), (5, 22, 1, 0), (5, 0, 6), (5, 10, 2, 30), (5, 10, 1, 30),
            (5, 0, 6), (5, 9, 1, 1), (5, 0, 1), (5, 6, 3, 23), (5, 6, 1, 23),
            (5, 0, 2, 3), (5, 0, 1, 22),
        ),
    ),
    "two lengths of one size in one place of the table of instants": (
        rp.Conservative(),
        jobs(
            40, (0, 0, 1), (0, 0, 1), (0, 1, 4, 262),
            (0, 0, 37), (0, 0, 20, 872), (0, 0, 20, 262),
        ),
    ),
    "saved work does not count the time of its checkpoints": (
        rp.PVEasy(preemption="checkpoint", interval=3, cost=1),
        jobs(
            3, (0, 0, 1), (0, 0, 1), (26, 10, 1, 0), (26, 0, 3),
            (36, 4, 1, 0), (36, 0, 1), (36, 0, 3),
        ),
    ),
    "a job stopped while it is resumed loses no work": (
        rp.PVEasy(preemption="suspend", cost=4, predictor="estimate", correction="now"),
        jobs(
            8, (8, 30, 1, 0), (22, 28, 2, 0), (22, 0, 8), (22, 0, 6), (22, 0, 8),
            (37, 14, 1, 0), (37, 6, 7, 0), (40, 11, 1, 0),
        ),
    ),
    "backfilled jobs behind preemption use up the extra processors": (
        rp.PVEasy("clairvoyant", venture="easy", preemption="checkpoint", interval=1, cost=1),
        jobs(
            8, (0, 4, 2, 6), (0, 4, 1, 0), (0, 4, 1, 5), (0, 0, 1), (0, 0, 5),
            (4, 1, 1, 0), (5, 0, 1, 1),
        ),
    ),
    "a submission that does not fit leads to a pass of EASY behind preemption": (
        rp.PVEasy(correction="doubling", venture="easy"),
        jobs(
            8, (0, 0, 1), (0, 4, 1, 0), (0, 0, 1, 1), (0, 12, 1, 13), (3, 9, 1, 10),
            (3, 9, 1, 0), (3, 0, 7), (10, 0, 1, 2), (11, 0, 6),
        ),
    ),
}
# fmt: on


@pytest.mark.parametrize(("scheduler", "log"), RARE.values(), ids=RARE)
def test_cases_that_random_workloads_seldom_contain(scheduler, log):
    agree(log, scheduler)


@pytest.mark.parametrize("kind", [rp.PaperEASY, rp.Conservative])
def test_ends_of_one_instant_with_events_by_plan(kind):
    """Four jobs and more end at one instant, some of them as planned;
    the running jobs stay in order.
    """
    for seed in range(max(ROUNDS // 12, 1)):
        random = np.random.default_rng([seed, 1])
        n = 40
        size, submit = random.integers(1, 4, n), np.sort(random.integers(0, 30, n))
        run_time = random.choice([4, 8, 12], n)
        estimate = run_time + random.choice([0, 0, 3, 6], n)
        workload = rp.Workload.from_columns(
            "ends", 16, submit, run_time, size, estimate, without_estimate=0.0
        )
        ties = ("ends-first", "submissions-first")[seed % 2]
        predictor = PREDICTORS[seed % len(PREDICTORS)]
        schedule = agree(workload, kind(predictor, events="by-plan", ties=ties))
        assert most_running(schedule) >= 4


@pytest.mark.parametrize(
    "scheduler",
    [
        rp.EASY(),
        rp.EASY("last"),
        rp.EASY("last", candidates="shortest"),
        rp.EASY("clairvoyant", candidates="shortest"),
        rp.OrderedEASY(lambda w: w.processors, predictor="last"),
        rp.LargestAreaFirst(),
        *map(rp.OrderedEASY, ORDERS),
    ],
    ids=repr,
)
def test_they_agree_on_queues_of_thousands(scheduler):
    """Long queues are searched by a tree. The queue grows, becomes short, and grows again; many
    jobs end at one instant, so that the reference takes seconds.
    """
    rng = np.random.default_rng(3)
    n = 2 * list_scheduler.LONG + 400
    run_time = 500 * rng.integers(1, 4, n)
    workload = rp.Workload.from_columns(
        "thousands",
        2**17,
        submit=np.sort(rng.integers(0, 3, n) * 10 + 30_000 * rng.integers(0, 2, n)),
        run_time=run_time,
        processors=2 ** rng.integers(0, 17, n) + rng.integers(0, 2, n),
        estimate=run_time * rng.integers(1, 4, n),
    )
    agree(workload, scheduler)


@pytest.mark.parametrize(
    "scheduler", [rp.EASY(), rp.EASY("last"), rp.LargestAreaFirst(), rp.OrderedEASY()], ids=repr
)
def test_many_of_thousands_start_at_one_instant(scheduler):
    """Behind a job that needs the whole machine, more than half of the queue starts at once, and
    then the rest, so that no job waits.
    """
    n = list_scheduler.LONG + 200
    log = jobs(700, (0, 100, 700), *[(k // 20, 100, 1) for k in range(1, n)])
    schedule = agree(log, scheduler)
    assert np.bincount(schedule.start // 100).tolist() == [1, 700, n - 701]
    assert not schedule.backfilled.any()


@pytest.mark.parametrize("waiting", range(list_scheduler.LONG - 2, list_scheduler.LONG + 2))
def test_the_job_with_which_a_queue_becomes_long_is_found(waiting):
    """Behind so many jobs that need the whole machine, it fits once the second job has ended."""
    log = jobs(5, (0, 100, 3), (0, 10, 1), *[(1, 100, 5)] * waiting, (2, 10, 2))
    for scheduler in (rp.EASY(), rp.EASY("clairvoyant", candidates="shortest")):
        assert agree(log, scheduler).start[-1] == 10


def test_they_agree_on_a_long_plan():
    """Nearly all jobs wait, and their reservations begin and end at hundreds of instants."""
    rng, n = np.random.default_rng(3), 260
    run_time, submit = rng.integers(1, 2000, n), np.sort(rng.integers(0, 900, n))
    estimate = run_time * rng.integers(1, 4, n)
    size = rng.integers(1, 20, n)
    agree(rp.Workload.from_columns("plan", 64, submit, run_time, size, estimate), rp.Conservative())


def test_more_runs_are_killed_than_there_are_jobs():
    """Each of many heads kills the last seven jobs. The kernel has space for at most three times as
    many killed runs as there are jobs, and continues with more.
    """
    rounds = [(0, 10, 9), (0, 10, 16)] * 24
    schedule = agree(jobs(16, *rounds, *[(1, 50, 1, 1)] * 7), rp.PVEasy())
    assert len(schedule.killed_runs) == 24 * 7 > 3 * len(schedule.start)


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
