"""A cluster's own log: what is assumed, how near the replay is, when there is no advice, and the pages."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from replication.__main__ import main
from replication.cluster import advice, log, replay, report, study
from replication.cluster.accounting.slurm import SlurmError
from replication.simulator import paths, plans, swf
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload
from tests.in_process import in_process
from tests.logs.test_slurm import record, write


def written(tmp_path, name="log.swf", header=(" MaxProcs: 8",), **columns):
    """An SWF file of four jobs, each alone on the machine as logged."""
    given = {
        "wait": [0, 10, 20, 30],
        "run_time": [10, 10, 10, 10],
        "allocated_processors": [8, 8, 8, 8],
        "requested_processors": [8, 8, 8, 8],
        "requested_time": [20, 20, 20, 20],
        "user": [1, 1, 2, 2],
    }
    swf.write(
        tmp_path / name, swf.Trace.from_columns([0, 0, 0, 0], comments=header, **given | columns)
    )
    return tmp_path / name


def load(path, **how):
    """The only machine of a log."""
    (case,) = log.machines(path, **how)
    return case


def busy(jobs=400, seed=1, users=12):
    """A workload in which jobs queue, over nine weeks."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 9 * 7 * 86400, jobs))
    run_time = rng.integers(60, 40_000, jobs)
    return Workload.from_columns(
        "busy",
        16,
        submit,
        run_time,
        rng.integers(1, 17, jobs),
        run_time * rng.integers(1, 6, jobs),
        user=rng.integers(0, users, jobs),
    )


BUSY = busy()
EASY = simulate(BUSY)


def case_of(workload, wait=np.nan, **changes):
    """The case of a workload that was made, with these waits as those of its log."""
    return replace(log.Case(workload, np.full(len(workload), 0.0) + wait, "made"), **changes)


@pytest.fixture(scope="module")
def found():
    """The study of a log that EASY wrote."""
    partition = np.arange(len(BUSY)) % 2 + 1
    facts = {"began": 1_700_000_000, "partition": partition, "names": {1: "batch"}}
    return study.study(case_of(BUSY, EASY.wait, **facts), progress=False)


@pytest.fixture(scope="module")
def pages(found):
    return report.Report(found)


def said(case, words):
    """Whether one of the assumptions holds these words."""
    return any(words in sentence for sentence in case.assumed)


# ---- the log


def test_a_whole_log_needs_no_assumption(tmp_path):
    case = load(written(tmp_path))
    assert (case.assumed, case.counted, case.estimated, case.sizes) == ((), (), 1, None)
    assert case.logged_wait.tolist() == [0, 10, 20, 30]
    assert case.workload.machine == 8
    assert "partition" not in case.groups


def test_jobs_without_estimates_are_counted_and_get_the_longest(tmp_path):
    case = load(written(tmp_path, requested_time=[-1] * 4, run_time=[10, 10, 7200, 10]))
    assert case.estimated == 0
    assert case.workload.estimate.tolist() == [7200] * 4
    assert said(case, "No job has an estimate")
    case = load(written(tmp_path, requested_time=[3600, -1, 20, 20]))
    assert case.estimated == 0.75
    assert said(case, "without an estimate, those left out among them: 1.")
    assert case.workload.estimate.tolist() == [3600, 3600, 20, 20]
    case = load(written(tmp_path, requested_time=[2**31 - 1, -1, 3600, 20]))
    assert case.workload.estimate.tolist() == [2**31 - 1, 3600, 3600, 20]  # years are no limit


def test_a_machine_without_processors(tmp_path):
    case = load(written(tmp_path, header=(" MaxNodes: 8 (all)",)))
    assert case.workload.machine == 8
    assert said(case, "8 nodes and no processors")
    path = written(tmp_path, header=(), wait=[0, 0, 10, 20])
    case = load(path)
    assert case.workload.machine == 16
    assert said(case, "The machine has 16 processors: the most that the log's jobs held at once")
    assert load(path, processors=32).workload.machine == 32
    assert load(path, processors=32).sizes is None
    with pytest.raises(log.ClusterError, match="give --processors"):
        load(written(tmp_path, header=(), wait=[-1] * 4))


