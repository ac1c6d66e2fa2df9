"""Files that need a word from the user: separators, columns, forms of dates, parts of texts,
entries of lists, another machine. Right values are by hand; ways that refusals name are tried.
"""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import replication as rp
from inputs import MAP, B, T, facts, job, map_of, row, run, sacct, total
from replication.simulator.logs.kinds import KINDS
from replication_cluster import slurm, tables
from replication_cluster.cli import main
from replication_cluster.files import LogError

FOLDER = Path(__file__).parents[1]


# Without a header line.

COLUMNS = "JobID JobName User State Submit Start End NCPUS Timelimit Elapsed".split()


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("by", ["☃", "^|^", "|", "\t", ";", "~~", " ; ", "\x1f", "@", "::", "_|_"])
def test_any_delimiter_of_sacct_without_a_header_line(read, by, closed):
    rows = [job(k, k, NCPUS=8, Timelimit="01:00:00", JobName=f"name{k}") for k in range(8)]
    text = sacct(rows, COLUMNS, by).partition("\n")[2]
    text = text.replace("\n", f"{by}\n") if closed else text
    done = read.sacct(text, columns=COLUMNS)
    assert facts(done) == [[10, 600, 8]] * 8
    assert done.jobs["requested_time"].tolist() == [3600] * 8
    with pytest.raises(LogError, match="--columns"):
        read.sacct(text)
    with pytest.raises(LogError, match="no separator gives the 3 columns of --columns"):
        read.sacct(text, columns=COLUMNS[:3])


def test_names_that_hold_the_delimiter_of_a_file_without_a_header_line(read):
    rows = [job(k, k, JobName="a|b" if k % 2 else "c") for k in range(8)]
    columns = "JobID JobName State Submit Start End AllocCPUS TimelimitRaw".split()
    done = read.sacct(sacct(rows, columns).partition("\n")[2], columns=columns)
    assert facts(done) == [[10, 600, 8]] * 8


TASKS = "task instances job status start end cpu mem".split()
TASK_MAP = map_of(submit="start", end="end", requested_processors="instances")


@pytest.mark.parametrize("by", [",", ";", "\t", "|", " ", "  ", "||", " | ", "☃"])
def test_tables_without_a_header_line(read, by):
    rows = [
        ["task", k, "job", "Ended", 1000 + 10 * k, 1100 + 10 * k, 100, 0.5] for k in range(1, 9)
    ]
    text = "".join(by.join(map(str, values)) + "\n" for values in rows)
    done = read.table(text, by=TASK_MAP, columns=TASKS)
    assert done.jobs["run_time"].tolist() == [100] * 8
    assert done.jobs["requested_processors"].tolist() == [*range(1, 9)]
    assert any("jobs start when they are submitted" in note for note in done.assumed)
    with pytest.raises(LogError, match="--columns names the columns|no column start"):
        read.table(text, by=TASK_MAP)
    with pytest.raises(LogError, match="no separator gives the 5 columns"):
        read.table(text, by=TASK_MAP, columns=TASKS[:5])


def test_a_quoted_field_of_a_table_without_a_header_line_may_hold_commas(read):
    text = "".join(f'{T + k},{T + k + 10},{T + k + 110},4,"a,b, c"\n' for k in range(3))
    done = read.table(text, by=MAP, columns="submit start end n name".split())
    assert facts(done) == [[10, 100, 4]] * 3


def test_a_column_of_swf_beyond_the_18th_can_be_the_size(read):
    lines = "".join(f"{k} {k} 10 100 8 " + "-1 " * 13 + f"{k}\n" for k in (1, 2, 3))
    by = map_of(submit="submit", wait="wait", run_time="run", allocated_processors="gpus")
    columns = ["id", "submit", "wait", "run", *(f"c{k}" for k in range(14)), "gpus"]
    done = read.table("; MaxProcs: 8\n" + lines, by=by, columns=columns)
    assert facts(done) == [[10, 100, 1], [10, 100, 2], [10, 100, 3]]


# Dates.


