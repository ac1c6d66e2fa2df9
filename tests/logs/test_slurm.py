"""sacct's output as a log: columns, durations, requeues, limits, zones, names; and what is refused."""

import gzip
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.__main__ import main
from replication.cluster.accounting import slurm
from replication.cluster.accounting.anonymous import Anonymiser, AnonymousError, key_from
from replication.cluster.accounting.slurm import SlurmError
from replication.cluster.accounting.slurm import fields as slurm_fields
from replication.simulator import paths, swf, traces
from tests.faults import TIMES

DAY = "2026-03-01T"
KEY = b"a key of the tests only"


def record(**changes):
    """One job of sacct's output, by column."""
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
        "NodeList": "n01",
    } | changes


def write(path, *records, columns=None, ending=""):
    columns = columns or list(records[0])
    lines = ["|".join(columns), *("|".join(row[name] for name in columns) for row in records)]
    path.write_text("".join(f"{line}{ending}\n" for line in lines))
    return path


@pytest.fixture
def converted(tmp_path):
    """Convert made-up records; options go to the converter."""

    def convert(*records, columns=None, ending="", **options):
        path = write(tmp_path / "sacct.txt", *records, columns=columns, ending=ending)
        return slurm.convert(path, **{"key": KEY} | options)

    return convert


def count(pairs, words):
    """The count of the one entry that begins with these words."""
    found = [number for what, number in pairs if what.startswith(words)]
    assert len(found) == 1, (words, pairs)
    return found[0]


def test_a_job_by_hand(converted):
    trace = converted(record()).trace
    found = {name: getattr(trace, name).tolist() for name in swf.FIELDS}
    assert {name: found.pop(name) for name in ("user", "group", "executable")}.values() != [-1]
    assert found == {
        "job_id": [100],
        "submit": [0],
        "wait": [10],
        "run_time": [3600],
        "allocated_processors": [4],
        "cpu_time": [-1],
        "used_memory": [-1],
        "requested_processors": [4],
        "requested_time": [7200],
        "requested_memory": [-1],
        "status": [1],
        "queue": [1],
        "partition": [-1],
        "preceding_job": [-1],
        "think_time": [-1],
    }
    assert trace.max_procs == 4
    assert trace.unix_start_time == 1772359200


@settings(deadline=None)
@given(st.permutations(list(record())), st.sampled_from(["", "|"]))
def test_columns_may_stand_in_any_order(tmp_path_factory, columns, ending):
    path = tmp_path_factory.mktemp("order") / "sacct.txt"
    rows = [
        record(),
        record(JobID="101_3", JobIDRaw="101", User="bob", State="FAILED", Timelimit="UNLIMITED"),
    ]
    one = slurm.convert(write(path, *rows), key=KEY).trace
    other = slurm.convert(write(path, *rows, columns=columns, ending=ending), key=KEY).trace
    assert all((getattr(one, name) == getattr(other, name)).all() for name in swf.FIELDS)


@pytest.mark.parametrize(
    "columns, values",
    [
        # 2.6 has no raw columns and no TRES; 15.08 and later have them; 20.11 has Planned, which is not used.
        (
            ["JobID", "Submit", "Start", "End", "NCPUS"],
            ["7", f"{DAY}10:00:00", f"{DAY}10:00:10", f"{DAY}10:01:10", "4"],
        ),
        (
            ["JobIDRaw", "Submit", "Start", "ElapsedRaw", "AllocTRES"],
            ["7", f"{DAY}10:00:00", f"{DAY}10:00:10", "60", "billing=4,cpu=4,gres/gpu=1,node=1"],
        ),
        (
            ["jobid", "SUBMIT", "start", "elapsed", "reqcpus"],
            ["7", f"{DAY}10:00:00", f"{DAY}10:00:10", "01:00", "4"],
        ),
        (
            ["JobID", "Submit", "Start", "Elapsed", "ReqTRES", "AllocCPUS"],
            ["7", f"{DAY}10:00:00", f"{DAY}10:00:10", "00:01:00", "cpu=4,mem=2G", "0"],
        ),
    ],
)
def test_the_columns_of_several_versions(tmp_path, columns, values):
    trace = slurm.convert(write(tmp_path / "a.txt", dict(zip(columns, values, strict=True)))).trace
    jobs = traces.workload(trace)
    assert (jobs.job_id.tolist(), jobs.run_time.tolist(), jobs.processors.tolist()) == (
        [7],
        [60],
        [4],
    )
    assert trace.wait.tolist() == [10]


