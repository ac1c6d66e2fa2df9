"""The files that people have: times that mean never, records that summarise others, sizes, torn
records, storages, kinds.
"""

import csv
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import years
from inputs import KEY, adds_up, total
from replication.simulator.logs import swf
from replication_cluster import account, slurm, tables, torque
from replication_cluster.cli import main
from replication_cluster.files import LogError
from test_slurm import DAY, job, record, write
from test_tables import MAP as PLAIN_MAP
from test_tables import eagle
from test_torque import T
from test_torque import record as end_record

NEVER, NEVER_STARTED = account.NEVER, account.NEVER_STARTED
TIMES_MAP = """
title = "times"
unknown = ["None"]
[fields]
job = { column = "id" }
submit = { column = "submit" }
start = { column = "start" }
end = { column = "end" }
requested_processors = { column = "cores" }
status = { column = "state", values = { 1 = 1, 0 = 0, 5 = 5 } }
"""


def of_table(
    tmp_path,
    *rows,
    head="id,submit,start,end,cores,state",
    by=TIMES_MAP,
    name="jobs.csv",
    **options,
):
    (tmp_path / "map.toml").write_text(by)
    path = tmp_path / name
    path.write_text("\n".join([head, *rows, ""]))
    return tables.convert(path, tmp_path / "map.toml", **options)


def of_sacct(tmp_path, *records, **options):
    return slurm.convert(write(tmp_path / "sacct.txt", *records), key=KEY, **options)


def of_pbs(tmp_path, *lines, **options):
    (tmp_path / "1").write_text("".join(lines))
    return torque.convert([tmp_path / "1"], key=KEY, **options)


def rows_of(done, *names):
    return done.jobs[[*names]].to_numpy().tolist()


# Times that mean never.


@pytest.mark.parametrize(
    "never",
    [
        "0",
        "1969-12-31 19:00:00",
        "2019-05-01",
        "0000-00-00 00:00:00",
        "9999-12-31",
        "4294967295",
        "2147483647",
        "None",
        "",
    ],
)
def test_a_job_that_never_started_has_run_time_0_and_one_without_an_end_is_running(tmp_path, never):
    done = of_table(
        tmp_path,
        "1,2024-01-01,2024-01-01T00:01,2024-01-01T01:00,4,1",
        f"2,2024-01-01T00:05,{never},2024-01-01T00:06,4,5",
        f"3,2024-01-01T00:06,2024-01-01T00:07,{never},4,",
        f"4,2024-01-01T00:07,{never},{never},4,",
    )
    assert rows_of(done, "job_id", "wait", "run_time") == [[1, 60, 3540], [2, -1, 0]]
    assert dict(done.remarks)[NEVER_STARTED] == 1
    assert dict(done.left_out)[account.RUNNING] == dict(done.left_out)[account.WAITING] == 1


def test_unix_times_of_0_are_never_and_log_times_from_0_are_times(tmp_path):
    done = of_table(
        tmp_path, "1,1700000000,1700000010,1700000110,16,1", "2,1700000005,0,1700000300,64,0"
    )
    assert rows_of(done, "wait", "run_time") == [[10, 100], [-1, 0]]
    assert total(done.remarks, NEVER) == 1
    done = of_table(
        tmp_path, "1,0,0,10,16,1", "2,5,0,7,64,0", "3,6,8,0,1,", "4,0,1700000000,1700000010,1,1"
    )
    assert rows_of(done, "job_id", "wait", "run_time") == [
        [1, 0, 10],
        [4, 1700000000, 10],
        [2, -1, 0],
    ]


def test_a_submission_of_0_is_unknown_among_dates(tmp_path):
    rows = [f"{k},{1700000000 + k},1700000010,1700000110,1,1" for k in range(99)]
    done = of_table(tmp_path, *rows, "999,0,5,6,1,1", bad_records="skip")
    assert len(done.jobs) == 99 and dict(done.bad) == {"without a submission": 1}


