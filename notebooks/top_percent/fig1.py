"""Fig. 1: the run times of one class of jobs, the predictor's line through them, and their
histogram.
"""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from notebooks.top_percent import modes, runs
from replication.drawing import style

LEAST = 150  # jobs a class must have to be looked at
HOUR = 3600


def classes(workloads) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the log, the jobs and their run times of each of the predictor's classes with different
    run times.

    They are those of at least `LEAST` jobs, of each log the largest first; the largest alone if
    there is none.
    """
    for log, workload in workloads.items():
        code, count = runs.class_of(workload)
        order = np.argsort(-count, kind="stable")
        for c in [c for c in order if count[c] >= LEAST] or order[:1]:
            members = np.flatnonzero(code == c)
            if np.ptp(workload.run_time[members]) > 0:
                yield log, members, workload.run_time[members].astype(float)


def mode_tests(workloads, samples=modes.SAMPLES) -> pd.DataFrame:
    """Return every large class of every log, largest first, with its members and the p values of
    two and three modes.

    A class is trimodal if two modes are rejected and three are not, at 5 %.
    """
    rows = []
    for log, members, values in classes(workloads):
        key = log, int(members[0])
        two, three = modes.p_value(values, 2, *key, samples=samples), float("nan")
        if two < modes.LEVEL:
            three = modes.p_value(values, 3, *key, samples=samples)
        trimodal = two < modes.LEVEL <= three
        rows.append((log, members, len(members), two, three, trimodal))
    columns = ["log", "members", "jobs", "two_modes", "three_modes", "trimodal"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        "jobs", ascending=False, kind="stable", ignore_index=True
    )


def short_and_long(workloads) -> pd.DataFrame:
    """Return the shares of jobs of each large class, per cent, with a run time below a tenth of the
    class's median estimate, and above half of it: log, jobs, short, long.
    """
    rows = []
    for log, members, run_time in classes(workloads):
        estimate = np.median(workloads[log].estimate[members])
        shares = [
            100 * float(mask.mean()) for mask in (run_time < estimate / 10, run_time > estimate / 2)
        ]
        rows.append((log, len(members), *shares))
    return pd.DataFrame(rows, columns=["log", "jobs", "short", "long"])


def choose(classes, number=0) -> pd.Series:
    """Return the class to draw: a row of `mode_tests` by its number from 1; for 0 the largest
    trimodal one, or the largest.

    A ValueError if there is no such class.
    """
    if classes.empty:
        raise ValueError("no class has jobs with different run times; use longer logs")
    if not 0 <= number <= len(classes):
        raise ValueError(f"class {number}, allowed: 1 to {len(classes)}, or 0 for the paper's kind")
    if number:
        return classes.loc[number - 1]
    return classes.loc[classes["trimodal"].idxmax() if classes["trimodal"].any() else 0]


def jobs(schedule, members) -> pd.DataFrame:
    """Return the jobs of a class in order of start: start, run_time, predicted and estimate, s."""
    of = {"run_time": schedule.workload.run_time, "predicted": schedule.prediction}
    of = {"start": schedule.start} | of | {"estimate": schedule.workload.estimate}
    table = pd.DataFrame(of).iloc[members]
    return table.sort_values("start", kind="stable", ignore_index=True)


def draw(group, about, policy) -> Figure:
    """Draw jobs as boxes over their start, the prediction at each start as a line, and
    a histogram.
    """
    figure, (left, right) = plt.subplots(
        1, 2, sharey=True, figsize=(style.size(1, 2)[0], 3.9), width_ratios=(4, 1)
    )
    days = (group["start"] - group["start"].iloc[0]) / (24 * HOUR)
    blue = style.COLOURS[0]
    boxes = {"markersize": 3, "color": blue, "markerfacecolor": "none"}
    left.plot(days, group["run_time"] / HOUR, "s", label="a job's run time", **boxes)
    name = [*runs.predictors_by_name([policy])][-1]
    looks = style.series([name, "estimate"], marker=False)
    line = looks[name] | {"linestyle": "-", "label": f"predicted at its start ({name})"}
    left.step(days, group["predicted"] / HOUR, where="post", **line)
    left.axhline(group["estimate"].iloc[0] / HOUR, **looks["estimate"])
    title = f"{about['log']}: {about['jobs']} jobs of one user, estimate and size"
    left.set(xlabel="start [days since the first job's]", ylabel="run time [h]", title=title)
    left.set_ylim(0, None)
    figure.legend(loc="outside lower center", ncols=3)
    right.hist(group["run_time"] / HOUR, bins=40, orientation="horizontal", color=blue)
    right.set(xlabel="jobs", title="histogram")
    return figure


def summary(group) -> pd.DataFrame:
    """Return numbers of the prediction of this class, as a table of what and value."""
    names = "run_time", "predicted", "estimate"
    run_time, predicted, estimate = (group[name].to_numpy(float) for name in names)
    rows = {
        "jobs": len(group),
        "jobs that ran longer than predicted": int((run_time > predicted).sum()),
        "median of run time over estimate": np.median(run_time / estimate),
        "median of prediction over estimate": np.median(predicted / estimate),
        "jobs predicted below the estimate": int((predicted < estimate).sum()),
    }
    return pd.DataFrame({"what": list(rows), "value": list(rows.values())})
