"""Accounting logs of TORQUE and PBS, made by hand, to SWF and back."""

import gzip
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.__main__ import main
from replication.cluster.accounting import torque
from replication.simulator import swf, traces
from replication.simulator.predictors import TopPercent
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate

KEY = b"a key for the tests only"
T = 1_575_158_400


def record(
    job,
    submit,
    start,
    end,
    kind="E",
    size="Resource_List.nodes=2:ppn=16",
    limit="01:00:00",
    user="ann",
    more="",
):
    """A line as pbs_server writes it."""
    return (
        f"12/01/2019 00:00:00;{kind};{job}.bw;user={user} group=staff jobname=my run 3 queue=normal "
        f"ctime={T + submit} qtime={T + submit} etime={T + submit} start={T + start} "
        f"owner={user}@h2ologin {size} Resource_List.walltime={limit} session=17 "
        f"end={T + end} Exit_status=0 resources_used.walltime=00:00:01{' ' + more if more else ''}\n"
    )


def converted(tmp_path, *lines, **options):
    path = tmp_path / "20191201"
    path.write_text("".join(lines))
    return torque.convert([path], key=KEY, **options)


def test_an_end_record_is_a_job(tmp_path):
    done = converted(
        tmp_path, record(7, 0, 30, 130), record(8, 10, 130, 190, user="bob", limit="1:00:00:00")
    )
    trace = done.trace
    assert trace.submit.tolist() == [0, 10]
    assert trace.wait.tolist() == [30, 120]
    assert trace.run_time.tolist() == [100, 60]
    assert trace.requested_processors.tolist() == [32, 32]
    assert trace.requested_time.tolist() == [3600, 86400]
    assert trace.status.tolist() == [1, 1]
    assert trace.user[0] != trace.user[1]
    assert trace.group[0] == trace.group[1]
    assert trace.executable[0] == trace.executable[1] >= 0, "a job name with blanks is one name"
    assert trace.max_procs == 32
    assert any("32 processors: the most" in sentence for sentence in done.assumed)


def test_other_records_are_counted(tmp_path):
    never = record(9, 5, 0, 50).replace(f"start={T} ", "start=0 ")
    done = converted(
        tmp_path,
        record(7, 0, 30, 130, "Q"),
        record(7, 0, 30, 130, "S"),
        record(7, 0, 30, 130),
        never,
        record(7, 0, 30, 130),
    )
    assert len(done.trace) == 1 and done.records == 5
    assert dict(done.left_out) == {
        "ended without having started": 1,
        "records of type Q (queued)": 1,
        "records of type S (start)": 1,
        "repeated records of one run": 1,
    }


@pytest.mark.parametrize(
    ("size", "processors"),
    [
        ("Resource_List.nodes=4", 4),
        ("Resource_List.nodes=4:ppn=32:xe", 128),
        ("Resource_List.nodes=1:ppn=4+3:xk:ppn=2", 10),
        ("Resource_List.nodes=nid00012:ppn=8+nid00013:ppn=8", 16),
        ("Resource_List.select=2:ncpus=16:mem=4gb+1:ncpus=1", 33),
        ("Resource_List.procs=24", 24),
        ("Resource_List.ncpus=12", 12),
        ("Resource_List.nodect=3", 48),
    ],
)
def test_sizes_that_were_asked_for(tmp_path, size, processors):
    assert (
        converted(
            tmp_path, record(7, 0, 30, 130, size=size), per_node=16
        ).trace.requested_processors[0]
        == processors
    )


@pytest.mark.parametrize(
    ("hosts", "slots"),
    [
        ("exec_host=a/0+a/1+b/0", 3),
        ("exec_host=a/0-15+b/0-15", 32),
        ("exec_host=a/0,2-4", 4),
        ("exec_host=a/0*16", 16),
        ("exec_host=a/0 total_execution_slots=64", 64),
    ],
)
def test_sizes_that_were_given(tmp_path, hosts, slots):
    trace = converted(tmp_path, record(7, 0, 30, 130, size=f"Resource_List.nodes=1 {hosts}")).trace
    assert trace.allocated_processors[0] == slots


def test_runs_of_a_requeued_job_are_jobs_tied_together(tmp_path):
    done = converted(tmp_path, record(7, 0, 30, 130), record(7, 0, 200, 300), record(8, 20, 40, 60))
    assert done.trace.submit.tolist() == [0, 20, 130]
    assert done.trace.preceding_job.tolist() == [-1, -1, done.trace.job_id[0]]
    assert dict(done.changed)["further runs of requeued jobs, each a job of its own"] == 1