def test_a_run_time_counted_from_0_is_none(tmp_path):
    by = TIMES_MAP + 'run_time = { column = "ran" }\n'
    rows = (
        "1,1700000000,1700000010,1700000110,16,1,90",
        "2,1700000005,0,1700000300,64,0,1700000300",
    )
    done = of_table(tmp_path, *rows, head="id,submit,start,end,cores,state,ran", by=by)
    assert rows_of(done, "run_time") == [[90], [0]]


def test_sacct_and_pbs_take_0_and_1970_for_never(tmp_path):
    never = {"State": "CANCELLED", "Start": "1970-01-01T01:00:00", "AllocCPUS": "0"}
    elapsed = {"Elapsed": "20000-00:00:00"}  # from 1970
    done = of_sacct(
        tmp_path,
        record(),
        job(2, **never, **elapsed),
        job(3, State="RUNNING", End="1970-01-01T00:00:00"),
    )
    assert rows_of(done, "job_id", "wait", "run_time") == [[2, -1, 0], [100, 10, 3600]]
    assert total(done.left_out, "running") == 1
    lines = [
        end_record(7, 0, 30, 130),
        end_record(8, 5, 0, 50).replace(f"start={T} ", "start=86400 "),
    ]
    done = of_pbs(tmp_path, *lines)
    assert rows_of(done, "run_time") == [[100]] and dict(done.left_out)[NEVER_STARTED] == 1


def test_implausible_runs_are_named_with_their_place(tmp_path):
    year = 366 * 86400
    done = of_table(
        tmp_path,
        "1,1700000000,1700000010,1700000110,16,1",
        f"2,1700000001,1700000010,{1700000011 + year},1,1",
    )
    assert total(done.remarks, "row 2)") == 1


# Records that summarise others.


def test_an_array_and_its_steps_are_no_jobs_whatever_the_source(tmp_path):
    rows = [record(JobID=f"200_{k}", JobIDRaw=str(200 + k)) for k in (1, 2)]
    step = record(JobID="200_1.batch", JobIDRaw="201.batch")
    waiting = record(
        JobID="200_[3-9%2]", JobIDRaw="200", State="PENDING", Start="Unknown", End="Unknown"
    )
    cancelled = record(
        JobID="200_[3-9]", JobIDRaw="200", State="CANCELLED", Start="None", Elapsed="00:00:00"
    )
    assert len(of_sacct(tmp_path, *rows, step, waiting, cancelled).jobs) == 2
    lines = [end_record(f"1[{k}]", 0, 100 * k, 100 * k + 90) for k in (1, 2)]
    parents = [
        end_record("1[]", 0, 100, 290, more="array_indices=1-2"),
        end_record("1[]", 0, 100, 290),
        end_record("1", 0, 100, 290, more="array_indices=1-2"),
    ]
    done = of_pbs(tmp_path, *lines, *parents)
    assert (len(done.jobs), done.log.max_procs, total(done.left_out, "arrays")) == (2, 32, 3)
    table = [f"1_{k},1700000000,170000{k}000,170000{k}900,4,1" for k in (1, 2)]
    more = [
        f"{name},1700000000,1700001000,1700002900,4,1"
        for name in ("1_[1-2]", "1[]", "1_1.batch", "1_1.0", "1_1.extern")
    ]
    again = ["1_1,1700000000,1700001000,1700001900,4,1"]
    done = of_table(tmp_path, *table, *more, *again)
    assert (len(done.jobs), done.log.max_procs) == (2, 4)
    assert [total(done.left_out, rule) for rule in ("arrays", "job steps", "repeated")] == [2, 3, 1]


def test_reruns_of_pbs_are_runs_where_their_times_are_known(tmp_path):
    rerun = end_record(7, 0, 30, 130, "R")
    bare = "12/01/2019 00:00:00;R;9.bw;\n"
    done = of_pbs(tmp_path, rerun, bare, end_record(7, 0, 200, 300), end_record(8, 0, 30, 130))
    assert sorted(rows_of(done, "submit", "run_time")) == [[0, 100], [0, 100], [130, 100]]
    assert done.log.max_procs == 64 and total(done.left_out, "type R (rerun)") == 1


