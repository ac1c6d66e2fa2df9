"""Conversion of sacct's output: columns, durations, requeued jobs, limits, time zones, names, and
refusals.
"""

import gzip
import re

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from inputs import KEY, adds_up, count
from replication.simulator.logs import swf
from replication_cluster import slurm, slurm_fields
from replication_cluster.cli import main
from replication_cluster.files import LogError
from replication_cluster.names import numbers, read_key

DAY = "2026-03-01T"


def record(**changes):
    """Return one job of sacct's output, by column."""
    return {
        "JobID": "100",
        "JobIDRaw": "100",
        "User": "ann",
        "Group": "physics",
        "Partition": "batch",
        "JobName": "run",
        "State": "COMPLETED",
        "Submit": f"{DAY}10:00:00",
        "Start": f"{DAY}10:00:10",
        "End": f"{DAY}11:00:10",
        "Elapsed": "01:00:00",
        "Suspended": "00:00:00",
        "Timelimit": "02:00:00",
        "ReqCPUS": "4",
        "AllocCPUS": "4",
    } | changes


def job(number, **changes):
    return record(JobID=str(number), JobIDRaw=str(number), **changes)


def write(path, *records, columns=None, ending=""):
    columns = columns or list(records[0])
    lines = ["|".join(columns), *("|".join(row[name] for name in columns) for row in records)]
    path.write_text("".join(f"{line}{ending}\n" for line in lines))
    return path


@pytest.fixture
def converted(tmp_path):
    """Convert invented records; options go to the converter."""

    def convert(*records, columns=None, ending="", **options):
        path = write(tmp_path / "sacct.txt", *records, columns=columns, ending=ending)
        return slurm.convert(path, **{"key": KEY} | options)

    return convert


def test_a_job_by_hand(converted):
    done = converted(record())
    row = done.jobs.iloc[0].to_dict()
    assert all(row.pop(name) >= 0 for name in ("user", "group", "executable"))
    stated = {name: value for name, value in row.items() if value != -1}
    assert stated == {
        "job_id": 100,
        "submit": 0,
        "wait": 10,
        "run_time": 3600,
        "allocated_processors": 4,
        "requested_processors": 4,
        "requested_time": 7200,
        "status": 1,
        "queue": 1,
    }
    assert (done.log.max_procs, int(done.log.header["UnixStartTime"][0])) == (4, 1772359200)


@settings(deadline=None, max_examples=20)
@given(st.permutations(list(record())), st.sampled_from(["", "|"]))
def test_columns_in_any_order(tmp_path_factory, columns, ending):
    path = tmp_path_factory.mktemp("order") / "sacct.txt"
    rows = [record(), record(JobID="101_3", JobIDRaw="101", State="FAILED", Timelimit="UNLIMITED")]
    jobs = slurm.convert(write(path, *rows), key=KEY).jobs
    reordered = slurm.convert(write(path, *rows, columns=columns, ending=ending), key=KEY).jobs
    assert jobs.equals(reordered)


@pytest.mark.parametrize(
    "columns, values",
    [
        ("JobID Submit Start End NCPUS", f"7 {DAY}10:00:00 {DAY}10:00:10 {DAY}10:01:10 4"),
        ("JobIDRaw Submit Start ElapsedRaw AllocTRES", f"7 {DAY}10:00:00 {DAY}10:00:10 60 "
                                                       f"cpu=4,node=1"),
        ("jobid SUBMIT start elapsed reqcpus", f"7 {DAY}10:00:00 {DAY}10:00:10 01:00 4"),
        ("JobID Submit Start Elapsed ReqTRES AllocCPUS", f"7 {DAY}10:00:00 {DAY}10:00:10 00:01:00 "
                                                         f"cpu=4,mem=2G 0"),
    ],
)  # fmt: skip
def test_columns_of_several_versions(tmp_path, columns, values):
    row = dict(zip(columns.split(), values.split(), strict=True))
    jobs = slurm.convert(write(tmp_path / "a.txt", row)).jobs
    size = jobs[["allocated_processors", "requested_processors"]].max(axis=1)
    assert [jobs["job_id"][0], jobs["run_time"][0], size[0], jobs["wait"][0]] == [7, 60, 4, 10]


def test_a_run_that_ends_before_its_start_is_bad(converted):
    backwards = job(101, Start=f"{DAY}12:00:00", End=f"{DAY}11:00:00")
    columns = [name for name in record() if name != "Elapsed"]
    with pytest.raises(LogError, match="line 3: .*ended before they started; 1 of 2"):
        converted(record(), backwards, columns=columns)


def test_arrays_and_heterogeneous_jobs_are_separate_jobs(converted):
    rows = [("200_1", "201"), ("200_2", "200"), ("300+0", "300"), ("300+1", "301")]
    done = converted(*(record(JobID=shown, JobIDRaw=raw) for shown, raw in rows))
    assert sorted(done.jobs["job_id"]) == [200, 201, 300, 301]
    assert count(done.remarks, "tasks of arrays") == 4