def test_steps_and_jobs_without_an_end_are_left_out_and_counted(converted):
    steps = [
        record(JobID=f"100.{step}", JobIDRaw=f"100.{step}")
        for step in ("batch", "extern", "0", "interactive")
    ]
    waiting = record(
        JobID="101_[3-9%2]", JobIDRaw="101", State="PENDING", Start="Unknown", End="Unknown"
    )
    running = record(JobID="102", JobIDRaw="102", State="RUNNING", End="Unknown")
    done = converted(record(), *steps, waiting, running)
    assert len(done.trace) == 1
    assert done.records == 7
    assert count(done.left_out, "job steps") == 4
    assert count(done.left_out, "waiting") == 1
    assert count(done.left_out, "not ended") == 1
    assert sum(number for _, number in done.left_out) == 6


def test_arrays_and_heterogeneous_jobs_are_jobs_each(converted):
    done = converted(
        record(JobID="200_1", JobIDRaw="201"),
        record(JobID="200_2", JobIDRaw="200"),
        record(JobID="300+0", JobIDRaw="300"),
        record(JobID="300+1", JobIDRaw="301"),
    )
    assert sorted(done.trace.job_id.tolist()) == [200, 201, 300, 301]
    assert count(done.changed, "tasks of job arrays") == 2
    assert count(done.changed, "parts of heterogeneous") == 2


def test_tasks_without_a_raw_number_get_one(converted):
    rows = [record(JobID="200_1"), record(JobID="200_2"), record(JobID="150")]
    trace = converted(*rows, columns=[name for name in record() if name != "JobIDRaw"]).trace
    assert sorted(trace.job_id.tolist()) == [150, 151, 152]


def test_each_run_of_a_requeued_job_is_a_job_tied_to_the_one_before(converted):
    first = record(State="REQUEUED", Elapsed="00:30:00", End=f"{DAY}10:30:10")
    again = record(Submit=f"{DAY}10:30:40", Start=f"{DAY}11:00:00", End=f"{DAY}12:00:00")
    trace = converted(first, again).trace
    assert trace.job_id.tolist() == [101, 100]
    assert trace.submit.tolist() == [0, 1840]
    assert trace.run_time.tolist() == [1800, 3600]
    assert trace.preceding_job.tolist() == [-1, 101]
    assert trace.think_time.tolist() == [-1, 30]


def test_snapshots_of_one_run_count_once_and_reused_numbers_are_two_jobs(converted):
    early = record(State="NODE_FAIL", Elapsed="00:00:01")
    other = record(
        User="bob",
        Submit="2026-04-01T10:00:00",
        Start="2026-04-01T10:00:00",
        End="2026-04-01T11:00:00",
    )
    done = converted(early, record(), other)
    assert done.trace.run_time.tolist() == [3600, 3600]
    assert done.trace.preceding_job.tolist() == [-1, -1]
    assert count(done.left_out, "earlier records") == 1
    assert count(done.changed, "numbers used again") == 1


def test_suspended_time_is_no_run_time(converted):
    times = {"Suspended": "00:20:00", "End": f"{DAY}11:20:10"}
    assert converted(record(**times)).trace.run_time.tolist() == [3600]
    columns = [name for name in record() if name != "Elapsed"]
    done = converted(record(**times), columns=columns)
    assert done.trace.run_time.tolist() == [3600]
    assert count(done.changed, "suspended") == 1


@pytest.mark.parametrize(
    "limit, seconds",
    [
        ("02:00:00", 7200),
        ("1-00:00:00", 86400),
        ("05:00", 300),
        ("UNLIMITED", -1),
        ("Partition_Limit", -1),
        ("", -1),
    ],
)
def test_limits(converted, limit, seconds):
    done = converted(record(Timelimit=limit), record(JobID="1", JobIDRaw="1"))
    assert done.trace.requested_time.tolist() == [7200, seconds]
    assert count(done.changed, "without a time limit") == (seconds == -1)


def test_raw_limits_are_minutes(converted):
    row = record() | {"TimelimitRaw": "90"}
    assert converted(row).trace.requested_time.tolist() == [5400]
    for none in ("Partition_Limit", "None"):
        without = row | {"TimelimitRaw": none, "Timelimit": "UNLIMITED"}
        assert converted(without).trace.requested_time.tolist() == [-1]