@pytest.mark.parametrize(
    ("form", "dates", "zone"),
    [
        (
            "%m/%d/%Y %I:%M:%S %p",
            ["10/3/2017 9:00:00 AM", "10/3/2017 9:10:00 AM", "10/3/2017 1:10:00 PM"],
            "America/Los_Angeles",
        ),
        (
            "%Y-%m-%d %H:%M:%S %Z",
            ["2017-10-03 09:00:00 PDT", "2017-10-03 09:10:00 PDT", "2017-10-03 13:10:00 PDT"],
            "America/Los_Angeles",
        ),
        (
            "%a %b %d %H:%M:%S %Y",
            ["Tue Oct  3 18:00:00 2017", "Tue Oct  3 18:10:00 2017", "Tue Oct  3 22:10:00 2017"],
            "Europe/Berlin",
        ),
        (
            "%a %b %d %H:%M:%S %Z %Y",
            [f"Tue Oct  3 {time} UTC 2017" for time in ("16:00:00", "16:10:00", "20:10:00")],
            "Asia/Tokyo",
        ),
        ("%Y%m%d%H%M%S", ["20171003160000", "20171003161000", "20171003201000"], "UTC"),
        (
            "%d/%b/%Y:%H:%M:%S %z",
            [f"03/Oct/2017:{time} +0200" for time in ("18:00:00", "18:10:00", "22:10:00")],
            "UTC",
        ),
    ],
)
def test_dates_in_a_form_of_the_map(read, form, dates, zone):
    text = f"submit,start,end,n\n{','.join(dates)},4\n"
    by = MAP.replace('title = "t"', f'title = "t"\ntime_zone = "{zone}"')
    by = re.sub(r'"(submit|start|end)" }', rf'"\1", format = "{form}" }}', by)
    done = read.table(text, by=by)
    assert facts(done) == [[600, 14400, 4]]
    assert int(done.log.header["UnixStartTime"][0]) == 1_507_046_400
    with pytest.raises(LogError, match="unreadable submit"):
        read.table(text.replace(dates[0], "soon"), by=by)
    if form != "%Y%m%d%H%M%S":
        with pytest.raises(LogError, match="the map's format"):
            read.table(text, by=by.replace(f', format = "{form}"', ""))


def test_the_name_of_a_time_says_which_hour_of_autumn_it_is(read):
    dates = [f"2017-11-05 {time}" for time in ("01:30:00 PDT", "01:00:00 PST", "01:10:00 PST")]
    by = MAP.replace('title = "t"', 'title = "t"\ntime_zone = "America/Los_Angeles"')
    by = re.sub(r'"(submit|start|end)" }', r'"\1", format = "%Y-%m-%d %H:%M:%S %Z" }', by)
    text = f"submit,start,end,n\n{','.join(dates)},4\n"
    assert facts(read.table(text, by=by)) == [[1800, 600, 4]]
    with pytest.raises(LogError, match="name of a time of America/Los_Angeles"):
        read.table(text.replace("PDT", "CET"), by=by)


# Numbers inside texts.


@pytest.mark.parametrize(
    ("texts", "pattern", "sizes"),
    [
        (["1=40,1001=2", "1=40,1001=1"], "(?:^|,)1001=([0-9]+)", [2, 1]),
        (["1=40,1001=2", "1=40"], "(?:^|,)1001=([0-9]+)", [2, -1]),
        (["{'cpu': 3.0}", "{'cpu': 7}"], "'cpu': ([0-9.]+)", [3, 7]),
    ],
)
def test_a_number_inside_a_text_is_the_size(read, texts, pattern, sizes):
    text = "submit,start,end,n\n" + "".join(
        f'{T + k},{T + k + 10},{T + k + 110},"{value}"\n' for k, value in enumerate(texts)
    )
    by = MAP.replace('"n" }', f'"n", pattern = "{pattern}" }}')
    done = read.table(text, by=by, processors=64)
    assert done.jobs["allocated_processors"].tolist() == sizes
    assert total(done.remarks, "does not match its pattern") == sizes.count(-1)
    with pytest.raises(LogError, match="pattern takes one out of a text"):
        read.table(text, by=MAP)


