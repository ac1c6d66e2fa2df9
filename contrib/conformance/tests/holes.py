"""A search for holes in the plan of conservative backfilling, and ways to break it."""

import inspect
import math


def hole(size, machine, taken, reserved, length, now):
    """Return the earliest start from `now` on at which `size` processors are free for `length`
    seconds.

    `taken` and `reserved` list (start, end, size) of running jobs and of the reservations of
    others.
    """
    every = taken + reserved
    steps = sorted({now, *(time for begin, end, _ in every for time in (begin, end) if time > now)})
    begins, left = None, length
    for time, following in zip(steps, [*steps[1:], math.inf]):
        free = machine - sum(other for begin, end, other in every if begin <= time < end)
        if free < size:
            begins, left = None, length
            continue
        begins = time if begins is None else begins
        left -= following - time
        if left <= 0:
            return begins


RESET = "begins, left = None, length\n            continue"
BEGINS = "begins = time if begins is None else begins"
#: What the search does wrong: a part of its source, and what stands there instead.
BROKEN = {
    "after an instant with too few processors the time covered so far counts": (
        RESET,
        "begins = None\n            continue",
    ),
    "the start stays where a hole that was too short began": (
        RESET,
        "left = length\n            continue",
    ),
    "only the start needs enough processors": ("left <= 0", "True"),
    "a processor must be left over": ("free < size", "free <= size"),
    "a hole must be longer than the job": ("left <= 0", "left < 0"),
    "a hole may be a second too short": ("left <= 0", "left <= 1"),
    "a hole is measured from the present": (
        "left -= following - time",
        "left = length - (following - now)",
    ),
    "a hole lies between two neighbouring instants": (BEGINS, "begins, left = time, length"),
    "the present instant is not tried": ("sorted({now, *(", "sorted({*("),
    "ends are no instants, but the last": (
        "(begin, end) if",
        "(begin, max(e for _, e, _ in every)) if",
    ),
    "a job is on the machine from the second after its start": ("begin <= time", "begin < time"),
    "a job is on the machine until after its end": ("time < end", "time <= end"),
    "of several jobs at an instant the largest counts": (
        "sum(other for begin, end, other in every if begin <= time < end)",
        "max((other for begin, end, other in every if begin <= time < end), default=0)",
    ),
    "running jobs do not count": ("every = taken + reserved", "every = reserved"),
    "reservations do not count": ("every = taken + reserved", "every = taken"),
    "only the first reservation counts": (
        "every = taken + reserved",
        "every = taken + reserved[:1]",
    ),
    "only the last reservation counts": (
        "every = taken + reserved",
        "every = taken + reserved[-1:]",
    ),
    "reservations of larger jobs alone count": (
        "every = taken + reserved",
        "every = taken + [one for one in reserved if one[2] >= size]",
    ),
    "no job starts before the last reserved start": (
        BEGINS,
        "if time < max([now, *(start for start, _, _ in reserved)]):\n            continue\n       "
        " " + BEGINS,
    ),
    "a job passes one other at most": (
        BEGINS,
        "if time < [now, now, *sorted(start for start, _, _ in reserved)][-2]:\n            "
        "continue\n        " + BEGINS,
    ),
    "a job starts now or after all others": (
        "return begins",
        "return begins if begins == now else steps[-1]",
    ),
    "the fullest hole is taken instead of the first": (
        "return begins",
        "return begins if free == size or following == math.inf else max(begins, following)",
    ),
    "a hole between two reservations is not shared": (
        "free < size",
        "free < size or (time > now and sum(begin <= time < end for begin, end, _ in reserved) and "
        "free < machine and free == size)",
    ),
}


def broken(name):
    """Return the search with one change."""
    old, new = BROKEN[name]
    source = inspect.getsource(hole)
    assert old in source
    space = {"math": math}
    exec(source.replace(old, new), space)
    return space["hole"]