@pytest.mark.parametrize(
    "state, status",
    [
        ("COMPLETED", 1),
        ("CANCELLED by 1003", 5),
        ("CANCELLED+", 5),
        ("TIMEOUT", 0),
        ("OUT_OF_ME+", 0),
        ("NODE_FAIL", 0),
        ("CD", 1),
        ("CA", 5),
        ("PREEMPTED", 0),
    ],
)
def test_states(converted, state, status):
    assert converted(record(State=state)).trace.status.tolist() == [status]


@pytest.mark.parametrize("never", ["Unknown", "None", ""])
def test_a_job_cancelled_before_it_started_is_kept_without_run_time(converted, never):
    row = record(
        JobID="9",
        JobIDRaw="9",
        State="CANCELLED by 7",
        Start=never,
        Elapsed="00:00:00",
        AllocCPUS="0",
        NodeList="None assigned",
    )
    done = converted(record(), row)
    assert done.trace.run_time.tolist() == [0, 3600]
    assert done.trace.wait.tolist() == [-1, 10]
    assert done.trace.allocated_processors.tolist() == [-1, 4]
    assert count(done.changed, "ended without") == 1
    assert dict(traces.workload(done.trace).cleaning)["zero-run-time"] == 1


def test_a_log_of_nodes_only(converted):
    columns = [name for name in record() if "CPUS" not in name]
    row = record(NodeList="n[01-03],gpu7")
    plain, sized = (converted(row, columns=columns, per_node=cores) for cores in (None, 48))
    assert (plain.trace.allocated_processors[0], plain.trace.max_procs) == (4, 4)
    assert (sized.trace.allocated_processors[0], sized.trace.max_procs) == (192, 192)
    assert any("nodes only" in sentence for sentence in sized.assumed)
    assert " MaxNodes: 4" in sized.trace.comments


def test_the_machine_is_what_was_held_at_once_unless_it_is_given(converted):
    rows = [
        record(),
        record(JobID="2", JobIDRaw="2", AllocCPUS="16"),
        record(
            JobID="3", JobIDRaw="3", Start=f"{DAY}11:00:10", End=f"{DAY}12:00:10", AllocCPUS="10"
        ),
    ]
    assumed = converted(*rows)
    assert assumed.trace.max_procs == 20
    assert any("20 processors" in sentence for sentence in assumed.assumed)
    told = converted(*rows, processors=64)
    assert told.trace.max_procs == 64
    assert not any("processors" in sentence for sentence in told.assumed)
    assert count(told.changed, "given more processors") == 2


def test_clocks_that_change(converted):
    # In Berlin 02:30 came twice on 25 October 2026, and 03:00 summer time was 02:00 of the clock.
    night = record(
        Submit="2026-10-25T01:30:00", Start="2026-10-25T03:30:00", End="2026-10-25T04:30:00"
    )
    assert converted(night).trace.wait.tolist() == [7200]
    assert converted(night, zone="Europe/Berlin").trace.wait.tolist() == [10800]
    late = record(
        Submit="2026-10-25T02:30:00", Start="2026-10-25T02:40:00", End="2026-10-25T03:40:00"
    )
    twice = converted(late, zone="Europe/Berlin")
    assert count(twice.changed, "times in an hour that came twice") == 2


@pytest.mark.parametrize(
    "text",
    ["2026-03-01T11:00:00+01:00", "2026-03-01T11:00:00+0100", "2026-03-01T10:00:00Z", "1772359200"],
)
def test_times_with_an_offset_need_no_zone(converted, text):
    assert converted(record(Submit=text)).trace.unix_start_time == 1772359200


def test_only_times_without_an_offset_are_assumed_to_need_no_zone(converted):
    with_offset = {name: record()[name] + "+01:00" for name in ("Submit", "Start", "End")}
    assert not any("time zone" in sentence for sentence in converted(record(**with_offset)).assumed)
    assert any("time zone" in sentence for sentence in converted(record()).assumed)


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_durations(days, hours, minutes, seconds):
    whole = 86400 * days + 3600 * hours + 60 * minutes + seconds
    assert slurm_fields.duration(f"{days}-{hours:02}:{minutes:02}:{seconds:02}") == whole
    assert slurm_fields.duration(f"{24 * days + hours}:{minutes:02}:{seconds:02}.125") == whole


