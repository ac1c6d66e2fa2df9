"""Tables of jobs turned into logs: what a map says, the ready maps, and that no row is lost without a word."""

import gzip
import json
import math
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.__main__ import main
from replication.cluster import tables
from replication.cluster.tables import TableError
from replication.simulator import paths, swf, traces

MAP = """
title = "made up"
unknown = ["", "None"]
processors = 64
[fields]
submit = { column = "in" }
start = { column = "begin" }
end = { column = "end" }
requested_time = { column = "limit", unit = "min" }
requested_processors = { column = "nodes", times = 4 }
user = { column = "who" }
status = { column = "state", values = { done = 1, bad = 0 } }
"""
HEAD = "in,begin,end,limit,nodes,who,state,more"


@pytest.fixture
def made(tmp_path):
    """Convert lines of a CSV by a map."""

    def convert(*lines, told=MAP, head=HEAD, **options):
        (tmp_path / "map.toml").write_text(told)
        (tmp_path / "jobs.csv").write_text("\n".join([head, *lines, ""]))
        return tables.convert(tmp_path / "jobs.csv", tmp_path / "map.toml", **options)

    return convert


def values(trace, *names):
    return {name: getattr(trace, name).tolist() for name in names}


def test_a_table_by_hand(made):
    done = made(
        "1970-01-02T00:01:00,1970-01-02T00:02:00,1970-01-02T00:05:00,10,2,ann,done,x",
        "86400,86410,86420,None,1,bob,bad,y",
        "1970-01-02 01:00:00+01:00,None,1970-01-02T03:00:00Z,1-00:00:00,,ann,odd,",
    )
    assert values(
        done.trace, "job_id", "submit", "wait", "run_time", "requested_time", "user", "status"
    ) == {
        "job_id": [2, 3, 1],
        "submit": [0, 0, 60],
        "wait": [10, -1, 60],
        "run_time": [10, -1, 180],
        "requested_time": [-1, 86400, 600],
        "user": [2, 1, 1],
        "status": [0, -1, 1],
    }
    assert done.trace.requested_processors.tolist() == [4, -1, 8]
    assert done.trace.max_procs == 64
    assert dict(done.changed)["of unknown run time"] == 1
    assert dict(done.changed)["with a status that could not be read (state)"] == 1
    assert "1 columns are not used: more." in done.assumed


def test_rows_that_cannot_be_jobs_are_counted(made):
    done = made(
        "5,6,7,1,1,a,done,",
        ",6,7,1,1,a,done,",
        "soon,6,7,1,1,a,done,",
        "5,9,7,1,1,a,done,",
        "5,6,7",
        "5,6,7,1,1,a,done,,,",
        "5,6,7,1,99999999999999999999,a,done,",
        "5,6,7,-3,1,a,done,",
    )
    assert done.records == 8
    assert len(done.trace) == 3
    assert dict(done.left_out) == {
        "of unknown submission": 2,
        "that ended before they started": 1,
        "with more or fewer fields than the header": 2,
    }
    assert dict(done.changed)["with a requested_processors that could not be read (nodes)"] == 1
    assert dict(done.changed)["with a requested_time below 0, taken as unknown"] == 1
    assert done.trace.requested_processors.tolist() == [4, -1, 4]


@pytest.mark.parametrize("header", ["\rin,begin\n", "in," + "x" * 200_000 + "\n"])
def test_a_header_that_is_no_line_of_names_is_refused_in_a_line(tmp_path, header):
    path, told = tmp_path / "jobs.csv", tmp_path / "map.toml"
    path.write_text(header, newline="")
    told.write_text(MAP)
    with pytest.raises(TableError, match="jobs.csv, header: .*; allowed: names of columns, sep"):
        tables.convert(path, told)


def test_times_without_an_offset_are_of_the_maps_zone(made):
    rows = ("2026-07-01T12:00:00,2026-07-01T12:00:10,2026-07-01T12:01:00,1,1,a,done,",)
    summer = made(*rows, told=MAP.replace("processors", 'time_zone = "Europe/Rome"\nprocessors', 1))
    plain = made(*rows)
    assert plain.trace.unix_start_time - summer.trace.unix_start_time == 7200
    away = rows[0].replace("2026-07-01T12:00:00,", "2026-07-01T12:00:00+02:00,", 1)
    both = made(
        *rows, away, told=MAP.replace("processors", 'time_zone = "Europe/Rome"\nprocessors', 1)
    )
    assert both.trace.submit.tolist() == [0, 0]