def test_the_sizes_that_a_log_allows():
    def trace(*peaks):
        """A log whose weeks have these peaks, and a moment's overlap of one more in the last."""
        weeks = range(len(peaks))
        submit = [k * log.WEEK for k in weeks] + [(len(peaks) - 1) * log.WEEK + 5]
        return swf.Trace.from_columns(
            submit,
            wait=[0] * len(submit),
            run_time=[86400] * len(peaks) + [1],
            allocated_processors=[*peaks, 1],
        )

    assert log.sizes(trace(9, 10, 9)) == (10, 10)  # two weeks with the same peak leave nothing open
    assert log.sizes(trace(10, 12, 12)) == (
        12,
        26,
    )  # but 13 was held for a second: 13 + 19, at most 26
    assert log.sizes(trace(12, 11)) == (12, 12)
    assert log.sizes(trace(5)) == (5, 12)  # of one week nothing is known


def test_jobs_larger_than_the_machine_are_left_out_and_counted(tmp_path):
    case = load(written(tmp_path, requested_processors=[8, 9, 8, 8]))
    assert len(case.workload) == 3
    assert dict(case.counted) == {"left out: more processors than the machine has": 1}


def test_partitions_have_the_header_s_names_and_weeks_have_dates(tmp_path):
    header = (
        " MaxProcs: 8",
        " UnixStartTime: 1767225600",
        " Queue: 1 express (2h)",
        " Queue: 2 normal",
    )
    case = load(written(tmp_path, header=header, queue=[1, 2, 2, 3]))
    assert list(case.groups["partition"]) == ["express", "normal", "normal", "3"]
    assert str(case.groups["week"][0]) == "2026-01-01 00:00:00"


def test_sacct_is_known_by_its_first_line(tmp_path):
    path = write(tmp_path / "sacct.txt", record(), record(JobID="2", JobIDRaw="2", AllocCPUS="8"))
    assert log.batch_system(path) == "slurm"
    assert log.batch_system(written(tmp_path)) is None
    case = load(path, zone="UTC")
    assert case.form == "output of sacct"
    assert case.workload.processors.tolist() == [8, 4]
    assert said(case, "A job's size is what it was given")
    assert dict(case.counted)["given more processors than asked for"] == 1
    with pytest.raises(log.ClusterError, match="zone can be given for a batch system's log only"):
        load(written(tmp_path), zone="UTC")


@pytest.mark.parametrize("first", ["JobID JobIDRaw Submit", "Account AllocCPUS JobIDRaw Submit"])
def test_space_separated_output_is_answered_with_what_to_do(tmp_path, first):
    path = tmp_path / "sacct.txt"
    path.write_text(f"{first}\n-------- ----\n1 1 2026-03-01T10:00:00\n")
    with pytest.raises(SlurmError, match="separated by blanks .use --parsable2"):
        load(path)


def several(tmp_path):
    """Two partitions that share n2 but no node with the third."""
    nodes = [("batch", "n[1-2]"), ("long", "n[2-4]"), ("gpu", "g1"), ("batch", "n1")]
    return write(
        tmp_path / "sacct.txt",
        *(
            record(JobID=str(k), JobIDRaw=str(k), Partition=name, NodeList=held)
            for k, (name, held) in enumerate(nodes, start=1)
        ),
    )


def test_partitions_on_nodes_of_their_own_are_machines_of_their_own(tmp_path):
    cases = log.machines(several(tmp_path))
    assert [case.workload.name for case in cases] == ["sacct-batch-long", "sacct-gpu"]
    assert [(len(case.workload), case.workload.machine) for case in cases] == [(3, 12), (1, 4)]
    assert list(cases[0].groups["partition"]) == ["batch", "long", "batch"]
    assert said(cases[1], "Only gpu: no other partition has nodes of it")
    assert load(several(tmp_path), partitions=["gpu"]).workload.machine == 4
    with pytest.raises(log.ClusterError, match="batch, long; gpu"):
        log.machines(several(tmp_path), processors=16)


