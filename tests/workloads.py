"""Workloads for tests: hand-made ones in a line, and random ones that are full of ties."""

import numpy as np
from hypothesis import strategies as st

from replication.simulator.logs import swf
from replication.simulator.schedules.schedule import Schedule
from replication.simulator.workload import Workload


def jobs(machine, *rows):
    """A workload from (submit, run time, size) or (submit, run time, size, estimate) rows."""
    columns = zip(*((*row, row[1])[:4] if len(row) == 3 else row for row in rows), strict=True)
    return Workload.from_columns("hand-made", machine, *columns, without_estimate=0.0)


def preempted_jobs():
    """Jobs of which PV-EASY preempts several."""
    rows = ((3 * k, 40 + 7 * (k % 5), 1 + k % 4, 30 + 90 * (k % 3)) for k in range(60))
    return jobs(4, *rows)


def schedule_of(workload, *start):
    """A schedule of a workload with these starts."""
    none = np.zeros(len(start), bool)
    return Schedule(workload, None, None, None, np.array(start), workload.estimate, none)


def trace(comments=(" MaxProcs: 8",), **columns):
    """A log of the columns given, on 8 processors unless said otherwise."""
    n = len(next(iter(columns.values())))
    values = {"run_time": 10, "requested_time": 100, "status": 1}
    values |= {"requested_processors": 1, "allocated_processors": 1}
    plain = {"submit": range(n)} | {name: [value] * n for name, value in values.items()}
    return swf.Trace.from_columns(comments=comments, path="some.swf", **(plain | columns))


def write_log(path, *more, **columns):
    """Write a log of the columns given and more lines to a path; return the path."""
    swf.write(path, trace(**columns))
    if more:
        path.write_text(path.read_text() + "".join(f"{line}\n" for line in more))
    return path


def random_jobs(n, machine, span, longest, spare, name="random"):
    """Jobs of nine users, submitted within a span, whose estimates exceed their run times by less
    than `spare`.
    """
    rng = np.random.default_rng(5)
    run_time = rng.integers(1, longest, n)
    return Workload.from_columns(
        name,
        machine,
        submit=np.sort(rng.integers(0, span, n)),
        run_time=run_time,
        processors=rng.integers(1, machine, n, endpoint=True),
        estimate=run_time + rng.integers(0, spare, n),
        user=rng.integers(0, 9, n),
    )


@st.composite
def workloads(draw, most=60, overrun=False):
    """Random jobs on a small machine, submitted close together so that queues form and instants
    coincide.
    """
    machine = draw(st.integers(1, 12))
    # Few distinct times make many ties; a spread of 0 submits everything at once.
    spread = draw(st.sampled_from([0, 1, 3, 10]))
    longest = draw(st.sampled_from([2, 5, 30]))
    row = st.tuples(
        st.integers(0, spread),
        st.integers(0, longest),
        st.integers(1, machine),
        st.integers(0, longest),
    )
    rows = draw(st.lists(row, min_size=1, max_size=most))
    gaps, run_time, size, spare = np.array(rows).T
    columns = np.cumsum(gaps), run_time, size, spare if overrun else run_time + spare
    return Workload.from_columns("random", machine, *columns, without_estimate=0.0)


@st.composite
def peopled(draw, overrun=False, most=40):
    """Random jobs of few users and executables, so that predictors have something to learn."""
    workload = draw(workloads(most=most, overrun=overrun))
    few = st.lists(st.integers(0, 2), min_size=len(workload), max_size=len(workload))
    return workload.replace(user=np.array(draw(few)), executable=np.array(draw(few)))