def test_a_length_may_be_a_duration_of_a_parquet(tmp_path):
    ran = pd.to_timedelta([90, None], unit="s")
    pd.DataFrame({"in": [0, 5], "ran": ran, "nodes": [1, 1]}).to_parquet(tmp_path / "jobs.parquet")
    fields = {"submit": "in", "run_time": "ran", "requested_processors": "nodes"}
    told = "".join(f'{name} = {{ column = "{column}" }}\n' for name, column in fields.items())
    (tmp_path / "map.toml").write_text(f"processors = 4\n[fields]\n{told}")
    done = tables.convert(tmp_path / "jobs.parquet", tmp_path / "map.toml")
    assert done.trace.run_time.tolist() == [90, -1]
    assert dict(done.changed)["of unknown run time"] == 1


def test_without_processors_the_machine_is_what_was_held_at_once(made):
    rows = ("0,0,10,1,1,a,done,", "0,5,15,1,2,a,done,", "0,15,20,1,2,a,done,")
    told = MAP.replace("processors = 64", "")
    assert made(*rows, told=told).trace.max_procs == 12
    assert any("has 12 processors" in sentence for sentence in made(*rows, told=told).assumed)
    assert made(*rows, told=told, processors=100).trace.max_procs == 100


@pytest.mark.parametrize(
    "change, message",
    [
        (("[fields]", "[field]"), "unknown key 'field' .did you mean fields"),
        (("submit =", "sumbit ="), "unknown field 'sumbit' .did you mean submit"),
        (('unit = "min"', 'unit = "years"'), "requested_time: unit 'years'; allowed: ms, s, min"),
        (
            ('column = "in"', 'unit = "s"'),
            "fields: submit .*; allowed: a table with the name of a column",
        ),
        (('submit = { column = "in" }', ""), "no field submit; allowed"),
        (("processors = 64", "processors = "), "allowed: TOML"),
        (('"in"', '"into"'), "no column into; the table has .in, begin, end"),
    ],
)
def test_a_wrong_map_is_refused_in_a_line(made, change, message):
    with pytest.raises(TableError, match=message) as refused:
        made("5,6,7,1,1,a,done,", told=MAP.replace(*change))
    assert "\n" not in str(refused.value)


def test_what_is_no_table_is_refused_in_a_line(tmp_path, made):
    with pytest.raises(TableError, match="map eagel: no such file .did you mean eagle"):
        tables.convert(tmp_path / "a.csv", "eagel")
    for name, content in (
        ("a.parquet", b"PAR1 nothing"),
        ("b.csv", b""),
        ("c.csv.gz", gzip.compress(b"in,begin\n1,2\n" * 9000)[:60]),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TableError) as refused:
            tables.convert(tmp_path / name, "eagle")
        assert "\n" not in str(refused.value) and name in str(refused.value)
    with pytest.raises(TableError, match="no job among 1 rows .1 of unknown submission"):
        made(",6,7,1,1,a,done,")


def test_a_parquet_or_a_map_made_to_fill_the_memory_is_refused(tmp_path):
    zeros = pa.array(np.zeros(4_000_000, np.int64))
    columns = {name: zeros for name in ("in", "ran", "nodes")}
    pq.write_table(pa.table(columns), tmp_path / "jobs.parquet", compression="zstd")
    fields = {"submit": "in", "run_time": "ran", "requested_processors": "nodes"}
    told = "".join(f'{name} = {{ column = "{column}" }}\n' for name, column in fields.items())
    (tmp_path / "map.toml").write_text(f"[fields]\n{told}")
    with pytest.raises(TableError, match=r"[\d,]+ times as large in memory; allowed: up to 200"):
        tables.convert(tmp_path / "jobs.parquet", tmp_path / "map.toml")
    (tmp_path / "deep.toml").write_text(f"unknown = {'[' * 5000}")
    with pytest.raises(TableError, match="recursion depth exceeded; allowed: TOML"):
        tables.read_map(tmp_path / "deep.toml")


