"""The paper's small examples, simulated: Figs. 1, 8 and 14, and Table 2."""

from fractions import Fraction
from typing import NamedTuple

import matplotlib.patches as patches
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import replication as rp
from notebooks.logs import COLUMNS
from notebooks.panels import below_all, box
from replication.drawing import style
from replication.simulator.schedulers.event_loop import earliest_fit
from replication.simulator.schedules import gantt

#: Job number: run time, size. The paper's pictures give no sizes; these make its words true.
FIG1 = {1: (4, 1), 2: (2, 1), 3: (2, 2), 4: (2, 1)}
FIG8 = {1: (6, 1), 2: (4, 1), 3: (3, 2), 4: (4, 1), 5: (3, 1), 6: (2, 1)}
FIG14 = {1: (3, 3), 2: (2, 3), 3: (6, 1)}
HEAD = 3  # the blocked job of Fig. 8
FACTORS = {"F=1": Fraction(1), "F=4/3": Fraction(4, 3), "F=2": Fraction(2)}
CANDIDATES = (4, 5, 6)
#: Numbers of Table 2 that are inputs here, and why they are not compared.
INPUTS = {
    ("fig8", "F=1", f"estimate_j{job}"): "a run time of Fig. 8, which is an input here"
    for job in (1, *CANDIDATES)
}


def workload(name, jobs, machine, unit=1) -> rp.Workload:
    """Return jobs that are all submitted at time 0, in the order of their numbers."""
    run_time, size = np.array([*jobs.values()]).T
    return rp.Workload.from_columns(name, machine, np.zeros(len(jobs), int), unit * run_time, size)


def starts(schedules) -> pd.DataFrame:
    """Return the start of each job under each schedule, with a row for each job."""
    table = pd.DataFrame({name: schedule.start for name, schedule in schedules.items()})
    table.insert(0, "job", range(1, len(table) + 1))
    return table


def draw(schedules) -> Figure:
    """Draw a panel for each schedule: time across, processors up, numbers are jobs."""
    last = max(int(schedule.end.max()) for schedule in schedules.values())
    size = style.size(1, len(schedules))[0], 2.8
    figure, axes = plt.subplots(1, len(schedules), figsize=size, sharey=True)
    for panel, (name, schedule) in zip(axes, schedules.items(), strict=True):
        start, end, of = schedule.start, schedule.end, schedule.workload
        for job, first, width in gantt.place(start, end, of.processors, of.machine):
            colour = style.COLOURS[1] if schedule.backfilled[job] else "#C9D6E8"
            box(panel, start[job], end[job], first, width, str(job + 1), colour)
        frame(panel, of.machine, last, name)
        panel.set_xlabel("time [units]")
    axes[0].set_ylabel("processors")
    backfilled = patches.Patch(facecolor=style.COLOURS[1], edgecolor="black", label="backfilled")
    figure.legend(handles=[backfilled], loc="outside lower center")
    return figure


def frame(axes, machine, last, title) -> None:
    """Set the axes of a small Gantt picture."""
    axes.set(xlim=(0, last), ylim=(0, machine), title=title)
    axes.set_xticks(range(0, last + 1, 2))
    axes.set_yticks(range(machine + 1))


class Backfill(NamedTuple):
    """A backfill past the head of Fig. 8; times in time units."""

    now: int
    job: int  # number
    planned: int  # the reservation of the head
    # its real shadow time before and after the backfill
    before: int
    after: int


def steps(schedule) -> list[Backfill]:
    """Return the backfills before the head of Fig. 8 starts, in order."""
    w, start, end, head = schedule.workload, schedule.start, schedule.end, HEAD - 1
    believed, running, backfills = start + schedule.estimate, [], []

    def possible_start(ends, jobs):
        """Return the first time at which the head fits, if no other job starts."""
        free = w.machine - int(w.processors[jobs].sum())
        leaving = [(int(ends[job]), int(w.processors[job])) for job in jobs]
        return earliest_fit(int(w.processors[head]), free, leaving).time

    for job in np.argsort(start, kind="stable"):
        if start[job] >= start[head]:
            break
        running = [earlier for earlier in running if end[earlier] > start[job]]
        planned, before = (possible_start(ends, running) for ends in (believed, end))
        running.append(int(job))
        if schedule.backfilled[job]:
            after = possible_start(end, running)
            backfills.append(Backfill(int(start[job]), int(job) + 1, planned, before, after))
    return backfills