# The storage of a table.


def example():
    """Return a table with columns of all types."""
    dates = pd.to_datetime(
        ["2026-03-01 10:00", "2026-03-01 11:00:00.25", None, "2026-10-25 02:30"], format="ISO8601"
    )
    return pd.DataFrame(
        {
            "in": pd.to_datetime(
                format="ISO8601",
                arg=["2026-03-01 09:00", "2026-03-01 09:30", "2026-03-02", "2026-10-25 01:00"],
            ),
            "begin": dates,
            "end": dates.fillna(pd.Timestamp("2026-03-03")) + pd.Timedelta("1h"),
            "limit": pd.to_timedelta(["1h", "90min", None, "2 days"]),
            "nodes": pd.array([1, 2, None, 4], dtype="Int64"),
            "who": pd.Categorical(["ann", " bob ", None, "ann"]),
            "state": [3.0, 5.0, np.nan, 3.0],
            "keep": [True, True, True, False],
            "project": [7, 8, 7, 2**60],
            "price": [Decimal("1.50"), Decimal("2"), None, Decimal("1.5")],
            "share": np.array([0.1, 1, 2, 3], np.float32),
        }
    )


EXAMPLE_MAP = PLAIN_MAP.replace("done = 1, bad = 0", "3 = 1, 5 = 0") + (
    'group = { column = "project" }\nexecutable = { column = "price" }\nqueue = { column = "share" '
    "}\n"
    "[only]\nkeep = [true]\n"
)


@pytest.mark.parametrize(
    "frame, by",
    [(example(), EXAMPLE_MAP), (eagle(), "eagle"), (years.table_of(years.jobs(50)), years.MAP)],
)
def test_every_storage_of_a_table_gives_the_same_bytes(tmp_path, frame, by):
    if by != "eagle":
        (tmp_path / "map.toml").write_text(by)
        by = tmp_path / "map.toml"
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_parquet(
        tmp_path / "a", compression="gzip", engine="pyarrow"
    )  # a name without an ending
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    frame.to_csv(tmp_path / "b.csv", index=False, sep=";", quoting=csv.QUOTE_ALL)
    frame.to_csv(tmp_path / "c.tsv", index=False, sep="\t")
    written = []
    for name in ("a.parquet", "a", "a.csv", "a.csv.gz", "b.csv", "c.tsv"):
        done = tables.convert(tmp_path / name, by)
        assert adds_up(done)
        swf.write(tmp_path / "out.swf", done.log)
        counts = [(what, number) for what, number in done.left_out + done.remarks if number]
        written.append(((tmp_path / "out.swf").read_bytes(), repr(counts)))
    assert len({*written}) == 1
    assert len(done.jobs) >= 2 and {*done.jobs["status"]} >= {1, 0}


def test_only_and_values_compare_numbers_truths_and_texts_by_their_text(tmp_path):
    frame = pd.DataFrame(
        {
            "in": [5, 6, 7],
            "end": [9, 9, 9],
            "nodes": [1, 1, 1],
            "begin": [8, 8, 8],
            "state": [3, 4, 3],
        }
    )
    for values in ('["3"]', "[3]", "[3.0]", '["3.0"]'):
        (tmp_path / "m.toml").write_text(PLAIN_MAP + f"[only]\nstate = {values}\n")
        for write_to, name in ((frame.to_parquet, "a.parquet"), (frame.to_csv, "a.csv")):
            write_to(tmp_path / name)
            assert tables.convert(tmp_path / name, tmp_path / "m.toml").jobs["job_id"].tolist() == [
                1,
                3,
            ]


# Sizes.