def test_each_run_of_a_requeued_job_is_a_job(converted):
    requeued = record(State="REQUEUED", Elapsed="00:30:00", End=f"{DAY}10:30:10")
    again = record(Submit=f"{DAY}10:30:40", Start=f"{DAY}11:00:00", End=f"{DAY}12:00:00")
    done = converted(requeued, requeued, again)
    assert done.jobs["job_id"].tolist() == [101, 100]
    assert done.jobs["submit"].tolist() == [0, 1840]
    assert done.jobs["run_time"].tolist() == [1800, 3600]
    assert count(done.remarks, "further runs") == count(done.left_out, "earlier records") == 1


def test_suspended_time_is_no_run_time(converted):
    times = {"Suspended": "00:20:00", "End": f"{DAY}11:20:10"}
    columns = [name for name in record() if name != "Elapsed"]
    done = converted(record(**times), columns=columns)
    assert done.jobs["run_time"].tolist() == [3600]
    assert count(done.remarks, "suspended") == 1


@pytest.mark.parametrize(
    "limit, seconds",
    [("02:00:00", 7200), ("1-00:00:00", 86400), ("05:00", 300), ("UNLIMITED", -1), ("", -1)],
)
def test_limits(converted, limit, seconds):
    done = converted(record(), job(101, Timelimit=limit))
    assert done.jobs["requested_time"].tolist() == [7200, seconds]
    assert count(done.remarks, "without a time limit") == (seconds == -1)


def test_raw_limits_are_minutes(converted):
    row = record() | {"TimelimitRaw": "90"}
    assert converted(row).jobs["requested_time"].tolist() == [5400]


@pytest.mark.parametrize(
    "state, status",
    [("COMPLETED", 1), ("CANCELLED by 1003", 5), ("CANCELLED+", 5), ("OUT_OF_ME+", 0), ("CD", 1)],
)
def test_states(converted, state, status):
    assert converted(record(State=state)).jobs["status"].tolist() == [status]


def test_a_job_cancelled_before_its_start_is_kept_without_run_time(converted):
    row = job(9, State="CANCELLED by 7", Start="None", Elapsed="00:00:00", AllocCPUS="0")
    done = converted(record(), row)
    assert done.jobs["run_time"].tolist() == [0, 3600]
    assert done.jobs["wait"].tolist() == [-1, 10]
    assert count(done.remarks, "ended without") == 1


def test_the_machine_is_the_most_in_use_unless_it_is_given(converted):
    later = {"Start": f"{DAY}11:00:10", "End": f"{DAY}12:00:10"}
    rows = [record(), job(2, AllocCPUS="16"), job(3, AllocCPUS="10", **later)]
    done = converted(*rows)
    assert done.log.max_procs == 20
    assert any("20 allocated processors" in sentence for sentence in done.assumed)
    assert converted(*rows, processors=64).log.max_procs == 64


def test_time_zones(converted):
    # In Berlin clocks went back from 03:00 to 02:00 on 25 October 2026.
    night = record(
        Submit="2026-10-25T01:30:00", Start="2026-10-25T03:30:00", End="2026-10-25T04:30:00"
    )
    assert converted(night).jobs["wait"].tolist() == [7200]
    assert converted(night, zone="Europe/Berlin").jobs["wait"].tolist() == [10800]
    for text in (
        *("2026-03-01T11:00:00+01:00", "2026-03-01T10:00:00Z", "1772359200"),
        *("1772359200.0", "1.7723592e+09"),
    ):
        assert converted(record(Submit=text)).log.header["UnixStartTime"] == ["1772359200"]
    with pytest.raises(LogError, match="time zone 'Berlin' unknown"):
        converted(record(), zone="Berlin")


@settings(max_examples=50)
@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_durations(days, hours, minutes, seconds):
    whole = 86400 * days + 3600 * hours + 60 * minutes + seconds
    assert slurm_fields.duration(f"{days}-{hours:02}:{minutes:02}:{seconds:02}") == whole
    assert slurm_fields.duration(f"{24 * days + hours}:{minutes:02}:{seconds:02}.125") == whole


odd = st.sampled_from(["", "a|b", "Unknown", "None", "7", "9" * 25, "²", "1-00:00:00", "|"])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from(list(record())), odd, max_size=2), max_size=5))
def test_jobs_and_left_out_records_are_all_records(tmp_path_factory, changes):
    path = tmp_path_factory.getbasetemp() / "odd.txt"
    write(path, record(), *(job(k) | more for k, more in enumerate(changes, 101)))
    try:
        done = slurm.convert(path, key=KEY)
    except LogError as refused:
        assert re.match(rf"{path}, line [0-9]+(, [A-Za-z]+)?: ", str(refused))
        return
    assert done.records == len(changes) + 1
    assert adds_up(done)


