"""The report on a cluster's log: assumptions, similarity of the replay, advice, and the page."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import replication as rp
import replication_cluster
from replication_cluster import advice, case, replay, report, study, swf
from replication_cluster.cli import main
from replication_cluster.files import LogError
from test_slurm import record, write


def written(tmp_path, header=(" MaxProcs: 8",), **columns):
    """Write an SWF file of four jobs, each alone on the machine."""
    given = {
        "submit": [0] * 4,
        "wait": [0, 10, 20, 30],
        "run_time": [10] * 4,
        "allocated_processors": [8] * 4,
        "requested_processors": [8] * 4,
        "requested_time": [20] * 4,
        "user": [1, 1, 2, 2],
    }
    swf.write(tmp_path / "log.swf", swf.from_columns(given | columns, header))
    return tmp_path / "log.swf"


def busy(jobs=400, users=12):
    """Return a workload in which jobs queue, over nine weeks."""
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 9 * 7 * 86400, jobs))
    run_time = rng.integers(60, 40_000, jobs)
    size, factor = rng.integers(1, 17, jobs), rng.integers(1, 6, jobs)
    user = rng.integers(0, users, jobs)
    return rp.Workload.from_columns(
        "busy", 16, submit, run_time, size, run_time * factor, user=user
    )


BUSY = busy()
EASY = rp.simulate(BUSY)


def case_of(workload, wait=np.nan, **changes):
    """Return the case of a workload with these waits as those of its log."""
    return replace(case.Case(workload, np.full(len(workload), 0.0) + wait, "invented"), **changes)


@pytest.fixture(scope="module")
def result():
    """The study of a log that EASY wrote."""
    partition = np.arange(len(BUSY)) % 2 + 1
    facts = {"began": 1_700_000_000, "partition": partition, "names": {1: r"$\foo$", 2: "<b>"}}
    return study.study(case_of(BUSY, EASY.wait, **facts))


@pytest.fixture(scope="module")
def page(result):
    return report.Report(result)


def test_only_public_names_of_replication_are_used():
    for path in Path(replication_cluster.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module.split(".")[0] != "replication", path
            if isinstance(node, ast.Import):
                modules = [one.name for one in node.names if one.name.startswith("replication.")]
                assert not modules, path
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "rp":
                assert node.attr in rp.__all__, (path, node.attr)


def test_a_complete_log_needs_no_assumption(tmp_path):
    one = case.load(written(tmp_path))
    assert (one.assumed, one.estimated, one.inferred) == ((), 1, False)
    assert one.logged_wait.tolist() == [0, 10, 20, 30]
    assert one.workload.machine == 8 and "partition" not in one.groups


def test_jobs_without_estimates_are_counted_and_get_the_longest(tmp_path):
    one = case.load(written(tmp_path, requested_time=[3600, -1, 20, 2**31 - 1]))
    assert one.estimated == 0.75
    assert "including those left out: 1." in one.assumed[0]
    assert one.workload.estimate.tolist() == [3600, 3600, 20, 2**31 - 1]  # years are no limit
    same = rp.load(tmp_path / "log.swf", more=["requested_time"])
    _, estimate = rp.Users(missing="longest").make(same)
    assert estimate.tolist() == one.workload.estimate.tolist()


def test_a_machine_of_unknown_size(tmp_path):
    assert case.load(written(tmp_path, header=(" MaxNodes: 8 (all)",))).workload.machine == 8
    path = written(tmp_path, header=(), wait=[0, 0, 10, 20])
    one = case.load(path)
    assert (one.workload.machine, one.inferred) == (16, True)
    assert case.load(path, processors=32).workload.machine == 32
    with pytest.raises(LogError, match="give --processors"):
        case.load(written(tmp_path, header=(), wait=[-1] * 4))


def test_unusable_jobs_are_left_out_and_counted(tmp_path):
    columns = {"requested_processors": [8, 9, 8, 8], "run_time": [10, 10, 0, -1]}
    one = case.load(written(tmp_path, **columns))
    assert len(one.workload) == 1
    assert dict(one.counted) == {
        "left out: the run time is unknown": 1,
        "left out: the run time is 0": 1,
        "left out: more processors than the machine has": 1,
    }


def test_partitions_have_the_names_of_the_header_and_weeks_have_dates(tmp_path):
    header = (" MaxProcs: 8", " UnixStartTime: 1767225600", " Queue: 1 express (2h)")
    one = case.load(written(tmp_path, header=header, queue=[1, 2, 2, 3]))
    assert list(one.groups["partition"]) == ["express", "2", "2", "3"]
    assert str(one.groups["week"][0]) == "2026-01-01 00:00:00"


def test_a_line_that_is_no_job_is_named(tmp_path):
    path = written(tmp_path)
    text = path.read_text()
    path.write_text(text + "no job\n")
    with pytest.raises(LogError, match="log.swf, line 6: 2 fields; expected 18"):
        case.load(path)
    path.write_text(text.replace(" 20 20 ", " 20 x ", 1).replace("3 0 20", "3 0 2x"))
    with pytest.raises(LogError, match="log.swf, line 4, wait: '2x'; expected a whole number"):
        case.load(path)


def test_sacct_is_recognized_by_its_first_line(tmp_path):
    path = write(tmp_path / "sacct.txt", record(), record(JobID="2", JobIDRaw="2", AllocCPUS="8"))
    assert case.batch_system(path) == "slurm"
    one = case.load(path, zone="UTC")
    assert one.workload.processors.tolist() == [8, 4]
    assert dict(one.counted)["given more processors than requested"] == 1
    with pytest.raises(LogError, match="zone can be given for a batch system's log only"):
        case.load(written(tmp_path), zone="UTC")


@pytest.mark.parametrize("factor, value", [(1, 1), (2, 2 / 3), (0.5, 2 / 3), (3, 1 / 2), (0, 0)])
def test_similarity_of_waits_that_are_a_multiple(factor, value):
    table = replay.group_waits(case_of(BUSY, factor * EASY.wait), EASY)
    assert replay.similarity(table).to_dict() == pytest.approx({"week": value, "size": value})


def test_the_right_total_in_the_wrong_weeks_is_not_similar():
    # By hand: ten hours each, an hour of which in the same week.
    table = pd.DataFrame(
        {"by": "week", "jobs": 1, "logged, h": [9.0, 1.0], "replayed, h": [0.0, 10.0]}
    )
    assert replay.similarity(table)["week"] == pytest.approx(1 - 18 / 20)


@pytest.mark.parametrize(
    "one, words",
    [
        (case_of(BUSY), "does not state how long its jobs waited"),
        (case_of(BUSY, EASY.wait, estimated=0.9), "10 % of the jobs came without an estimate"),
        (case_of(BUSY, EASY.wait, inferred=True), "does not state the size of the machine"),
        (case_of(BUSY, EASY.wait + 10**6), "does not resemble the cluster"),
        (case_of(BUSY.take(slice(30)), EASY.wait[:30]), "shorter than a week"),
    ],
)
def test_advice_is_withheld_with_the_reason(one, words):
    reasons = replay.withheld(one, replay.group_waits(one, rp.simulate(one.workload)))
    assert words in " ".join(reasons)


def test_features_that_are_not_simulated_are_measured():
    w = rp.Workload.from_columns("two", 2, [0, 0, 1, 2], [10] * 4, [2, 2, 2, 2], user=[1, 1, 2, 2])
    in_order, out_of_order = np.array([0, 10, 19, 28]), np.array([0, 30, 19, 8])
    assert replay.overtaken(w, in_order, np.zeros(4)) == 0
    assert replay.overtaken(w, out_of_order, np.zeros(4)) == pytest.approx(2 / 3)
    # The third job waits from 1 to 30, and all processors were idle from 20 on.
    late = np.array([0, 10, 29, 38])
    assert replay.idle_share(w, late) == pytest.approx(20 / late.sum())
    assert replay.peak(w, late) == 2


def test_percentages_in_words():
    values = {-0.23: "−23 %", 0.004: "+0.4 %", 0.0: "0 %", 2.5: "×3.5", float("nan"): "–"}
    assert {value: advice.percent(value) for value in values} == values


def test_gains_add_up(result):
    table = study.gains(result)
    assert set(table["by"]) == {"size", "run time", "user", "partition"}
    for _, own in table.groupby("by"):
        assert own["jobs"].sum() == len(BUSY)
        mean = np.average(own["mean wait, h"] * (1 + own["Conservative"]), weights=own["jobs"])
        assert mean == pytest.approx(result.schedules["Conservative"].wait.mean() / 3600)


def test_overview(result):
    rows = study.overview(result).set_index("scheduler")
    assert rows.loc["PV-EASY", "runs killed"] > 0
    assert rows.loc["EASY", ["change", "low", "high"]].tolist() == [0, 0, 0]
    assert (rows["low"] <= rows["change"]).all() and (rows["change"] <= rows["high"]).all()


def changes(**rows):
    """Return a table like that of `study.changes` from changes and upper bounds."""
    return pd.DataFrame(
        [
            [name.replace("_", "-"), 100 * (1 + change), change, change - 0.1, high]
            for name, (change, high) in rows.items()
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
        # FCFS does not backfill and PV-EASY kills: neither is recommended.
        ({"FCFS": (-0.9, -0.8), "PV_EASY": (-0.9, -0.9), "SJF_EASY": (0.1, 0.2)}, None),
    ],
)
def test_the_rule_of_the_recommendation(rows, best):
    assert study.best(changes(EASY=(0, 0), **rows)) == best


def test_advice(result, page):
    better = replace(result)
    better.__dict__["recommended"] = "SJF-EASY"
    (heading, words), _, (_, losers) = advice.recommend(better, page.overview, page.gains)
    assert heading == "Switch to SJF-EASY." and "corrected" in words
    assert "run time above 8 h" in losers
    for changed, expected in [
        ({"estimated": 0.5}, advice.NONE),
        ({"logged_wait": np.full(len(BUSY), np.nan)}, advice.NONE),
        ({"logged_wait": np.zeros(len(BUSY))}, advice.NOTHING),
        ({}, advice.KEEP),
    ]:
        other = replace(result, case=replace(result.case, **changed))
        assert advice.recommend(other, page.overview, page.gains)[0][0] == expected


def test_the_page_is_reproducible_and_escapes_names(page, tmp_path):
    html = page.html()
    assert html.startswith("<!doctype html>") and html == page.html()
    assert "Similarity: 1.00 by week, 1.00 by size" in html
    assert "<b>" not in html and "&lt;b&gt;" in html
    page.write(tmp_path / "a.csv")
    assert set(pd.read_csv(tmp_path / "a.csv")["table"]) == {*report.TABLES, "replay"}


@pytest.mark.parametrize(
    "workload",
    [
        rp.Workload.from_columns("one", 4, [0], [10], [4]),
        rp.Workload.from_columns("quiet", 64, range(0, 5000, 100), [10] * 50, [1] * 50),
    ],
)
def test_small_and_quiet_logs(workload):
    one = report.Report(study.study(case_of(workload, 1.0)))
    assert "shorter than a week" in " ".join(one.notices)
    assert one.html()


def test_from_sacct_to_the_page_with_one_command(tmp_path):
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
    out = [str(tmp_path / f"report.{ending}") for ending in ("html", "csv")]
    words = ["report", str(path), "--out", out[0], "--out", out[1]]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert "assumed: The machine has 4 processors" in done.output and advice.NONE in done.output
    assert all(Path(one).stat().st_size > 1000 for one in out)


@pytest.mark.parametrize(
    "words, code", [(["nowhere.swf", "--out", "a.html"], 1), (["nowhere.swf", "--out", "a.txt"], 2)]
)
def test_the_command_fails_with_a_message(words, code):
    done = CliRunner().invoke(main, ["report", *words])
    assert done.exit_code == code and "Error" in done.output


def test_the_notebook_runs(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.chdir(tmp_path)
    path = Path(__file__).parents[1] / "notebooks" / "your_cluster.ipynb"
    variables = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, variables)
            if "parameters" in cell.metadata.get("tags", []):
                variables["log"] = str(written(tmp_path))
    assert (tmp_path / "your_cluster.html").is_file()
