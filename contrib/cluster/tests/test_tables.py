"""Conversion of tables of jobs: maps, the included maps, and counts of rows left out."""

import gzip

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from inputs import adds_up
from replication_cluster import tables
from replication_cluster.cli import main
from replication_cluster.files import LogError

MAP = """
title = "invented"
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
def converted(tmp_path):
    """Convert lines of a CSV by a map."""

    def convert(*lines, by=MAP, **options):
        (tmp_path / "map.toml").write_text(by)
        (tmp_path / "jobs.csv").write_text("\n".join([HEAD, *lines, ""]))
        return tables.convert(tmp_path / "jobs.csv", tmp_path / "map.toml", **options)

    return convert


def test_a_table_by_hand(converted):
    done = converted(
        "1970-01-02T00:01:00,1970-01-02T00:02:00,1970-01-02T00:05:00,10,2,ann,done,x",
        "86400,86410,86420,None,1,bob,bad,y",
        "1970-01-02 01:00:00+01:00,None,1970-01-02T03:00:00Z,1-00:00:00,,ann,odd,",
    )
    names = ["job_id", "submit", "wait", "run_time", "requested_time", "user", "status"]
    assert done.jobs[[*names, "requested_processors"]].to_dict("list") == {
        "job_id": [2, 3, 1],
        "submit": [0, 0, 60],
        "wait": [10, -1, 60],
        "run_time": [10, 0, 180],  # the third job ended without having started
        "requested_time": [-1, 86400, 600],
        "user": [2, 1, 1],
        "status": [0, -1, 1],
        "requested_processors": [4, -1, 8],
    }
    assert done.log.max_procs == 64
    assert dict(done.remarks)["ended without having started"] == 1
    assert dict(done.remarks)["with a status that the map does not have (state)"] == 1
    assert "1 columns are not used: more." in done.assumed


def test_rows_that_cannot_be_jobs_are_counted(converted):
    rows = (
        "5,6,7,1,1,a,done,",
        ",6,7,1,1,a,done,",
        "soon,6,7,1,1,a,done,",
        "5,9,7,1,1,a,done,",
        "5,6,7",
        "5,6,7,1,99999999999999999999,a,done,",
        "5,6,7,-3,1,a,done,",
        "5,6,7,1,4 nodes,a,done,",
        "5,6,12:99:99,1,1,a,done,",
    )
    with pytest.raises(LogError, match="8 of 9 records cannot be read"):
        converted(*rows, bad_records="skip")
    done = converted(*rows, *["5,6,7,1,1,a,done,"] * 800, bad_records="skip", smaller_machine=True)
    assert adds_up(done) and len(done.jobs) == 801
    assert dict(done.bad) == {
        "with more or fewer fields than the header": 1,
        "with an unreadable in": 1,
        "with an unreadable end": 1,
        "with an unreadable limit": 1,
        "with an unreadable nodes": 2,
        "without a submission": 1,
        "that ended before they started": 1,
    }


@pytest.mark.parametrize(
    "change, message",
    [
        (("[fields]", "[field]"), "unknown key 'field' .did you mean fields"),
        (("submit =", "sumbit ="), "unknown field 'sumbit' .did you mean submit"),
        (
            ('unit = "min"', 'unit = "years"'),
            "requested_time: unit 'years'; allowed: ns, us, ms, s, min",
        ),
        (('column = "in"', 'unit = "s"'), "submit: expected a table with the name of a column"),
        (('submit = { column = "in" }', ""), "no field submit"),
        (("processors = 64", "processors = "), "expected TOML"),
        (('"in"', '"into"'), "no column into; the table has .in, begin, end"),
    ],
)
def test_an_invalid_map_is_refused_in_a_line(converted, change, message):
    with pytest.raises(LogError, match=message) as refused:
        converted("5,6,7,1,1,a,done,", by=MAP.replace(*change))
    assert "\n" not in str(refused.value)


def test_other_files_are_refused_in_a_line(tmp_path, converted):
    with pytest.raises(LogError, match="map 'eagel' .did you mean eagle"):
        tables.convert(tmp_path / "a.csv", "eagel")
    for name, content in (
        ("a.parquet", b"PAR1 nothing"),
        ("b.csv", b""),
        ("c.csv.gz", gzip.compress(b"in,begin\n1,2\n" * 9000)[:60]),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(LogError) as refused:
            tables.convert(tmp_path / name, "eagle")
        assert "\n" not in str(refused.value) and name in str(refused.value)
    with pytest.raises(LogError, match="row 1: .*without a submission .*; 1 of 1 records"):
        converted(",6,7,1,1,a,done,")


numbers = st.integers(0, 500).map(str) | st.sampled_from(["", "None", "-4", "x", "1e3"])
UNKNOWN = ("", "None")


def value(text):
    """Return a number of a table; None where it is bad or unknown."""
    return None if text in (*UNKNOWN, "-4", "x") else float(text)


def is_bad(a, b, c, d):
    """Return whether a row of submission, start, end and size is a bad record."""
    if {a, b, c} & {"-4", "x"} or a in UNKNOWN:
        return True
    submit, start, end = map(value, (a, b, c))
    # 0 after a submission is no time.
    start, end = (None if time == 0 and submit > 0 else time for time in (start, end))
    if end is None:  # running
        return False
    return d in ("-4", "x") or (start is not None and end < start)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=8))
def test_every_row_is_a_job_or_left_out_or_bad(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    (folder / "map.toml").write_text(MAP)
    good = ["0,0,9,1,1,u,done,"] * 800
    lines = [f"{a},{b},{c},1,{d},u,done," for a, b, c, d in rows]
    (folder / "jobs.csv").write_text("\n".join([HEAD, *good, *lines, ""]))
    done = tables.convert(
        folder / "jobs.csv", folder / "map.toml", bad_records="skip", smaller_machine=True
    )
    assert adds_up(done) and done.records == len(rows) + 800
    assert sum(n for _, n in done.bad) == sum(is_bad(*row) for row in rows)
    jobs = done.jobs.set_index("job_id")
    for number, (a, _, _, d) in enumerate(rows, 801):
        if number in jobs.index:
            assert jobs["submit"][number] == int(value(a))
            assert jobs["requested_processors"][number] == (4 * (value(d) or 0) or -1)


def eagle():
    """Return two jobs as the publisher of Eagle's log describes its columns."""
    dates = pd.to_datetime(["2022-03-01 10:00:00", "2022-03-01 11:00:00"])
    return pd.DataFrame(
        {
            "job_id": [7, 8],
            "user": ["user0003", "user0009"],
            "account": ["account0001", "account0001"],
            "name": ["job", "job"],
            "state": ["COMPLETED", "FAILED"],
            "partition": ["short", "standard"],
            "qos": ["normal", "high"],
            "submit_time": dates,
            "start_time": dates + pd.Timedelta("30s"),
            "end_time": dates + pd.Timedelta("3630s"),
            "run_time": [3600, 3600],
            "wallclock_req": [7200, 86400],
            "nodes_req": [1, 1],
            "processors_req": [2, 1],
        }
    )


def test_each_included_map_is_valid():
    assert {"acme", "alibaba-2023", "eagle", "fugaku", "trinity"} <= {*tables.maps()}
    for name in tables.maps():
        by = tables.read_map(name)
        assert by.title and by.source and (by.processors is None or by.processors > 900)


def test_an_included_map_and_the_command(tmp_path):
    path, out = tmp_path / "jobs.parquet", tmp_path / "eagle.swf.gz"
    eagle().to_parquet(path)
    done = tables.convert(path, "eagle")
    assert done.jobs[["submit", "wait", "run_time"]].to_numpy().tolist() == [
        [0, 30, 3600],
        [3600, 30, 3600],
    ]
    assert np.array_equal(done.jobs["requested_processors"], [2, 1])
    assert done.jobs["requested_time"].tolist() == [7200, 86400]
    assert done.jobs["status"].tolist() == [1, 0]
    assert done.log.max_procs == 94248
    args = ["convert", "table", str(path), "--map", "eagle", "--out", str(out)]
    assert CliRunner().invoke(main, args).exit_code == 0
    assert len(rp.load(out)) == 2