@pytest.mark.parametrize(
    "text, names",
    [
        ("n01", ["n01"]),
        ("n[01-03,7]", ["n01", "n02", "n03", "n7"]),
        ("a[1-2],b", ["a1", "a2", "b"]),
        ("r[1-2]n[08-11]", [f"r{r}n{n}" for r in (1, 2) for n in ("08", "09", "10", "11")]),
        ("n[0-2],n0,n[00-02],n1", ["n0", "n1", "n2", "n00", "n01", "n02"]),
        ("n[08-12]-ib,n12-ib,n8-ib", ["n08-ib", "n09-ib", "n10-ib", "n11-ib", "n12-ib", "n8-ib"]),
        ("None assigned", []),
    ],
)
def test_node_lists(text, names):
    blocks = slurm_fields.nodes(text)
    assert slurm_fields.held(blocks) == len(names)
    written = {
        pattern.replace(f"{{{width}}}", f"{number:0{width}d}")
        for pattern, first, last in blocks
        for number in range(first, last + 1)
        for width in [int((re.findall(r"\{([0-9]+)\}", pattern) or ["0"])[0])]
    }
    assert written == set(names)
    assert slurm_fields.held([*blocks, *slurm_fields.nodes(",".join(names))]) == len(names)


def test_node_lists_are_counted_not_written_out():
    assert slurm_fields.held(slurm_fields.nodes("n[1-300000000]")) == 300_000_000
    assert slurm_fields.held(slurm_fields.nodes("r[1-9]c[1-99]n[1-999999]")) == 9 * 99 * 999_999


@pytest.mark.parametrize(
    "names",
    [
        "r[1-999]c[1-999]n[1-999]",
        f"r[1-999]n[{','.join(str(2 * k) for k in range(1000))}]",
        ",".join(f"r[1-999]n{k}[1]" for k in range(1000)),
        ",".join(f"n{2 * k}" for k in range(100_001)),
    ],
    ids=["heads", "ranges", "parts", "names"],
)
def test_a_node_list_that_stands_for_too_many_ranges_is_refused(names):
    with pytest.raises(slurm_fields.FieldError, match="up to 100,000 ranges"):
        slurm_fields.nodes(names)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"AllocCPUS": "3000M"}, "line 2: 3,000,000,000 processors; allowed: up to 2,147,483,647"),
        ({"ElapsedRaw": "999999999999"}, "line 2: [0-9,]+ s since 1970 at its end; allowed: up to"),
        ({"TimelimitRaw": "99999999999"}, "line 2: [0-9,]+ s of limit; allowed: up to 100,000,000"),
    ],
)
def test_numbers_that_no_machine_has_are_refused(converted, changes, words):
    with pytest.raises(SlurmError, match=words):
        converted(record() | changes)


def test_a_separator_in_a_name_is_told_apart_where_it_can_be(converted):
    for ending in ("", "|"):
        done = converted(record(JobName="a|b"), record(JobID="2", JobIDRaw="2"), ending=ending)
        assert len(done.trace) == 2
        assert count(done.changed, "the separator") == 1
        row = record(JobName="a|b") | {"Comment": "c"}
        other = record(JobID="2", JobIDRaw="2") | {"Comment": ""}
        done = converted(row, other, ending=ending)
        assert done.trace.job_id.tolist() == [2]
        assert count(done.left_out, "with more or fewer fields") == 1


def test_a_separator_in_a_name_shifts_nothing_where_the_last_field_is_empty(converted):
    rows = [record(JobName="a|b", NodeList=""), record(JobID="2", JobIDRaw="2", NodeList="")]
    done = converted(*rows)
    assert done.trace.user[0] == done.trace.user[1]
    assert done.trace.queue.tolist() == [1, 1]
    without = [name for name in record() if name != "JobName"]
    rows[0]["Partition"] = "bat|ch"
    assert count(converted(*rows, columns=without).left_out, "with more or fewer fields") == 1


odd = st.sampled_from(
    ["", "a|b", "Unknown", "None", "7", "9" * 25, "²", "n[1-3]", "1-00:00:00", "|"]
)


@settings(deadline=10_000, max_examples=80)
@given(
    st.lists(st.dictionaries(st.sampled_from(list(record())), odd, max_size=2), max_size=5),
    st.sampled_from(["", "|"]),
)
def test_jobs_and_left_out_records_are_all_records(tmp_path_factory, changes, ending):
    path = tmp_path_factory.getbasetemp() / "odd.txt"
    rows = [record(JobID=f"{k}", JobIDRaw=f"{k}") | more for k, more in enumerate(changes, 101)]
    write(path, record(), *rows, ending=ending)
    try:
        done = slurm.convert(path, key=KEY)
    except SlurmError as refused:
        assert re.match(rf"{path}, line [0-9]+(, [a-z]+)?: ", str(refused))
        return
    assert done.records == len(rows) + 1
    assert len(done.trace) + sum(number for _, number in done.left_out) == done.records