def test_an_unknown_partition_is_answered_with_those_that_exist(tmp_path):
    with pytest.raises(SlurmError, match="'gup' not there; allowed: batch, gpu, long"):
        log.machines(several(tmp_path), partitions=["gup", "gpu"])


def test_without_nodes_there_is_one_machine(tmp_path):
    rows = [record(NodeList=""), record(JobID="2", JobIDRaw="2", Partition="gpu")]
    assert len(log.machines(write(tmp_path / "sacct.txt", *rows))) == 1


def test_a_log_of_torque(tmp_path):
    path = tmp_path / "20260301"
    path.write_text(
        "".join(
            f"03/01/2026 1{k}:00:00;E;{k}.server;user=ann group=physics jobname=a queue=batch ctime=1772359200 "
            f"qtime=1772359200 etime=1772359200 start={1772359200 + 100 * k} owner=ann@x exec_host=n1/0+n1/1 "
            f"Resource_List.nodes=1:ppn=2 Resource_List.walltime=01:00:00 session=1 end={1772359300 + 100 * k} "
            "Exit_status=0 resources_used.walltime=00:01:40\n"
            for k in range(3)
        )
    )
    assert log.batch_system(path) == "torque"
    case = load(path)
    assert (len(case.workload), case.workload.machine) == (3, 2)
    assert case.logged_wait.tolist() == [0, 100, 200]
    with pytest.raises(log.ClusterError, match="cluster can be given for sacct's output only"):
        load(path, cluster="x")


# ---- the replay against the log


@pytest.mark.parametrize(
    "factor, near", [(1, 1), (2, 2 / 3), (0.5, 2 / 3), (3, 1 / 2), (6, 2 / 7), (0, 0)]
)
def test_nearness_of_waits_that_are_a_multiple(factor, near):
    table = replay.held(case_of(BUSY, factor * EASY.wait), EASY)
    assert replay.nearness(table).to_dict() == pytest.approx({"week": near, "size": near})


@pytest.mark.parametrize("factor, there", [(1.9, True), (2.1, False), (0.55, True), (0.45, False)])
def test_there_is_advice_up_to_a_factor_of_two(factor, there):
    case = case_of(BUSY, factor * EASY.wait)
    assert (replay.withheld(case, replay.held(case, EASY)) == []) == there


def test_the_right_total_in_the_wrong_weeks_is_no_likeness():
    wait = EASY.wait[::-1].astype(float)
    near = replay.nearness(replay.held(case_of(BUSY, wait), EASY))
    assert near["week"] < near["size"] and near["week"] < 0.9
    # By hand: ten hours each, an hour of which in the same week.
    table = pd.DataFrame(
        {"by": "week", "jobs": 1, "logged, h": [9.0, 1.0], "replayed, h": [0.0, 10.0]}
    )
    assert replay.nearness(table)["week"] == pytest.approx(1 - 18 / 20)
    assert (
        replay.nearness(table * {"by": 1, "jobs": 1, "logged, h": 0, "replayed, h": 0})["week"] == 1
    )


def test_waits_that_are_not_known_are_left_out():
    wait = np.where(np.arange(len(BUSY)) < 100, np.nan, EASY.wait)
    table = replay.held(case_of(BUSY, wait), EASY)
    assert table.loc[table["by"] == "size", "jobs"].sum() == len(BUSY) - 100
    assert replay.nearness(table).min() == 1


@pytest.mark.parametrize(
    "case, words",
    [
        (case_of(BUSY), "does not say how long its jobs waited"),
        (case_of(BUSY, EASY.wait, estimated=0.9), "10 % of the jobs came without an estimate"),
        (case_of(BUSY, EASY.wait + 10**6), "does not resemble the cluster"),
        (case_of(BUSY.take(slice(30)), EASY.wait[:30]), "shorter than a week"),
    ],
)
def test_advice_is_withheld_with_the_reason(case, words):
    reasons = replay.withheld(case, replay.held(case, simulate(case.workload)))
    assert words in " ".join(reasons)


