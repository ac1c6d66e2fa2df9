"""The conformance logs: compiled kernels and reference implementations give every expected schedule."""

import tomllib

import numpy as np
import pytest

from replication.simulator import formats, paths, text, traces
from replication.simulator.reference import conservative, easy, pv_easy, queue_orders
from replication.simulator.simulation import simulate

FOLDER = paths.ROOT / "conformance"
LOGS = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["log"]
REFERENCE = {
    "fcfs": easy.Fcfs,
    "easy": easy.Easy,
    "conservative": conservative.Conservative,
    "laf": conservative.LargestAreaFirst,
    "pv-easy": pv_easy.PVEasy,
    "easy-by": queue_orders.OrderedEasy,
}


def test_the_manifest_lists_every_file():
    names = {log["name"] for log in LOGS}
    for folder in ("logs", "schedules"):
        assert {path.stem for path in (FOLDER / folder).iterdir()} == names


@pytest.mark.parametrize("log", LOGS, ids=[log["name"] for log in LOGS])
def test_kernel_and_reference_give_the_schedule(log):
    workload = traces.load(FOLDER / "logs" / f"{log['name']}.swf", drop=(), overrun="as-is")
    expected = formats.read(FOLDER / "schedules" / f"{log['name']}.csv")
    scheduler = text.scheduler(log["scheduler"])
    schedule = simulate(workload, scheduler).validate()
    start, end = schedule.start, schedule.end
    assert np.array_equal(start, expected.start)
    assert np.array_equal(end, expected.end)
    options = {name: getattr(scheduler, name) for name in scheduler.options()}
    reference = REFERENCE[scheduler.name](workload, **options).run()
    assert np.array_equal(reference.start, expected.start)
    assert [reference.end(job) for job in range(len(workload))] == expected.end.tolist()
    if "other_scheduler" in log:
        other = simulate(workload, text.scheduler(log["other_scheduler"]))
        assert (other.start.tolist(), other.end.tolist()) != (start.tolist(), end.tolist())
