"""Tables inside of other things: lists and entries of JSON, nested parquet, folders, and lines that
other programs put in front.
"""

import io
import json

import pandas as pd
import pytest

from inputs import HEAD, KEY, MAP, NAMED, T, count, facts, job, map_of, row, run, sacct
from replication_cluster import slurm, tables, torque
from replication_cluster.files import LogError

JOBS = [{"submit": T + k, "start": T + k + 10, "end": T + k + 110, "n": 4} for k in range(3)]
EXPECTED = [[10, 100, 4]] * 3


@pytest.fixture
def table(tmp_path):
    """A conversion of a file, or of a folder of files by name, by a map."""

    def convert(content, by=MAP, name="jobs"):
        files = content if isinstance(content, dict) else {name: content}
        for path, data in files.items():
            (tmp_path / "in" / path).parent.mkdir(exist_ok=True, parents=True)
            (tmp_path / "in" / path).write_bytes(data if isinstance(data, bytes) else data.encode())
        (tmp_path / "map.toml").write_text(by)
        source = tmp_path / "in" if isinstance(content, dict) else tmp_path / "in" / name
        return tables.convert(source, tmp_path / "map.toml")

    return convert


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


FIRST = JOBS[0]
DOCUMENTS = {
    "items of kubectl": {"apiVersion": "v1", "items": JOBS, "metadata": {"resourceVersion": ""}},
    "RECORDS": {"RECORDS": JOBS},
    "any name, beside other lists": {"hosts": ["a", "b"], "of_june": JOBS, "count": 3},
    "pandas by columns": {name: {k: of[name] for k, of in enumerate(JOBS)} for name in FIRST},
    "pandas by lists": {name: [of[name] for of in JOBS] for name in FIRST},
    "pandas with a schema": {"schema": {"fields": [{"name": "submit"}]}, "data": JOBS},
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_only_list_of_a_document_is_its_records(table, name):
    assert facts(table(json.dumps(DOCUMENTS[name]))) == EXPECTED


def test_lists_within_records_are_no_records(table):
    records = [{**job_, "attempts": [{"end": 5}, {"end": 6}]} for job_ in JOBS]
    assert facts(table("\n".join(map(json.dumps, records)))) == EXPECTED
    assert facts(table(json.dumps(records[0]))) == EXPECTED[:1]
    with pytest.raises(LogError, match="no column submit"):
        table(json.dumps({"a": JOBS, "b": JOBS}))


@pytest.mark.parametrize("order", [1, -1])
def test_an_entry_of_a_list_is_found_by_its_type(table, order):
    entries = [{"type": "VCPU", "value": "4"}, {"type": "MEMORY", "value": "8192"}][::order]
    ends = [{"kind": "x.io/Done", "at": T + 110}, {"kind": "Failed"}][::order]
    record = JOBS[0] | {"box": {"needs": entries}, "conditions": ends}
    by = MAP.replace('column = "n"', 'column = "box.needs[type=VCPU].value"')
    by = by.replace('column = "end"', 'column = "conditions[kind=x.io/Done].at"')
    assert facts(table(json.dumps([record]), by=by)) == EXPECTED[:1]


def nested(of):
    run_ = {"start": of["start"], "end": of["end"]}
    return {"time": {"submit": of["submit"], "run": [run_]}, "slots": [1, 2, 3, 4]}


@pytest.mark.parametrize("store", ["json", "parquet", "folder"])
def test_nested_columns_are_the_same_in_every_storage(table, store):
    by = map_of(submit="time.submit", start="time.run.0.start", end="time.run.-1.end",
                allocated_processors="slots")  # fmt: skip
    rows = [*map(nested, JOBS)]
    content = json.dumps(rows)
    if store == "parquet":
        content = parquet(pd.DataFrame(rows))
    elif store == "folder":
        parts = {f"part-{k}.parquet": parquet(pd.DataFrame([of])) for k, of in enumerate(rows)}
        content = {"_SUCCESS": "", ".part-0.parquet.crc": "x", **parts}
    assert facts(table(content, by=by)) == EXPECTED


def test_a_size_is_the_product_of_two_columns(table):
    by = MAP.replace('column = "n"', 'column = "gpus", times = "workers"')
    sizes = [("1", "16"), ("8", "4.0"), ("2", "")]
    rows = "".join(f"{T},{T},{T + 9},{a},{b}\n" for a, b in sizes)
    done = table("submit,start,end,gpus,workers\n" + rows, by=by)
    assert done.jobs["allocated_processors"].tolist() == [16, 32, -1]
    with pytest.raises(
        LogError, match=r"row 1, gpus \* workers: '1\*many'; expected a whole number"
    ):
        table(f"submit,start,end,gpus,workers\n{T},{T},{T + 9},1,many\n", by=by)


def test_rows_without_a_value_are_left_out_by_the_map(table):
    rows = HEAD + ",,,4,\n,,5000,4,\n" + row() + row(5)
    with pytest.raises(
        LogError, match=r"\[only\] \"submit\" = \[\"\*\"\] .*2 without a submission"
    ):
        table(rows)
    done = table(rows, by='[only]\nsubmit = ["*"]\n'.join(["title = 't'\n", MAP.split("\n", 1)[1]]))
    assert facts(done) == [[10, 100, 4]] * 2 and count(done.left_out, "without submit") == 2


BANNER = (
    "sacct: error: slurm_persist_conn_open: failed to open\n[ann@login ~]$ sacct -a --format x\n"
)


def test_lines_of_other_programs_before_a_header_are_counted(read, table):
    done = read.sacct(BANNER + sacct([job(1), job(2)]))
    assert facts(done) == [[10, 600, 8]] * 2
    assert count(done.left_out, "lines before the header") == 2
    done = table("Jobs of June\n\nsubmit: in s\n" + HEAD + row() + row(5))
    assert facts(done) == EXPECTED[:2] and count(done.left_out, "lines before the header") == 2


@pytest.mark.parametrize("name", ["20260202:", "/var/spool/2026-02-02:", "logs/20260202:17:"])
def test_names_of_files_as_grep_writes_them(tmp_path, name):
    lines = run(1) + run(2, 5)
    (tmp_path / "all").write_text("".join(f"{name}{line}\n" for line in lines.splitlines()))
    assert facts(torque.convert(tmp_path / "all", key=KEY)) == [[30, 600, 8]] * 2


@pytest.mark.parametrize("quoting", [0, 1])
def test_a_table_of_sacct_that_pandas_wrote(tmp_path, quoting):
    rows = pd.DataFrame([job(k, k, AllocTRES="cpu=8,gres/gpu:h100=2") for k in (1, 2)])
    for name in ("Submit", "Start", "End"):
        rows[name] = pd.to_datetime(rows[name])
    rows["Elapsed"] = pd.to_timedelta(rows["Elapsed"])
    rows["AllocCPUS"] = rows["AllocCPUS"].astype(float)
    rows[[*NAMED, "Elapsed", "AllocTRES"]].to_csv(tmp_path / "a.csv", quoting=quoting)
    assert facts(slurm.convert(tmp_path / "a.csv", key=KEY)) == [[10, 600, 8]] * 2
    assert facts(slurm.convert(tmp_path / "a.csv", key=KEY, size="gpus")) == [[10, 600, 2]] * 2


#: A row of each public log: its columns, values, and wait, run time, size and status in the log.
PUBLIC = {
    "acme": (
        "job_id,user,node_num,gpu_num,state,submit_time,start_time,end_time,type",
        "d1,u5,8,64,FAILED,2026-02-02 16:00:58+08:00,2026-02-02 16:01:08+08:00,"
        "2026-02-02 16:01:16+08:00,Other",
        (10, 8, 64, 0),
    ),
    "alibaba-2023": (
        "name,num_gpu,qos,pod_phase,creation_time,deletion_time,scheduled_time",
        "p1,1,LS,Succeeded,9967058,9968575,9967063",
        (5, 1512, 1, 1),
    ),
    "alibaba-2025": (
        "instance_sn,role,app_name,gpu_request,creation_time,scheduled_time,deletion_time",
        "i0,HN,a,1,,,5000\ni1,CN,a,0,5.0,6.0,7.0\ni2,HN,a,2,400.0,430.0,4030.0",
        (30, 3600, 2, -1),
    ),
    "alibaba-2026": (
        "job_name,organization,gpu_request,worker_num,submit_time,duration,job_type",
        "437262,57,8,4,9589700,3600,Spot",
        (-1, 3600, 32, -1),
    ),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_row_of_a_public_log(tmp_path, name):
    columns, values, expected = PUBLIC[name]
    (tmp_path / "jobs.csv").write_text(f"{columns}\n{values}\n")
    done = tables.convert(tmp_path / "jobs.csv", name, processors=64)
    fields = ["wait", "run_time", "requested_processors", "status"]
    assert done.jobs[fields].to_numpy().tolist() == [[*expected]]
