"""Recognition of files by their first bytes: the kinds of which one is wanted,
and those that look alike.
"""

import gzip

import pytest

from replication_cluster.recognition import KINDS, recognize

SWF_LINE = "1 0 5 60 4 -1 -1 4 100 -1 1 1 1 -1 1 -1 -1 -1\n"
ACCOUNTING = "lab:node01:users:ann:run:17:sge:0:1700000000:1700000010:1700000110" + ":0" * 33
FILES = {
    "parquet": "PAR1\x15\x04",
    "xz": "\xfd7zXZ\0",
    "zip": "PK\x03\x04" + "x" * 26 + "jobs.csv",
    "workbook": "PK\x03\x04" + "x" * 26 + "[Content_Types].xml",
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
    "sacct-noheader": "17|17|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:01:00|4\n",
    "sacct-columns": "       JobID    JobName      State\n------------ ---------- ----------\n17  "
    "run  COMPLETED\n",
    "sacct-tabs": "JobID\tState\tElapsed\n17\tCOMPLETED\t00:01:00\n",
    "squeue": "             JOBID PARTITION     NAME     USER ST       TIME  NODES\n",
    "schedule": "job_id,submit,start,end,processors\n1,0,5,65,4\n",
    "csv": "submit_time,nodes,limit\n5,4,100\n",
    "csv-semicolons": "submit_time;nodes;limit\n5;4;100\n",
    "csv-tabs": "submit_time\tnodes\tlimit\n5\t4\t100\n",
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
    "sacct": ["User|JobID\nann|17\n", "\ufeffState|JobID|End|\n"],
    "sacct-json": [
        '{\n  "jobs": [],\n  "meta": {"plugin": {"type": "openapi\\/slurmdbd"}, "slurm": {}}}'
    ],
    "htcondor": ['*** Offset = 0 ClusterId = 17 ProcId = 0 Owner = "ann"\n'],
    None: ["", "no job\n", "1 2 3\n", "some words, nothing else\n", "\n" * 70_000],
}
CASES = [*FILES.items(), *((kind, text) for kind, several in OTHERS.items() for text in several)]


def encode(text):
    return text.encode("utf-8" if "\ufeff" in text else "latin-1")


@pytest.mark.parametrize(("kind", "text"), CASES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_recognised_by_its_first_bytes(tmp_path, kind, text, packed):
    content = encode(text)
    (tmp_path / "file").write_bytes(gzip.compress(content) if packed else content)
    for found in (recognize(tmp_path / "file"), recognize(content)):
        assert (found and found.name) == kind


def test_every_kind_has_a_name_of_its_own_and_a_way_on():
    names = [kind.name for kind in KINDS]
    assert len({*names}) == len(names)
    assert all(kind.reader or kind.hint or kind.name == "html" for kind in KINDS)
