"""Recognition of files by their first bytes, what each command says to each kind, and the way that
the message shows.
"""

import gzip
import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

import replication as rp
from inputs import MAP, map_of
from replication.simulator.logs.kinds import KINDS, recognize
from replication_cluster import slurm, tables, torque
from replication_cluster.cli import main

SWF_LINE = "1 0 5 60 4 -1 -1 4 100 -1 1 1 1 -1 1 -1 -1 -1\n"
ACCOUNTING = "lab:node01:users:ann:run:17:sge:0:1700000000:1700000010:1700000110" + ":0" * 33
FILES = {
    "parquet": "PAR1\x15\x04",
    "zip": "PK\x03\x04" + "x" * 26 + "jobs.csv",
    "workbook": "PK\x03\x04" + "x" * 26 + "[Content_Types].xml",
    "numpy": "PK\x03\x04" + "x" * 26 + "start.npy",
    "pickle": "\x80\x04\x95",
    "tar": "jobs.csv".ljust(257, "\0") + "ustar",
    "sqlite": "SQLite format 3\0",
    "utf-16": "J\0o\0b\0I\0D\0|\0S\0u\0b\0m\0i\0t\0",
    "html": "\n<!DOCTYPE html><html>",
    "pointer": "version https://git-lfs.github.com/spec/v1\n",
    "swf": "\n; MaxProcs: 8\n" + SWF_LINE,
    "gwf": "# GWF\n# JobID\tSubmitTime\tWaitTime\tRunTime\n1\t0\t5\n",
    "sacct-json": '{"meta": {"slurm": {}}, "jobs": [{"account": "a", "association": {"id": 1}, '
    '"job_id": 1}]}',
    "slurm-json": '{"jobs": [{"accrue_time": 5, "job_id": 1, "job_state": ["RUNNING"]}]}',
    "batsim-json": '{"nb_res": 4, "jobs": [{"id": 0, "subtime": 0, "res": 2, "profile": "a"}]}',
    "json": '[{"user": "ann", "cores": 4}]',
    "jobcomp": "JobId=17 UserId=ann(1001) GroupId=users(100) Name=run JobState=COMPLETED "
    "Partition=batch\n",
    "scontrol": "JobId=17 JobName=run\n   UserId=ann(1001) GroupId=users(100)\n",
    "pbs": "06/01/2015 10:00:00;E;1.srv;user=ann\n",
    "pbs-server-log": "06/01/2015 10:00:00.123;0008;PBS_Server.1;Job;1.srv;Job Queued\n",
    "lsf": '"JOB_FINISH" "10.1" 1700000110 17 1001 33816579 4 1700000000 0 0 1700000010 "ann"\n',
    "htcondor": 'ClusterId = 17\nOwner = "ann"\n',
    "grid-engine": f"# Version: 8.1\n{ACCOUNTING}\n",
    "sacct": "JobIDRaw|State|Submit\n17|COMPLETED|2026-01-01T00:00:00\n",
    "slurm-simulator": "-dt 0 -e submit_batch_job | -J jobid_1 -sim-walltime 5 -n 4 job.sh\n",
    "bjobs": "JOBID|USER|STAT|SUBMIT_TIME|START_TIME|FINISH_TIME|SLOTS\n"
    "17|ann|DONE|Feb  2 08:00:00 2026|Feb  2 08:00:10 2026|Feb  2 08:01:50 2026|4\n",
    "sacct-noheader": "17|17|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:01:00|4\n",
    "sacct-columns": "       JobID    JobName      State\n------------ ---------- ----------\n17  "
    "run  COMPLETED\n",
    "zstd": "\x28\xb5\x2f\xfd",
    "compress": "\x1f\x9d",
    "gzip": "\x1f\x8b\x08",
    "hdf5": "\x89HDF\r\n",
    "arrow": "ARROW1\0\0",
    "qacct": "==============================================================\nqname        all.q\n",
    "qstat": "Job Id: 17.srv\n    Job_Name = run\n",
    "pbs-json": '{"timestamp": 1, "pbs_version": "2024", "Jobs": {"1.srv": {"Job_Name": "run"}}}',
    "squeue": "             JOBID PARTITION     NAME     USER ST       TIME  NODES\n",
    "schedule": "job_id,submit,start,end,processors\n1,0,5,65,4\n",
    "table": "submit_time,nodes,limit\n5,4,100\n",
}
OTHERS = {  # more files of these kinds
    "swf": [
        SWF_LINE,
        ";\n",
        "1 0.5 5 60 4 -1 -1 4 100 -1 1 1 1 -1 1 -1 -1 -1\n",
        SWF_LINE[:-1] + " 7 8\n",
    ],
    "gwf": [
        "\t".join(["1", "1100000000", *["-1"] * 27]) + "\n",
        "# 29 columns\n#JobID SubmitTime WaitTime\n",
    ],
    "sacct": [
        *("User|JobID\nann|17\n", "\ufeffState|JobID|End|\n"),
        "sacct: error: no connection\nJobIDRaw|User|State\n17|ann|COMPLETED\n",
        ",JobID,Submit,Elapsed\n0,17,2026-02-02 08:00:00,0 days 00:01:00\n",
        *(f"JobID{by}State{by}Elapsed\n17{by}COMPLETED{by}00:01:00\n" for by in ("\t", ",", "@@")),
    ],
    "table": [
        "submit_time;nodes;limit\n5;4;100\n",
        "submit_time\tnodes\tlimit\n5\t4\t100\n",
        "submit_time|nodes|limit\n5|4|100\n",
        "ClusterId QDate      RequestCpus\n1         1770019200 4\n",
    ],
    "json": ['{"submit": 1, "cores": 4}\n{"submit": 2, "cores": 4}\n'],
    "sacct-json": [
        '{\n  "jobs": [],\n  "meta": {"plugin": {"type": "openapi\\/slurmdbd"}, "slurm": {}}}'
    ],
    "htcondor": ['*** Offset = 0 ClusterId = 17 ProcId = 0 Owner = "ann"\n'],
    "pbs": [
        "20260202:06/01/2015 10:00:00;E;1.srv;user=ann\n",
        "logs/2015-06-01:12:06/01/2015 10:00:00;E;1.srv;user=ann\n",
        "==> 20150601 <==\n06/01/2015 10:00:00;E;1.srv;user=ann\n",
    ],
    None: ["", "no job\n", "1 2 3\n", "some words, nothing else\n", "\n" * 70_000],
}
CASES = [*FILES.items(), *((kind, text) for kind, several in OTHERS.items() for text in several)]