def test_what_no_scheduler_here_does_is_counted():
    w = Workload.from_columns("two", 2, [0, 0, 1, 2], [10] * 4, [2, 2, 2, 2], user=[1, 1, 2, 2])
    in_order, out_of_order = np.array([0, 10, 19, 28]), np.array([0, 30, 19, 8])
    one = np.zeros(4)
    assert replay.overtaken(w, in_order, one) == 0
    assert replay.overtaken(w, out_of_order, one) == pytest.approx(2 / 3)
    assert replay.overtaken(w, out_of_order, np.array([0, 1, 2, 3])) == 0
    assert replay.overtaken(BUSY, EASY.wait, np.zeros(len(BUSY))) == 0
    # The third waits from 1 to 30, and everything was idle from 20 on; nothing ran for 10 of 50 s.
    late = np.array([0, 10, 29, 38])
    assert replay.idly(w, late) == pytest.approx(20 / late.sum())
    assert replay.stopped(w, late) == pytest.approx(10 / 50)
    assert replay.at_most(w, late) == 2
    table, named = replay.causes(case_of(w, late), simulate(w))
    assert named == ["partitions, reservations or limits", "downtime"]
    assert table.loc[2].tolist()[1:] == pytest.approx([20, 0])


# ---- the study and its advice


def test_percentages_in_words():
    shown = {
        -0.23: "−23 %",
        0.004: "+0.4 %",
        0.0: "0 %",
        -0.0001: "0 %",
        1.5: "+150 %",
        2.5: "×3.5",
        82.4: "×83",
        float("nan"): "–",
    }
    assert {value: advice.percent(value) for value in shown} == shown


def test_gains_add_up(found):
    table = study.gains(found)
    assert set(table["by"]) == {"size", "run time", "user", "partition"}
    for _, own in table.groupby("by"):
        assert own["jobs"].sum() == len(BUSY)
        assert own["share of work"].sum() == pytest.approx(1)
        mean = np.average(own["mean wait, h"] * (1 + own["Conservative"]), weights=own["jobs"])
        assert mean == pytest.approx(found.schedules["Conservative"].wait.mean() / 3600)


def test_the_overview_has_the_audits(found):
    rows = study.overview(found).set_index("scheduler")
    for name, schedule in found.schedules.items():
        assert rows.loc[name, "delayed at the head"] == plans.fairness(schedule)["head_delayed"]
    assert rows.loc["PV-EASY", "delayed at the head"] == 0
    assert rows.loc["PV-EASY", "runs killed"] == len(found.schedules["PV-EASY"].killed_runs) > 0
    assert rows.loc["EASY", ["change", "low", "high"]].tolist() == [0, 0, 0]
    assert (rows["low"] <= rows["change"]).all() and (rows["change"] <= rows["high"]).all()
    assert rows.loc["FCFS", "worse off"] == 12


def test_with_few_users_nothing_is_certain():
    w = busy(users=3)
    table = study.changes({name: simulate(w, study.SCHEDULERS[name]) for name in ("EASY", "FCFS")})
    assert table["low"].isna().all() and table["high"].isna().all()


def test_what_if(found):
    table = found.what_if.set_index("what if")
    assert table.index.tolist() == [*study.ESTIMATES, *study.LOADS, *study.SHARES]
    assert table["change"].iloc[0] == 0
    assert table.loc["10 % less load", "change"] < 0 < table.loc["10 % more load", "change"]
    assert (
        table.loc["10 % more processors", "change"]
        < 0
        < table.loc["10 % fewer processors", "change"]
    )
    invented = study.what_if(case_of(BUSY, estimated=0.0))
    assert invented["what if"].tolist() == ["as it was", *study.LOADS, *study.SHARES]


def changes(**rows):
    """What `study.changes` gives, by hand: change and the upper end of its interval, by scheduler."""
    named = {name.replace("_", "-"): ends for name, ends in rows.items()}
    return pd.DataFrame(
        [
            [name, 100 * (1 + change), change, change - 0.1, high]
            for name, (change, high) in named.items()
        ],
        columns=["scheduler", "mean bounded slowdown", "change", "low", "high"],
    )


