"""The schedulers as slow, readable Python that follows the papers' prose: the oracle of ``replication.core``.

Nothing here is fast and nothing here is clever. Each function simulates one scheduler and is compared with
its compiled kernel on every start time, on random and on real workloads.
"""

from collections import deque


def fcfs(workload, estimate=None):
    """First come, first served: nobody passes a blocked head. See `easy` for arguments and result."""
    return easy(workload, estimate, backfilling=False)


def easy(workload, estimate=None, backfilling=True):
    """EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001, section 2).

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    estimate : int[n], s, optional
        What the scheduler is told; the workload's own estimates by default.
    backfilling : bool

    Returns
    -------
    start : list of int, s
    backfilled : list of bool
    """
    run_time, size = workload.run_time.tolist(), workload.processors.tolist()
    estimate = workload.estimate.tolist() if estimate is None else [int(e) for e in estimate]
    start, backfilled = [None] * len(workload), [False] * len(workload)
    queue, running = [], []

    def begin(job, now):
        start[job] = now
        queue.remove(job)
        running.append(job)

    def free():
        return workload.machine - sum(size[job] for job in running)

    for now, submitted in instants(workload, start, running):
        # All events of an instant are taken together: ends, then submissions, then one scheduling pass.
        running[:] = [job for job in running if start[job] + run_time[job] > now]
        queue.extend(submitted)

        # Start jobs in queue order as long as the head fits.
        while queue and size[queue[0]] <= free():
            begin(queue[0], now)
        if not queue or not backfilling:
            continue

        # Reserve for the blocked head, then try everyone behind it in queue order.
        planned = [(max(start[job] + estimate[job], now), size[job]) for job in running]
        shadow, extra = reservation(planned, free(), size[queue[0]])
        for job in queue[1:]:
            in_time = now + estimate[job] <= shadow
            if size[job] <= free() and (in_time or size[job] <= extra):
                begin(job, now)
                backfilled[job] = True
                if not in_time:
                    extra -= size[job]
    return start, backfilled


def instants(workload, start, running):
    """Yield (now, jobs submitted now) for every instant at which a job is submitted or a running one ends."""
    coming = deque(range(len(workload)))
    while coming or running:
        ends = [start[job] + int(workload.run_time[job]) for job in running]
        now = min(ends + [int(workload.submit[job]) for job in list(coming)[:1]])
        submitted = []
        while coming and workload.submit[coming[0]] == now:
            submitted.append(coming.popleft())
        yield now, submitted


def reservation(planned, free, head_size):
    """Shadow time and extra processors of a head that needs `head_size` processors.

    `planned` lists (planned end, size) of the running jobs. The shadow time is the earliest planned end
    at which the head fits; all jobs planned to end by that instant count, and what the head leaves over
    is extra.
    """
    for shadow in sorted({end for end, _ in planned}):
        available = free + sum(size for end, size in planned if end <= shadow)
        if available >= head_size:
            return shadow, available - head_size
    raise ValueError(
        f"a job of {head_size} processors never fits; the machine is smaller than that"
    )
