"""Workloads own their columns, take units as meant, and give the same random draws under any name."""

import copy
import datetime
import gzip
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator import traces
from replication.simulator.workload import COLUMNS, LARGEST, Workload, WorkloadError


def jobs(**changes):
    """Three jobs on 4 processors, with some columns or the machine changed."""
    plain = {
        "machine": 4,
        "submit": [0, 1, 2],
        "run_time": [9, 5, 3],
        "processors": [3, 4, 1],
        "estimate": [10, 10, 10],
    }
    return Workload.from_columns("three", **plain | changes)


def test_a_workload_owns_its_columns():
    run_time = np.array([9, 5, 3])
    w = jobs(run_time=run_time)
    run_time[:] = 1
    assert w.run_time.tolist() == [9, 5, 3]
    for one in (
        w,
        w.scaled(2),
        w.take([0, 2]),
        copy.copy(w),
        copy.deepcopy(w),
        pickle.loads(pickle.dumps(w)),
    ):  # noqa: S301
        assert not any(getattr(one, column).flags.writeable for column in COLUMNS)
        assert one.draw_key == w.draw_key
    with pytest.raises(ValueError, match="WRITEABLE"):
        w.run_time.flags.writeable = True
    view = np.array([9, 5, 3])
    view.flags.writeable = False
    other = jobs(run_time=view)
    view.flags.writeable = True
    view[:] = 0
    assert other.run_time.tolist() == [9, 5, 3]


def test_nothing_computed_travels_with_a_copy():
    w = jobs()
    w.__dict__["_fingerprints"] = {"x": "y"}
    for one in (copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w))):  # noqa: S301
        assert "_fingerprints" not in one.__dict__


@pytest.mark.parametrize(
    "spans",
    [
        pd.to_timedelta(["1h", "5s", "3s"]).to_series(),
        pd.to_timedelta(["1h", "5s", "3s"]).to_numpy().astype("m8[ns]"),
        [datetime.timedelta(hours=1), datetime.timedelta(seconds=5), pd.Timedelta("3s")],
        np.array([3600, 5, 3], np.uint16),
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
        ({"run_time": [9, np.nan, 3]}, "run_time: nan at row 1; expected whole seconds"),
        ({"run_time": [9, np.inf, 3]}, "run_time: inf at row 1"),
        ({"run_time": [9, None, 3]}, "run_time: None at row 1"),
        ({"run_time": pd.array([9, None, 3], dtype="Int64")}, "run_time: masked value at row 1"),
        ({"run_time": np.ma.array([9, 5, 3], mask=[0, 0, 1])}, "run_time: masked value at row 2"),
        ({"run_time": ["9", "5", "3"]}, "expected whole seconds"),
        ({"run_time": [True, False, True]}, "run_time: bool"),
        ({"run_time": pd.to_timedelta(["1s", "1500ms", "2s"])}, "1500.* at row 1"),
        ({"run_time": pd.to_timedelta(["1s", None, "2s"])}, "run_time: NaT at row 1"),
        ({"run_time": pd.to_datetime(["2020-01-01"] * 3)}, "expected time spans or whole seconds"),
        (
            {"processors": pd.to_timedelta(["1s", "1s", "1s"])},
            "processors: .*expected whole numbers",
        ),
        ({"processors": [1.9, 1, 1]}, "processors: 1.9 at row 0; expected whole numbers"),
        ({"run_time": np.array([1, 2, 3], "m8[M]")}, "run_time: .*no length in seconds"),
        ({"run_time": np.array([1, 2, 2**64 - 1], np.uint64)}, "run_time: .* at row 2"),
        ({"run_time": [1, 2, LARGEST + 1]}, "job 3: run_time .*, allowed: at most"),
        ({"submit": [-50, 0, 1]}, "job 1: submit -50, allowed: 0 or more seconds"),
        ({"submit": [0, 2, 1]}, "job 3: submit 1 is before the previous job's"),
        ({"machine": 4.5}, "machine 4.5; expected a whole number of processors from 1"),
        ({"machine": np.nan}, "machine nan"),
        ({"machine": True}, "machine True"),
        ({"machine": 0}, "machine 0"),
        ({"machine": 2**63}, "machine 9223372036854775808"),
        ({"run_time": [1, 2]}, r"column run_time has shape \(2,\), expected \(3,\)"),
    ],
)
def test_other_values_are_refused_by_column_and_row(changes, message):
    with pytest.raises(WorkloadError, match=message):
        jobs(**changes)


def test_a_machine_of_a_numpy_type_becomes_an_int():
    for kind in (np.int8, np.int32, np.uint16):
        w = jobs(machine=kind(100))
        assert type(w.machine) is int
        assert w.load == jobs(machine=100).load


@pytest.mark.parametrize("factor", [0, -1, np.inf, np.nan, "2", None, True, 1e300, 1e19])
def test_factors_that_overflow_are_refused(factor):
    with pytest.raises(WorkloadError, match="scaling factor"):
        jobs().scaled(factor)


@pytest.mark.parametrize("share", [0, -0.5, np.nan, np.inf, "log", 1e-20])
def test_loads_that_cannot_be_reached_are_refused(share):
    with pytest.raises(WorkloadError):
        jobs().at_load(share)


def test_the_load_of_what_is_simulated():
    w = jobs(submit=[0, 1000, 2000], run_time=[900, 500, 300])
    assert w.at_load(0.5).load == pytest.approx(0.5, rel=1e-3)
    model = rp.FModel(2, e_max=400)
    cut, estimate = model.make(model.cut(w).at_load(0.5), seed=1)
    assert cut.load == pytest.approx(0.5, rel=1e-3)
    assert cut.run_time.max() == 400 and estimate.max() <= 400
    assert [rule for rule, _ in cut.cleaning] == ["run-cut-to-emax-400"]
    assert rp.FModel(2).cut(w) is w


def test_draws_depend_on_the_jobs_and_not_on_their_name():
    one, other = jobs(), jobs().replace(name="other", machine=8)
    assert rp.FModel(2).estimate(one, 1).tolist() == rp.FModel(2).estimate(other, 1).tolist()
    long = rp.Workload.from_columns("a", 4, range(50), [100] * 50, [1] * 50)
    different = rp.Workload.from_columns("a", 4, range(50), [101] * 50, [1] * 50)
    assert one.draw_key != jobs(run_time=[9, 5, 4]).draw_key
    assert rp.FModel(1).draws(long, 1).tolist() != rp.FModel(1).draws(different, 1).tolist()
    # Variants of one workload share their random numbers.
    assert long.scaled(0.5).draw_key == long.draw_key == rp.Exact(e_max=5).cut(long).draw_key


def test_a_registered_log_has_the_same_draws_under_any_name(tmp_path, real_log):
    kth = real_log("KTH-SP2")
    path = traces.locate("KTH-SP2")
    (tmp_path / "mine.swf").write_bytes(gzip.decompress(path.read_bytes()))
    shutil.copy(path, tmp_path / "kth.swf.gz")
    for file in ("mine.swf", "kth.swf.gz"):
        again = traces.load(tmp_path / file)
        assert (again.name, again.draw_key) == (file.split(".")[0], "KTH-SP2")
        assert np.array_equal(rp.FModel(2).estimate(again, 1), rp.FModel(2).estimate(kth, 1))
