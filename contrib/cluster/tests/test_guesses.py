"""Values that a library would guess, statements that contradict each other, and logs in which
nobody runs.
"""

import pytest

from inputs import HEAD, MAP, NAMED, T, count, facts, job, map_of, row, run, sacct
from replication_cluster import times
from replication_cluster.files import LogError

H, DAY = 3600, 86400
DURATIONS = {  # seconds, or None for a text that is refused
    "60m": H, "2h": 2 * H, "1h30m0s": 5400, "90 min": 5400, "1.5 h": 5400, "250ms": 0.25,
    "1 day": DAY, "2 days 3 hours": 2 * DAY + 3 * H, "3 hours, 5 minutes": 3 * H + 300, "5sec": 5,
    "26:00:00": 26 * H, "6:12:00": 22_320, "1-02:00:00": 26 * H, "2:00:00:00": 2 * DAY,
    "1 day, 6:12:00": 108_720, "0 days 01:00:00": H, "0+01:02:03": 3723, "1:00:00.5": 3600.5,
    "PT1.5H": 5400, "PT1,5H": 5400, "PT36H": 129_600, "PT100H": 360_000, "P1DT2H": 26 * H,
    "P1W": 7 * DAY, "PT90M": 5400, "PT0S": 0, "P0.5D": DAY / 2,
    **dict.fromkeys([
        "P1M", "P1Y", "PT", "P", "P1H", "pt1h", "3 600", "3,600", "1_000", "-5", "0x10", "inf",
        "30m1h", "1h1h", "1h30", "1h 30", "5M", "12 parsecs", "half an hour", "1 hour and 5 min",
        "1:30", "1:2:3", "00:75:00", "00:00:75", "1:00:00,5", "-1 days +23:00:00", "nan", "½ h",
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "seconds"), DURATIONS.items())
def test_a_duration_has_units_or_is_refused(read, text, seconds):
    """Alone, as a run time, and as a limit."""
    assert times.length(text) == seconds
    by = map_of(submit="submit", run_time="run", requested_time="limit", requested_processors="n")
    table = f'submit,run,limit,n\n{T},"{text}","{text}",4\n' + f"{T},77,99,4\n" * 2
    if seconds is None:
        with pytest.raises(LogError, match="row 1, run: .*expected a number .*; 1 of 3 records"):
            read.table(table, by=by)
    else:
        jobs = read.table(table, by=by, processors=64).jobs
        expected = [int(seconds + 0.5), -(-seconds // 1) or -1]
        assert jobs[["run_time", "requested_time"]].iloc[0].tolist() == expected


@pytest.mark.parametrize(
    "text", ["now", "today", "2026-02", "2026-2-2", "2026-02-02 08:00 AM", "1_770_019_200", "NaT"]
)
def test_a_date_is_complete_or_refused(read, text):
    with pytest.raises(LogError, match=f"row 1, submit: '{text}'; expected a date"):
        read.table(HEAD + f"{text},{T},{T + 9},4,\n" + row())


def test_dates_without_a_time_of_the_day_are_refused(read):
    rows = f"2026-02-02,{T},{T + 9},4,\n2026-02-02,{T + 5},{T + 99},4,\n"
    with pytest.raises(LogError, match="submit: '2026-02-02'; expected a date with a time of the"):
        read.table(HEAD + rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('0,600,"3,600",8,\n10,700,900,8,\n', "row 1, end: '3,600'"),
        ('0,600,3600,8,\n"1,040","1,900","5,500",8,\n', "row 2, submit: '1,040'"),
        ('0,600,3600,"1,024",\n10,700,900,8,\n', "row 1, n: '1,024'"),
        ('0,600,3600,8,"7,200"\n10,700,900,8,"3\n600"\n', "row 1, limit: '7,200'"),
    ],
)
def test_a_field_in_quotation_marks_is_whole(read, rows, message):
    with pytest.raises(LogError, match=message):
        read.table(HEAD + rows)


def test_a_quotation_mark_that_does_not_end_is_refused(read):
    with pytest.raises(LogError, match="row 1: "):
        read.table(HEAD.replace("\n", ",name\n") + '0,5,9,8,,"5 in\n1,5,9,8,,disk" x\n')


def serial(day):
    return f"{46055 + day / 24:.10f}"


def test_days_of_a_spreadsheet(read):
    rows = "".join(
        f"{serial(k)},{serial(k + 0.5)},{serial(k + 1.5)},4,3600\n" for k in (8, 9, 30, 500)
    )
    with pytest.raises(LogError, match=f"row 1, submit: '{serial(8)}'; .*days of a spreadsheet"):
        read.table(HEAD + rows)
    by = MAP
    for name in ("submit", "start", "end"):
        by = by.replace(f'column = "{name}"', f'column = "{name}", unit = "sheet"')
    done = read.table(HEAD + rows, by=by, zone="Europe/Berlin")
    assert facts(done) == [[1800, 3600, 4]] * 4
    assert done.log.header["UnixStartTime"] == [str(T - 3600)]


@pytest.mark.parametrize("begin", [0, 0.2, 90_000])
def test_a_log_in_which_nobody_runs_is_refused_with_its_first_values(read, begin):
    rows = [(begin + k / 5, begin + k / 5 + 0.02, begin + k / 5 + 0.04) for k in range(4)]
    rows = "".join(",".join(map(str, times_)) + ",4,\n" for times_ in rows)
    with pytest.raises(LogError, match=f"row 1.*{begin}.*4 of 4 jobs"):
        read.table(HEAD + rows, by=MAP, processors=8)


def test_submissions_that_become_one_second_are_refused(read):
    rows = "".join(f"{k / 10},{k},{k + 100},4,\n" for k in range(5))
    with pytest.raises(LogError, match="row 1: submit '0', .*5 of 5 jobs are submitted"):
        read.table(HEAD + rows.replace("0.0,0,", "0.0,7,"), by=MAP)


def test_jobs_of_one_instant_and_jobs_that_never_ran_are_no_mistake(read):
    at_once = "".join(f"{T},{T + 10 * k},{T + 10 * k + 100},4,\n" for k in range(5))
    assert len(read.table(HEAD + at_once, by=MAP).jobs) == 5
    never = "".join(f"{T + k},,{T + 100},4,\n" for k in range(5))
    assert len(read.table(HEAD + never + row(), by=MAP).jobs) == 6


GPUS = {
    "billing=8,cpu=32,gres/gpu:h100=4,mem=64G": 4,
    "cpu=16,gres/gpu:a100=2,gres/gpu=2": 2,
    "gres/gpu:h100=4,gres/gpu:a100=4": 8,
    "cpu=8,gres/gpu=1,gres/gpu:1g.10gb=1": 1,
    "gres/gpu:1g.10gb=3": 3,
    "gres/gpu=0,gres/gpumem=5G,gres/gpu:a100=2": 0,
}


def test_gpus_are_the_plain_number_or_the_sum_of_the_types(read):
    sizes = {text: size for text, size in GPUS.items() if size}
    rows = [job(k, k, AllocTRES=text) for k, text in enumerate(sizes, 1)]
    done = read.sacct(sacct(rows, [*NAMED, "AllocTRES"]), size="gpus")
    assert done.jobs["allocated_processors"].tolist() == [*sizes.values()]


@pytest.mark.parametrize("text", ["cpu=8,node=1", "", "gres/gpu=0,gres/gpu:a100=2"])
def test_jobs_without_the_unit_that_is_asked_for_are_an_error(read, text):
    rows = [job(1, AllocTRES="gres/gpu:h100=4"), job(2, 5, AllocTRES=text)]
    with pytest.raises(LogError, match="line 3: no number of gpus; 1 of 2 jobs"):
        read.sacct(sacct(rows, [*NAMED, "AllocTRES"]), size="gpus")


def test_far_less_allocated_than_requested_needs_a_choice(read):
    lines = [
        run(k, 10 * k, f"Resource_List.nodes=1 Resource_List.size={4096 * k}", f"nid00012/{k}")
        for k in (1, 2, 3)
    ]
    with pytest.raises(LogError, match="3 processors were allocated and 24,576 requested; .*--siz"):
        read.pbs("".join(lines))
    done = read.pbs("".join(lines), sizes="requested")
    assert (done.log.max_procs, done.log.header["Sizes"]) == (24_576, ["requested processors"])
    assert read.pbs("".join(lines), sizes="allocated").log.max_procs == 3
    whole_nodes = run(1, 0, "Resource_List.ncpus=4", "n1/0*8") + run(2, 9, "Resource_List.ncpus=16")
    assert read.pbs(whole_nodes).log.header["Sizes"] == ["allocated processors"]


CONDOR = map_of(submit="q", start="s", end="e", run_time="wall", requested_processors="n")


def test_a_run_time_beyond_start_and_end_is_counted_and_not_taken(read):
    rows = [
        (0, 36_000, 39_600, 25_200),
        (9, 100, 3700, 3600),
        (20, 100, 1100, 600),
        (30, 7, 99, 99),
    ]
    rows = "".join(
        ",".join(map(str, (T + q, T + s, T + e, wall, 8))) + "\n" for q, s, e, wall in rows
    )
    done = read.table("q,s,e,wall,n\n" + rows, by=CONDOR)
    assert done.jobs["run_time"].tolist() == [3600, 3600, 600, 99]
    assert count(done.remarks, "whose wall is longer than from start to end, by 6.0 h in all") == 1
    assert count(done.remarks, "whose wall is shorter than from start to end, by 400 s in all") == 1


def test_a_wall_time_of_pbs_beyond_start_and_end_is_counted(read):
    done = read.pbs(run(1).replace(" Exit", " resources_used.walltime=10:00:00 Exit"))
    assert facts(done) == [[30, 600, 8]]
    assert count(done.remarks, "whose resources_used.walltime is longer") == 1


def test_an_elapsed_time_of_sacct_beyond_start_and_end_is_counted(read):
    done = read.sacct(sacct([job(1, Elapsed="03:00:00"), job(2)], [*NAMED, "Elapsed"]))
    assert done.jobs["run_time"].tolist() == [600, 600]
    assert count(done.remarks, "whose Elapsed is longer than from start to end, by 2.8 h") == 1


def test_a_limit_of_0_is_none(read):
    rows = row(limit="0") + row(1) + row(2, limit="PT0S")
    done = read.table(HEAD + rows)
    assert done.jobs["requested_time"].tolist() == [-1, 3600, -1]
    assert not any("longer than their limit" in what for what, number in done.remarks if number)
