"""Timers, sizes of the machine and kept work, second by second:
the reference of the `EventLoop`.
"""


def runs(workload, decide, sizes=None) -> list:
    """Return the runs of each job in the order of their starts, lists of (start, end).

    Every second has its ends, submissions and passes, so that no events are scheduled at all.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    decide : callable
        ``decide(now, queue, running, free)`` returns the jobs to preempt, a list of (job, s to
        keep), and the jobs to begin, by index. It is called in each pass.
    sizes : dict of int to int, optional
        Processors of the machine from a second on. Each of these seconds has a pass.
    """
    submit, size = workload.submit.tolist(), workload.processors.tolist()
    left = workload.run_time.tolist()
    queue, running, past = [], {}, [[] for _ in left]
    machine, waiting, now = workload.machine, set(range(len(left))), submit[0]
    while waiting or queue or running:
        timer = now in (sizes or {})
        machine = (sizes or {}).get(now, machine)
        while True:  # a job of run time 0 ends at the instant it starts
            ended = [job for job in running if running[job] + left[job] == now]
            for job in ended:
                past[job].append((running.pop(job), now))
            coming = sorted(job for job in waiting if submit[job] == now)
            waiting -= {*coming}
            queue = sorted([*queue, *coming])
            if not (ended or coming or timer):
                break
            timer = False
            free = machine - sum(size[job] for job in running)
            preempted, begun = decide(now, list(queue), dict(running), free)
            for job, keep in preempted:
                past[job].append((running.pop(job), now))
                left[job] -= keep
            queue = sorted({*queue, *(job for job, _ in preempted)} - {*begun})
            running |= dict.fromkeys(begun, now)
        now += 1
    return past
