"""The functions that the page calls, in WebAssembly by `compile_kernel`.

Each takes addresses of columns in the module's memory, int64[n] unless stated otherwise. The
kernels are those of the package, which also lay out their own state.
"""

import numpy as np
from numba import carray, njit

from replication.simulator.kernels.compilation import sort
from replication.simulator.kernels.easy import easy
from replication.simulator.kernels.measures import performance
from replication.simulator.kernels.observation import observations
from replication.simulator.kernels.ordered_list import begin, empty_running, when_it_fits

WORD = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
#: The multiplier of PCG64, in two words.
MULTIPLIER = np.uint64(2549297995355413924), np.uint64(4865540595714422341)


@njit
def simulate(submit, run_time, estimate, size, start, backfilled, order, n, machine, backfilling):
    """Simulate EASY, or FCFS if not `backfilling`, as `easy` does."""
    easy(
        carray(submit, n), carray(run_time, n), carray(estimate, n), carray(size, n), machine,
        backfilling, carray(start, n), carray(backfilled, n), carray(order, n),
    )  # fmt: skip


@njit
def high(a, b):
    """Return the upper 64 bits of the product of two words."""
    a1, a0, b1, b0 = a >> WORD, a & LOW, b >> WORD, b & LOW
    middle = a1 * b0 + (a0 * b0 >> WORD)
    return a1 * b1 + (middle >> WORD) + ((a0 * b1 + (middle & LOW)) >> WORD)


@njit
def draw(run_time, estimate, state, n, f):
    """Draw the estimates of the f-model: `FModel.estimate` with numpy's PCG64.

    `state` is uint64[4]: the generator's state and its increment, each with the upper word first.
    """
    words = carray(state, 4)
    upper, lower, add_upper, add_lower = words[0], words[1], words[2], words[3]
    runs, estimates = carray(run_time, n), carray(estimate, n)
    for k in range(n):
        upper = upper * MULTIPLIER[1] + lower * MULTIPLIER[0] + high(lower, MULTIPLIER[1])
        lower *= MULTIPLIER[1]
        lower += add_lower
        upper += add_upper + np.uint64(lower < add_lower)
        mixed, turn = upper ^ lower, upper >> np.uint64(58)
        mixed = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
        uniform = (mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        estimates[k] = runs[k] + np.int64(np.rint(runs[k] * (f * uniform)))


@njit
def _smallest(values, among, rank):
    """Return the value of a rank, from 1, among the first values."""
    some = np.empty(among, np.int64)
    for k in range(among):
        some[k] = values[k]
    sort(some)
    return some[rank - 1]


@njit
def measure(submit, run_time, size, start, kept, means, n, trim):
    """Mark the jobs that are measured, as `measured_jobs` does, and write `performance`.

    `means` is float64[5].
    """
    arrival, runs, keeps = carray(submit, n), carray(run_time, n), carray(kept, n)
    starts, ends, warm_up = carray(start, n), np.empty(n, np.int64), n // 100 if trim else 0
    for k in range(n):
        ends[k] = starts[k] + runs[k]
        keeps[k] = not trim or ends[k] <= arrival[n - 1]
    if warm_up:
        # Of the first jobs to end; a job submitted later than `bound` ends later.
        bound, among = _smallest(ends, 2 * warm_up, warm_up), 0
        while among < n and arrival[among] <= bound:
            among += 1
        last, ties = _smallest(ends, among, warm_up), warm_up
        for k in range(among):
            ties -= ends[k] < last
        for k in range(among):
            if ends[k] < last or (ends[k] == last and ties > 0):
                ties -= ends[k] == last
                keeps[k] = False
    means = carray(means, 5)
    found = performance(arrival, runs, carray(size, n), ends, keeps)
    for k in range(5):
        means[k] = found[k]


@njit
def observe(submit, run_time, size, start, backfilled, order, wild, delay, n, machine):
    """Write which jobs were backfilled wildly, and how long each head was delayed."""
    arrival, starts, orders = carray(submit, n), carray(start, n), carray(order, n)
    submitted, queued = np.empty(n, np.int64), 0
    for k in range(n):
        while queued < n and arrival[queued] <= starts[orders[k]]:
            queued += 1
        submitted[k] = queued
    _, was_wild, _, delayed = observations(
        carray(run_time, n), carray(size, n), machine, starts, carray(backfilled, n), orders,
        submitted,
    )  # fmt: skip
    wilds, delays = carray(wild, n), carray(delay, n)
    for k in range(n):
        wilds[k], delays[k] = was_wild[k], delayed[k]


@njit
def reserve(run_time, estimate, size, start, order, found, n, machine, head, now, before):
    """Write the reservation of a head while the first `before` jobs in the order have started.

    `found` is int64[3]: shadow time, extra processors, real shadow time.
    """
    runs, estimates, sizes = carray(run_time, n), carray(estimate, n), carray(size, n)
    starts, orders, found = carray(start, n), carray(order, n), carray(found, 3)
    running, count, free = empty_running(min(n, machine)), np.int64(0), machine
    for k in range(before):
        job = orders[k]
        if starts[job] + runs[job] > now:
            begin(running, count, starts[job] + runs[job], starts[job] + estimates[job], sizes[job])
            count += 1
            free -= sizes[job]
    for place, ends in ((0, running.by_plan), (2, running.by_end)):
        shadow, extra = now, free - sizes[head]
        if extra < 0:
            shadow, extra = when_it_fits(ends, running.size, count, free, sizes[head], now)
        found[place] = shadow
        if place == 0:
            found[1] = extra