@pytest.mark.parametrize(
    "rows, best",
    [
        ({"SJF_EASY": (-0.2, -0.1), "Conservative": (-0.1, -0.05)}, "SJF-EASY"),
        ({"SJF_EASY": (-0.2, 0.01), "Conservative": (-0.1, -0.05)}, None),
        ({"SJF_EASY": (-0.01, -0.001)}, None),
        ({"SJF_EASY": (-0.2, float("nan"))}, None),
        # FCFS does not backfill and PV-EASY kills: neither is recommended, however good.
        ({"FCFS": (-0.9, -0.8), "PV_EASY": (-0.9, -0.9), "SJF_EASY": (0.1, 0.2)}, None),
    ],
)
def test_the_rule_of_the_recommendation(rows, best):
    assert study.best(changes(EASY=(0, 0), **rows)) == best


def test_advice_names_what_it_would_mean_for_whom(found, pages):
    other = replace(found)
    other.__dict__["chosen"] = "SJF-EASY"
    (heading, words), (missed, _), (_, worse), *files = advice.recommend(
        other, pages.overview, pages.gains
    )
    row = pages.overview.set_index("scheduler").loc["SJF-EASY"]
    assert heading == "Switch to SJF-EASY."
    assert f"{row['mean bounded slowdown']:,.1f}" in words and "corrected" in words
    assert "run time above 8 h" in worse and "size" not in worse
    assert missed == "What the replay misses." and ".0 " not in words + worse  # counts are whole
    slurm, pbs = (line for _, line in files)
    assert slurm.startswith("slurm.conf: ") and pbs.startswith("PBS, sched_config: ")


def test_where_the_replay_is_far_from_the_log_nothing_is_advised(found, pages):
    for case, heading in [
        ({"logged_wait": found.case.logged_wait + 10**6}, advice.NONE),
        ({"estimated": 0.5}, advice.NONE),
        ({"logged_wait": np.full(len(BUSY), np.nan)}, advice.NONE),
        ({"logged_wait": np.zeros(len(BUSY))}, advice.NOTHING),
        ({}, advice.KEEP),
    ]:
        told = advice.recommend(
            replace(found, case=replace(found.case, **case)), pages.overview, pages.gains
        )
        assert told[0][0] == heading
        assert not any("Switch" in words for pair in told for words in pair)


def test_a_recommendation_has_to_hold_on_every_machine_that_the_log_allows(found):
    good = changes(EASY=(0, 0), SJF_EASY=(-0.2, -0.1))
    for other, chosen in ((good, "SJF-EASY"), (changes(EASY=(0, 0), SJF_EASY=(0.1, 0.2)), None)):
        one = replace(found, at={20: other})
        one.__dict__["changes"] = good
        assert one.chosen == chosen
    varied = study.study(case_of(BUSY.take(slice(60)), sizes=(16, 20)), progress=False)
    assert list(varied.at) == [20]
    assert (
        varied.at[20]["mean bounded slowdown"].iloc[0]
        < varied.changes["mean bounded slowdown"].iloc[1]
    )


# ---- the pages


def test_the_pages_say_how_near_the_replay_is_before_anything_else(pages):
    prose = [part["source"] for part in pages.parts() if part["type"] == "prose"]
    assert "Nearness: 1.00 by week, 1.00 by size, 1.00 by partition" in prose[0]
    assert prose[1].startswith("## Advice")
    assert [part["type"] for part in pages.parts()][:3] == ["prose", "picture", "table"]


