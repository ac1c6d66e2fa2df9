"""Fig. 1: what goes wrong where predictions take the place of estimates in EASY, on five processors."""

from dataclasses import dataclass

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.evidence import published
from replication.logs.workload import Workload
from replication.reference import easy as reference
from replication.schedule import gantt

MACHINE = 5


@dataclass(frozen=True)
class Example:
    """One picture.

    Parameters
    ----------
    title, policy : str
        The policy as ``data/published`` names it.
    numbers : tuple of int
        The jobs' numbers in the paper, in order of submission.
    told : tuple of int
        The run times that the scheduler plans with.
    run_time, size : tuple of int
    """

    title: str
    policy: str
    numbers: tuple
    told: tuple
    run_time: tuple
    size: tuple

    def workload(self):
        """The jobs, all there at time 0."""
        now = [0] * len(self.told)
        return Workload.from_columns(self.title, MACHINE, now, self.run_time, self.size, self.told)

    def decision(self, schedule):
        """Start, end and size of each job as planned at time 0; the blocked head at its reservation."""
        started = [k for k in range(len(self.told)) if schedule.start[k] == 0]
        head = next(k for k in range(len(self.told)) if schedule.start[k] > 0)
        free = MACHINE - sum(self.size[k] for k in started)
        at, _ = reference.reservation(
            [(self.told[k], self.size[k]) for k in started], free, self.size[head]
        )
        return [
            (self.numbers[k], at if k == head else 0, self.told[k], self.size[k])
            for k in (*started, head)
        ]


# Job 1 leaves three processors idle for the two time units that it really runs. Job 2 needs all five.
EXAMPLES = {
    "fig1a": Example(
        "(a) decided on estimates", "EASY", (1, 2, 3), (3, 2, 2), (2, 2, 2), (2, 5, 1)
    ),
    "fig1b": Example(
        "(b) job 1 predicted too short",
        "EASY-predicted",
        (1, 2, 3),
        (1, 2, 2),
        (2, 2, 2),
        (2, 5, 1),
    ),
    "fig1c": Example(
        "(c) job 5 predicted too short",
        "EASY-predicted",
        (1, 2, 5),
        (5, 2, 4),
        (5, 2, 6),
        (2, 5, 1),
    ),
}


def results(schedules):
    """What the paper's text says of the pictures, as simulated.

    Parameters
    ----------
    schedules : dict of str to replication.schedule.schedule.Schedule
        Of each of `EXAMPLES`.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, value, unit.
    """
    rows = []
    for name, example in EXAMPLES.items():
        schedule, unit = schedules[name], "time units"
        start = int(schedule.start[1])
        busy = np.minimum(schedule.end, start) - np.minimum(schedule.start, start)
        wasted = MACHINE * start - int(np.dot(busy, example.size))
        reserved = next(at for number, at, _, _ in example.decision(schedule) if number == 2)
        rows += [
            (name, example.policy, "wasted_area", wasted, "processor time units"),
            (name, example.policy, "reservation", reserved, unit),
            (name, example.policy, "start", start, unit),
            (name, example.policy, "backfilled_end", int(schedule.end[2]), unit),
        ]
    return pd.DataFrame(rows, columns=["trace", "policy", "measure", "value", "unit"])


def published_part(ours):
    """The rows that the paper's text has a number for."""
    known = {row.key for row in published.rows("pv_easy", "fig1")}
    keys = zip(ours["trace"], ours["policy"], ours["measure"], strict=True)
    return ours[[key in known for key in keys]]


def made(ours):
    """Why the numbers of Fig. 1 have no verdict, as `Page.compare` takes it."""
    return dict.fromkeys(ours["trace"], "the jobs are made up such that this comes out")


def draw(schedules):
    """Each example twice: as decided at time 0, and as it came about."""
    figure, grid = plt.subplots(
        len(EXAMPLES), 2, figsize=(style.WIDTH, 6.2), sharex=True, sharey=True
    )
    for row, (name, example) in zip(grid, EXAMPLES.items(), strict=True):
        schedule = schedules[name]
        came = [
            (number, int(schedule.start[k]), example.run_time[k], example.size[k])
            for k, number in enumerate(example.numbers)
        ]
        _boxes(row[0], example.decision(schedule))
        _boxes(row[1], came)
        row[0].set_ylabel("processors")
        row[0].set_title(example.title, loc="left")
        row[1].set_title("what came about", loc="left", fontweight="normal")
    for axes in grid[-1]:
        axes.set_xlabel("time T")
    return figure


def _boxes(axes, jobs):
    """Rectangles of (number, start, length, size), lowest processors first."""
    _, start, length, size = (np.array(column) for column in zip(*jobs, strict=True))
    for k, first, width in gantt.place(start, start + length, size, MACHINE):
        number = jobs[k][0]
        axes.add_patch(
            plt.Rectangle(
                (start[k], first),
                length[k],
                width,
                alpha=0.35,
                edgecolor="black",
                lw=0.8,
                facecolor=style.COLOURS[(number - 1) % 5],
            )
        )
        axes.text(
            start[k] + length[k] / 2,
            first + width / 2,
            f"job {number}",
            ha="center",
            va="center",
            fontsize=8,
        )
    axes.set(xlim=(0, 8.2), ylim=(0, MACHINE), xticks=range(9), yticks=range(MACHINE + 1))
