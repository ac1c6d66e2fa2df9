"""Workloads: read-only columns, units, and random draws that do not depend on the name."""

import copy
import datetime
import gzip
import shutil

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator.logs import registry
from replication.simulator.logs.cleaning import CleaningError
from replication.simulator.schedules import measures
from replication.simulator.sweeps.grid import fingerprint_of
from replication.simulator.workload import COLUMNS, LARGEST, UnitWarning, WorkloadError, usage
from tests.workloads import write_log


def jobs(**changes):
    """Three jobs on 4 processors, with some columns or the machine changed."""
    plain = {
        "machine": 4,
        "submit": [0, 1, 2],
        "run_time": [9, 5, 3],
        "processors": [3, 4, 1],
        "estimate": [10, 10, 10],
    }
    return rp.Workload.from_columns("three", **plain | changes)


def test_a_workload_owns_its_columns():
    run_time = np.array([9, 5, 3])
    view = run_time.view()
    view.flags.writeable = False
    w, of_view = jobs(run_time=run_time), jobs(run_time=view)
    run_time[:] = 1
    assert w.run_time.tolist() == of_view.run_time.tolist() == [9, 5, 3]
    for log in (w, w.scaled(2), w.take([0, 2]), copy.deepcopy(w)):
        assert not any(getattr(log, column).flags.writeable for column in COLUMNS)
        assert log.draw_key == w.draw_key


@pytest.mark.parametrize(
    "spans",
    [
        pd.to_timedelta(["1h", "5s", "3s"]).to_series(),
        [datetime.timedelta(hours=1), datetime.timedelta(seconds=5), pd.Timedelta("3s")],
        [3600.0, 5.0, 3.0],
        pd.array([3600, 5, 3], dtype="Int64"),
    ],
)
def test_time_spans_are_seconds(spans):
    assert jobs(run_time=spans, estimate=None).run_time.tolist() == [3600, 5, 3]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_points_in_time_are_seconds_since_the_first(zone):
    submit = pd.Series(pd.to_datetime(["2020-03-29 00:00", "2020-03-29 01:00", "2020-03-29 04:00"]))
    expected = [0, 3600, 4 * 3600 - 3600 * (zone is not None)]
    assert jobs(submit=submit.dt.tz_localize(zone)).submit.tolist() == expected


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"run_time": [9, 0.5, 3]}, "three: run_time: 0.5 at row 1; expected whole seconds"),
        ({"run_time": pd.array([9, None, 3], dtype="Int64")}, "run_time: nan at row 1"),
        ({"run_time": [9, np.inf, 3]}, "run_time: inf at row 1"),
        ({"run_time": ["9", "5", "3"]}, "expected whole seconds"),
        ({"run_time": pd.to_timedelta(["1s", "1500ms", "2s"])}, "run_time: 1.5 at row 1"),
        ({"processors": pd.to_timedelta(["1s"] * 3)}, "processors: .*expected whole numbers"),
        ({"run_time": np.array([1, 2, 2**64 - 1], np.uint64)}, "run_time: .* at row 2"),
        ({"run_time": [1, 2, LARGEST + 1]}, "job 3: run_time .*, allowed: at most"),
        ({"run_time": [1, -1, 2]}, "job 2: run_time -1, allowed: 0 or more seconds"),
        ({"processors": [1, 5, 1]}, "job 2: processors 5, allowed: at most the machine's 4"),
        ({"submit": [0, 2, 1]}, "job 3: submit 1 is before the previous job's"),
        ({"machine": 4.5}, "machine 4.5; expected a whole number from 1"),
        (dict.fromkeys(["submit", "run_time", "processors", "estimate"], []), "no jobs left"),
        ({"run_time": [1, 2]}, r"column run_time has shape \(2,\), expected \(3,\)"),
    ],
)
def test_other_values_are_refused_by_column_and_row(changes, message):
    with pytest.raises(WorkloadError, match=message):
        jobs(**changes)


