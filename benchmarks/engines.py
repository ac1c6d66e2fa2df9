"""Where a sweep runs: what each engine costs, and that the table is the same when workers are killed meanwhile.

Many small simulations, the hardest case for an engine: pieces of KTH-SP2 under EASY with estimates of the f-model, one
seed a task. First a part of them in turn on one worker of each engine, so that other work on the machine counts for all
alike; processor time is that of all processes of the engine. Then all of them in one thread, and on two workers of a
Dask cluster one of which is killed every so often. Without Dask only threads and processes are compared.

    python -m benchmarks.engines --simulations 100000 --kill-every 10
"""

import argparse
import asyncio
import contextlib
import functools
import hashlib
import logging
import math
import multiprocessing
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from pathlib import Path

import dask
import distributed
import psutil

from replication.simulator import engines, grid, kept, traces
from replication.simulator.estimates import FModel

PIECES = 50
#: Dask takes its own pulse once a second, not fifty times, and no samples of what runs: most of what it uses at rest.
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
}


def tasks(count, jobs):
    """So many simulations of as many jobs each, over `PIECES` parts of the log."""
    log = traces.load("KTH-SP2")
    starts = range(0, len(log) - jobs, (len(log) - jobs) // PIECES)[:PIECES]
    pieces = [log.take(slice(start, start + jobs)) for start in starts]
    models = FModel.grid(0, 10, 0.1)
    return [
        grid.Task(pieces[k // 100 % PIECES], models[k % 100], seeds=(1 + k // (100 * PIECES),))
        for k in range(count)
    ]


def processor_seconds():
    """Processor time of this process and those that it started and that still run."""
    used = 0.0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            own = process.cpu_times()
            used += own.user + own.system
    return used


def work(address):
    """Be a worker of a Dask scheduler, with one thread and without a word."""
    logging.disable()
    dask.config.set(SETTINGS)

    async def finished():
        async with distributed.Worker(address, nthreads=1, dashboard=False) as worker:
            await worker.finished()

    asyncio.run(finished())


@contextlib.contextmanager
def cluster(workers, every=None):
    """A Dask scheduler here with workers of one thread each, started again when they end, as a batch system would.

    They are forked from a process that has imported what they need, so that a new one is there in a fraction of a
    second. Every so many seconds one that the scheduler knows is killed. Gives the address, and the list of those killed.
    """
    over, killed, choose = threading.Event(), [], random.Random(1)
    # Imported before its settings are changed, which ends with them.
    local = distributed.LocalCluster
    with (
        dask.config.set(SETTINGS),
        local(n_workers=0, dashboard_address=":0", silence_logs="CRITICAL") as made,
    ):
        forked = multiprocessing.get_context("forkserver")
        forked.set_forkserver_preload(["distributed", "benchmarks.ready"])
        running = {}

        def looked_after():
            last = time.monotonic()
            while not over.wait(0.1):
                for place in range(workers):
                    if place not in running or not running[place].is_alive():
                        running[place] = forked.Process(target=work, args=(made.scheduler_address,))
                        running[place].start()
                known = [worker.pid for worker in [*made.scheduler.workers.values()]]
                if every and known and time.monotonic() - last > every:
                    last = time.monotonic()
                    killed.append(choose.choice(known))
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(killed[-1], signal.SIGKILL)

        keeper = threading.Thread(target=looked_after)
        keeper.start()
        try:
            yield made.scheduler_address, killed
        finally:
            over.set()
            keeper.join()
            for process in running.values():
                process.kill()
                process.join()


def compared(opened, parts):
    """Seconds by the clock and of processors for each part, by engine; and hashes of what came out."""
    compute = functools.partial(kept.computed, grid.compute)
    took, found = {name: [] for name in opened}, {name: hashlib.sha256() for name in opened}
    for part in parts:
        for name, engine in opened.items():
            clock, used = time.perf_counter(), processor_seconds()
            rows = dict(engines.computed(part, compute, engine, progress=False))
            took[name].append((time.perf_counter() - clock, processor_seconds() - used))
            found[name].update(b"".join(rows[task] for task in part))
    return took, {name: digest.hexdigest() for name, digest in found.items()}


def side_by_side(grid_tasks, rounds):
    """Print what each engine costs on one worker."""
    size = len(grid_tasks) // (rounds + 1)
    parts = [grid_tasks[k * size : (k + 1) * size] for k in range(rounds + 1)]
    with contextlib.ExitStack() as stack:
        opened = {
            name: stack.enter_context(engines.opened(name)) for name in ("threads", "processes")
        }
        with contextlib.suppress(ModuleNotFoundError):
            address, _ = stack.enter_context(cluster(1))
            opened["dask"] = stack.enter_context(engines.opened(address))
        compared(opened, parts[:1])  # kernels are read, and the pace is learnt
        took, found = compared(opened, parts[1:])
    if len(set(found.values())) > 1:
        raise SystemExit(f"engines differ: {found}")
    packed, workloads = engines.pack(grid.compute, parts[0])
    print(
        f"\n{rounds} rounds of {size:,} simulations, one worker each, rows equal to the byte\n"
        "  engine      simulations/s   overhead (clock)   overhead (processor)"
    )
    for name, pairs in took.items():
        ratios = [
            statistics.median(own[kind] / one[kind] for own, one in zip(pairs, took["threads"]))
            for kind in (0, 1)
        ]
        rate = rounds * size / sum(clock for clock, _ in pairs)
        print(f"  {name:<10} {rate:>14,.0f} {ratios[0] - 1:>18.1%} {ratios[1] - 1:>22.1%}")
    print(
        f"  a task is {len(packed) / size:.0f} bytes in a batch, "
        f"{len(engines.pack(grid.compute, parts[0][:1])[0]):,} alone; "
        f"a workload of {len(next(iter(workloads.values()))):,} jobs goes once to each worker"
    )


def table(grid_tasks, workers, engine, folder):
    """Seconds by the clock, and the hash of the table as the command would write it."""
    began = time.perf_counter()
    rows = grid.run(grid_tasks, workers, engine, folder, progress=False)
    took = time.perf_counter() - began
    return took, hashlib.sha256(rows.to_parquet(index=False)).hexdigest()


def with_deaths(grid_tasks, every, one):
    """Print whether the table is that of one thread, kept in `one`, although workers are killed."""
    with tempfile.TemporaryDirectory(prefix="replication-engines-") as place:
        other = Path(place) / "other"
        one = one or Path(place) / "one"
        alone, expected = table(grid_tasks, 1, "threads", one)
        again, read = table(grid_tasks, 1, "threads", one)
        with cluster(2, every) as (address, killed):
            took, found = table(grid_tasks, 1, address, other)
        files = [path.stat().st_size for path in other.glob(f"*{kept.ENDING}")]
    print(
        f"\n{len(grid_tasks):,} simulations\n"
        f"  one thread: {alone:.0f} s; read again: {again:.1f} s, {'equal' if read == expected else 'OTHER'} bytes\n"
        f"  Dask, two workers, {len(killed)} killed: {took:.0f} s, "
        f"{'equal' if found == expected else 'OTHER'} bytes, "
        f"{len(files)} file(s) of {sum(files) / 1e6:.0f} MB"
    )


def plan(simulations, seeds, workers, price):
    """Print what so many simulations of all of KTH-SP2 would take, by what one task takes here."""
    one = grid.Task(traces.load("KTH-SP2"), FModel(2.0), seeds=range(1, seeds + 1))
    grid.compute(one)
    used = time.thread_time()
    rows = kept.packed(grid.compute(one))
    seconds = (time.thread_time() - used) * simulations / seeds
    tasks = simulations / seeds
    size = tasks * (len(rows) + kept.HEAD)
    sent = len(engines.pack(grid.compute, [one])[0])
    batches = max(1.0, engines.SECONDS / (seconds / tasks))
    print(
        f"\n{simulations:,} simulations of {len(one.workload):,} jobs, {seeds} seeds a task\n"
        f"  {seconds / 3600:,.0f} core hours by the thread time of one task, "
        f"{seconds / workers / 3600:,.1f} hours on {workers:,} workers, {seconds / 3600 * price:,.0f} at {price} "
        "a core hour\n"
        f"  {tasks:,.0f} tasks in {tasks / batches:,.0f} batches; the scheduler handles "
        f"{tasks / batches * workers / seconds:,.0f} a second and has "
        f"{workers * engines.IN_FLIGHT * sent * batches / 1e6:,.1f} MB of them on their way\n"
        f"  kept: {size / 1e9:,.1f} GB in {math.ceil(size / kept.LARGEST):,} files, "
        f"and up to one more for each part that runs at once; {len(rows) / seeds:.0f} bytes a simulation\n"
    )


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--simulations", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=500, help="of a simulation")
    parser.add_argument("--rounds", type=int, default=5, help="of all engines; 0 for none")
    parser.add_argument("--kill-every", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--folder", type=Path, help="where one thread's results are kept")
    parser.add_argument(
        "--plan", type=int, metavar="SIMULATIONS", help="only say what they would take"
    )
    parser.add_argument("--seeds", type=int, default=100, help="of a task of the plan")
    parser.add_argument("--workers", type=int, default=1000, help="of the plan")
    parser.add_argument("--price", type=float, default=0.05, help="of a core hour in the plan")
    given = parser.parse_args()
    if given.plan:
        plan(given.plan, given.seeds, given.workers, given.price)
        return
    every = tasks(given.simulations, given.jobs)
    if given.rounds:
        side_by_side(every[: given.simulations // 5], given.rounds)
    with_deaths(every, given.kill_every, given.folder)


if __name__ == "__main__":
    main()