numbers = st.integers(0, 500).map(str) | st.sampled_from(["", "None", "-4", "x", "1e3", "7.5"])


def plain(text):
    """A number as a map reads it, by plain Python; None where unknown."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value >= 0 and math.isfinite(value) else None


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=8))
def test_jobs_and_left_out_rows_are_all_rows(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    (folder / "map.toml").write_text(MAP)
    lines = [f"{a},{b},{c},1,{d},u,done," for a, b, c, d in rows]
    (folder / "jobs.csv").write_text("\n".join([HEAD, "0,0,9,1,1,u,done,", *lines, ""]))
    done = tables.convert(folder / "jobs.csv", folder / "map.toml")
    assert done.records == len(rows) + 1
    assert len(done.trace) + sum(count for _, count in done.left_out) == done.records
    expected = [(1, 0, 9, 4)]
    for row, (a, b, c, d) in enumerate(rows, 2):
        submit, start, end, size = map(plain, (a, b, c, d))
        run_time = None if None in (start, end) else end - start
        if submit is not None and (run_time is None or run_time >= 0):
            run_time = -1 if run_time is None else round(run_time)
            expected.append((row, int(submit), run_time, -1 if size is None else round(4 * size)))
    found = zip(
        *(
            getattr(done.trace, name).tolist()
            for name in ("job_id", "submit", "run_time", "requested_processors")
        )
    )
    first = min(submit for _, submit, _, _ in expected)
    assert sorted(found) == [(a, b - first, c, d) for a, b, c, d in expected]


# The ready maps, on rows made to what the publishers say of the fields.

DATES = pd.to_datetime(["2022-03-01 10:00:00", "2022-03-01 10:00:30", "2022-03-01 11:00:30"])
SUBMIT, START, END = (pd.Series([date, date + pd.Timedelta("1h")]) for date in DATES)
WAITED = {"submit": [0, 3600], "wait": [30, 30], "run_time": [3600, 3600]}


def fugaku():
    return pd.DataFrame(
        {
            "jid": ["jid_0", "jid_1"],
            "usr": ["usr_3", "usr_9"],
            "jnam": ["jnam_1", "jnam_1"],
            "cnumr": [96, 48],
            "nnumr": [2, 1],
            "adt": SUBMIT,
            "sdt": START,
            "edt": END,
            "elpl": [7200.0, 86400.0],
            "nnuma": [2, 1],
            "exit state": ["completed", "failed"],
            "duration": [3600.0, 3600.0],
            "embedding": [[0.1, 0.2], [0.3, 0.4]],
        }
    )


def pm100():
    return pd.DataFrame(
        {
            "job_id": [7, 8],
            "user_id": [3, 9],
            "group_id": [1, 1],
            "submit_time": SUBMIT.dt.tz_localize("UTC"),
            "eligible_time": SUBMIT.dt.tz_localize("UTC"),
            "start_time": START.dt.tz_localize("UTC"),
            "end_time": END.dt.tz_localize("UTC"),
            "run_time": [3600, 3600],
            "time_limit": [120, 1440],
            "num_nodes_alloc": [2, 1],
            "num_nodes_req": [2, 1],
            "num_cores_alloc": [256, 128],
            "job_state": ["COMPLETED", "FAILED"],
            "qos": ["normal", "normal"],
            "partition": ["1", "2"],
        }
    )


def eagle():
    return pd.DataFrame(
        {
            "job_id": [7, 8],
            "user": ["user0003", "user0009"],
            "account": ["account0001", "account0001"],
            "name": ["job", "job"],
            "state": ["COMPLETED", "FAILED"],
            "partition": ["short", "standard"],
            "qos": ["normal", "high"],
            "submit_time": SUBMIT,
            "start_time": START,
            "end_time": END,
            "run_time": [3600, 3600],
            "wallclock_req": [7200, 86400],
            "nodes_req": [1, 1],
            "processors_req": [2, 1],
            "mem_req": ["90G", "1G"],
        }
    )


def mustang():
    def told(dates):
        return dates.dt.tz_localize("America/Denver").astype(str)

    return pd.DataFrame(
        {
            "user_ID": [3, 9],
            "group_ID": [1, 1],
            "submit_time": told(SUBMIT),
            "start_time": told(START),
            "end_time": told(END),
            "wallclock_limit": ["02:00:00", "1 days 00:00:00"],
            "job_status": ["COMPLETED", "FAILED"],
            "node_count": [2, 1],
            "tasks_requested": [48, 24],
        }
    )


def trinity():
    ends = pd.DataFrame(
        {
            "object_event": "JOBEND",
            "object_id": [5, 6],
            "nodes_requested": [2, 1],
            "user_ID": [3, 9],
            "group_ID": [1, 1],
            "wallclock_limit": [7200, 86400],
            "submission_time": SUBMIT.astype(str),
            "start_date": START.astype(str),
            "end_date": END.astype(str),
        }
    )
    return pd.concat([ends.assign(object_event="JOBSUBMIT", end_date=""), ends])


def test_each_ready_map_has_a_test():
    assert tables.maps() == ["eagle", "fugaku", "mustang", "pm100", "trinity"]
    for name in tables.maps():
        by = tables.read_map(name)
        assert by.title and by.source and by.processors > 900


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz"])
@pytest.mark.parametrize("rows", [fugaku, pm100, eagle, mustang, trinity])
def test_a_ready_map_reads_rows_as_its_publishers_describe_them(tmp_path, rows, form):
    name, frame, path = rows.__name__, rows(), tmp_path / f"jobs.{form}"
    frame.to_parquet(path) if form == "parquet" else frame.to_csv(path, index=False)
    done = tables.convert(path, name)
    assert values(done.trace, *WAITED) == WAITED
    size = np.maximum(done.trace.requested_processors, done.trace.allocated_processors)
    assert size.tolist() == [2, 1]
    assert done.trace.requested_time.tolist() == [7200, 86400]
    assert done.trace.user.tolist() == [1, 2]
    assert done.trace.status.tolist() == ([-1, -1] if name == "trinity" else [1, 0])
    assert done.records == len(frame) == 2 + sum(count for _, count in done.left_out)
    assert sum(count for _, count in done.changed) == 0
    assert done.trace.max_procs == tables.read_map(name).processors
    missing = [sentence for sentence in done.assumed if sentence.startswith("No column")]
    assert missing == (["No column jobenv_req, so queue is unknown."] if name == "fugaku" else [])


def test_the_command_writes_a_log_that_can_be_read(tmp_path, capsys):
    eagle().to_csv(tmp_path / "jobs.csv", index=False)
    out = tmp_path / "eagle.swf.gz"
    words = ["convert", "table", str(tmp_path / "jobs.csv"), "--map", "eagle", "--out", str(out)]
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["jobs"], facts["records"], facts["processors"]) == (2, 2, 94248)
    assert len(traces.load(out)) == 2
    assert swf.read(out).wait.tolist() == [30, 30]
    assert main([*words[:3], "--map", "eagel", *words[5:]]) == 1
    assert "did you mean eagle?" in capsys.readouterr().err


MEMORY = """
import sys
from pathlib import Path
from replication.simulator import swf
from replication.cluster import tables
def now(what):
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(row for row in status if row.startswith(what)).split()[1])
tables.convert(sys.argv[1], "eagle")
before = now("VmRSS")
done = tables.convert(sys.argv[2], "eagle")
swf.write("/dev/null", done.trace)
print(len(done.trace), now("VmHWM") - before)
"""


@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="memory is not measured: no /proc here"
)
def test_memory_is_small_for_each_row(tmp_path):
    eagle().to_parquet(tmp_path / "small.parquet")
    jobs = 600_000
    frame = eagle().iloc[np.arange(jobs) % 2]
    frame = frame.assign(submit_time=frame["submit_time"] - pd.to_timedelta(np.arange(jobs), "s"))
    frame.to_parquet(tmp_path / "large.parquet", row_group_size=1 << 16)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, tmp_path / "small.parquet", tmp_path / "large.parquet"],
        cwd=paths.ROOT,
        text=True,
        capture_output=True,
        check=True,
    )
    kept, kilobytes = map(int, done.stdout.split())
    assert kept == jobs
    # 44 million rows fit 4 GB if each takes at most 85 bytes.
    assert kilobytes * 1024 < 85 * jobs + (60 << 20)
