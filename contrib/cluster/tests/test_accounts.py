"""Files as people have them, three or more of each kind: every record is a job, is left out by a
rule, or is bad, and the numbers of the jobs are those by hand.
"""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

import replication as rp
from inputs import HEAD, LIMITED, NAMED, B, T, count, facts, job, row, run, sacct
from replication.simulator.logs import swf
from replication.simulator.logs.cleaning import UnitWarning
from replication_cluster import tables
from replication_cluster.cli import main
from replication_cluster.files import LogError

# Separators and line breaks in free text.

FREE = (
    "Account AllocCPUS Comment Constraints End JobID JobName Partition Start State Submit".split()
)


@pytest.mark.parametrize(
    ("columns", "changes"),
    [
        (NAMED, {"JobName": "fit|lr=0.1"}),
        (NAMED, {"JobName": "two\nlines"}),
        (NAMED, {"JobName": "a|b\nc|d"}),
        (FREE, {"Constraints": "a|b", "JobName": "p|q"}),
        (FREE, {"Comment": "x|y", "Constraints": "a|b|c"}),
        ([*NAMED, "SubmitLine"], {"SubmitLine": "sbatch <<EOF\n#!/bin/sh\nsrun a | tee b\nEOF"}),
        ([*NAMED, "SubmitLine"], {"SubmitLine": "a | b | c"}),
        ([*NAMED[:5], "WorkDir", *NAMED[5:]], {"WorkDir": "/a|b\n/c"}),
    ],
)
def test_records_are_put_together_again(read, columns, changes):
    rows = [job(1), job(2, 1, **changes), job(3, 2), job(4, 3, **changes), job(5, 4)]
    done = read.sacct(sacct(rows, columns))
    assert done.records == 5 and facts(done) == [[10, 600, 8]] * 5
    assert done.log.max_procs == 40
    plain = read.sacct(sacct([row | dict.fromkeys(changes, "x") for row in rows], columns))
    kept = [name for name in swf.FIELDS if name != "executable"]
    assert done.jobs[kept].equals(plain.jobs[kept])


@pytest.mark.parametrize(
    "columns", [[*NAMED, "SubmitLine"], [*NAMED[:4], "SubmitLine", *NAMED[4:]]]
)
def test_long_command_lines_in_every_record(read, columns):
    script = "sbatch <<EOF\n" + "".join(f"srun step{k} | tee log\n" for k in range(20)) + "EOF"
    rows = [job(k, k % 40, SubmitLine=script) for k in range(30)]
    assert facts(read.sacct(sacct(rows, columns))) == [[10, 600, 8]] * 30


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-40],
        lambda text: text.replace("3|u1|job|COMPLETED", "3|u1|jo", 1),
        lambda text: text.replace("|COMPLETED", "|a|b|COMPLETED|60", 1),
        lambda text: text.replace("3|u1|job|", "3|u1|\n", 1),
    ],
)
def test_torn_records_are_bad(read, damage):
    rows = [job(k, k % 40) for k in range(1, 200)]
    text = damage(sacct(rows))
    with pytest.raises(LogError, match="records cannot be read: . with more or fewer fields"):
        read.sacct(text)
    done = read.sacct(text, bad_records="skip")
    assert len(done.jobs) == 198 and sum(n for _, n in done.bad) in (1, 2)


def test_a_torn_record_does_not_take_values_of_the_next_one(read):
    text = sacct([job(k, k % 40, JobName="a\nb" if k == 4 else "c") for k in range(1, 400)])
    lines = text.splitlines(keepends=True)
    assert lines[3].startswith("3|u1|c|") and lines[4] == "4|u1|a\n"
    for torn in ("3|u1|c\n", "3|u1|c|COMPLETED|2026\n", "3\n"):
        done = read.sacct("".join([*lines[:3], torn, *lines[4:]]), bad_records="skip")
        assert 3 not in [*done.jobs["job_id"]] and len(done.jobs) >= 397
        assert set(map(tuple, facts(done))) == {(10, 600, 8)}


