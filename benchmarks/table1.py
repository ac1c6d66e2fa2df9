"""Time the rows of Top Percent's Table I against plain EASY, and the whole table on two threads.

A row and plain EASY are run in turn and timed by what their thread is given, so that other work on the
machine counts less; the ratio is the median of the pairs'. A row's time includes its predictor's tables.
"""

import statistics
import time

from replication.logs import traces
from replication.papers.top_percent.runs import POLICIES, READINGS, run, simulated
from replication.papers.top_percent.schedulers import tasks
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

PAPER = "top_percent"


def thread_seconds(work):
    """Thread time of one call."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def rows(workload, rounds):
    """Nanoseconds per job of each row, and its ratio to plain EASY under each reading."""
    print(
        f"\nRows of Table I on {workload.name}, over plain EASY\n  row           words   coded   ns/job"
    )
    for policy in POLICIES:
        ratios, least = {}, float("inf")
        for name, reading in READINGS.items():
            run(workload, policy, reading)
            pairs = [
                (
                    thread_seconds(lambda reading=reading: run(workload, policy, reading)),
                    thread_seconds(lambda: simulate(workload)),
                )
                for _ in range(rounds)
            ]
            ratios[name] = statistics.median(a / b for a, b in pairs)
            least = min(least, *(a for a, _ in pairs))
        unit = 1e9 / len(workload)
        print(f"  {policy:<12}{ratios['words']:>7.2f} {ratios['coded']:>7.2f} {least * unit:>8.0f}")


def main(rounds=5):
    """Run both."""
    workloads = {log: traces.load(log, paper=PAPER) for log in traces.names(PAPER)}
    if any(w.stand_in for w in workloads.values()):
        print("Some workloads are stand-ins.")
    rows(workloads["CTC-SP2"], rounds)
    table = [
        row
        for reading in READINGS.values()
        for row in tasks(workloads, {"EASY": EASY()}, POLICIES, reading)
    ]
    for workers in (1, 2):
        started = time.perf_counter()
        simulated(table, workers)
        print(
            f"  the table's {len(table)} rows on {workers} thread{'s' * (workers > 1)}: "
            f"{time.perf_counter() - started:.1f} s by the clock"
        )


if __name__ == "__main__":
    main()
