"""Conversion of accounting logs of TORQUE and PBS."""

import gzip

import pytest
from click.testing import CliRunner

import replication as rp
from inputs import KEY
from replication_cluster import torque
from replication_cluster.account import FieldError
from replication_cluster.cli import main
from replication_cluster.files import LogError

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
    """Return a line as pbs_server writes it."""
    return (
        f"12/01/2019 00:00:00;{kind};{job}.bw;user={user} group=staff jobname=my run 3 "
        f"queue=normal "
        f"ctime={T + submit} qtime={T + submit} etime={T + submit} start={T + start} "
        f"owner={user}@h2ologin {size} Resource_List.walltime={limit} session=17 "
        f"end={T + end} Exit_status=0 "
        f"resources_used.walltime={end - start}{' ' + more if more else ''}\n"
    )


def converted(tmp_path, *lines, **options):
    path = tmp_path / "20191201"
    path.write_text("".join(lines))
    return torque.convert([path], key=KEY, **options)


def test_an_end_record_is_a_job(tmp_path):
    later = record(8, 10, 130, 190, user="bob", limit="1:00:00:00")
    done = converted(tmp_path, record(7, 0, 30, 130), later)
    jobs = done.jobs
    assert jobs["submit"].tolist() == [0, 10]
    assert jobs["wait"].tolist() == [30, 120]
    assert jobs["run_time"].tolist() == [100, 60]
    assert jobs["requested_processors"].tolist() == [32, 32]
    assert jobs["requested_time"].tolist() == [3600, 86400]
    assert jobs["user"][0] != jobs["user"][1] and jobs["group"][0] == jobs["group"][1]
    assert jobs["executable"][0] == jobs["executable"][1] >= 0  # a job name with blanks
    assert done.log.max_procs == 32
    assert any("32 requested processors, the most" in sentence for sentence in done.assumed)


def test_other_records_are_counted(tmp_path):
    never = record(9, 5, 0, 50).replace(f"start={T} ", "start=0 ")
    line = record(7, 0, 30, 130)
    done = converted(tmp_path, record(7, 0, 30, 130, "Q"), line, never, line)
    assert len(done.jobs) == 1 and done.records == 4
    assert dict(done.left_out) == {
        "ended without having started": 1,
        "records of type Q (queued)": 1,
        "repeated records of one run": 1,
    }


@pytest.mark.parametrize(
    ("size", "processors"),
    [
        ("Resource_List.nodes=4", 4),
        ("Resource_List.nodes=1:ppn=4+3:xk:ppn=2", 10),
        ("Resource_List.nodes=nid00012:ppn=8+nid00013:ppn=8", 16),
        ("Resource_List.select=2:ncpus=16:mem=4gb+1:ncpus=1", 33),
        ("Resource_List.procs=24", 24),
    ],
)
def test_requested_sizes(tmp_path, size, processors):
    jobs = converted(tmp_path, record(7, 0, 30, 130, size=size)).jobs
    assert jobs["requested_processors"].tolist() == [processors]


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
def test_allocated_sizes(tmp_path, hosts, slots):
    jobs = converted(tmp_path, record(7, 0, 30, 130, size=f"Resource_List.nodes=1 {hosts}")).jobs
    assert jobs["allocated_processors"].tolist() == [slots]


def test_a_run_that_ends_before_its_start_is_bad(tmp_path):
    with pytest.raises(LogError, match="line 2: .*ended before they started; 1 of 2"):
        converted(tmp_path, record(7, 0, 30, 130), record(10, 5, 60, 50))


def test_runs_of_a_requeued_job_are_jobs(tmp_path):
    done = converted(tmp_path, record(7, 0, 30, 130), record(7, 0, 200, 300), record(8, 20, 40, 60))
    assert done.jobs["submit"].tolist() == [0, 20, 130]
    assert dict(done.remarks)["further runs of requeued jobs, each a job of its own"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rubbish\n", "line 1: 'rubbish'; expected date;type;job"),
        (record(7, 0, 30, 130, limit="an hour"), "walltime: 'an hour'; expected seconds"),
        (record(7, 0, 30, 130).replace("start=", "start=x"), "start: 'x.*expected a date"),
        (record(7, 0, 30, 130, "Q"), "no job among 1 records"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, line, message):
    with pytest.raises(LogError, match=message) as error:
        converted(tmp_path, line)
    assert "\n" not in str(error.value)


def test_the_command_writes_a_log_that_replication_reads(tmp_path):
    (tmp_path / "1").write_text(record(7, 0, 30, 130) + record(8, 20, 130, 160))
    with gzip.open(tmp_path / "2.gz", "wt") as file:
        file.write(record(9, 40, 160, 400))
    out = tmp_path / "bw.swf"
    args = ["convert", "torque", str(tmp_path / "1"), str(tmp_path / "2.gz"), "--out", str(out)]
    done = CliRunner().invoke(main, [*args, "--processors", "64"])
    assert "3 records = 3 jobs + 0 left out + 0 bad" in done.output
    workload = rp.load(out)
    assert (workload.machine, workload.run_time.tolist()) == (64, [100, 30, 240])


@pytest.mark.parametrize("text", ["00:123456", "1:2:3:4:5", "10:"])
def test_durations_that_pbs_does_not_write_are_refused(text):
    with pytest.raises(FieldError, match="expected seconds, or"):
        torque.duration(text)


@pytest.mark.parametrize("hosts", ["a/0*2,3", "a/0,1*2", "a/3-1", "a/0,,1", "a/x"])
def test_lists_of_slots_that_pbs_does_not_write_are_refused(hosts):
    with pytest.raises(FieldError):
        torque.slots(hosts)
