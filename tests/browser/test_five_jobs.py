"""Part 1 of the page: five jobs whose estimates the reader drags."""

import numpy as np

import replication as rp
from replication.simulator.observation import observe

SUBMIT, RUN, SIZE = [0, 0, 1, 2, 3], [6, 3, 4, 5, 4], [2, 1, 3, 1, 1]


def test_all_estimates_give_the_schedules_of_the_package(node):
    choices = [
        [a, b, 4, d, e] for a in (6, 7, 9, 10) for b in (3, 8) for d in (5, 10) for e in (4, 6, 9)
    ]
    for estimates, answer in zip(choices, node("five", choices), strict=True):
        jobs = rp.Workload.from_columns("five", 4, SUBMIT, RUN, SIZE, estimates)
        seen = observe(jobs)
        assert answer["start"] == seen.schedule.start.tolist()
        assert answer["wild"] == seen.wild.tolist()
        assert answer["mean"] == seen.schedule.wait.mean()
        shown = answer["shown"]
        if seen.wild.any() and shown["head"] == int(np.argmax(seen.events > 0)):
            late = answer["start"][shown["head"]] - shown["real"]
            assert late == seen.delay[shown["head"]]