def test_other_forms_of_all_lines_are_refused_in_time(read):
    rows = [job(k, k % 40, Submit="02/02/26 08:00") for k in range(5000)]
    with pytest.raises(LogError, match="Submit: '02/02/26 08:00'.*5,000 of 5,000 records"):
        read.sacct(sacct(rows))


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("name,submit,start,end,n,limit", ["a,b,{}", "c,{}"]),
        ("submit,start,end,n,limit,cmd", ["{},a,b", "{},c"]),
        ("submit,start,end,n,limit,cmd,x", ['{},"a,\nb",y', "{},c d,y"]),
    ],
)
def test_rows_of_tables_are_put_together_again(read, head, rows):
    text = "\n".join([head, *(line.format(row(k).strip()) for k, line in enumerate(rows)), ""])
    assert facts(read.table(text)) == [[10, 100, 4]] * 2


def test_a_job_name_of_pbs_over_two_lines(read):
    assert len(read.pbs(run(1, name="a\nb = c"), run(2)).jobs) == 2
    with pytest.raises(LogError, match="expected end=... once; 1 of 1"):
        read.pbs(run(1, name="a end=5"))


# Several tables, in one file or several.


def test_a_second_header_begins_a_new_table(read):
    table, jobs = sacct([job(1), job(2, 1)]), [job(3, 2), job(4, 3)]
    for columns in (NAMED, [*NAMED, "Partition"], NAMED[::-1], ["WorkDir", *NAMED[:-1]]):
        done = read.sacct(table + sacct(jobs, columns))
        assert facts(done) == [[10, 600, 8]] * 4
        assert dict(done.left_out)["further header lines"] == 1
    with pytest.raises(LogError, match="line 4: no column Submit"):
        read.sacct(table + sacct(jobs, [name for name in NAMED if name != "Submit"]))
    more = "user,submit,start,end,n,limit\nann," + row(60)
    for text in (HEAD + row() + HEAD + row(60), HEAD + row() + more, more + HEAD + row()):
        assert facts(read.table(text)) == [[10, 100, 4]] * 2


def test_several_files_are_one_log_with_one_numbering_of_users(read, tmp_path):
    done = read.sacct(sacct([job(1), job(2, 1, User="b")]), sacct([job(2, 1, User="b"), job(3, 2)]))
    assert done.jobs["job_id"].tolist() == [1, 2, 3] and done.records == 4
    assert done.jobs["user"][0] == done.jobs["user"][2] != done.jobs["user"][1]
    by = LIMITED + 'user = { column = "user" }\n'
    frames = [
        pd.DataFrame({"submit": [T + k], "start": [T + k], "end": [T + k + 9], "n": [4]})
        for k in (0, 86400)
    ]
    frames[0].assign(user="b", limit=60).to_parquet(tmp_path / "a")
    frames[1].assign(user="b").to_csv(tmp_path / "b", index=False)
    (tmp_path / "map.toml").write_text(by)
    done = read.checked(tables.convert([tmp_path / "a", tmp_path / "b"], tmp_path / "map.toml"))
    assert done.jobs["submit"].tolist() == [0, 86400] and done.jobs["user"].tolist() == [1, 1]
    assert any(f"No column limit in {tmp_path / 'b'}" in note for note in done.assumed)
    lines = "".join(json.dumps({"submit": T + k, "end": T + k + 9, "n": 4}) + "\n" for k in (0, 1))
    by = by.replace('start = { column = "start" }', "").replace(LIMITED.splitlines()[-1], "")
    assert len(read.table(lines, lines, by=by, processors=16).jobs) == 4
    assert len(read.pbs(run(1), run(2) + run(1)).jobs) == 2


def test_rows_without_an_id_are_not_one_run(read):
    text = "job," + HEAD + "," + row() + "," + row() + "7," + row() + "7," + row()
    done = read.table(text, by=LIMITED + 'job = { column = "job" }\n')
    assert len(done.jobs) == 3
    assert (
        len(read.table(HEAD + row() + row(), by=LIMITED + 'job = { column = "job" }\n').jobs) == 2
    )


