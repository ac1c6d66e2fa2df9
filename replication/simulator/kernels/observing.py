"""What heel-and-toe measures while EASY runs (report 2006, sections 5 and 6): wild backfills and SJFness.

The head's real shadow time is worked out anew only where it can have moved. It stays as it is while jobs end,
since they end when they truly end; and a backfilled job leaves it alone if it is over by then, or if it takes
no more than the processors that the head will leave over. Any other backfill is wild. So the first real
shadow time may wait for the first backfill past a head.

The shortest run time in the queue is kept until the job that has it is started.

What is seen can also be acted on: `may_pass` refuses backfills that would be wild, or lets jobs past a head that the
reservation would hold back, so that it can be told what wild backfills cause and not only what they go with.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels.compiling import njit_noalloc
from replication.simulator.kernels.running import when_it_fits
from replication.simulator.kernels.waiting import BLOCK, EMPTY, least, narrow

#: Of each job: `shortest`, `wild` bool[n]; `events` int32[n], `delay` int64[n] as head. Then what is kept
#: while running: run times of the waiting jobs, in step with the queue, and `state`.
Seen = namedtuple("Seen", "shortest wild events delay run_time state")

# Places in `state`. The head's: its real shadow time, the processors it leaves over then, whether these two
# are known, its first real shadow time, its wild backfills. The queue's: its shortest run time, and whether
# known.
SHADOW, SPARE, IS_HEAD_KNOWN, FIRST, EVENTS, LEAST, IS_LEAST_KNOWN = range(7)
STATES = 7

#: What a job may do to a head: what the reservation allows; that, unless it would be wild; or pass whenever it fits.
AS_BELIEVED, NEVER_WILD, LET_PAST = range(3)


@njit(nogil=True, cache=True)
def empty_observations(n):
    """Room for what is seen of `n` jobs."""
    return Seen(
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int32),
        np.zeros(n, np.int64),
        np.empty(n + np.int64(BLOCK), np.int32),
        np.zeros(STATES, np.int64),
    )


@njit_noalloc
def outlives(seen, jobs, running, free, head_size, run_time, now):
    """Whether a job that begins now runs on past the head's real shadow time."""
    state = seen.state
    if not state[IS_HEAD_KNOWN]:
        state[SHADOW], state[SPARE] = when_it_fits(
            jobs.by_end, jobs.size, running, free, head_size, now
        )
        state[FIRST] = state[SHADOW]
        state[IS_HEAD_KNOWN] = 1
    return now + run_time > state[SHADOW]


@njit_noalloc
def may_pass(seen, allowed, believed, jobs, running, free, head_size, run_time, size, now):
    """Whether a job may pass the head by what is `allowed` it; by the reservation alone it would be `believed`."""
    if allowed == LET_PAST:
        return size <= free
    if allowed == AS_BELIEVED or not believed:
        return believed
    over = outlives(seen, jobs, running, free, head_size, run_time, now)
    return not (over and size > seen.state[SPARE])


@njit_noalloc
def on_backfill(seen, jobs, running, free, head_size, job, run_time, size, now):
    """Tell wild from mild, just before `job` begins past the head."""
    if outlives(seen, jobs, running, free, head_size, run_time, now):
        seen.wild[job] = size > seen.state[SPARE]
        seen.state[SPARE] -= size


@njit_noalloc
def on_wild(seen, jobs, running, free, head_size, now):
    """Find the head's new real shadow time, just after a wild backfill."""
    state = seen.state
    state[SHADOW], state[SPARE] = when_it_fits(
        jobs.by_end, jobs.size, running, free, head_size, now
    )
    state[EVENTS] += 1


@njit_noalloc
def on_head_start(seen, job, now):
    """Settle what the head has suffered, and forget it for the next head."""
    state = seen.state
    if state[EVENTS] > 0:
        seen.events[job] = state[EVENTS]
        seen.delay[job] = now - state[FIRST]
        state[EVENTS] = 0
    state[IS_HEAD_KNOWN] = 0


@njit_noalloc
def on_submissions(seen, submit, run_time, arrived, now):
    """All jobs submitted now are in the queue, if only to be started at once."""
    state = seen.state
    if state[IS_LEAST_KNOWN]:
        state[LEAST] = min(state[LEAST], _shortest_of_now(submit, run_time, arrived, now))


@njit_noalloc
def on_start(seen, submit, run_time, arrived, head, tail, job, now):
    """Whether `job`, still in the queue, is a shortest one there."""
    state = seen.state
    if not state[IS_LEAST_KNOWN]:
        first = np.uint64(head)
        state[LEAST] = min(
            least(seen.run_time, first, np.uint64(tail)),
            _shortest_of_now(submit, run_time, arrived, now),
        )
        state[IS_LEAST_KNOWN] = 1
    if narrow(run_time[job]) <= state[LEAST]:
        seen.shortest[job] = True
        state[IS_LEAST_KNOWN] = 0


@njit(nogil=True, cache=True, _nrt=False)
def _shortest_of_now(submit, run_time, arrived, now):
    lowest = np.int64(EMPTY)
    while arrived < len(submit) and submit[arrived] == now:
        lowest = min(lowest, np.int64(narrow(run_time[arrived])))
        arrived += 1
    return lowest
