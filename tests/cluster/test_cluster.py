"""A cluster's own log: what is assumed, what a study counts, what is recommended, and the two pages."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from replication.__main__ import main
from replication.basics import paths
from replication.cluster import advice as cluster_advice
from replication.cluster import log as cluster
from replication.cluster import report as cluster_report
from replication.cluster import study as cluster_study
from replication.logs import swf
from replication.logs.workload import Workload
from replication.schedule import plans
from replication.schedule.simulation import simulate
from tests.in_process import in_process
from tests.logs.test_slurm import record, write


def log(tmp_path, name="log.swf", header=(" MaxProcs: 8",), **columns):
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


def busy(jobs=400, seed=1, estimates=5):
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
        run_time * rng.integers(1, estimates + 1, jobs),
        user=rng.integers(0, 6, jobs),
    )


def case_of(workload, **changes):
    """The case of a workload that was made, not logged."""
    made = cluster.Case(workload, np.full(len(workload), np.nan), "made", "all")
    return replace(made, **changes)


@pytest.fixture(scope="module")
def found():
    """The study of a busy machine."""
    return cluster_study.study(case_of(busy()))


@pytest.fixture(scope="module")
def report(found):
    return cluster_report.Report(found)


def said(case, words):
    """Whether one of the assumptions holds these words."""
    return any(words in sentence for sentence in case.assumed)


def test_a_whole_log_needs_no_assumption(tmp_path):
    case = cluster.load(log(tmp_path))
    assert (case.assumed, case.counted, case.estimates) == ((), (), "all")
    assert case.logged_wait.tolist() == [0, 10, 20, 30]
    assert case.workload.machine == 8


def test_no_estimates(tmp_path):
    case = cluster.load(log(tmp_path, requested_time=[-1] * 4, run_time=[10, 10, 7200, 10]))
    assert case.estimates == "none"
    assert case.workload.estimate.tolist() == [7200] * 4
    assert said(case, "No job has an estimate. All were given the log's longest run time, 2.0 h")


def test_some_estimates(tmp_path):
    case = cluster.load(log(tmp_path, requested_time=[3600, -1, 20, 20]))
    assert case.estimates == "some"
    assert case.workload.estimate.tolist() == [3600, 3600, 20, 20]
    assert said(case, "1 jobs have no estimate. Each was given the longest of the log, 1.0 h")


def test_a_request_for_years_is_no_measure_for_others(tmp_path):
    case = cluster.load(log(tmp_path, requested_time=[2**31 - 1, -1, 3600, 20]))
    assert case.workload.estimate.tolist() == [2**31 - 1, 3600, 3600, 20]


def test_only_nodes(tmp_path):
    case = cluster.load(log(tmp_path, header=(" MaxNodes: 8 (all)",)))
    assert case.workload.machine == 8
    assert said(case, "8 nodes and no processors")


def test_no_machine(tmp_path):
    path = log(tmp_path, header=(), wait=[0, 0, 10, 20])
    case = cluster.load(path)
    assert case.workload.machine == 16
    assert said(case, "The machine has 16 processors: the most that the log's jobs held at once")
    assert cluster.load(path, processors=32).workload.machine == 32
    with pytest.raises(cluster.ClusterError, match="give --processors"):
        cluster.load(log(tmp_path, header=(), wait=[-1] * 4))


def test_jobs_larger_than_the_machine_are_left_out_and_counted(tmp_path):
    case = cluster.load(log(tmp_path, requested_processors=[8, 9, 8, 8]))
    assert len(case.workload) == 3
    assert dict(case.counted) == {"left out: more processors than the machine has": 1}
    # The log itself shows the eight that were allocated.
    assert not said(case, "at once, more than")


def test_a_machine_that_was_larger_or_smaller_at_times(tmp_path):
    above = cluster.load(log(tmp_path), processors=8)
    assert not above.assumed
    above = cluster.load(log(tmp_path, wait=[0, 5, 20, 30]))
    assert said(above, "hold up to 16 processors at once, more than the 8 simulated")
    below = cluster.load(log(tmp_path, allocated_processors=[2, 8, 8, 8]))
    assert said(below, "In quarter 1 of the log no more than 2 processors were in use at once")
    assert said(cluster.load(log(tmp_path, wait=[-1] * 4)), "The log has no waits")


def test_sacct_is_known_by_its_first_line(tmp_path):
    path = write(tmp_path / "sacct.txt", record(), record(JobID="2", JobIDRaw="2", AllocCPUS="8"))
    assert cluster.batch_system(path) == "slurm"
    assert cluster.batch_system(log(tmp_path)) is None
    case = cluster.load(path, zone="UTC")
    assert case.form == "output of sacct"
    assert case.workload.processors.tolist() == [8, 4]
    assert said(case, "A job's size is what it was given")
    assert dict(case.counted)["given more processors than asked for"] == 1
    with pytest.raises(
        cluster.ClusterError, match="zone can be given for a batch system's log only"
    ):
        cluster.load(log(tmp_path), zone="UTC")


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
    assert cluster.batch_system(path) == "torque"
    case = cluster.load(path)
    assert (len(case.workload), case.workload.machine) == (3, 2)
    assert case.logged_wait.tolist() == [0, 100, 200]
    with pytest.raises(cluster.ClusterError, match="cluster can be given for sacct's output only"):
        cluster.load(path, cluster="x")


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
    assert {value: cluster_study.percent(value) for value in shown} == shown


def test_an_interval_lies_around_its_change_and_needs_blocks():
    rng = np.random.default_rng(3)
    submit = np.sort(rng.integers(0, 20 * cluster_study.WEEK, 3000))
    base = rng.exponential(100, 3000)
    change, low, high = cluster_study.interval(base * 0.8, base, submit)
    assert change == pytest.approx(-0.2)
    assert (low, high) == (pytest.approx(-0.2), pytest.approx(-0.2))  # all weeks gain alike
    noisy = base * rng.uniform(0.4, 1.2, 3000)
    change, low, high = cluster_study.interval(noisy, base, submit)
    assert low < change < high < 0
    assert np.isnan(cluster_study.interval(base, base, np.sort(submit % 1000))[1:]).all()
    assert np.isnan(cluster_study.interval(base, base * 0, submit)).all()


def test_gains_add_up(found):
    for by in ("size", "run time"):
        table = cluster_study.gains(found, by)
        assert table["jobs"].sum() == 400
        assert table["share of work"].sum() == pytest.approx(1)
        mean = np.average(
            table["mean wait, h"] * (1 + table["Conservative"]), weights=table["jobs"]
        )
        assert mean == pytest.approx(found.schedules["Conservative"].wait.mean() / 3600)


def test_users_by_hand():
    w = Workload.from_columns("two", 1, [0, 0, 0], [1000, 100, 100], [1, 1, 1], user=[1, 2, 2])
    easy, other = simulate(w), simulate(w)
    # The second user's jobs go first: waits of 200, 0 and 100 s in place of 0, 1000 and 1100 s.
    other = replace(other, start=np.array([200, 0, 100]))
    table = cluster_study.users(cluster_study.Study(case_of(w), {"EASY": easy, "SJF-EASY": other}))
    row = table.iloc[0]
    assert (row["gain"], row["lose"], row["neither"]) == (1, 1, 0)
    assert np.isnan(row["user 1 by work"])  # did not wait at all
    assert row["user 2 by work"] == pytest.approx(50 / 1050 - 1)
    assert np.isnan(row["user 3 by work"])


def test_weekly_waits_add_up(found):
    waits = cluster_study.weekly(found, ["EASY"])["EASY"]
    submit = found.case.workload.submit
    jobs = np.bincount((submit - submit[0]) // cluster_study.WEEK)
    assert np.nansum(waits * jobs) == pytest.approx(found.schedules["EASY"].wait.sum() / 3600)


def test_the_overview_has_the_audits(found):
    rows = cluster_study.overview(found).set_index("scheduler")
    for name, schedule in found.schedules.items():
        assert rows.loc[name, "delayed at the head"] == plans.fairness(schedule)["head_delayed"]
    assert rows.loc["FCFS", "delayed at the head"] == 0
    assert rows.loc["PV-EASY", "delayed at the head"] == 0
    assert rows.loc["PV-EASY", "runs killed"] == len(found.schedules["PV-EASY"].killed_runs) > 0
    assert rows.loc["EASY", "change"] == 0


def rows(**slowdowns):
    """An overview by hand: mean bounded slowdown and the upper end of its interval, by scheduler."""
    base = slowdowns["EASY"][0]
    table = pd.DataFrame(
        [
            {
                "scheduler": name.replace("_", "-"),
                "mean wait, h": 1.0,
                "mean bounded slowdown": value,
                "change": value / base - 1,
                "change, low": value / base - 1.1,
                "change, high": high,
                "delayed at the head": 0,
                "head delay, h": 0.0,
                "reservations broken": 0,
                "reservation delay, h": 0.0,
                "runs killed": 7,
            }
            for name, (value, high) in slowdowns.items()
        ]
    )
    return table


@pytest.mark.parametrize(
    "table, heading",
    [
        (rows(EASY=(100, 0), SJF_EASY=(80, -0.1), Conservative=(90, -0.05)), "Switch to SJF-EASY."),
        (rows(EASY=(100, 0), SJF_EASY=(80, 0.01), Conservative=(90, -0.05)), "Keep EASY."),
        (rows(EASY=(100, 0), SJF_EASY=(99, -0.001)), "Keep EASY."),
        (rows(EASY=(100, 0), SJF_EASY=(99, float("nan"))), "Keep EASY."),
        # FCFS does not backfill and PV-EASY kills: neither is recommended, however good.
        (
            rows(EASY=(100, 0), FCFS=(10, -0.8), PV_EASY=(5, -0.9), SJF_EASY=(110, 0.2)),
            "Keep EASY.",
        ),
    ],
)
def test_the_rule_of_the_recommendation(found, report, table, heading):
    advice = cluster_advice.recommend(
        found, table, report.worth, report.by_size, report.by_run_time
    )
    assert advice[0][0] == heading
    assert (cluster_advice.switched_to(advice) is None) == heading.startswith("Keep")
    assert any("killed" in words for _, words in advice) == ("PV-EASY" in set(table["scheduler"]))


def test_without_a_queue_nothing_is_recommended(found, report):
    quiet = rows(EASY=(1, 0), SJF_EASY=(0.5, -0.4)).assign(**{"mean wait, h": 0.001})
    advice = cluster_advice.recommend(
        found, quiet, report.worth, report.by_size, report.by_run_time
    )
    assert [heading for heading, _ in advice] == ["Change nothing."]


def test_the_words_hold_the_numbers_of_the_tables(report):
    words = " ".join(part for pair in report.advice for part in pair)
    by_name = report.overview.set_index("scheduler")
    assert f"{by_name.loc['EASY', 'mean bounded slowdown']:,.1f}" in words
    perfect = report.worth.set_index("estimates").loc["perfect"]
    assert f"{perfect['mean bounded slowdown']:,.1f}" in words
    assert cluster_study.percent(perfect["change"]) in words


def test_two_pages_the_same_every_time(report, tmp_path):
    pages = report.render("png")
    assert len(pages) == 2
    assert all(page.startswith(b"\x89PNG") for page in pages)
    report.write(tmp_path / "a.pdf")
    report.write(tmp_path / "b.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "b.pdf"]


@pytest.mark.parametrize(
    "workload",
    [
        Workload.from_columns("one", 4, [0], [10], [4]),
        Workload.from_columns("quiet", 64, range(0, 5000, 100), [10] * 50, [1] * 50),
        Workload.from_columns(
            "#set[text] & $x$ \\", 1, [0, 0], [50_000, 50_000], [1, 1], user=[1, 2]
        ),
    ],
)
def test_small_and_quiet_logs_and_odd_names_make_two_pages(workload):
    case = case_of(workload, assumed=("*bold* #panic() is text",) * 9)
    made = cluster_report.Report(cluster_study.study(case))
    assert len(made.render("png")) == 2


def test_a_stand_in_says_so():
    w = busy(60).replace(stand_in=True)
    made = cluster_report.Report(cluster_study.study(case_of(w)))
    assert "STAND-IN DATA" in made.banner
    assert "STAND-IN DATA" in repr(made.table("users")) + made.table("users")._repr_html_()


def test_from_sacct_to_the_pdf_with_one_command(tmp_path, capsys):
    jobs = [
        record(
            JobID=str(k),
            JobIDRaw=str(k),
            Start=f"2026-03-01T{10 + k}:00:00",
            End=f"2026-03-01T{11 + k}:00:00",
        )
        for k in range(6)
    ]
    path, out = write(tmp_path / "sacct.txt", *jobs), tmp_path / "report.pdf"
    words = ["cluster", str(path), "--out", str(out)]
    assert main(words) == 0
    assert "assumed: The machine has 4 processors" in capsys.readouterr().out
    assert out.read_bytes().startswith(b"%PDF-")
    assert main([*words, "--json", "--processors", "64", "--time-zone", "UTC"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["jobs"], facts["processors"]) == (6, 64)
    assert facts["recommendation"][0].startswith("Change nothing.")
    assert {row["scheduler"] for row in facts["overview"]} == set(cluster_study.POLICIES)


@pytest.mark.parametrize(
    "words, code", [(["nowhere.swf", "--out", "a.pdf"], 1), (["KTH-SP2", "--out", "a.txt"], 2)]
)
def test_the_command_fails_in_one_line(capsys, words, code):
    assert main(["cluster", *words]) == code
    assert capsys.readouterr().err.count("\n") == 1


def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    in_process(paths.NOTEBOOKS / "your_cluster.ipynb", trace=str(log(tmp_path)))
    assert (tmp_path / "your_cluster.pdf").read_bytes().startswith(b"%PDF-")
