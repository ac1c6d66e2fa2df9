"""Lines of logs that are unusual and accepted, for the reader of the package and that of the
page.
"""

from replication.simulator.logs.swf import FIELDS

HEADER = "; Version: 2.2\n; MaxProcs: 128 (batch)\n; UnixStartTime: 893466664\n"


def line(job_id=1, submit=0, **fields):
    """A job line; fields that are not given are 1, and no job precedes."""
    values = dict.fromkeys(FIELDS, 1) | {"preceding_job": -1}
    values |= {"job_id": job_id, "submit": submit} | fields
    return " ".join(str(values[name]) for name in FIELDS)


#: What is unusual and accepted: lines, columns of some fields, and counts of anomalies.
ACCEPTED = {
    "negative values are unknown": (
        [line(1, run_time=-2, cpu_time="-1.5", user="-3.7", status=-4), line(2, requested_time=-4)],
        {"run_time": [-1, 1], "cpu_time": [-1, 1], "user": [-1, 1], "requested_time": [1, -1]},
        {"negative_as_unknown": 5},
    ),
    "text where no command reads": (
        [line(1, requested_memory="Polaris", cpu_time="nan"), line(2, used_memory="9" * 400)],
        {"requested_memory": [-1, 1], "cpu_time": [-1, 1], "used_memory": [1, -1]},
        {f"unreadable_{name}": 1 for name in ("requested_memory", "cpu_time", "used_memory")},
    ),
    "exponents": (
        [line(1), line(2, "1e+05", run_time="1.5e2")],
        {"submit": [0, 100_000], "run_time": [1, 150]},
        {},
    ),
    "blank lines, late comments, decimals of whole numbers": (
        [line(1), " \t", "; late", "", line(2, wait="12.00", queue="-1.0", cpu_time="2.50")],
        {"wait": [1, 12], "queue": [1, -1], "cpu_time": [1, 2.5], "line": [4, 8]},
        {},
    ),
    "further columns": (
        [line(k, k) + f" {k} 0 3.5" for k in range(1, 5)],
        {"think_time": [1] * 4},
        {"further_columns": 3},
    ),
    "a preceding job": (
        [line(1), line(2, preceding_job=1), line(3)],
        {"preceding_job": [-1, 1, -1]},
        {"preceding_job": 1},
    ),
    "submissions out of order": (
        [line(k, at) for k, at in zip((4, 3, 2, 1, 9), (10, 5, 10, 5, 10), strict=True)],
        {"submit": [5, 5, 10, 10, 10], "job_id": [3, 1, 4, 2, 9], "line": [5, 7, 4, 6, 8]},
        {"submit_out_of_order": 2},
    ),
}