def encode(text):
    return text.encode("utf-8" if "\ufeff" in text else "latin-1")


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_a_file_is_recognised_by_its_first_bytes(kind, text):
    match = recognize(encode(text))
    assert (match and match.name) == kind


READS = {"slurm": slurm.READS, "torque": torque.READS, "table": tables.READS}


@pytest.mark.parametrize("command", READS)
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_command_says_what_a_file_is_and_who_reads_it(tmp_path, command, kind):
    """An example of each kind is sent to each command."""
    assert kind in FILES
    path = tmp_path / "file"
    content = encode(FILES[kind])
    path.write_bytes(gzip.compress(content) if kind == "gzip" else content)
    args = ["convert", command, str(path), "--out", str(tmp_path / "out.swf")]
    done = CliRunner().invoke(main, args + ["--map", "eagle"] * (command == "table"))
    assert done.exit_code == 1 and len(done.output.splitlines()) == 1
    described = str(next(entry for entry in KINDS if entry.name == kind)) in done.output
    assert described != (kind in READS[command])
    assert not (tmp_path / "out.swf").exists()


SACCT = (
    "JobID|State|Submit|Start|End|AllocCPUS\n"
    "17|COMPLETED|2026-02-02T08:00:00|2026-02-02T08:00:10|2026-02-02T08:01:50|4\n"
)
CSV = "submit,start,end,n\n1770019200,1770019210,1770019310,4\n"
PBS = (
    "02/02/2026 08:10:30;E;1.srv;user=u1 queue=q ctime=1770019200 start=1770019210 "
    "exec_host=n1/0*4 Resource_List.select=1:ncpus=4 end=1770019310 Exit_status=0\n"
)
QSTAT = {
    "Job_Name": "job",
    "job_state": "F",
    "ctime": "Mon Feb  2 08:00:00 2026",
    "stime": "Mon Feb  2 08:00:10 2026",
    "exec_host": "n1/0*4",
    "resources_used": {"walltime": "00:01:40"},
}
SACCT_JOB = {
    "job_id": 17,
    "association": {},
    "state": {"current": ["COMPLETED"]},
    "required": {"CPUs": 4},
    "tres": {"allocated": [{"type": "cpu", "count": 4}]},
    "time": {"submission": 1770019200, "start": 1770019210, "end": 1770019310, "elapsed": 100},
}
ROW = {"submit": 1770019200, "start": 1770019210, "end": 1770019310, "n": 4}