def test_the_same_pages_every_time_as_pdf_html_and_csv(pages, tmp_path):
    for ending, begins in (
        ("pdf", b"%PDF-"),
        ("html", b"<!doctype html>"),
        ("csv", b"table,row,column,value\n"),
    ):
        first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
        pages.write(first)
        pages.write(second)
        assert first.read_bytes().startswith(begins)
        assert first.read_bytes() == second.read_bytes()
    table = pd.read_csv(tmp_path / "a.csv")
    assert set(table["table"]) == {*report.TABLES, "replay"}
    assert "batch" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    "workload",
    [
        Workload.from_columns("one", 4, [0], [10], [4]),
        Workload.from_columns("quiet", 64, range(0, 5000, 100), [10] * 50, [1] * 50),
        Workload.from_columns(
            "#set[text] & $x$ \\ <b>", 1, [0, 0], [50_000, 50_000], [1, 1], user=[1, 2]
        ),
    ],
)
def test_small_and_quiet_logs_and_odd_names_make_pages(workload):
    case = case_of(workload, 1.0, assumed=("*bold* #panic() <b> is text",) * 9)
    made = report.Report(study.study(case, progress=False))
    assert "shorter than a week" in " ".join(made.notices)
    assert made.pages("pdf").startswith(b"%PDF-")
    assert b"<b>" not in made.pages("html")


def test_what_must_be_known_stands_above_everything():
    case = case_of(BUSY.take(slice(60)).replace(stand_in=True), estimated=0.5, sizes=(16, 16))
    made = report.Report(study.study(case, progress=False))
    assert [notice.split()[0] for notice in made.notices[:2]] == ["STAND-IN", "30"]
    assert "16 to 16" in made.notices[2]
    assert "STAND-IN DATA" in " ".join(map(repr, made.show()))


def test_from_sacct_to_the_pages_with_one_command(tmp_path, capsys):
    jobs = [
        record(
            JobID=str(k),
            JobIDRaw=str(k),
            Start=f"2026-03-01T{10 + k}:00:00",
            End=f"2026-03-01T{11 + k}:00:00",
        )
        for k in range(6)
    ]
    path = write(tmp_path / "sacct.txt", *jobs)
    out = [tmp_path / f"report.{ending}" for ending in ("pdf", "html", "csv")]
    words = ["cluster", str(path), *(word for one in out for word in ("--out", str(one)))]
    assert main(words) == 0
    assert "assumed: The machine has 4 processors" in capsys.readouterr().out
    assert all(one.stat().st_size > 1000 for one in out)
    assert main([*words, "--json", "--processors", "64", "--time-zone", "UTC"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["jobs"], facts["processors"]) == (6, 64)
    assert facts["advice"][0].startswith(advice.NONE)
    assert "shorter than a week" in facts["withheld"][0]
    assert {row["scheduler"] for row in facts["overview"]} == set(study.SCHEDULERS)


def test_several_machines_get_a_report_each(tmp_path, capsys):
    out = tmp_path / "report.csv"
    assert main(["cluster", str(several(tmp_path)), "--out", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [one["out"] for one in facts] == [
        [str(tmp_path / f"report-sacct-{name}.csv")] for name in ("batch-long", "gpu")
    ]
    assert not out.exists() and (tmp_path / "report-sacct-gpu.csv").exists()


def test_bad_lines_are_skipped_and_counted(tmp_path, capsys):
    path = written(tmp_path)
    path.write_text(path.read_text() + "no job\n")
    words = ["cluster", str(path), "--out", str(tmp_path / "a.csv")]
    assert main(words) == 1
    assert main([*words, "--bad-lines", "skip"]) == 0
    assert "1  left out: lines" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, code", [(["nowhere.swf", "--out", "a.pdf"], 1), (["KTH-SP2", "--out", "a.txt"], 2)]
)
def test_the_command_fails_in_one_line(capsys, words, code):
    assert main(["cluster", *words]) == code
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("out", ["a.pdf", "link.pdf"])
def test_an_output_that_is_the_input_is_refused(tmp_path, capsys, out):
    path = written(tmp_path, name="a.pdf")
    before = path.read_bytes()
    (tmp_path / "link.pdf").symlink_to(path)
    words = ["cluster", str(path), "--out", str(tmp_path / "b.csv"), "--out", str(tmp_path / out)]
    assert main(words) == 2
    assert "is read as" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    in_process(paths.NOTEBOOKS / "your_cluster.ipynb", trace=str(written(tmp_path)))
    assert (tmp_path / "your_cluster-log.pdf").read_bytes().startswith(b"%PDF-")
