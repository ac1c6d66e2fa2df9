"""Time heel-and-toe's campaign from a sample of it: what watching costs, how long Figs. 3 to 16 would take,
and how long all that the paper ran, with f up to 10,000 and both models at every load.

Every pair of log and load is sampled at a few f, plain and watched in turn, by the time its thread is given,
so that other work on the machine counts less. The extrapolation is core time; divide by the cores that are
free.
"""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from replication.estimates import cut_runs
from replication.logs import traces
from replication.papers.heel_and_toe import campaign
from replication.sweeps import grid as sweep

SAMPLE = (0.0, 1.0, 5.0, 10.0)
WIDE = (50.0, 500.0, 5000.0)  # the middle of each wider range
RUNS = 101 * 100


def core_seconds(task):
    """Thread time of one task."""
    started = time.thread_time()
    sweep.compute(task)
    return time.thread_time() - started


def sampled(workload, load, limit, rounds):
    """Core seconds of one simulation, plain and watched, averaged over the sample of f."""
    plain, watched = [], []
    for f in SAMPLE:
        task = sweep.Task(workload, load, "random", f, (1,), limit)
        pairs = [
            (core_seconds(task), core_seconds(replace(task, watched=True))) for _ in range(rounds)
        ]
        plain.append(min(a for a, _ in pairs))
        watched.append(min(b for _, b in pairs))
    return statistics.mean(plain), statistics.mean(watched)


def pieces(workloads):
    """Every (log, load, E_max) of Figs. 3 to 16, with the workload it is run on."""
    for log, workload in workloads.items():
        for load in campaign.loads_of(log):
            yield log, load, None, campaign.at_load(workload, load, log)
        yield log, "log", campaign.e_max(log), cut_runs(workload, campaign.e_max(log))


def beyond(workloads):
    """Core seconds and number of the paper's other runs: wide ranges at all loads, truncated ones too."""
    total = runs = 0
    for log, workload in workloads.items():
        for load in campaign.loads_of(log):
            scaled = campaign.at_load(workload, load, log)
            limit = campaign.e_max(log)
            tasks = [sweep.Task(scaled, load, "random", f) for f in WIDE]
            cut = cut_runs(scaled, limit)
            narrow = () if load == "log" else (5.0,)
            tasks += [sweep.Task(cut, load, "random", f, e_max=limit) for f in (*narrow, *WIDE)]
            total += RUNS * sum(min(core_seconds(task) for _ in range(2)) for task in tasks)
            runs += RUNS * len(tasks)
    return total, runs


def threads(workload, count=40):
    """Simulations and jobs a second on one thread and on two, by the clock."""
    tasks = [
        sweep.Task(workload, "log", "random", f, (seed,), watched=True)
        for f in (1.0, 5.0)
        for seed in range(count // 2)
    ]
    for workers in (1, 2):
        started = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(sweep.compute, tasks))
        seconds = time.perf_counter() - started
        print(
            f"  {workers} thread{'s' * (workers > 1)}: {len(tasks) / seconds:.0f} simulations/s, "
            f"{len(tasks) * len(workload) / seconds / 1e6:.1f} million jobs/s"
        )


def main(rounds=3):
    """Run the sample and print what it says."""
    workloads = {
        log: traces.load(log, paper=campaign.PAPER) for log in traces.names(campaign.PAPER)
    }
    if any(w.stand_in for w in workloads.values()):
        print("Some workloads are stand-ins.")
    sweep.compute(sweep.Task(workloads["KTH-SP2-2"], "log", "random", 1.0, watched=True))
    print(
        "\nHeel-and-toe's campaign: ns/job with drawing estimates and measures, plain and watched\n"
        "  log          load  E_max     plain  watched   ratio   core s"
    )
    total, simulations = 0.0, 0
    for log, load, limit, workload in pieces(workloads):
        plain, watched = sampled(workload, load, limit, rounds)
        used = RUNS * (plain if limit else watched)
        total += used
        simulations += RUNS
        unit = 1e9 / len(workload)
        print(
            f"  {log:<12} {load:<5} {limit or '-':>6} {plain * unit:>8.0f} {watched * unit:>8.0f} "
            f"{watched / plain:>7.2f} {used:>8.0f}"
        )
    print(
        f"  {simulations:,} simulations: {total:,.0f} core seconds, "
        f"{total / 120:.1f} minutes on two free cores"
    )
    more, runs = beyond(workloads)
    print(
        f"  with all that the paper ran, {simulations + runs:,}: {total + more:,.0f} core seconds, "
        f"{(total + more) / 120:.1f} minutes on two free cores"
    )
    print("\nWatched simulations of KTH-SP2-2 by the clock")
    threads(workloads["KTH-SP2-2"])
    print("Watched simulations of SDSC-BLUE by the clock")
    threads(workloads["SDSC-BLUE"], 20)


if __name__ == "__main__":
    main()
