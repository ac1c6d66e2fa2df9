"""How a schedule shows itself in a notebook: its measures and a small Gantt picture of the busiest day."""

import base64
import io
from html import escape

import numpy as np

from replication.simulator import gantt, measures

DAY = 86_400  # s


def of_schedule(schedule):
    """The schedule as a piece of HTML that needs nothing else."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(measures.NAMES[name])}</td>"
        f"<td>{value:{',' if isinstance(value, int) else ',.4g'}}</td></tr>"
        for name, value in schedule.measures.items()
    )
    picture = base64.b64encode(_picture(schedule)).decode()
    return (
        f"<div><p>{escape(repr(schedule))}</p>"
        "<div style='display:flex;flex-wrap:wrap;gap:1em;align-items:center'>"
        f"<table>{rows}</table>"
        f"<img alt='Gantt picture of the busiest day' src='data:image/png;base64,{picture}'>"
        "</div></div>"
    )


def busiest_day(schedule):
    """Start and end of the day of the log on which most jobs start, s."""
    begin = int(schedule.workload.submit[0])
    days, started = np.unique((schedule.start - begin) // DAY, return_counts=True)
    day = int(days[started.argmax()])
    return begin + day * DAY, begin + (day + 1) * DAY


def _picture(schedule):
    since, until = busiest_day(schedule)
    last = int(schedule.end.max())
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 2.6), layout="constrained")
    axes = gantt.draw(schedule, figure.add_subplot(), since, max(min(until, last), since + 1))
    axes.set_title("the busiest day", fontsize="small")
    axes.get_legend().remove()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=100)
    return out.getvalue()