# Values that cannot be read.


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        (str(T), "05.02.2026 08:00:00", "submit: '05.02.2026 08:00:00'; expected a date"),
        (str(T), "2026-02-02 08:00 AM", "expected a date"),
        (",4,", ",8 cores,", "n: '8 cores'; expected a whole number"),
        (",3600", ",soon", "limit: 'soon'; expected a number"),
    ],
)
def test_unreadable_values_of_tables_are_bad_records(read, good, bad, message):
    wrong = row().replace(good, bad, 1)
    with pytest.raises(LogError, match=f"{message}.*1 of 2 records cannot be read"):
        read.table(HEAD + row() + wrong, bad_records="skip")
    done = read.table(HEAD + "".join(map(row, range(150))) + wrong, bad_records="skip")
    assert (len(done.jobs), sum(n for _, n in done.bad)) == (150, 1)


@pytest.mark.parametrize("limit", ["UNLIMITED", "-1", "4294967295", "INFINITE", ""])
def test_unlimited_is_no_limit(read, limit):
    assert read.table(HEAD + row(limit=limit)).jobs["requested_time"].tolist() == [-1]


@pytest.mark.parametrize(
    ("request_", "hosts", "size"),
    [
        ("Resource_List.nodes=1 Resource_List.procs=16 Resource_List.neednodes=1", "", 16),
        ("Resource_List.select=2:ncpus=8 Resource_List.ncpus=16 Resource_List.nodect=2", "", 16),
        ("req_information.task_count.0=2 req_information.lprocs.0=8", "", 16),
        ("Resource_List.mppwidth=64 Resource_List.mppdepth=2", "", 128),
        ("Resource_List.nodes=2:ppn=4:gpus=1+n3:ppn=1", "", 9),
    ],
)
def test_requests_of_pbs(read, request_, hosts, size):
    done = read.pbs(run(1, request=request_, hosts=hosts))
    assert done.jobs["requested_processors"].tolist() == [size]


@pytest.mark.parametrize(
    "request_",
    [
        "Resource_List.ncpus=1 Resource_List.tasks=64",
        "Resource_List.select=4:mpiprocs=8",
        "Resource_List.nodes=2:ppn=all",
        "Resource_List.nodes=4:tpn=2",
        "Resource_List.nodes=4 Resource_List.procs=16",
    ],
)
def test_a_request_that_is_not_understood_is_bad_or_the_allocated_size(read, request_):
    with pytest.raises(LogError, match="1 of 1 records cannot be read: 1 with an unreadable"):
        read.pbs(run(1, request=request_, hosts=""))
    done = read.pbs(run(1, request=request_, hosts="n1/0-15"))
    assert facts(done) == [[30, 600, 16]] and rp.load(read.written).processors.tolist() == [16]
    assert done.jobs["requested_processors"].tolist() == [-1]
    assert count(done.remarks, "whose requested size is not understood") == 1


# One unit.


@pytest.mark.parametrize("more", [{"ReqCPUS": 1}, {"ReqCPUS": 1, "AllocCPUS": 2}, {"ReqCPUS": 16}])
def test_machine_and_sizes_have_one_unit(read, more):
    columns = [*NAMED, "ReqCPUS"]
    done = read.sacct(sacct([job(k, k, **more) for k in range(4)], columns))
    jobs = rp.load(read.written)
    assert jobs.processors.tolist() == done.jobs["allocated_processors"].tolist()
    assert jobs.machine == jobs.processors.sum() and done.unit == "allocated processors"
    word = "fewer" if more["ReqCPUS"] > 8 else "more"
    assert count(done.remarks, f"given {word} processors than requested") == 4


def test_the_remark_on_sizes_is_there_for_every_source(read):
    done = read.pbs(run(1, request="Resource_List.nodes=1:ppn=1", hosts="n1/0-15"))
    assert count(done.remarks, "given more processors than requested (16 for 1)") == 1
    by = LIMITED + 'requested_processors = { column = "asked" }\n'
    done = read.table("asked," + HEAD + "8," + row(), by=by)
    assert count(done.remarks, "given fewer processors than requested (4 for 8)") == 1
    assert rp.load(read.written).processors.tolist() == [4]
    by = LIMITED.replace("allocated_processors", "requested_processors")
    assert read.table(HEAD + row(), by=by).log.header["Sizes"][0] == "requested processors"


# A dump is not a log.