def test_fractions_of_processors_are_refused(tmp_path):
    by = TIMES_MAP.replace('"cores" }', '"cores", times = 0.01 }')
    rows = (
        "1,1000,1010,2010,25,1",
        "2,1001,1011,2011,100,1",
        "3,1001,1011,2011,29,1",
        "4,1001,1011,2011,2900,1",
    )
    with pytest.raises(
        LogError, match=r"row 1, cores: '25'; .*not 0.25 .*; 2 of 4 records cannot be read"
    ):
        of_table(tmp_path, *rows, by=by)
    whole = [row.replace("1,1000", "1,1001") for row in rows[1::2]]
    done = of_table(tmp_path, *whole, by=by)
    assert rows_of(done, "job_id", "requested_processors") == [[1, 1], [2, 29]]


def test_the_account_names_the_field_that_gave_the_size(tmp_path):
    sizes = [
        "Resource_List.nodes=2:ppn=16",
        "Resource_List.select=2:ncpus=4",
        "Resource_List.mem=4gb",
        "Resource_List.select=2:mpiprocs=24 Resource_List.ncpus=48",
    ]
    done = of_pbs(
        tmp_path,
        *(end_record(k, 0, 30, 130, size=size) for k, size in enumerate(sizes)),
        processors=88,
    )
    text = "\n".join(done.lines())
    assert (
        "requested size: Resource_List.ncpus 1, Resource_List.nodes 1, Resource_List.select 1, "
        "none 1" in text
    )
    assert "not used, with the number of records: Resource_List.mem 1." in text
    assert sorted(done.jobs["requested_processors"]) == [-1, 8, 32, 48]
    lists = record() | {"AllocTRES": "cpu=8,node=2", "ReqTRES": "cpu=8"}
    done = of_sacct(
        tmp_path, lists, lists | {"JobIDRaw": "2", "JobID": "2", "AllocCPUS": "", "ReqCPUS": "0"}
    )
    assert done.sizes == (
        "allocated size: AllocCPUS 1, AllocTRES 1",
        "requested size: ReqCPUS 1, ReqTRES 1",
    )


def test_sizes_in_nodes(tmp_path):
    columns = [name for name in record() if "CPUS" not in name]
    rows = [record(NNodes="4"), job(2, NNodes="8", Start=f"{DAY}12:00:00", End=f"{DAY}13:00:00")]
    path = write(tmp_path / "nodes.txt", *rows, columns=[*columns, "NNodes"])
    done = slurm.convert(path, key=KEY)
    assert sorted(done.jobs["allocated_processors"]) == [4, 8]
    assert "allocated nodes, 8 on the machine" in "\n".join(done.lines())
    both = [row | {"AllocTRES": "cpu=4,node=2"} for row in rows]
    assert sorted(of_sacct(tmp_path, *both, size="nodes").jobs["allocated_processors"]) == [4, 8]
    assert of_sacct(tmp_path, *both).jobs["allocated_processors"].tolist() == [4, 4]
    with pytest.raises(LogError, match="no column of nodes; it has JobIDRaw"):
        of_sacct(tmp_path, record(), size="nodes")
    line = end_record(7, 0, 30, 130, more="Resource_List.nodect=2 exec_host=a/0+a/1+b/0")
    done = of_pbs(tmp_path, line, size="nodes")
    assert rows_of(done, "requested_processors", "allocated_processors") == [[2, 2]]


# Records that cannot be read.


def test_bad_records_are_refused_with_their_number_or_counted(tmp_path):
    good = [end_record(k, 0, 30, 130) for k in range(600)]
    torn = [good[0][:120], "06/01/2015 10:00:0\n", good[0][:100] + good[0], "rubbish\n"]
    lines = [
        *good,
        *(text.rstrip("\n") + "\n" for text in torn),
        end_record(999, 5, 50, 60, limit="soon"),
    ]
    with pytest.raises(
        LogError,
        match=r"line 601: .*5 of 605 records cannot be read: 1 that are torn, without an end, 3 th",
    ):
        of_pbs(tmp_path, *lines)
    done = of_pbs(tmp_path, *lines, bad_records="skip")
    assert (len(done.jobs), done.records) == (600, 605) and adds_up(done)
    rows = [record(), job(2, Elapsed="soon"), job(3, Elapsed="late"), job(4, AllocCPUS="four")]
    with pytest.raises(
        LogError,
        match="line 3, Elapsed: 'soon'; .*3 of 4 records .*2 with an unreadable Elapsed.*skip",
    ):
        of_sacct(tmp_path, *rows)
    with pytest.raises(LogError, match="3 of 4 records .*up to 1% of all"):
        of_sacct(tmp_path, *rows, bad_records="skip")
    many = [job(k) for k in range(205, 600)]
    done = of_sacct(tmp_path, *rows, *many, bad_records="skip")
    assert len(done.jobs) == 396 and total(done.bad, "unreadable") == 3 and adds_up(done)


