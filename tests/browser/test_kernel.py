"""The kernel in WebAssembly: the same schedules, estimates and measures as the native one."""

import numpy as np
import pytest
import workloads

import replication as rp
from notebooks import audits
from replication.simulator.observation import observe

MEASURES = ["jobs", "mean_wait", "mean_bounded_slowdown", "mbs", "mwbs"]


def tied(rng):
    """Random jobs of few distinct times, so that instants coincide."""
    n, machine = int(rng.integers(1, 90)), int(rng.integers(1, 13))
    run_time = rng.integers(0, rng.choice([2, 5, 30]), n)
    submit = np.cumsum(rng.integers(0, rng.choice([1, 2, 8]), n))
    size = rng.integers(1, machine, n, endpoint=True)
    estimate = run_time + rng.integers(0, 9, n) * (rng.random() < 0.8)
    return rp.Workload.from_columns("tied", machine, submit, run_time, size, estimate)


def crowded(n):
    """Jobs that are submitted much faster than they can start, so that thousands of them wait."""
    return workloads.random_jobs(n, machine=64, span=5 * n, longest=900, spare=2000)


def schedule_of(workload, f, backfilling, seed):
    scheduler = rp.EASY() if backfilling else rp.FCFS()
    model = None if f is None else rp.FModel(f)
    return rp.simulate(workload, scheduler, model, seed=seed, measures=MEASURES)


@pytest.fixture
def agree(node, written, tmp_path):
    """A function that compares runs of (workload, f or None, backfilling) with the package."""

    def compare(runs, seed=3):
        inputs = [
            written(workload, f"jobs{k}")
            | {"f": f, "backfilling": backfilling, "seed": seed, "out": f"out{k}"}
            for k, (workload, f, backfilling) in enumerate(runs)
        ]
        for k, (run, answer) in enumerate(zip(runs, node("simulate", inputs), strict=True)):
            expected = schedule_of(*run, seed)
            columns = np.fromfile(tmp_path / f"out{k}", "<i8").reshape(-1, len(run[0]))
            assert np.array_equal(columns[0], expected.start)
            if run[1]:
                assert np.array_equal(columns[2], expected.estimate)
            assert answer["backfilled"] == expected.backfilled.sum()
            measures = [np.nan if value is None else value for value in answer["measures"]]
            assert np.array_equal(measures, [*expected.measures.values()], equal_nan=True)
            whole = expected.measured(trim=False, names=MEASURES).values()
            assert np.array_equal(answer["untrimmed"], [*whole], equal_nan=True)
            if run[2]:
                seen = observe(run[0], None if run[1] is None else rp.FModel(run[1]), seed)
                assert answer["wild"] == seen.wild.sum()

    return compare


def test_random_jobs_with_many_ties(agree):
    rng = np.random.default_rng(1)
    samples = [tied(rng) for _ in range(120)]
    agree([(jobs, f, True) for jobs in samples for f in (None, 1.0)])
    agree([(jobs, None, False) for jobs in samples[:30]])


def test_a_queue_that_is_searched_by_a_tree(agree):
    jobs = crowded(7000)
    start = rp.simulate(jobs).start
    waiting = np.searchsorted(jobs.submit, start, side="right") - np.arange(1, len(start) + 1)
    assert waiting.max() > 2048
    agree([(jobs, f, True) for f in (None, 0, 1, 10)] + [(jobs, None, False)])


def test_a_real_log(agree, real_log):
    jobs = real_log("KTH-SP2-2", paper="heel_and_toe")
    agree([(jobs, f, True) for f in (None, 0, 1, 10)] + [(jobs, None, False)])


def test_groups_of_jobs_and_heads(node, written):
    jobs = crowded(1500)
    answer = node("payers", written(jobs) | {"f": 2})
    blocked = audits.blocked(rp.simulate(jobs))
    assert answer["isHead"] == blocked.astype(int).tolist()
    run = rp.simulate(jobs, estimates=rp.FModel(2), seed=1)
    kept = rp.simulator.schedules.measures.measured_jobs(jobs.submit, run.end)
    groups = {
        "all jobs": jobs.run_time >= 0,
        "1 to 10 min": (jobs.run_time >= 60) & (jobs.run_time < 600),
        "heads of the queue": blocked,
    }
    for name, members in groups.items():
        value = answer["waits"][answer["names"].index(name)]
        assert value == pytest.approx(run.wait[members & kept].mean())
    longest = np.sort(run.wait[kept])[-round(kept.sum() / 100) :]
    assert answer["waits"][-1] == pytest.approx(longest.mean())


def test_memory_beyond_addresses_of_32_bits_is_refused(node):
    before, *refused, after = node("take", ["64", *(str(2**k) for k in (32, 33, 63)), "64"])
    assert refused == [0, 0, 0] and after == before + 64