def test_jobs_from_before_the_records_are_named_and_left_out_if_asked(read):
    early = ["2025-12-04T08:00:00", "2025-12-19T08:00:00", "2026-01-03T08:00:00"]
    seconds = [int(pd.Timestamp(day).timestamp()) - T for day in early]
    rows = [f"{T + s},{T},{T + 60},4,60\n" for s in seconds] + [row(k) for k in range(40)]

    def convert(**options):
        return read.table(HEAD + "".join(rows), **options)

    note = "Jobs submitted up to 59.7 days before 2026-02-02 00:00:00, the first day on which"
    assert any(text.startswith(note) and ended.endswith(": 3") for text in convert().assumed
               for ended in [text.partition(". They")[0]])  # fmt: skip
    for since in ("auto", "2026-02-01", str(T - 3600)):
        done = convert(since=since)
        assert len(done.jobs) == 40 and sum(n for _, n in done.left_out) == 3
        assert done.jobs["submit"].max() < 60
    with pytest.raises(LogError, match="--since 'someday'; expected a date"):
        convert(since="someday")
    with pytest.raises(LogError, match="no job submitted from --since 2027-01-01 on"):
        convert(since="2027-01-01")


def test_jobs_that_had_not_ended_are_counted_as_missing_at_the_end(read):
    running = [job(k, k, State="RUNNING", End="Unknown") for k in (2, 3)]
    done = read.sacct(sacct([job(1), *running]))
    assert any("2026-02-02 08:10:10; jobs that had not ended" in note for note in done.assumed)
    assert any("(2 of them are in the input)" in note for note in done.assumed)


# Limits far below the run times.


@pytest.mark.parametrize(("limit", "unit"), [("60", "minutes"), ("1", "hours"), ("30", "minutes")])
def test_limits_without_their_unit_are_named_and_not_simulated(read, limit, unit):
    rows = "".join(
        f"{T + k},{T + k},{T + k + 1700},4,{limit if k % 5 else 2000}\n" for k in range(20)
    )
    done = read.table(HEAD + rows)
    assert count(done.remarks, "ran more than 10 % longer than their limit") == 16
    assert any(f"are they in {unit} in place of seconds?" in note for note in done.assumed)
    with pytest.warns(UnitWarning), pytest.raises(ValueError, match="80 % of the jobs"):
        rp.simulate(rp.load(read.written))


def test_real_overruns_are_remarks_alone(read):
    rows = [job(k, k, TimelimitRaw=10) for k in range(20)]
    done = read.sacct(sacct(rows), processors=400)
    assert count(done.remarks, "ran longer than their limit") == 0
    rows = [job(k, k, TimelimitRaw=9.75) for k in range(20)]
    with pytest.raises(LogError, match="TimelimitRaw: '9.75'; expected a whole number"):
        read.sacct(sacct(rows))
    done = read.table(HEAD + "".join(row(k, limit="95") for k in range(20)))
    assert count(done.remarks, "ran longer than their limit") == 20
    assert rp.load(read.written).without_estimate == 0


# Spellings that programs write.


@pytest.mark.parametrize("by", [",", ";", "\t", "@@", "^", ":", " "])
def test_any_delimiter_of_sacct(read, by):
    columns = ["JobID", "User", "Partition", *NAMED[3:], "AllocTRES"]
    rows = [job(k, k, Partition="gpu,main" if k == 1 else "main") for k in range(3)]
    done = read.sacct(sacct(rows, columns, by))
    assert facts(done) == [[10, 600, 8]] * 3 and done.log.max_procs == 24


@pytest.mark.parametrize("number", ["{}.0", "{}.000", "{}e0", "{}"])
def test_whole_numbers_as_programs_write_them(read, number):
    times = {"Submit": T, "Start": T + 10, "End": T + 610, "AllocCPUS": 8, "TimelimitRaw": 60}
    text = sacct([job(1, **{name: number.format(value) for name, value in times.items()})])
    assert facts(read.sacct(text)) == [[10, 600, 8]]
    cells = [number.format(value) for value in (T, T + 10, T + 110, 4, 3600)]
    assert facts(read.table(HEAD + ",".join(cells) + "\n")) == [[10, 100, 4]]
    text = run(1).replace(f"={T} ", f"={number.format(T)} ")
    assert facts(read.pbs(text)) == [[30, 600, 8]]
    assert facts(read.table(HEAD + row(size="1e+02"))) == [[10, 100, 100]]