def test_a_pattern_serves_any_field(read):
    text = f"submit,start,end,n,limit\nat {T}s,{T + 10},{T + 110},4,walltime=3600;mem=4\n"
    by = MAP.replace('"submit" }', '"submit", pattern = "at (.*)s" }')
    by += 'requested_time = { column = "limit", pattern = "walltime=([^;]*)" }\n'
    done = read.table(text, by=by)
    assert facts(done) == [[10, 100, 4]] and done.jobs["requested_time"].tolist() == [3600]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('pattern = "n=[0-9]+"', "pattern .*: 0 groups; expected one"),
        ('pattern = "(n)=([0-9]+)"', "2 groups; expected one"),
        ('pattern = "(n"', "pattern .*unterminated"),
        ('format = "%Y"', "format '%Y'; expected one of submit, start, end"),
        ("pattern = 5", "pattern 5"),
    ],
)
def test_unusable_patterns_and_forms_are_refused(read, rule, message):
    by = MAP.replace('"n" }', f'"n", {rule} }}')
    with pytest.raises(LogError, match=message):
        read.table("submit,start,end,n\n1,2,3,4\n", by=by)


# Entries of lists.


def attempts(*times, gpus=(("a", "b"), ("c",))):
    detail = [{"ip": "m", "gpus": [*of]} for of in gpus]
    return [{"start": T + s, "end": T + e, "detail": detail} for s, e in times]


def test_names_reach_into_lists(read):
    records = [
        {"submit": T, "attempts": attempts((30, 90))},
        {"submit": T + 1, "attempts": attempts((31, 50), (61, 91))},
        {"submit": T + 2, "attempts": attempts((32, 92), gpus=(("a",),))},
        {"submit": T + 3, "attempts": []},
    ]
    by = MAP.replace('"start"', '"attempts.0.start"').replace('"end"', '"attempts.-1.end"')
    by = by.replace('"n"', '"attempts.0.detail.gpus"')
    done = read.table(json.dumps(records), by=by)
    assert facts(done) == [[30, 60, 3], [30, 60, 3], [30, 60, 1]]
    assert total(done.left_out, "waiting") == 1
    retried = read.table(json.dumps(records), by=by.replace("-1.end", "1.end"))
    assert len(retried.jobs) == 1
    with pytest.raises(
        LogError, match=r"no column attempts.end; .*; in a list, attempts.0.end is its"
    ):
        read.table(json.dumps(records), by=by.replace("-1.end", "end"))


# The machine.


def overlapping(n, size):
    """Return n jobs of an hour, one each five minutes, none of which waited."""
    text = "JobID|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS\n"
    for k in range(n):
        begin, end = (pd.Timestamp(T + 300 * k + s, unit="s").isoformat() for s in (0, 3600))
        text += f"{k}|COMPLETED|{begin}|{begin}|{end}|3600|120|{size // 2}|{size}\n"
    return text


@pytest.mark.parametrize(("size", "machine"), [(2, 12), (16, 64), (2, 23), (160, 1000)])
def test_a_machine_smaller_than_what_was_in_use(read, tmp_path, size, machine):
    text, most = overlapping(100, size), 12 * size
    message = f"at 2026-02-02 08:55:00 {most:,} allocated .*machine of {machine:,}.*{most} or more"
    with pytest.raises(LogError, match=message):
        read.sacct(text, processors=machine)
    assert read.sacct(text, processors=most).log.max_procs == most
    assert read.sacct(text, processors=machine, smaller_machine=True).log.max_procs == machine
    assert rp.load(read.written).machine == machine
    read.sacct(text)
    with pytest.raises(ValueError, match=f"machine {machine:,}.*--processors {most}"):
        rp.load(read.written, machine=machine)
    assert rp.load(read.written, machine=machine, smaller_machine=True).machine == machine


