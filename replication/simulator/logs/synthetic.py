"""Synthetic workloads: the model of Lublin and Feitelson,
with the modal estimates of Tsafrir, Etsion and Feitelson.

A synthetic workload lets everything run without a log. It is marked as such and decides no claim
about a paper.

The distributions and their parameters, those of the model without job types, are from Lublin and
Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid jobs",
JPDC 63(11), 2003, and the parameter list of the authors' program. Estimates follow
`replication.simulator.estimates.Modal`. The model has no users; here the numbers of jobs per user
follow Zipf's law.
"""

import math

import numpy as np

from replication.simulator.estimates import Modal
from replication.simulator.workload import (
    HIGHEST_LOAD,
    Workload,
    WorkloadError,
    check_seed,
    generator,
)

SERIAL, POWERS_OF_TWO = 0.244, 0.576  # shares of the jobs
# Two-stage uniform distribution of log2(size): (LOW, middle) with probability FIRST, else (middle,
# log2(machine)).
LOW, BELOW_TOP, FIRST = 0.8, 2.5, 0.86
# Hyper-gamma distribution of log(run time), shape and scale of each; the first has probability
# SLOPE * size + SHARE.
SHORT, LONG = (4.2, 0.94), (312, 0.03)
SLOPE, SHARE = -0.0054, 0.78
MODEL_MACHINE = 128  # processors
MOST_LOG_RUN = 12  # exp(12) s are not quite two days
# Gamma distribution of log(time between two jobs) in rush hours, its shape corrected for all hours;
# daily cycle.
GAP, ALL_HOURS, MOST_LOG_GAP = (10.2303, 0.4871), 1.0225, 13
CYCLE, CYCLE_START = (8.1737, 3.9631), 11
HALF_HOUR, HALF_HOURS = 1800, 48
E_MAX = 48 * 3600


def synthetic(
    jobs: int,
    machine: int = MODEL_MACHINE,
    load: float = 0.7,
    seed: int = 1,
    name: str = "synthetic",
    users: int | None = None,
) -> Workload:
    """Return a synthetic workload of the Lublin-Feitelson model (JPDC 2003),
    scaled to a machine and an offered load.

    Parameters
    ----------
    jobs : int
        At least 2.
    machine : int, processors
    load : float
        Offered load, a share. The rate of arrivals is changed, not their daily cycle.
    seed : int
    name : str
        The draws do not depend on it.
    users : int, optional
        Number of users; by default one for every 300 jobs, and at least 10.

    Returns
    -------
    Workload
        The jobs, with `stand_in` set and estimates of `Modal` with E_max of two days.

    Raises
    ------
    WorkloadError
        For fewer than 2 jobs, and a machine, load, seed or number of users that is not allowed.
    """
    if jobs < 2 or not 0 < load <= HIGHEST_LOAD:
        raise WorkloadError(
            f"{name}: {jobs} jobs of load {load}; allowed: 2 jobs or more, a load above 0 and up "
            f"to {HIGHEST_LOAD:g} (0.9 for 90 %)"
        )
    if machine < 1 or (users is not None and users < 1):
        raise WorkloadError(
            f"{name}: {machine} processors and {users} users; allowed: 1 processor or more, 1 user "
            "or more"
        )
    seed = check_seed(seed)
    random = generator("lublin-feitelson", int(jobs), int(machine), float(load), seed)
    processors = sizes(jobs, machine, random)
    run_time = run_times(processors, machine, random)
    work = float((run_time.astype(float) * processors).sum())
    submit = arrivals(jobs, work / (machine * load), random)
    count = users or max(10, jobs // 300)
    by_rank = 1 / np.arange(1, count + 1)
    workload = Workload.from_columns(
        name,
        machine,
        submit,
        run_time,
        processors,
        user=random.choice(count, jobs, p=by_rank / by_rank.sum()) + 1,
        stand_in=True,
        provenance={"model": "Lublin-Feitelson 2003", "load": float(load), "seed": seed},
    ).at_load(load)
    return workload.replace(estimate=Modal(E_MAX).estimate(workload, seed))


def sizes(jobs: int, machine: int, random: np.random.Generator) -> np.ndarray:
    """Return the sizes of jobs, int64[jobs], processors."""
    top = math.log2(machine)
    middle = max(top - BELOW_TOP, min(LOW, top))
    first = random.random(jobs) < FIRST
    power = random.uniform(np.where(first, min(LOW, middle), middle), np.where(first, middle, top))
    kind = random.random(jobs)
    power[kind < SERIAL] = 0
    whole = kind < SERIAL + POWERS_OF_TWO
    power[whole] = np.floor(power[whole] + 0.5)
    return np.clip(np.floor(2**power + 0.5), 1, machine).astype(np.int64)


def run_times(processors: np.ndarray, machine: int, random: np.random.Generator) -> np.ndarray:
    """Return run times, int64[n], s; larger jobs run longer.

    For a machine larger than the model's, sizes are first scaled down to it.
    """
    share = np.clip(SLOPE * processors * min(1, MODEL_MACHINE / machine) + SHARE, 0, 1)
    short = random.random(len(processors)) < share
    logs = np.full(len(processors), np.inf)
    while (again := logs > MOST_LOG_RUN).any():
        shape, scale = np.where(short[again], np.array([SHORT]).T, np.array([LONG]).T)
        logs[again] = random.gamma(shape, scale)
    return np.exp(logs).astype(np.int64)


def arrivals(jobs: int, span: float, random: np.random.Generator) -> np.ndarray:
    """Return submission times from midnight on, int64[jobs], s, over about `span` seconds."""
    gaps = np.full(jobs, np.inf)
    while (again := gaps > MOST_LOG_GAP).any():
        gaps[again] = random.gamma(GAP[0] * ALL_HOURS, GAP[1], int(again.sum()))
    points = np.cumsum(np.exp(gaps))
    points *= span / (points[-1] - points[0]) / HALF_HOUR
    days = math.ceil(points[-1] / HALF_HOURS) + 1
    passed = np.concatenate([[0], np.cumsum(np.tile(cycle(), days))])
    return np.rint(np.interp(points, passed, np.arange(len(passed)) * HALF_HOUR)).astype(np.int64)


def cycle() -> np.ndarray:
    """Return the relative rate of arrivals in each half hour of the day,
    from midnight on, float64[48], mean 1.
    """

    def density(x):
        shape, scale = CYCLE
        return np.exp((shape - 1) * np.log(x) - x / scale)

    slot = np.arange(CYCLE_START, CYCLE_START + HALF_HOURS)
    # Simpson's rule for the gamma distribution's share of each slot.
    share = density(slot - 0.5) + 4 * density(slot) + density(slot + 0.5)
    by_slot = np.empty(HALF_HOURS)
    by_slot[(slot - 1) % HALF_HOURS] = share
    return by_slot / by_slot.mean()
