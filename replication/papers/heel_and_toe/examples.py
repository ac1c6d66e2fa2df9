"""The paper's small examples, simulated: Figs. 1, 8 and 14, and Table 2."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

from replication.basics import style
from replication.basics.lazy import patches
from replication.basics.lazy import pyplot as plt
from replication.logs.workload import Workload
from replication.reference import observed as reference_observed
from replication.schedule import gantt
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

#: Job number: run time, size. The paper's pictures give no sizes; these make its words true.
FIG1 = {1: (4, 1), 2: (2, 1), 3: (2, 2), 4: (2, 1)}
FIG8 = {1: (6, 1), 2: (4, 1), 3: (3, 2), 4: (4, 1), 5: (3, 1), 6: (2, 1)}
FIG14 = {1: (3, 3), 2: (2, 3), 3: (6, 1)}
HEAD = 3  # the blocked job of Fig. 8
FACTORS = {"F=1": Fraction(1), "F=4/3": Fraction(4, 3), "F=2": Fraction(2)}
UNIT = 3  # s in a time unit of Table 2, so that thirds are whole
CANDIDATES = (4, 5, 6)
#: Numbers of Table 2 that are inputs here, and why they are not compared.
INPUTS = {
    ("fig8", "F=1", f"estimate_j{job}"): "a run time of Fig. 8, which is an input here"
    for job in (1, *CANDIDATES)
}


def workload(name, jobs, machine, unit=1):
    """Jobs that all come at time 0, in the order of their numbers."""
    run_time, size = zip(*jobs.values(), strict=True)
    return Workload.from_columns(
        name,
        machine,
        submit=[0] * len(jobs),
        run_time=[unit * r for r in run_time],
        processors=list(size),
    )


def starts(schedules):
    """Start of each job under each schedule, one row a job."""
    table = pd.DataFrame({name: schedule.start for name, schedule in schedules.items()})
    return table.assign(job=range(1, len(table) + 1)).set_index("job").reset_index()


def draw(schedules):
    """A panel a schedule: time across, processors up, numbers are jobs."""
    last = max(int(schedule.end.max()) for schedule in schedules.values())
    figure, axes = plt.subplots(
        1, len(schedules), figsize=(style.size(1, len(schedules))[0], 2.6), sharey=True
    )
    for panel, (name, schedule) in zip(axes, schedules.items(), strict=True):
        for job, first, width in gantt.place(
            schedule.start, schedule.end, schedule.workload.processors, schedule.workload.machine
        ):
            box(
                panel,
                schedule.start[job],
                schedule.end[job],
                first,
                width,
                str(job + 1),
                style.COLOURS[1] if schedule.backfilled[job] else "#C9D6E8",
            )
        frame(panel, schedule.workload.machine, last, name)
        panel.set_xlabel("time")
    axes[0].set_ylabel("processors")
    return figure


def box(axes, start, end, first, width, text, colour, hatch=""):
    """A job as a rectangle with its number."""
    axes.add_patch(
        patches.Rectangle(
            (start, first), end - start, width, facecolor=colour, edgecolor="black", hatch=hatch
        )
    )
    # Not in the middle, where the line of the present would hide it in Fig. 8.
    axes.text(
        start + 0.35 * (end - start), first + width / 2, text, ha="center", va="center", zorder=5
    )


def frame(axes, machine, last, title):
    """The axes of a small Gantt picture."""
    axes.set(xlim=(0, last), ylim=(0, machine), title=title)
    axes.set_xticks(range(0, last + 1, 2))
    axes.set_yticks(range(machine + 1))


@dataclass(frozen=True)
class HeelAndToe:
    """Fig. 8, simulated with every estimate double the run time.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    start : list of int
    steps : list of replication.reference.observed.Step
        Every backfill past job 3, with its reservation and its real shadow time before and after.
    """

    workload: Workload
    start: list
    steps: list

    def published(self):
        """The numbers that the text gives for the figure, as `Page.compare` takes them."""
        wild = [step for step in self.steps if step.before != step.after]
        values = {
            "reservation": self.steps[0].planned,
            "real_shadow": self.steps[0].before,
            "real_shadow_after_j4": self.steps[0].after,
        }
        rows = [("fig8", "F=2", measure, value, "time units") for measure, value in values.items()]
        rows.append(("fig8", "F=2", "wild_events", len(wild), "events"))
        return pd.DataFrame(rows, columns=["trace", "policy", "measure", "value", "unit"])

    def table(self):
        """One row a backfill: when, which job, the reservation, the real shadow time and the time stolen so
        far.
        """
        first = self.steps[0].before
        return pd.DataFrame(
            [
                {
                    "time": step.now,
                    "job": step.job + 1,
                    "reservation": step.planned,
                    "real shadow before": step.before,
                    "real shadow after": step.after,
                    "stolen": step.after - first,
                }
                for step in self.steps
            ]
        )


def fig08():
    """Simulate Fig. 8 with the readable twin, which tells every step."""
    jobs = workload("fig08", FIG8, 2)
    start, _, steps = reference_observed.easy(jobs, 2 * jobs.run_time)
    return HeelAndToe(jobs, start, steps)


def draw_fig08(found):
    """A panel at time 0, one after each backfill, and one when job 3 starts."""
    moments = [(0, found.steps[0].before)] + [(s.now, s.after) for s in found.steps]
    moments.append((found.start[HEAD - 1], found.start[HEAD - 1]))
    figure, axes = plt.subplots(
        len(moments), 1, figsize=(6.4, 1.5 * len(moments) + 0.6), sharex=True
    )
    for panel, (now, shadow) in zip(axes, moments, strict=True):
        _moment(panel, found, now, shadow)
    axes[-1].set_xlabel("time")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _moment(axes, found, now, shadow):
    """What the scheduler sees at an instant, and what it does not."""
    w, first = found.workload, found.steps[0].before
    rows = {0: 0, 1: 1}
    for step in found.steps:
        free = [
            row
            for row in (0, 1)
            if not any(
                rows.get(job) == row and found.start[job] + w.run_time[job] > step.now
                for job in rows
            )
        ]
        rows[step.job] = free[0]
    for job, row in rows.items():
        if found.start[job] <= now:
            end = found.start[job] + int(w.run_time[job])
            box(axes, found.start[job], end, row, 1, str(job + 1), "#7FA7A0")
            if end > now:
                box(axes, end, end + int(w.run_time[job]), row, 1, "", "#FBF0B2", "..")
    if now == found.start[HEAD - 1]:
        box(axes, now, now + int(w.run_time[HEAD - 1]), 0, 2, str(HEAD), "#7FA7A0")
    axes.axvline(now, color="black", linewidth=2.5, label="now", zorder=1.5)
    axes.axvline(
        found.steps[0].planned, color=style.COLOURS[0], linestyle="--", label="reservation of job 3"
    )
    axes.axvline(
        shadow, color=style.COLOURS[2], linestyle=":", linewidth=2, label="its real shadow time"
    )
    if shadow > first:
        axes.axvspan(
            first, shadow, ymin=0.92, color=style.COLOURS[2], alpha=0.6, label="time stolen from it"
        )
    frame(axes, 2, 16, "")
    axes.set_ylabel(f"at {now}")


def table2():
    """Table 2 by its caption's rule, and by simulation.

    Returns
    -------
    pandas.DataFrame
        As `Page.compare` takes it: estimates are run times times F; the hole is job 1's estimate less 4.

    Raises
    ------
    AssertionError
        If the first job that fits the hole is not the one that EASY backfills at time 4.
    """
    rows = []
    for policy, factor in FACTORS.items():
        hole = factor * FIG8[1][0] - FIG8[2][0]
        estimate = {job: factor * FIG8[job][0] for job in (1, *CANDIDATES)}
        fits = next(job for job in CANDIDATES if estimate[job] <= hole)
        assert fits == backfilled_at_4(factor), f"{policy}: EASY backfills another job"
        rows += [
            (policy, f"estimate_j{job}", float(value), "time units")
            for job, value in estimate.items()
        ]
        rows += [
            (policy, "hole_length", float(hole), "time units"),
            (policy, "first_fit", fits, "job number"),
        ]
    return pd.DataFrame(
        [("fig8", *row) for row in rows], columns=["trace", "policy", "measure", "value", "unit"]
    )


def backfilled_at_4(factor):
    """The job that EASY backfills when job 2 of Fig. 8 ends, with all estimates `factor` times the run times."""
    jobs = workload("table2", FIG8, 2, UNIT)
    estimate = np.array([int(factor * int(r)) for r in jobs.run_time])
    schedule = simulate(jobs, EASY(), estimate)
    return int(np.flatnonzero(schedule.backfilled & (schedule.start == UNIT * FIG8[2][0]))[0]) + 1