def test_several_clusters_need_a_choice_and_partitions_take_one(converted):
    rows = [
        record(Cluster="old"),
        record(JobID="2", JobIDRaw="2", Cluster="new", Partition="gpu,batch"),
    ]
    with pytest.raises(SlurmError, match="new, old; allowed: one"):
        converted(*rows)
    assert converted(*rows, cluster="new").trace.job_id.tolist() == [2]
    done = converted(*rows, cluster="new", partitions=["gpu"])
    assert done.trace.job_id.tolist() == [2]
    assert count(done.left_out, "of another cluster") == 1


def test_jobs_that_could_not_start_at_once_are_counted(converted):
    done = converted(
        record(Eligible=f"{DAY}10:00:00"),
        record(JobID="2", JobIDRaw="2", Eligible=f"{DAY}10:01:00"),
    )
    assert count(done.changed, "could start only 60 s") == 1


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"State": "DANCING"}, "line 2, state: 'DANCING'; allowed: COMPLETED"),
        ({"Elapsed": "soon"}, "line 2, elapsed: 'soon'; allowed: [days-]hours:minutes:seconds"),
        ({"Submit": "6 Jun 2012"}, "line 2, submit: '6 Jun 2012'; allowed: YYYY-MM-DDTHH:MM:SS"),
        ({"Submit": "2026-02-30T10:00:00"}, "line 2, submit: '2026-02-30T10:00:00'; "),
        ({"AllocCPUS": "four"}, "line 2, alloccpus: 'four'; allowed: a whole number from 0"),
        ({"NodeList": "n[1-"}, "line 2, nodelist: 'n[1-'; allowed: names and ranges"),
        ({"NodeList": "n[[1-2]]"}, "line 2, nodelist: 'n[[1-2]]'; allowed: names and ranges"),
        ({"NodeList": "n[3-1]"}, "line 2, nodelist: 'n[3-1]'; allowed: names and ranges"),
        ({"AllocCPUS": "9" * 20}, "line 2, alloccpus: '99999999999999999999'; allowed: a whole"),
        ({"AllocCPUS": "²"}, "line 2, alloccpus: '²'; allowed: a whole number from 0"),
        ({"Submit": "9" * 20}, "line 2, submit: '99999999999999999999'; allowed: YYYY"),
        ({"End": "0001-01-01T00:00:00+14:00"}, "line 2, end: '0001-01-01T00:00:00+14:00'; "),
        ({"Elapsed": "999999999999-00:00:00"}, "line 2, elapsed: '999999999999-00:00:00'"),
        ({"State": "\x1b[31m" + "A" * 100_000}, r"line 2, state: '\x1b[31mAAA"),
        ({"State": "RUNNING", "End": "Unknown"}, "no job that ended among 1 records"),
    ],
)
def test_what_sacct_does_not_write_is_refused(converted, changes, words):
    with pytest.raises(SlurmError) as refused:
        converted(record(**changes))
    assert words in str(refused.value)
    assert len(str(refused.value)) < 700
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "missing, words",
    [
        (["JobID", "JobIDRaw"], "no column JobIDRaw or JobID"),
        (["Submit"], "no column Submit"),
        (["Elapsed", "End"], "no column ElapsedRaw, Elapsed, or Start and End"),
        (["ReqCPUS", "AllocCPUS", "NodeList"], "no column AllocCPUS"),
    ],
)
def test_missing_columns_are_named(converted, missing, words):
    with pytest.raises(SlurmError, match="allowed: the output of sacct --allusers") as refused:
        converted(record(), columns=[name for name in record() if name not in missing])
    assert words in str(refused.value)


def test_an_empty_file_and_an_unknown_zone_are_refused(tmp_path, converted):
    (tmp_path / "empty").touch()
    with pytest.raises(SlurmError, match="an empty file"):
        slurm.convert(tmp_path / "empty")
    with pytest.raises(SlurmError, match="time zone 'Berlin' unknown"):
        converted(record(), zone="Berlin")