@pytest.mark.parametrize("factor", [0, np.inf, np.nan, "2", 1e300])
def test_other_scaling_factors_and_loads_are_refused(factor):
    with pytest.raises(WorkloadError, match="scaling factor"):
        jobs().scaled(factor)
    with pytest.raises(WorkloadError, match="load|scaling factor"):
        jobs().at_load(1 / factor if factor == 1e300 else factor)


def test_a_name_that_is_no_text_and_a_mask_of_another_length_are_refused():
    with pytest.raises(WorkloadError, match="name None; expected a text"):
        rp.Workload.from_columns(None, 4, [0], [1], [1])
    with pytest.raises(WorkloadError, match="three: take: boolean index did not match"):
        jobs().take(np.ones(5, bool))


@pytest.mark.parametrize("share", [2.01, 70])
def test_a_load_in_percent_is_refused(share):
    for call in (jobs().at_load, lambda share: rp.synthetic(10, 4, share)):
        with pytest.raises(WorkloadError, match=rf"load {share}.* up to 2 \(0.9 for 90 %\)"):
            call(share)


def test_the_load_of_what_is_simulated():
    w = jobs(submit=[0, 1000, 2000], run_time=[900, 500, 300], estimate=None)
    assert w.at_load(0.5).load == pytest.approx(0.5, rel=1e-3)
    model = rp.FModel(2, e_max=400)
    cut, estimate = model.make(model.cut(w).at_load(0.5), seed=1)
    assert cut.load == pytest.approx(0.5, rel=1e-3)
    assert cut.run_time.max() == 400 and estimate.max() <= 400
    assert [rule for rule, _ in cut.cleaning] == ["run-cut-to-emax-400"]
    assert rp.FModel(2).cut(w) is w


def test_offered_loads_do_not_overflow():
    large = {"machine": 10**12, "processors": [10**12, 10**12, 5 * 10**11]}
    w = jobs(**large, submit=[0, 10, 20], run_time=[10**8] * 3, estimate=None)
    assert w.load == pytest.approx(12_500_000)
    assert measures.load(w.run_time, w.processors, w.machine, 20) == pytest.approx(12_500_000)


def test_draws_depend_on_the_jobs_and_not_on_their_name():
    log, renamed = jobs(), jobs().replace(name="renamed", machine=8)
    assert rp.FModel(2).estimate(log, 1).tolist() == rp.FModel(2).estimate(renamed, 1).tolist()
    draws = [rp.FModel(1).draws(jobs(run_time=[9, 5, k]), 1).tolist() for k in (3, 4)]
    assert draws[0] != draws[1]
    # Variants of one workload share their random numbers.
    assert log.scaled(0.5).draw_key == log.draw_key == rp.FModel(0, e_max=5).cut(log).draw_key


def test_a_registered_log_has_the_same_draws_under_any_name(tmp_path, real_log):
    kth = real_log("KTH-SP2")
    path = registry.locate("KTH-SP2")
    (tmp_path / "mine.swf").write_bytes(gzip.decompress(path.read_bytes()))
    shutil.copy(path, tmp_path / "kth.swf.gz")
    for file in ("mine.swf", "kth.swf.gz"):
        again = registry.load(tmp_path / file)
        assert (again.name, again.draw_key) == (file.split(".")[0], "KTH-SP2")
        assert np.array_equal(rp.FModel(2).estimate(again, 1), rp.FModel(2).estimate(kth, 1))


def further_columns(workload):
    return {name: column.tolist() for name, column in workload.more.items()}