def test_several_clusters_need_a_choice_and_partitions_select_jobs(converted):
    rows = [record(Cluster="old"), job(2, Cluster="new", Partition="gpu,batch")]
    with pytest.raises(LogError, match="new, old; choose one"):
        converted(*rows)
    done = converted(*rows, cluster="new", partitions=["gpu"])
    assert done.jobs["job_id"].tolist() == [2]
    assert count(done.left_out, "of another cluster") == 1
    with pytest.raises(LogError, match="partition 'gup' .*; allowed: batch, gpu"):
        converted(*rows, cluster="new", partitions=["gup"])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"State": "dancing"}, "line 2, State: 'dancing'; expected COMPLETED"),
        ({"Submit": "6 Jun 2012"}, "line 2, Submit: '6 Jun 2012'; expected YYYY-MM-DDTHH:MM:SS"),
        ({"Submit": "9" * 20}, "line 2, Submit: '99999999999999999999'; expected YYYY"),
        ({"AllocCPUS": "²"}, "line 2, AllocCPUS: '²'; expected a whole number >= 0"),
        ({"AllocCPUS": "3000M"}, "line 2, AllocCPUS: '3000M'; expected up to 2,147,483,647"),
        ({"State": "\x1b[31m" + "A" * 100_000}, r"line 2, State: '\x1b[31mAAA"),
        ({"State": "RUNNING", "End": "Unknown"}, "no job among 1 records (1 running"),
    ],
)
def test_invalid_values_are_refused(converted, changes, message):
    with pytest.raises(LogError) as refused:
        converted(record(**changes))
    assert message in str(refused.value)
    assert len(str(refused.value)) < 700 and str(refused.value).isprintable()


def test_missing_columns_and_files_and_empty_ones_are_named(tmp_path, converted):
    with pytest.raises(LogError, match="no column Submit in .* expected the output of sacct"):
        converted(record(), columns=[name for name in record() if name != "Submit"])
    (tmp_path / "empty").touch()
    with pytest.raises(LogError, match="an empty file"):
        slurm.convert(tmp_path / "empty")
    with pytest.raises(LogError, match="nowhere: No such file"):
        slurm.convert(tmp_path / "nowhere")


def test_decompression_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(swf, "MOST_BYTES", 1 << 16)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"\n" * (1 << 20)))
    with pytest.raises(LogError, match="MiB decompressed"):
        slurm.convert(tmp_path / "a.gz")


def test_names_are_stable_for_a_key_and_hidden(converted, tmp_path):
    rows = [record(), job(2, User="physics")]
    done, swapped = converted(*rows), converted(rows[1], rows[0])
    assert done.jobs["user"].tolist() == swapped.jobs["user"].tolist()
    assert done.jobs["user"][0] != done.jobs["group"][0]  # a user and a group of one name
    assert converted(*rows, key=None).jobs["user"].tolist() != done.jobs["user"].tolist()
    swf.write(tmp_path / "out.swf", done.log)
    text = (tmp_path / "out.swf").read_text()
    assert not [name for name in ("ann", "physics", "run ", "batch") if name in text]


def test_keys(tmp_path):
    with pytest.raises(LogError, match="5 bytes"):
        numbers(b"short", "user", pd.Series(["u1"]))
    key = read_key(tmp_path / "key")
    assert key == read_key(tmp_path / "key") and len(key) == 64
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0


def test_the_command_writes_a_log_that_replication_reads(tmp_path):
    source = write(tmp_path / "sacct.txt", record(), job(2, AllocCPUS="8"))
    packed = tmp_path / "sacct.txt.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    out = tmp_path / "mine.swf.gz"
    args = ["convert", "slurm", str(packed), "--out", str(out), "--processors", "32"]
    args += ["--key-file", str(tmp_path / "key"), "--time-zone", "Europe/Berlin"]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0
    assert "2 records = 2 jobs + 0 left out + 0 bad" in done.output
    content = out.read_bytes()
    assert CliRunner().invoke(main, args).exit_code == 0
    assert out.read_bytes() == content
    assert rp.load(out, size="allocated").processors.tolist() == [8, 4]


@pytest.mark.parametrize(
    "args, code, message",
    [
        (["--processors", "0"], 2, "0 is not in the range"),
        (["--out", "sacct.txt"], 1, "is the input"),
    ],
)
def test_the_command_fails_in_one_line(tmp_path, monkeypatch, args, code, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "sacct.txt", record())
    done = CliRunner().invoke(main, ["convert", "slurm", "sacct.txt", "--out", "x.swf", *args])
    assert (done.exit_code, message in done.output) == (code, True)
    assert not (tmp_path / "x.swf").exists()