def test_a_map_with_a_smaller_machine(read):
    text = "submit,start,end,n\n" + "".join(row(k, limit="") for k in range(3)).replace(",\n", "\n")
    by = MAP.replace("[fields]", "processors = 8\n[fields]", 1)
    with pytest.raises(LogError, match="12 allocated processors were in use, on a machine of 8"):
        read.table(text, by=by)
    assert read.table(text, by=by, smaller_machine=True).log.max_procs == 8
    assert read.table(text, by=by, processors=12).log.max_procs == 12


def test_a_machine_within_1_per_cent(read):
    assert read.sacct(overlapping(100, 16), processors=191).log.max_procs == 191


def test_suspended_jobs_do_not_count_as_in_use(read):
    rows = [job(k, k, Suspended="00:00:00") for k in (2, 3)]
    rows.append(job(1, Suspended="00:09:00", Elapsed="00:10:00", End=f"{B}19:10"))
    text = sacct(rows, [*COLUMNS[:7], "AllocCPUS", "Elapsed", "Suspended"])
    assert read.sacct(text, processors=16).log.max_procs == 16


# Suspension in PBS.


def suspended(number, walltime, second=0, hours=3):
    """Return the end record of a job that was started 30 s after its submission."""
    line = run(number, second, "Resource_List.select=1:ncpus=8")
    end = T + second + 30 + 3600 * hours
    line = line.replace(f"end={T + second + 630}", f"end={end}")
    date = pd.Timestamp(end, unit="s").strftime("%m/%d/%Y %H:%M:%S")
    line = line.replace("02/02/2026 08:10:30", date)
    return line.replace("Exit_status", f"resources_used.walltime={walltime} Exit_status")


def records(number, *events):
    return "".join(f"02/02/2026 {time};{kind};{number}.srv;requestor=s\n" for kind, time in events)


@pytest.mark.parametrize(
    ("more", "walltime", "run_time", "left"),
    [
        ("", "01:00:00", 3600, 0),  # a wall time that stood still
        ("", "02:59:30", 10800, 0),  # the delay of the daemon
        ("", "00:00:00", 10800, 0),  # a job that no daemon measured
        (records(1, ("z", "09:00:00"), ("r", "11:00:00")), "01:00:00", 3600, 2),
        (records(1, ("z", "09:00:00"), ("r", "11:00:00")), "03:00:00", 3600, 2),
        (records(1, ("z", "09:00:00")), "03:00:00", 3570, 1),  # to the end, at 11:00:30
        (records(2, ("z", "09:00:00"), ("r", "11:00:00")), "03:00:00", 10800, 2),
        (
            records(1, ("z", "09:00:00"), ("r", "09:10:00"), ("z", "10:00:00"), ("r", "10:20:00")),
            "02:30:00",
            9000,
            4,
        ),
    ],
)
def test_suspended_time_of_pbs_is_no_run_time(read, more, walltime, run_time, left):
    done = read.pbs(more + suspended(1, walltime))
    assert facts(done) == [[30, run_time, 8]]
    assert sum(n for _, n in done.left_out) == left
    assert total(done.remarks, "suspended for a time") == (run_time < 10800)


def test_letters_of_records_that_nobody_described_are_left_out_by_their_letter(read):
    lines = "".join(f"02/02/2026 09:00:00;{kind};7.srv;a=b\n" for kind in "zrJXv")
    done = read.pbs(lines + run(1))
    assert len(done.jobs) == 1
    for kind in "zrJXv":
        assert total(done.left_out, f"records of type {kind} ") == 1
    with pytest.raises(LogError, match="torn or no accounting records"):
        read.pbs(run(1), "02/02/2026 09:00:00;XX;7.srv;a=b\n")


# Fractions of seconds.


def fractions(starts, size=2):
    rows = [f"{a:.4f},{b:.4f},{c:.4f},{size}\n" for a, b, c in starts]
    return "submit,start,end,n\n" + "".join(rows)