def test_names_are_stable_for_a_key_and_hidden(converted, tmp_path):
    rows = [record(), record(JobID="2", JobIDRaw="2", User="physics")]
    one, two = converted(*rows), converted(rows[1], rows[0])
    assert one.trace.user.tolist() == two.trace.user.tolist()
    assert one.trace.user[0] != one.trace.group[0]  # a user and a group of one name
    assert converted(*rows, key=None).trace.user.tolist() != one.trace.user.tolist()
    swf.write(tmp_path / "out.swf", one.without_names)
    text = (tmp_path / "out.swf").read_text()
    assert not [name for name in ("ann", "physics", "run ", "n01", "batch") if name in text]


def test_keys(tmp_path):
    with pytest.raises(AnonymousError, match="5 bytes"):
        Anonymiser(b"short")
    made = key_from(tmp_path / "key")
    assert made == key_from(tmp_path / "key")
    assert len(made) == 64
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    assert Anonymiser(made).number("user", "") == -1


MAKE_KEY = """
import sys
from replication.cluster.accounting.anonymous import key_from
print("ready", flush=True)
sys.stdin.readline()
print(key_from(sys.argv[1]).decode())
"""


@pytest.mark.parametrize("number", range(TIMES))
def test_of_processes_that_want_one_new_key_all_use_the_same(tmp_path, number):
    started = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE_KEY, str(tmp_path / "key")],
            cwd=paths.ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    keys = {process.communicate()[0].strip() for process in started}
    assert keys == {(tmp_path / "key").read_text().strip()}
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


@pytest.mark.parametrize("keep, words", [(0.5, "truncated"), (1.0, "damaged")])
def test_a_damaged_gzip_is_named_with_its_line(tmp_path, keep, words):
    rows = [record(JobID=str(k), JobIDRaw=str(k), User=f"u{k * k}") for k in range(1, 9000)]
    packed = bytearray(gzip.compress(write(tmp_path / "a.txt", *rows).read_bytes()))
    packed[-6] ^= 1
    (tmp_path / "a.gz").write_bytes(packed[: int(len(packed) * keep)])
    with pytest.raises(SlurmError, match=rf"a.gz, after line [0-9]+: the gzip is {words}"):
        slurm.convert(tmp_path / "a.gz")


def test_columns_separated_by_blanks_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("JobID      User   State\n------ ---- ----\n1 ann COMPLETED\n")
    with pytest.raises(SlurmError, match="separated by blanks .*--parsable2") as refused:
        slurm.convert(tmp_path / "a.txt")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"JobID|Submit|Elapsed|NCPUS\n7|1772359200|00:10|4\n\xff|"])
def test_text_that_is_not_utf_8_is_read_alike_by_name_and_from_a_pipe(tmp_path, content):
    (tmp_path / "a.txt").write_bytes(content)
    code = "from replication.cluster.accounting import slurm; print(len(slurm.convert('-', processors=4).trace))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=content, cwd=paths.ROOT, capture_output=True, check=True
    )
    assert int(done.stdout) == len(slurm.convert(tmp_path / "a.txt", processors=4).trace) == 1


def test_the_command_writes_a_log_that_can_be_read_and_gives_an_account(tmp_path, capsys):
    source = write(tmp_path / "sacct.txt", record(), record(JobID="2", JobIDRaw="2", AllocCPUS="8"))
    packed = tmp_path / "sacct.txt.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    out, key = tmp_path / "mine.swf.gz", tmp_path / "key"
    words = [
        "convert",
        "slurm",
        str(packed),
        "--out",
        str(out),
        "--key-file",
        str(key),
        "--processors",
        "32",
    ]
    assert main([*words, "--time-zone", "Europe/Berlin"]) == 0
    assert "2 records, 2 jobs kept, 32 processors" in capsys.readouterr().out
    first = out.read_bytes()
    assert main([*words, "--time-zone", "Europe/Berlin", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["jobs"], facts["processors"], facts["assumed"]) == (2, 32, [])
    assert out.read_bytes() == first
    assert traces.load(out, size="allocated").processors.tolist() == [8, 4]


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["--processors", "0"], 2, "--processors 0, allowed: 1 or more"),
        (["--time-zone", "Nowhere"], 1, "time zone 'Nowhere' unknown"),
    ],
)
def test_the_command_fails_in_one_line(tmp_path, capsys, words, code, said):
    source = write(tmp_path / "sacct.txt", record())
    assert main(["convert", "slurm", str(source), "--out", str(tmp_path / "x.swf"), *words]) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x.swf").exists()