@pytest.mark.parametrize(("unit", "factor"), [("ns", 10**9), ("us", 10**6), ("ms", 1000)])
def test_units_of_times(read, unit, factor):
    by = LIMITED
    for name in ("submit", "start", "end"):
        by = by.replace(f'column = "{name}"', f'column = "{name}", unit = "{unit}"')
    cells = ",".join(str(value * factor) for value in (T, T + 10, T + 110))
    assert facts(read.table(f"{HEAD}{cells},4,3600\n", by=by)) == [[10, 100, 4]]
    with pytest.raises(LogError, match=f"are these in {unit}"):
        read.table(f"{HEAD}{cells},4,3600\n")


JOBS = [{"submit": T + k, "t": {"start": T + k + 10.5, "end": T + k + 110.5}, "n": [1, 2, 3, 4],
         "limit": 3600.0, "x": None} for k in (0, 1)]  # fmt: skip
NESTED = LIMITED.replace('"start"', '"t.start"').replace('"end"', '"t.end"')


@pytest.mark.parametrize(
    "text",
    [
        "".join(json.dumps(record) + "\n" for record in JOBS),
        "\n".join(json.dumps(record, indent=2) for record in JOBS),
        json.dumps(JOBS),
        json.dumps({"jobs": JOBS, "meta": {"n": 2}}),
        json.dumps({str(k): record for k, record in enumerate(JOBS)}),
    ],
)
def test_json_as_lines_documents_lists_and_objects_by_id(read, text):
    done = read.table(text, by=NESTED)
    assert facts(done) == [[11, 100, 4]] * 2
    assert done.jobs["requested_time"].tolist() == [3600, 3600]


def test_a_torn_line_of_json_is_a_bad_record(read):
    lines = [json.dumps(JOBS[0] | {"submit": T + k}) for k in range(120)]
    lines[7] = lines[7][:40]
    with pytest.raises(LogError, match="record 8: .*1 of 120 records"):
        read.table("\n".join(lines), by=NESTED)
    assert len(read.table("\n".join(lines), by=NESTED, bad_records="skip").jobs) == 119


def test_records_of_cobalt(read):
    line = (
        "02/02/2026 08:10:20;E;{0};queue=default qtime={1}.{2} Resource_List.nodect=512 "
        "Resource_List.walltime=01:00:00 start={3}.{2} end={4}.{2} exec_host=RAK-1-512 "
        "runtime=600.0 hold=0\n"
    )
    for tenth in "05":
        done = read.pbs(*(line.format(k, T + k, tenth, T + 20 + k, T + 620 + k) for k in (1, 2)))
        assert (
            done.jobs[["wait", "run_time", "requested_processors"]].to_numpy().tolist()
            == [[20, 600, 512]] * 2
        )
        jobs = rp.load(read.written)
        assert (jobs.machine, jobs.processors.tolist()) == (1024, [512, 512])
    assert done.unit == "requested nodes"


def test_history_of_pbs_as_json(read):
    record = {
        "Job_Name": "a",
        "Job_Owner": "u@h",
        "job_state": "F",
        "ctime": "Mon Feb  2 08:00:00 2026",
        "stime": "Mon Feb  2 08:00:30 2026",
        "exec_host": "n1/0*8",
        "resources_used": {"walltime": "00:10:00"},
        "Resource_List": {"ncpus": 8, "select": "1:ncpus=8", "walltime": "01:00:00"},
    }
    jobs = {
        "1.srv": record,
        "2.srv": record | {"job_state": "R"},
        "3.srv": record | {"job_state": "Q"},
        "4[].srv": record,
        "5.srv": {key: value for key, value in record.items() if key != "stime"},
    }
    done = read.pbs(json.dumps({"pbs_version": "1", "Jobs": jobs}, indent=1))
    assert facts(done) == [[30, 600, 8]] and done.records == 5
    assert int(done.log.header["UnixStartTime"][0]) == T
    zone = read.pbs(json.dumps({"Jobs": jobs}), zone="Europe/Berlin")
    assert int(zone.log.header["UnixStartTime"][0]) == T - 3600


