"""The profile of free processors over time, in which reservations are made.

``at`` has the instants at which the number of free processors changes, and ``free`` the number from
then on. A profile has fewer steps than jobs, because jobs of equal planned length end and start
together: some hundreds of steps for 10,000 waiting jobs of a real log. Therefore the steps are two
sorted arrays, and not a tree.

A step is flat if the number does not change there. A profile of fewer than `SHORT` steps has none:
`occupy` removes them. In a longer one they stay until `drop_past` moves all steps anyway. They
change no result: a flat step has too few free processors if the step before it has too few.

The search for the earliest start is the expensive part. Most waiting jobs have the size and the
length of another one, so the profile stores for each such pair an instant before which no start is
possible, and a search begins there. The stored instant T of a pair has this property: each window
of that length that begins before T includes an instant before T at which fewer processors than that
size are free.

* If the earliest start is T, the property holds. A window that begins earlier includes an instant
  with too few processors; from T on it lies within the window found, which has enough of them.
* A reservation keeps the property, because it only reduces the free processors.
* A release of processors from T on keeps it, too. Before T, it does not; then `forget` discards all
  stored instants.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.machine import FREE, JOB_BITS, JOB_MASK, LATEST, RUNNING
from replication.simulator.kernels.ordered_list import ONE

# at, free : int64[m], s and processors, the steps, with `LATEST` behind the last
# count : int64[2], the number of steps and of calls of `forget`
# known : int64[2**KNOWN_BITS, 4], the last pair of size and length in each place of a hash table,
#     the number of calls of `forget` then, and the instant before which the pair has no start
Profile = namedtuple("Profile", "at free count known")
STEPS, FORGOTTEN = range(2)
SHORT = 256  # steps below which a flat one is removed at once
SIZE, LENGTH, AGE, SINCE = range(4)
KNOWN_BITS = 9
FACTOR = np.uint64(
    0x9E3779B97F4A7C15
)  # 2**64 over the golden ratio, which spreads a hash over the table


@njit(nogil=True, cache=True)
def empty_profile(n):
    """Return a profile with space for `n` jobs.

    The run or the reservation of a job has at most two steps. A job adds at most four before
    `drop_past` or `reset_profile` is called again. No flat step stays beyond that: `occupy` removes
    those of a short profile, and `drop_past` those of a long one.
    """
    steps = 6 * n + 4
    known = np.full((1 << KNOWN_BITS, 4), -1)
    return Profile(
        np.empty(steps, np.int64), np.empty(steps, np.int64), np.zeros(2, np.int64), known
    )


@njit_noalloc
def reset_profile(profile, machine, memory, now, earliest):
    """Set the profile to the running jobs alone; a job past its planned end is expected
    to end at `earliest`.
    """
    at, free = profile.at, profile.free
    at[0], free[0] = now, machine.count[FREE]
    steps = 1
    for k in range(machine.count[RUNNING], 0, -1):
        key = machine.by_plan[k]
        end = max(key >> JOB_BITS, earliest)
        if at[steps - 1] < end:
            at[steps], free[steps] = end, free[steps - 1]
            steps += 1
        free[steps - 1] += memory.size[key & JOB_MASK]
    at[steps] = LATEST
    profile.count[STEPS] = steps
    forget(profile)


@njit_noalloc
def forget(profile):
    """Discard the stored instants, after processors were released."""
    profile.count[FORGOTTEN] += 1


@njit_noalloc
def earliest_start(profile, size, length, before, beyond):
    """Return the earliest start at which `size` processors are free for `length` s, or `LATEST`.

    Parameters
    ----------
    profile : Profile
    size, length : int
    before : int, s
        Only starts before this instant are tried. No later start before `beyond` may be possible.
    beyond : int, s
        The profile from this instant on is ignored.
    """
    at, free = profile.at, profile.free
    place = (np.uint64(size) * FACTOR + np.uint64(length)) * FACTOR >> np.uint64(64 - KNOWN_BITS)
    entry = profile.known[place]
    is_known = entry[SIZE] == size and entry[LENGTH] == length
    # From `beyond` on the processors may be held by the job itself, so a later instant says
    # nothing.
    if not is_known or entry[AGE] != profile.count[FORGOTTEN] or entry[SINCE] > beyond:
        entry[SIZE], entry[LENGTH], entry[AGE] = size, length, profile.count[FORGOTTEN]
        entry[SINCE] = at[0]
    if entry[SINCE] >= before:
        return LATEST
    k = np.uint64(_first_from(profile, entry[SINCE]))
    while True:
        while free[k] < size and at[k] < before:
            k += ONE
        begins = at[k]
        if begins >= before:
            # The property holds for `beyond` as for a start found there, because no start before it
            # is possible.
            entry[SINCE] = beyond
            return LATEST
        ends = min(begins + length, beyond)
        k += ONE
        while at[k] < ends and free[k] >= size:
            k += ONE
        if at[k] >= ends:
            entry[SINCE] = begins
            return begins
        k += ONE


@njit_noalloc
def free_at(profile, time):
    """Return the number of processors that are free at an instant from now on."""
    return profile.free[_first_from(profile, time + 1) - 1]


@njit_noalloc
def occupy(profile, size, begins, ends):
    """Occupy `size` processors from second `begins` until `ends`; a negative size releases them."""
    first = _step_at(profile, begins)
    beyond = _step_at(profile, ends)
    for step in range(np.uint64(first), np.uint64(beyond)):
        profile.free[step] -= size
    if profile.count[STEPS] < SHORT:
        _drop_if_flat(profile, beyond)
        _drop_if_flat(profile, first)


@njit_noalloc
def drop_past(profile, now):
    """Remove the part of the profile before now, and the flat steps behind it."""
    at, free, count = profile.at, profile.free, profile.count
    first = np.uint64(_first_from(profile, now + 1)) - ONE
    if first > 0 or count[STEPS] >= SHORT:
        steps, before = ONE, free[first]
        free[0] = before
        for k in range(first + ONE, np.uint64(count[STEPS])):
            begins, after = at[k], free[k]
            at[steps], free[steps] = begins, after
            steps += np.uint64(after != before)
            before = after
        at[steps], count[STEPS] = LATEST, steps
    at[0] = now


@njit_noalloc
def _first_from(profile, time):
    """Return the first step that begins at a time or later."""
    low, high = np.uint64(0), np.uint64(profile.count[STEPS])
    while low < high:
        middle = (low + high) >> ONE
        if profile.at[middle] < time:
            low = middle + ONE
        else:
            high = middle
    return np.int64(low)


@njit_noalloc
def _step_at(profile, time):
    """Return the step that begins at a time; insert it if there is none."""
    k, at, free = np.uint64(_first_from(profile, time)), profile.at, profile.free
    if at[k] != time:
        for later in range(np.uint64(profile.count[STEPS]), k - ONE, -1):
            at[later + ONE], free[later + ONE] = at[later], free[later]
        at[k], free[k] = time, free[k - ONE]
        profile.count[STEPS] += 1
    return k


@njit_noalloc
def _drop_if_flat(profile, k):
    """Remove a step at which the number of free processors does not change."""
    at, free = profile.at, profile.free
    if k > 0 and free[k] == free[k - ONE]:
        for later in range(k, np.uint64(profile.count[STEPS])):
            at[later], free[later] = at[later + ONE], free[later + ONE]
        profile.count[STEPS] -= 1