def test_a_state_of_a_newer_version_is_bad_by_its_word(tmp_path):
    with pytest.raises(LogError, match="State: 'EXPEDITING'; expected .*1 of 2 records"):
        of_sacct(tmp_path, record(), job(2, State="EXPEDITING", End="Unknown"))


def test_the_option_is_there_for_every_converter(tmp_path):
    (tmp_path / "pbs").write_text(
        "".join(end_record(k, 0, 30, 130) for k in range(99)) + "06/01/2015 10:00:0\n"
    )
    write(tmp_path / "sacct", *(job(k) for k in range(99)), job(999, Elapsed="soon"))
    (tmp_path / "map.toml").write_text(TIMES_MAP)
    rows = "".join(f"{k},0,5,10,4\n" for k in range(99))
    (tmp_path / "table").write_text(f"id,submit,start,end,cores\n{rows}999,0,5,10,0.5\n")
    for kind, name in (("torque", "pbs"), ("slurm", "sacct"), ("table", "table")):
        args = ["convert", kind, str(tmp_path / name), "--out", str(tmp_path / f"{name}.swf")]
        args += ["--map", str(tmp_path / "map.toml")] if kind == "table" else []
        refused = CliRunner().invoke(main, args)
        assert refused.exit_code == 1 and "1 of 100 records cannot be read" in refused.output
        assert not (tmp_path / f"{name}.swf").exists()
        done = CliRunner().invoke(main, [*args, "--bad-records", "skip"])
        assert done.exit_code == 0 and "100 records = 99 jobs + 0 left out + 1 bad" in done.output


# Kinds of files.


def test_sacct_without_a_header(tmp_path):
    columns = [*record()]
    path = write(tmp_path / "a.txt", record(), job(2))
    (tmp_path / "b.txt").write_text(path.read_text().partition("\n")[2])
    with pytest.raises(
        LogError,
        match=rf"line 1: no header line \(sacct --noheader\); name its {len(columns)} columns",
    ):
        slurm.convert(tmp_path / "b.txt")
    done = slurm.convert(path, key=KEY)
    assert done.jobs.equals(slurm.convert(path, columns=columns, key=KEY).jobs)  # has a header


def test_json_of_sacct_gives_the_same_jobs_as_its_text(tmp_path):
    table = years.jobs(300)
    (tmp_path / "a.txt").write_text("\n".join(years.sacct(table)))
    (tmp_path / "a.json").write_text(years.sacct_json(table))
    with pytest.raises(
        LogError, match="record 302: 'torn'; expected a job of sacct --json; 2 of 302 records"
    ):
        slurm.convert(tmp_path / "a.json")
    names = "job_id submit wait run_time requested_time status user requested_processors".split()
    text_jobs, json_jobs = (
        slurm.convert(tmp_path / name, key=KEY, bad_records="skip").jobs
        for name in ("a.txt", "a.json")
    )
    assert text_jobs[names].equals(json_jobs[names])


