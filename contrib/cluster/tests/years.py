"""A year of invented jobs, printed as each source of accounting records has it, with what real
files have in them: an array and its own record, steps, jobs that never ran, a torn line, and a
state of a later version.
"""

import json
from datetime import UTC, datetime

import numpy as np
import pandas as pd

BEGIN = 1_767_225_600  # 1 January 2026
STATES = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 1003")
SACCT = (
    "JobID|JobIDRaw|User|Group|Partition|State|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|"
    "AllocCPUS|NNodes"
)


def jobs(n, seed=1):
    """Return n jobs of a year, a DataFrame; start and end are 0 for those that never ran, and array
    is the array's id.
    """
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 365 * 86400, n)) + BEGIN
    wait, run_time = rng.integers(0, 86400, n), rng.integers(1, 172_800, n)
    limit = (run_time // 60 + rng.integers(1, 600, n)) * 60
    never = rng.random(n) < 0.02
    array = np.where(rng.random(n) < 0.3, 1, 0) * (np.arange(n) // 20 * 20 + 1_000_001)
    array[0] = array[1] = 1_000_001
    never[:2] = False
    return pd.DataFrame(
        {
            "id": np.arange(n) + 2_000_000,
            "array": array,
            "task": np.arange(n) % 20,
            "submit": submit,
            "start": np.where(never, 0, submit + wait),
            "end": np.where(never, submit + 5, submit + wait + run_time),
            "limit": limit,
            "size": 2 ** rng.integers(0, 9, n),
            "state": np.where(never, STATES[3], np.array(STATES)[rng.integers(0, 3, n)]),
            "user": [f"user{k}" for k in rng.integers(0, 300, n)],
        }
    )


def expected(table):
    """Return submission, wait, run time and size of each job as a log has them, int64[n, 4],
    sorted.
    """
    ran = table["start"] > 0
    columns = [
        table["submit"] - table["submit"].min(),
        np.where(ran, table["start"] - table["submit"], -1),
        np.where(ran, table["end"] - table["start"], 0),
        table["size"],
    ]
    return in_order(np.column_stack(columns))


def in_order(rows):
    """Return the rows in lexical order."""
    return rows[np.lexsort(rows.T[::-1])]


def _date(time):
    return datetime.fromtimestamp(int(time), UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _clock(seconds):
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def sacct(table):
    """Yield the lines of ``sacct --parsable2``; the torn one and the new state are no jobs of the
    table.
    """
    yield SACCT
    for job in table.itertuples():
        shown = f"{job.array}_{job.task}" if job.array else job.id
        elapsed = _clock(job.end - job.start if job.start else 0)
        start = _date(job.start) if job.start else "Unknown"
        fields = (
            f"{job.user}|physics|batch|{job.state}|{_date(job.submit)}|{start}|{_date(job.end)}|{elapsed}"
            f"|{_clock(job.limit)}|{job.size}|{job.size if job.start else 0}|{-(-job.size // 16)}"
        )
        yield f"{shown}|{job.id}|{fields}"
        if job.start and job.id % 3 == 0:
            yield f"{shown}.batch|{job.id}.batch|{fields}"
        if job.id == 2_000_010:
            yield f"17|17|{fields.replace(job.state, 'EXPEDITING')}"
            yield f"18|18|{fields}"[:60]  # torn
            pending = fields.replace(job.state, "PENDING").replace(start, "Unknown")
            yield f"1000001_[40-90%5]|19|{pending.replace(_date(job.end), 'Unknown')}"


def sacct_json(table):
    """Return the text of ``sacct --json``; one record is no job."""

    def number(value):
        return {"set": True, "infinite": False, "number": int(value)}

    def record(job, state=None):
        tres = [{"type": "cpu", "name": "", "id": 1, "count": int(job.size)}]
        elapsed = int(job.end - job.start) if job.start else 0
        return {
            "job_id": int(job.id),
            "array": {
                "job_id": int(job.array),
                "task_id": number(job.task) if job.array else {"set": False},
            },
            "association": {"user": job.user},
            "allocation_nodes": 1,
            "time": {
                "submission": int(job.submit),
                "start": int(job.start),
                "end": int(job.end),
                "elapsed": elapsed,
                "suspended": 0,
                "limit": number(job.limit // 60),
            },
            "state": {"current": [state or job.state.split()[0]], "reason": "None"},
            "required": {"CPUs": int(job.size)},
            "tres": {"allocated": tres if job.start else [], "requested": tres},
            "steps": [{"step": {"id": f"{job.id}.batch"}, "time": {"elapsed": elapsed}}],
            "user": job.user,
            "group": "physics",
            "partition": "batch",
        }

    rows = list(table.itertuples())
    records = [*map(record, rows), record(rows[0], "EXPEDITING") | {"job_id": 17}, "torn"]
    return json.dumps({"jobs": records, "meta": {"slurm": {}}})


def pbs(table):
    """Yield the lines of a PBS accounting log; two torn lines are no jobs of the table, and those
    that never ran are left out.
    """
    for k, job in enumerate(table.itertuples()):
        shown = f"{job.array}[{job.task}]" if job.array else job.id
        stamp = datetime.fromtimestamp(int(job.end), UTC).strftime("%m/%d/%Y %H:%M:%S")
        request = (
            f"Resource_List.ncpus={job.size} Resource_List.select=1:ncpus={job.size} "
            "Resource_List.place=free"
        )
        times = f"ctime={job.submit} qtime={job.submit} etime={job.submit} start={job.start}"
        head = f"user={job.user} group=physics jobname=run queue=batch {times}"
        line = (
            f"{stamp};E;{shown}.pbs;{head} exec_host=n{job.size}/0*{job.size} {request} "
            f"Resource_List.walltime={job.limit} session=7 end={job.end} Exit_status=0"
        )
        yield f"{stamp};Q;{shown}.pbs;queue=batch"
        yield line
        if k == 0:  # the array's own record is as long as the year
            yield line.replace(f"[{job.task}]", "[]").replace(
                f"end={job.end}", f"array_indices=0-19 end={table['end'].max()}"
            )
            yield line[:90]
            yield stamp[:14]


def table_of(table):
    """Return the jobs as a table, with the record of an array, a step, and a state that
    no map has.
    """
    names = {
        "start": "begin",
        "end": "finish",
        "limit": "seconds",
        "size": "cores",
        "state": "code",
    }
    rows = table.rename(columns=names).drop(columns=["array", "task"])
    shown = np.where(
        table["array"] > 0,
        table["array"].map(str) + "_" + table["task"].map(str),
        table["id"].map(str),
    )
    rows["id"] = shown
    rows["code"] = pd.factorize(table["state"].str.split().str[0])[0].astype(np.int64)
    more = rows.iloc[[0, 0]].assign(id=["1000001_[40-90%5]", "2000000.batch"])
    return pd.concat([rows, more], ignore_index=True)


MAP = """
title = "invented"
[fields]
job = { column = "id" }
submit = { column = "submit" }
start = { column = "begin" }
end = { column = "finish" }
requested_time = { column = "seconds" }
requested_processors = { column = "cores" }
user = { column = "user" }
status = { column = "code", values = { 0 = 1, 1 = 0, 2 = 0, 3 = 5 } }
"""