def text_numbers(steps) -> pd.DataFrame:
    """Return the numbers that the text gives for Fig. 8, as `Page.compare` takes them."""
    values = {
        "reservation": (steps[0].planned, "time units"),
        "real_shadow": (steps[0].before, "time units"),
        "real_shadow_after_j4": (steps[0].after, "time units"),
        "wild_events": (sum(step.before != step.after for step in steps), "events"),
    }
    rows = [("fig8", "F=2", measure, *value) for measure, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def backfills(steps) -> pd.DataFrame:
    """Return a row for each backfill: the reservation, the real shadow time, and the time stolen so
    far.
    """
    rows = [(*step, step.after - steps[0].before) for step in steps]
    names = ["time", "job", "reservation", "real shadow before", "real shadow after", "stolen"]
    return pd.DataFrame(rows, columns=names)


def draw_fig08(schedule, steps) -> Figure:
    """Draw a panel at time 0, a panel after each backfill, and a panel at the start of job 3."""
    moments = [(0, steps[0].before)] + [(s.now, s.after) for s in steps]
    moments.append((schedule.start[HEAD - 1], schedule.start[HEAD - 1]))
    tall = 1.5 * len(moments) + 0.6
    figure, axes = plt.subplots(len(moments), 1, figsize=(6.4, tall), sharex=True)
    for panel, (now, shadow) in zip(axes, moments, strict=True):
        _moment(panel, schedule, steps, now, shadow)
    axes[-1].set_xlabel("time [units]")
    below_all(figure, axes[1], 3)
    return figure


def _moment(axes, schedule, steps, now, shadow):
    """Draw the known and the hidden part of the schedule at an instant."""
    start, end = schedule.start, schedule.end
    rows = {0: 0, 1: 1}
    for step in steps:
        busy = {row for job, row in rows.items() if end[job] > step.now}
        rows[step.job - 1] = min({0, 1} - busy)
    for job, row in rows.items():
        if start[job] <= now:
            # Not in the middle, where the line of the present would hide the number.
            box(axes, start[job], end[job], row, 1, str(job + 1), "#7FA7A0", at=0.35)
            axes.patches[-1].set_label("actual run of a job")
            if end[job] > now:
                planned = start[job] + schedule.estimate[job]
                box(axes, end[job], planned, row, 1, "", "#FBF0B2", "..")
                axes.patches[-1].set_label("rest of an estimate")
    if now == start[HEAD - 1]:
        box(axes, now, end[HEAD - 1], 0, 2, str(HEAD), "#7FA7A0")
    axes.axvline(now, color="black", linewidth=2.5, label="now", zorder=1.5)
    reserved = {"color": style.COLOURS[0], "linestyle": "--", "label": "reservation of job 3"}
    axes.axvline(steps[0].planned, **reserved)
    really = {"color": style.COLOURS[2], "linestyle": ":", "label": "its real shadow time"}
    axes.axvline(shadow, linewidth=2, **really)
    if shadow > steps[0].before:
        stolen = {"ymin": 0.92, "color": style.COLOURS[2], "alpha": 0.6}
        axes.axvspan(steps[0].before, shadow, label="time stolen from it", **stolen)
    frame(axes, 2, int((start + schedule.estimate).max()), "")
    axes.set_ylabel("processors")
    axes.set_title(f"at time {now}", loc="left")


def table2(factors=FACTORS) -> pd.DataFrame:
    """Return Table 2 for some F by their names: estimates are run times times F, the hole is job
    1's estimate less 4.

    An AssertionError unless EASY backfills at time 4 the first waiting job whose estimate fits the
    hole.
    """
    rows = []
    for policy, factor in factors.items():
        estimate = {job: factor * FIG8[job][0] for job in (1, *CANDIDATES)}
        hole = estimate[1] - FIG8[2][0]
        fits = next(job for job in CANDIDATES if estimate[job] <= hole)
        assert fits == backfilled_at_4(factor), f"{policy}: EASY backfills another job"
        times = {f"estimate_j{job}": value for job, value in estimate.items()}
        for measure, value in (times | {"hole_length": hole}).items():
            rows.append(("fig8", policy, measure, float(value), "time units"))
        rows.append(("fig8", policy, "first_fit", fits, "job number"))
    return pd.DataFrame(rows, columns=COLUMNS)


def backfilled_at_4(factor) -> int:
    """Return the job that EASY backfills when job 2 of Fig. 8 ends, with all estimates `factor`
    times the run times.

    A time unit is as many seconds as make estimates whole.
    """
    unit = factor.denominator
    schedule = rp.simulate(
        workload("table2", FIG8, 2, unit), rp.EASY(), rp.Deterministic(float(factor - 1))
    )
    at_4 = schedule.backfilled & (schedule.start == unit * FIG8[2][0])
    return int(np.flatnonzero(at_4)[0]) + 1
