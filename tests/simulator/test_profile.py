"""The profile of free processors, compared with the number of free processors at every second."""

import numpy as np
import pytest

from replication.simulator.kernels import profile as profiles
from replication.simulator.kernels.machine import LATEST

PROCESSORS, SECONDS = 8, 6100


class Bookings:
    """Jobs with reservations, in a profile and as free processors at every second."""

    def __init__(self):
        self.profile = profiles.empty_profile(400)
        self.profile.at[:2], self.profile.free[0] = (0, LATEST), PROCESSORS
        self.profile.count[profiles.STEPS] = 1
        self.free = np.full(SECONDS, PROCESSORS)
        self.jobs = []  # start, length and size of each

    def occupy(self, size, begins, ends):
        profiles.occupy(self.profile, size, begins, ends)
        self.free[begins:ends] -= size

    def flat_steps(self):
        free = self.profile.free[: self.profile.count[profiles.STEPS]]
        return int(np.sum(free[1:] == free[:-1]))

    def earliest(self, now, size, length, before, beyond):
        """Return the earliest start before an instant, `LATEST` if there is none;
        both searches agree.
        """
        found = profiles.earliest_start(self.profile, size, length, before, beyond)
        starts = (
            start
            for start in range(now, min(before, SECONDS - length))
            if (self.free[start : min(start + length, beyond)] >= size).all()
        )
        assert found == next(starts, LATEST)
        return found

    def reserve(self, now, size, length):
        start = self.earliest(now, size, length, LATEST, LATEST)
        self.occupy(size, start, start + length)
        self.jobs.append((start, length, size))

    def end(self, now, job):
        """End a running job early."""
        start, length, size = self.jobs.pop(job)
        self.occupy(-size, now, start + length)
        profiles.forget(self.profile)

    def move_forward(self, now):
        """Move each reservation in the order of starts; return how many were moved."""
        moved = 0
        for reserved, length, size in sorted(self.jobs):
            start = self.earliest(now, size, length, reserved, reserved)
            if reserved > now and start != LATEST:
                self.occupy(size, start, min(start + length, reserved))
                self.occupy(-size, max(start + length, reserved), reserved + length)
                self.jobs[self.jobs.index((reserved, length, size))] = start, length, size
                moved += 1
        return moved


@pytest.mark.parametrize("lengths", [(3, 10), range(1, 20)], ids=["few", "many"])
def test_searches_skip_no_possible_start(lengths):
    skipped = moved = 0
    for seed in range(10):
        random, bookings, now = np.random.default_rng(seed), Bookings(), 0
        for _ in range(60):
            bookings.reserve(now, int(random.integers(1, 6)), int(random.choice(lengths)))
            skipped += (bookings.profile.known[:, profiles.SINCE] > now).any()
            running = [k for k, (start, *_) in enumerate(bookings.jobs) if start <= now]
            if running and random.random() < 0.3:
                bookings.end(now, running[random.integers(len(running))])
                moved += bookings.move_forward(now)
            now += int(random.integers(0, 2))
            profiles.drop_past(bookings.profile, now)
            bookings.jobs = [job for job in bookings.jobs if job[0] + job[1] > now]
    assert skipped > 100
    assert moved > 30


def test_flat_steps_of_a_long_profile_change_no_search():
    random, bookings = np.random.default_rng(1), Bookings()
    for begins in range(0, 6000, 24):
        size, length = int(random.integers(2, 7)), int(random.integers(10, 21))
        bookings.occupy(size, begins, begins + length)
        bookings.jobs.append((begins, length, size))
    flat = []
    for now in (1, 2):
        profiles.drop_past(bookings.profile, now)
        flat.append(bookings.flat_steps())
        bookings.end(now, 0)
        assert bookings.move_forward(now) > 100
        flat.append(bookings.flat_steps())
    assert flat[0] == flat[2] == 0 and flat[1] > 100


def test_free_processors_at_an_instant():
    bookings = Bookings()
    bookings.occupy(3, 5, 9)
    found = [profiles.free_at(bookings.profile, instant) for instant in (0, 4, 5, 8, 9)]
    assert found == [8, 8, 5, 5, 8]
