"""Fig. 1: the effects of predictions in place of estimates in EASY, on five processors."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import replication as rp
from notebooks.logs import COLUMNS
from notebooks.panels import box
from replication.drawing import style
from replication.simulator.schedulers.event_loop import earliest_fit
from replication.simulator.schedules import gantt
from replication.verdicts import published

MACHINE = 5


@dataclass(frozen=True)
class Example:
    """One picture: its title, the policy as ``data/published`` names it, and the jobs in order of
    submission.

    Each job has its number in the paper, the run time that the scheduler plans with, the actual
    one, and its size.
    """

    title: str
    policy: str
    numbers: tuple
    planned: tuple
    run_time: tuple
    # Job 1 leaves three processors idle for the two time units that it really runs. Job 2 needs all
    # five.
    size: tuple = (2, 5, 1)

    def workload(self) -> rp.Workload:
        """Return the jobs, all submitted at time 0."""
        now = [0] * len(self.planned)
        return rp.Workload.from_columns(
            self.title, MACHINE, now, self.run_time, self.size, self.planned
        )

    def decision(self, schedule) -> list[tuple]:
        """Return number, start, length and size of each job as planned at time 0, the blocked head
        at its reservation.
        """
        started = [k for k in range(len(self.planned)) if schedule.start[k] == 0]
        head = next(k for k in range(len(self.planned)) if schedule.start[k] > 0)
        free = MACHINE - sum(self.size[k] for k in started)
        ends = [(self.planned[k], self.size[k]) for k in started]
        at = earliest_fit(self.size[head], free, ends).time
        return [
            (self.numbers[k], at if k == head else 0, self.planned[k], self.size[k])
            for k in (*started, head)
        ]


EXAMPLES = {
    "fig1a": Example("(a) decided on estimates", "EASY", (1, 2, 3), (3, 2, 2), (2, 2, 2)),
    "fig1b": Example(
        "(b) job 1 predicted too short", "EASY-predicted", (1, 2, 3), (1, 2, 2), (2, 2, 2)
    ),
    "fig1c": Example(
        "(c) job 5 predicted too short", "EASY-predicted", (1, 2, 5), (5, 2, 4), (5, 2, 6)
    ),
}


def results(schedules) -> pd.DataFrame:
    """Return the numbers in the paper's text as simulated, from the schedule of each of
    `EXAMPLES`.
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
    return pd.DataFrame(rows, columns=COLUMNS)


def published_part(ours) -> pd.DataFrame:
    """Return the rows with a number in the paper's text."""
    printed = {row.key for row in published.rows("pv_easy", "fig1")}
    return ours[ours[COLUMNS[:3]].apply(tuple, axis=1).isin(printed)]


def reasons(ours) -> dict[str, str]:
    """Return why the numbers of Fig. 1 have no verdict, as `Page.compare` takes it."""
    return dict.fromkeys(ours["trace"], "the jobs are made up such that this comes out")


def draw(schedules) -> Figure:
    """Draw each example twice: the decision at time 0, and the outcome."""
    size = style.WIDTH, 6.2
    figure, grid = plt.subplots(len(EXAMPLES), 2, figsize=size, sharex=True, sharey=True)
    for row, (name, example) in zip(grid, EXAMPLES.items(), strict=True):
        starts = schedules[name].start.tolist()
        _boxes(row[0], example.decision(schedules[name]))
        _boxes(row[1], zip(example.numbers, starts, example.run_time, example.size, strict=True))
        row[0].set_ylabel("processors")
        row[0].set_title(example.title, loc="left")
        row[1].set_title("outcome", loc="left", fontweight="normal")
    for axes in grid[-1]:
        axes.set_xlabel("time [T]")
    return figure


def _boxes(axes, jobs):
    """Draw rectangles of (number, start, length, size), lowest processors first."""
    number, start, length, size = (np.array(column) for column in zip(*jobs, strict=True))
    end = start + length
    for k, first, width in gantt.place(start, end, size, MACHINE):
        colour = style.COLOURS[(number[k] - 1) % 5], 0.35
        box(axes, start[k], end[k], first, width, f"job {number[k]}", colour)
    axes.set(xlim=(0, 8.2), ylim=(0, MACHINE), xticks=range(9), yticks=range(MACHINE + 1))
    axes.grid(visible=False)