@pytest.mark.parametrize("step", [10.6, 10.5, 0.7, 4 / 3])
def test_a_possible_schedule_with_fractions_stays_possible(read, step):
    ends = [k * step for k in range(42)]
    done = read.table(fractions(zip([0] * 41, ends, ends[1:])), by=MAP, processors=2)
    jobs = done.jobs
    start = (jobs["submit"] + jobs["wait"]).to_numpy()
    end = start + jobs["run_time"].to_numpy()
    assert (start[1:] >= end[:-1]).all() and done.log.max_procs == 2
    assert end[-1] == int(41 * step + 0.5)
    assert total(done.remarks, "with times rounded to seconds") > 20


def test_limits_are_rounded_upwards(read):
    text = "submit,start,end,n,limit\n0.0,0.4,10.6,2,10.2\n0,20,30,2,10\n"
    by = MAP + 'requested_time = { column = "limit" }\n'
    done = read.table(text, by=by)
    assert facts(done) == [[0, 11, 2], [20, 10, 2]]
    assert done.jobs["requested_time"].tolist() == [11, 10]
    assert total(done.remarks, "ran longer than their limit") == 0


# Words of messages and pages.


def test_gpus_can_be_the_size(read):
    rows = [job(k, k, AllocTRES=f"cpu=8,gres/gpu={k + 1}") for k in range(3)]
    done = read.sacct(sacct(rows, [*COLUMNS[:7], "AllocTRES", "TimelimitRaw"]), size="gpus")
    assert facts(done) == [[10, 600, 1], [10, 600, 2], [10, 600, 3]]
    line = run(1, request="Resource_List.select=1:ncpus=8:ngpus=2 Resource_List.ngpus=2")
    assert read.pbs(line, size="gpus").jobs["requested_processors"].tolist() == [2]


@pytest.mark.parametrize("module", ["gzip", "lzma", "bz2"])
def test_compressed_files_are_read_whatever_their_name(read, module):
    compress = __import__(module).compress
    path = read.folder / "sacct.txt"
    path.write_bytes(compress(overlapping(3, 2).encode()))
    assert len(slurm.convert(path).jobs) == 3
    path.write_bytes(compress(overlapping(3, 2).encode())[:-9])
    with pytest.raises(LogError, match="truncated|damaged"):
        slurm.convert(path)


def test_a_home_is_known(read, monkeypatch):
    monkeypatch.setenv("HOME", str(read.folder))
    (read.folder / "a").write_text(overlapping(3, 2))
    args = ["convert", "slurm", "~/a", "--out", "~/o.swf", "--key-file", "~/key"]
    assert CliRunner().invoke(main, args).exit_code == 0
    assert len(rp.load("~/o.swf")) == 3
    (read.folder / "map.toml").write_text(MAP)
    assert tables.read_map("~/map.toml").title == "t"


#: Options of other programs that messages and pages name.
OTHERS = {
    "sacct": "--allusers --delimiter --duplicates --endtime --format --json --noheader --parsable "
    "--parsable2 --starttime"
}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")


def options(command):
    """Return the options of a command and of its subcommands."""
    of_all = [options(subcommand) for subcommand in getattr(command, "commands", {}).values()]
    return {name for param in command.params for name in param.opts}.union({"--help"}, *of_all)


def test_every_option_that_a_message_or_a_page_names_exists():
    """A message that begins with a command of this package, here or in the simulator, names its
    options; all others those of any command.
    """
    allowed = options(main) | {*" ".join(OTHERS.values()).split()}
    package = Path(tables.__file__).parent
    wrong = []
    for path in [*package.glob("*.py"), *package.glob("*.toml"), *FOLDER.glob("*.md"),
                 *FOLDER.glob("docs/*.md")]:  # fmt: skip
        wrong += [(path.name, name) for name in {*OPTION.findall(path.read_text())} - allowed]
    for kind in KINDS:
        for command, rest in re.findall(r"convert (\w+) FILE([^,;(\"\n]*)", str(kind)):
            missing = {*OPTION.findall(rest)} - options(main.commands["convert"].commands[command])
            wrong += [(kind.name, command, name) for name in missing]
    assert wrong == []