WAITS = LIMITED.replace('start = { column = "start" }', 'wait = { column = "wait" }')


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("submit,wait,run,n\n0,0,100,4\n10,90,100,4\n", WAITS),
        ("submit,wait,run,n\n2026-02-02,0:00,100,4\n2026-02-02T00:00:10,1:30,100,4\n", WAITS),
        (
            "submit,wait,run,n\n0,0,100,4\n10,1.5,100,4\n",
            WAITS.replace('column = "wait"', 'column = "wait", unit = "min"'),
        ),
    ],
)
def test_waits_in_place_of_starts(read, text, by):
    by = by.replace('end = { column = "end" }', 'run_time = { column = "run" }')
    text = text.replace("0:00,", "00:00:00,").replace("1:30,", "00:01:30,")
    assert facts(read.table(text, by=by)) == [[0, 100, 4], [90, 100, 4]]


# Jobs that were held.


def test_held_jobs_are_named_and_can_wait_from_when_they_were_eligible(read):
    columns = [*NAMED, "Eligible"]
    text = sacct([job(1, Eligible=f"{B}00:07"), job(2)], columns)
    done = read.sacct(text)
    assert count(done.remarks, "became eligible later than submitted") == 1
    assert facts(done)[0] == [10, 600, 8]
    assert sorted(read.sacct(text, eligible=True).jobs["wait"]) == [3, 10]
    with pytest.raises(LogError, match="no column Eligible, for --eligible"):
        read.sacct(sacct([job(1)]), eligible=True)
    held = run(1, 7200).replace(f"ctime={T + 7200} qtime={T + 7200}", f"ctime={T} qtime={T}")
    done = read.pbs(held, run(2))
    assert any("became eligible later" in what and "by 2.0 h" in what for what, _ in done.remarks)
    assert sorted(done.jobs["wait"]) == [30, 7230]
    assert sorted(read.pbs(held, run(2), eligible=True).jobs["wait"]) == [30, 30]


# Shapes of public dumps.


def test_a_dump_of_all_columns_with_steps_arrays_two_headers_and_torn_lines(read):
    """As the dumps that tools of Slurm's simulator and of centres publish: all columns, constraints
    with "or", command lines of several lines, steps, an array that waits, two dumps in one file.
    """
    columns = ["Account", *FREE[1:4], "Eligible", *FREE[4:], "SubmitLine", "TimelimitRaw", "User"]
    rows = []
    for k in range(120):
        changes = {"Constraints": "a|b"} if k % 3 == 0 else {}
        changes |= {"SubmitLine": "sbatch <<X\nsrun a | b\nX"} if k % 5 == 0 else {}
        changes |= {"JobName": "p|q"} if k % 7 == 0 else {}
        rows.append(job(100 + k, k % 40, **changes))
        rows.append(job(f"{100 + k}.batch", k % 40, **changes))
    rows.append(job("300_[1-9]", State="PENDING", Start="Unknown", End="Unknown"))
    text = sacct(rows[:100], columns) + sacct(rows[100:], [*columns, "WorkDir"])
    done = read.sacct(text)
    assert facts(done) == [[10, 600, 8]] * 120 and done.log.max_procs == 960
    assert {what: n for what, n in done.left_out if n} == {
        "job steps": 120,
        "further header lines": 1,
        "waiting when the log was written": 1,
    }
    torn = text.replace("|118|", "|1", 1)
    done = read.sacct(torn, bad_records="skip")
    assert len(done.jobs) == 119 and sum(n for _, n in done.bad) == 1


def test_the_command_reads_several_files_and_prints_an_account_that_adds_up(tmp_path):
    (tmp_path / "a").write_text(sacct([job(k, k) for k in range(20)]))
    (tmp_path / "b").write_text(sacct([job(20), job("20.batch")]))
    args = ["convert", "slurm", str(tmp_path / "a"), str(tmp_path / "b"), "--since", "auto"]
    done = CliRunner().invoke(main, [*args, "--out", str(tmp_path / "o.swf")])
    assert done.exit_code == 0, done.output
    assert "22 records = 21 jobs + 1 left out + 0 bad" in done.output
    assert len(rp.load(tmp_path / "o.swf")) == 21