def test_names_are_anonymous_and_stable(tmp_path):
    one, again = (converted(tmp_path, record(7, 0, 30, 130)).trace.user[0] for _ in range(2))
    path = tmp_path / "20191201"
    other = torque.convert([path], key=b"another key, also long").trace.user[0]
    assert one == again != other


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rubbish\n", "line 1: 'rubbish', allowed: date;type;job"),
        ("d;Z;7.bw;user=ann\n", "allowed: date;type"),
        (
            record(7, 0, 30, 130, limit="an hour"),
            "Resource_List.walltime: 'an hour'; allowed: seconds",
        ),
        (
            record(7, 0, 30, 130, size="Resource_List.nodes=2:ppn=x"),
            "Resource_List.nodes: '2:ppn=x'; 'x', allowed: a whole number",
        ),
        (record(7, 0, 30, 130).replace("start=", "start=x"), "start: 'x.*allowed: a Unix time"),
        (record(7, 0, 30, 130, more="exec_host=a/b"), "exec_host: 'a/b'; 'a/b', allowed"),
        (record(7, 0, 30, 130, more="exec_host=a/0*99999999999999999999"), "exec_host: 'a/0[*]9"),
        (record(7, 0, 30, 130, more="exec_host=a/9-0"), "exec_host: 'a/9-0'; 'a/9-0', allowed"),
        (record(7, 0, 30, 130).replace("end=1", "end=9999"), "end: '9999.*allowed: a Unix time"),
        (record(7, 0, 30, 130, limit="²"), "Resource_List.walltime: '²'; allowed: seconds"),
        (
            "\x1b" + "x" * 100_000,
            r"line 1: '.x1bx*[.]{3} .100,001 characters.', allowed: date;type",
        ),
        (record(7, 0, 30, 130, "Q"), "no job that ran among 1 records"),
        ("\n" * 1_000_001, "line 1000001: more than 1,000,000 blank lines; allowed: up to that"),
        (
            record(7, 0, 30, 130, size="Resource_List.nodes=" + "+".join(["99999:ppn=99999"] * 5)),
            "line 1: 49,999,000,005 processors; allowed: up to 2,147,483,647",
        ),
        (
            record(7, 0, 30, 130)
            .replace(f" end={T + 130}", "")
            .replace("00:00:01", "9" * 9 + ":0:0:0"),
            "line 1: [0-9,]+ s since 1970 at its end; allowed: up to 100,000,000,000",
        ),
    ],
)
def test_what_is_no_such_log_is_refused_in_one_line(tmp_path, line, message):
    with pytest.raises(torque.TorqueError, match=message) as error:
        converted(tmp_path, line)
    assert "\n" not in str(error.value)


odd = st.sampled_from(["", "7", "-3", "9" * 25, "²", "a/0-3", "2:ppn=4", "1:00:00", "=", ";"])
keys = st.sampled_from(["ctime", "start", "end", "exec_host", "user", "Resource_List.nodes"])


@settings(deadline=10_000, max_examples=80)
@given(st.lists(st.tuples(st.sampled_from("EQSZ"), keys, odd), max_size=5))
def test_jobs_and_left_out_records_are_all_records(tmp_path_factory, changes):
    path = tmp_path_factory.getbasetemp() / "odd"
    lines = [
        record(k, 0, 30, 130, kind, more=f"{name}={value}")
        for k, (kind, name, value) in enumerate(changes, 8)
    ]
    path.write_text("".join([record(7, 0, 30, 130), *lines]))
    try:
        done = torque.convert([path], key=KEY)
    except torque.TorqueError as refused:
        assert re.match(rf"{path}, line [0-9]+(, [\w.]+)?: ", str(refused))
        return
    assert done.records == len(lines) + 1
    assert len(done.trace) + sum(number for _, number in done.left_out) == done.records


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(torque.TorqueError, match="nowhere: No such file"):
        torque.convert([tmp_path / "nowhere"])


def test_the_command_writes_a_log_that_can_be_simulated(tmp_path, capsys):
    (tmp_path / "1").write_text(record(7, 0, 30, 130) + record(8, 20, 130, 160))
    with gzip.open(tmp_path / "2.gz", "wt") as file:
        file.write(record(9, 40, 160, 400))
    out = tmp_path / "bw.swf"
    code = main(
        [
            "convert",
            "torque",
            str(tmp_path / "1"),
            str(tmp_path / "2.gz"),
            "--out",
            str(out),
            "--processors",
            "64",
            "--key-file",
            str(tmp_path / "key"),
        ]
    )
    assert code == 0
    assert "3 records, 3 jobs kept, 64 processors" in capsys.readouterr().out
    workload = traces.load(out, overrun="cut-run")
    assert workload.machine == 64
    assert workload.run_time.tolist() == [100, 30, 240]
    assert simulate(workload, EASY(predictor=TopPercent(2))).validate().start.tolist() == [
        0,
        20,
        50,
    ]
    assert swf.read(out).max_procs == 64
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".part")] == []