def test_further_columns_go_wherever_the_jobs_go():
    """Into copies, parts, other loads and weeks, schedulers, predictors, measures and tables."""
    week = 7 * 24 * 3600
    w = jobs(submit=[0, 1, week + 5]).replace(
        more={"memory": [1.5, 2, 4], "project": ["a", "b", "a"]}
    )
    for log in (w, w.scaled(2), w.at_load(0.5), rp.Users(e_max=5).cut(w), copy.deepcopy(w)):
        assert further_columns(log) == {"memory": [1.5, 2, 4], "project": ["a", "b", "a"]}
        assert not any(column.flags.writeable for column in log.more.values())
    mask = w.more["project"] == "a"
    assert further_columns(w.take(mask)) == {"memory": [1.5, 4], "project": ["a", "a"]}
    assert [job.more.project for job in w.jobs(ended=True)] == ["a", "b", "a"]
    assert w.jobs()[0].more == (1.5, "a") and jobs().jobs()[0].more == ()
    table = rp.simulate(w.replace(more={"wait": [7, 8, 9]})).jobs
    assert table["log_wait"].tolist() == [7, 8, 9] and table["wait"].tolist() == [0, 8, 0]
    with pytest.raises(TypeError):
        w.more["memory"] = [1, 1, 1]
    # A scheduler may use them, and random draws do not.
    logs = w, w.replace(more={"memory": [1, 1, 1]}), jobs(submit=[0, 1, week + 5])
    assert len({*map(fingerprint_of, logs)}) == 3 and logs[1].draw_key == w.draw_key


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("a b", [1, 2, 3], "further column 'a b': .*must be valid identifiers"),
        ("rank", [1, 2], r"further column rank is int64\[2\]; expected numbers or texts, \[3\]"),
        ("rank", [1, None, "a"], r"further column rank is object\[3\]"),
    ],
)
def test_other_further_columns_are_refused(name, values, message):
    with pytest.raises(WorkloadError, match=message):
        jobs(more={name: values})


def test_fields_of_a_log_become_further_columns(tmp_path):
    # Jobs are sorted by submission, and the second is left out.
    columns = {"submit": [5, 1, 3], "run_time": [10, 0, 10], "wait": [1, 2, 3]}
    log = write_log(tmp_path / "some.swf", **columns, group=[7, 8, 9])
    w = rp.load(log, more=["group", "wait"])
    assert further_columns(w) == {"group": [9, 7], "wait": [3, 1]}
    assert further_columns(rp.load(log, more="status")) == {"status": [1, 1]}
    for source, synthetic in ((log, False), ("KTH-SP2", True)):
        with pytest.raises(CleaningError, match="no field 'partitoin' .did you mean partition"):
            rp.load(source, synthetic=synthetic, more=["partitoin"])
    synthetic = rp.load("KTH-SP2", synthetic=True, more="partition")
    assert set(synthetic.more["partition"]) == {-1}


def test_a_workload_of_one_job_and_of_unknown_users():
    single = rp.Workload.from_columns("single", 4, [7], [9], [3])
    assert single.scaled(2).submit.tolist() == [14]
    assert single.user.tolist() == single.executable.tolist() == [-1]


def test_processors_in_use_from_each_start_or_end_to_the_next():
    instant, used = usage(np.array([0, 2, 5]), np.array([5, 5, 9]), np.array([3, 1, 4]))
    assert instant.tolist() == [0, 2, 5, 9] and used.tolist() == [3, 4, 4, 0]


def test_estimates_in_minutes_are_no_estimates():
    """The rule of logs: run times are far above most estimates."""
    times = {"run_time": [600, 1200, 1800], "estimate": [20, 40, 60]}
    with pytest.warns(UnitWarning, match="three: 3 of 3 estimates .* in minutes"):
        log = jobs(**times)
    assert log.without_estimate == 1 and log.estimate.tolist() == [20, 40, 60]
    with pytest.raises(ValueError, match="100 % of the jobs have no estimate"):
        rp.simulate(log)
    assert len(rp.simulate(jobs(**times, without_estimate=0.0)).start) == 3
    assert jobs(run_time=[600, 1200, 1800], estimate=[600, 1200, 20]).without_estimate == 0