def test_numbers_of_old_and_new_json(tmp_path):
    old = {
        "job_id": 7,
        "association": {},
        "state": {"current": "COMPLETED"},
        "required": {"CPUs": 4},
        "time": {
            "submission": T,
            "start": T + 5,
            "end": T + 65,
            "elapsed": 60,
            "limit": 10,
            "suspended": 0,
        },
    }
    new = old | {
        "time": old["time"] | {"limit": {"set": True, "infinite": True, "number": 0}},
        "job_id": 8,
    }
    unset = old | {
        "time": old["time"] | {"limit": {"set": False, "infinite": False, "number": 0}},
        "job_id": 9,
    }
    running = old | {
        "job_id": 10,
        "state": {"current": ["RUNNING"]},
        "time": old["time"] | {"end": 0},
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"meta": {}, "jobs": [old, new, unset, running]}))
    done = slurm.convert(path)
    assert rows_of(
        done, "job_id", "wait", "run_time", "requested_time", "requested_processors"
    ) == [[7, 5, 60, 600, 4], [8, 5, 60, -1, 4], [9, 5, 60, -1, 4]]
    assert total(done.left_out, "running") == 1
    for text in ('{"association": 1, "jobs": 5}', '{"association": 1, "jobs": ['):
        path.write_text(text)
        with pytest.raises(LogError, match="expected (JSON|a job of sacct --json)"):
            slurm.convert(path)


# The hour of autumn that occurs twice, in Berlin from 02:00 to 03:00 on 25 October 2026.


def test_the_end_of_an_earlier_run_and_the_order_of_times_decide_the_hour(tmp_path):
    night = "2026-10-25T"
    requeued = record(
        State="REQUEUED",
        Submit=f"{night}01:00:00",
        Start=f"{night}01:00:00",
        End=f"{night}02:20:00",
        Elapsed="02:20:00",
    )
    again = record(
        Submit=f"{night}02:20:30",
        Start=f"{night}02:30:00",
        End=f"{night}03:30:00",
        Elapsed="01:00:00",
    )
    done = of_sacct(tmp_path, requeued, again, zone="Europe/Berlin")
    assert sorted(rows_of(done, "submit", "wait", "run_time")) == [[0, 0, 8400], [8430, 570, 3600]]
    assert done.log.max_procs == 4
    columns = [name for name in record() if name != "Elapsed"]
    late = record(Submit=f"{night}02:50:00", Start=f"{night}02:10:00", End=f"{night}02:20:00")
    path = write(tmp_path / "b.txt", late, columns=columns)
    assert rows_of(slurm.convert(path, zone="Europe/Berlin"), "wait", "run_time") == [[1200, 600]]
    by = TIMES_MAP.replace("unknown", 'time_zone = "Europe/Berlin"\nunknown')
    done = of_table(tmp_path, f"1,{night}02:50,{night}02:10,{night}02:20,4,1", by=by)
    assert rows_of(done, "wait", "run_time") == [[1200, 600]]


# A year of each source.


@pytest.mark.parametrize("jobs", [600, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_year_of_each_source_by_the_numbers_it_was_made_from(tmp_path, jobs):
    table = years.jobs(jobs)
    (tmp_path / "sacct").write_text("\n".join(years.sacct(table)))
    (tmp_path / "json").write_text(years.sacct_json(table))
    (tmp_path / "pbs").write_text("\n".join(years.pbs(table)))
    (tmp_path / "map.toml").write_text(years.MAP)
    years.table_of(table).to_csv(tmp_path / "table", index=False)
    ran = table[table["start"] > 0]
    skip = {"bad_records": "skip"}
    for done, records in (
        (slurm.convert(tmp_path / "sacct", zone="UTC", **skip), table),
        (slurm.convert(tmp_path / "json", **skip), table),
        (torque.convert([tmp_path / "pbs"], **skip), ran),
        (tables.convert(tmp_path / "table", tmp_path / "map.toml"), table),
    ):
        got = done.jobs[["submit", "wait", "run_time", "requested_processors"]].to_numpy(np.int64)
        assert np.array_equal(years.in_order(got), years.expected(records))
        assert adds_up(done)
        timed = ran.assign(run_time=ran["end"] - ran["start"])
        assert (
            done.log.max_procs
            == account.most_in_use(timed["start"], timed["run_time"], timed["size"])[0]
        )
