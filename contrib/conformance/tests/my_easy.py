"""EASY in sixty lines, as a stranger might write it: python3 my_easy.py LOG.swf OUT.csv"""

import sys


def read(path):
    machine, jobs = 0, []
    for line in open(path):
        if line.startswith("; MaxProcs:"):
            machine = int(line.split()[2])
        elif not line.startswith(";"):
            row = [int(word) for word in line.split()]
            jobs.append(
                {"id": row[0], "submit": row[1], "run": row[3], "size": row[7], "est": row[8]}
            )
    jobs.sort(key=lambda job: (job["submit"], job["id"]))
    return machine, jobs


def end(job):
    return job["start"] + job["run"]


def planned_end(job, now):
    return max(job["start"] + job["est"], now)


def reserve(head, free, running, now):
    for job in sorted(running, key=lambda job: planned_end(job, now)):
        shadow = planned_end(job, now)
        available = free + sum(j["size"] for j in running if planned_end(j, now) <= shadow)
        if available >= head["size"]:
            return shadow, available - head["size"]


def schedule(queue, free, running, now):
    started, shadow = [], None
    for job in list(queue):
        if shadow is None and job["size"] > free:
            shadow, extra = reserve(job, free, running + started, now)
            continue
        in_time = shadow is None or now + job["est"] <= shadow
        if job["size"] > free or not (in_time or job["size"] <= extra):
            continue
        if not in_time:
            extra -= job["size"]
        job["start"] = now
        free -= job["size"]
        started.append(job)
    return started


machine, jobs = read(sys.argv[1])
queue, running, left = [], [], list(jobs)
while left or queue or running:
    now = min([job["submit"] for job in left] + [end(job) for job in running])
    running = [job for job in running if end(job) > now]
    queue += [job for job in left if job["submit"] == now]
    left = [job for job in left if job["submit"] > now]
    free = machine - sum(job["size"] for job in running)
    started = schedule(queue, free, running, now)
    queue = [job for job in queue if job not in started]
    running += started
with open(sys.argv[2], "w") as file:
    file.write("job_id,start\n" + "".join(f"{job['id']},{job['start']}\n" for job in jobs))