def parquet():
    file = io.BytesIO()
    pd.DataFrame([ROW]).to_parquet(file)
    return file.getvalue()


def gwf(begin="# GWF\n# ", by="\t"):
    names = "JobID SubmitTime WaitTime RunTime NProcs"
    return f"{begin}{names.replace(' ', by)}\n17{by}1770019200{by}10{by}100{by}4\n"


GWF_MAP = map_of(
    submit="SubmitTime", wait="WaitTime", run_time="RunTime", allocated_processors="NProcs"
)
BATSIM = (
    "job_id,workload_name,submission_time,requested_number_of_resources,starting_time,finish_time\n"
    "1,w,1770019200,4,1770019210,1770019310\n"
)
BATSIM_MAP = map_of(
    submit="submission_time",
    start="starting_time",
    end="finish_time",
    requested_processors="requested_number_of_resources",
)
BJOBS_MAP = "title = 't'\n[fields]\n" + "".join(
    f"{name} = {{ column = '{name.upper()}_TIME', format = '%b %d %H:%M:%S %Y' }}\n"
    for name in ("submit", "start")
)
BJOBS_MAP += "end = { column = 'FINISH_TIME', format = '%b %d %H:%M:%S %Y' }\n"
BJOBS_MAP += "requested_processors = { column = 'SLOTS' }\n"
LINES = json.dumps(ROW) + "\n"
#: The file that the message about a kind asks for, the command that it names, and the map.
WAYS = {
    "parquet": [(parquet(), "table", MAP)],
    "gwf": [(gwf(*form), "table", GWF_MAP) for form in ((), ("#", " "), ("", ","))],
    "sacct-json": [
        (json.dumps({"jobs": [SACCT_JOB], "meta": {"slurm": {}}}), "slurm"),
        (json.dumps(SACCT_JOB) + "\n", "slurm"),
    ],
    "pbs-json": [(json.dumps({"pbs_version": "1", "Jobs": {"1.srv": QSTAT}}), "torque")],
    "json": [(f"[{LINES}]", "table", MAP), (LINES, "table", MAP)],
    "pbs": [(PBS, "torque")],
    "sacct": [(SACCT, "slurm"), (gzip.compress(SACCT.encode()), "slurm")],
    "sacct-noheader": [(SACCT.partition("\n")[2], "slurm", SACCT.partition("\n")[0])],
    "bjobs": [(FILES["bjobs"], "table", BJOBS_MAP)],
    "schedule": [(BATSIM, "table", BATSIM_MAP)],
    "table": [(CSV.replace(",", by), "table", MAP) for by in ",;\t| "],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "way"), [(kind, way) for kind, several in WAYS.items() for way in several]
)
def test_the_way_that_a_message_shows_leads_to_a_log(tmp_path, kind, way):
    content, command, *more = way
    path, out = tmp_path / "file", tmp_path / "out.swf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    described = next(entry for entry in KINDS if entry.name == kind)
    assert f"convert {command} FILE" in described.reader
    args = ["convert", command, str(path), "--out", str(out)]
    if command == "table":
        (tmp_path / "map.toml").write_text(more[0])
        args += ["--map", str(tmp_path / "map.toml")]
    elif more:
        args += ["--columns", more[0].replace("|", ",")]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0, done.output
    assert "1 records = 1 jobs + 0 left out + 0 bad" in done.output
    jobs = rp.load(out)
    assert (jobs.run_time.tolist(), jobs.processors.tolist(), jobs.machine) == ([100], [4], 4)


def test_every_kind_has_a_way_on(tmp_path):
    assert {kind.name for kind in KINDS if kind.reader} == {*WAYS, "swf"}
    assert [kind.name for kind in KINDS if not (kind.reader or kind.hint)] == ["html"]
    (tmp_path / "file.swf").write_text("; MaxProcs: 4\n" + SWF_LINE)
    assert len(rp.load(tmp_path / "file.swf")) == 1
