"""Run RAPS's scheduler, first come first served, with EASY backfilling:

python3 run_raps.py RAPS easy {swf} {out}      (or none)

Its files `raps/schedulers/default.py`, `policy.py` and `utils.py` run, on a loop with a pass each
second as in its engine: ends, submissions, then the pass. The rest of RAPS (power, cooling,
network) is not loaded.
"""

import importlib.util
import os
import sys
import types

folder, backfilling, swf, out = sys.argv[1:]


def load(name, *path):
    """Import a file of RAPS under its own name, without its package's other modules."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "raps", *path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sys.modules["raps"] = types.ModuleType("raps")
sys.modules["raps"].__path__ = []
sys.modules["raps.job"] = types.ModuleType("raps.job")  # utils.py names it, and needs nothing of it
sys.modules["raps.job"].Job = sys.modules["raps.job"].JobState = object
load("raps.utils", "utils.py")
sys.modules["raps.schedulers"] = types.ModuleType("raps.schedulers")
sys.modules["raps.schedulers"].__path__ = []
load("raps.policy", "policy.py")
default = load("raps.schedulers.default", "schedulers", "default.py")


class Nodes:
    """The machine: nodes that jobs hold."""

    def __init__(self, count):
        self.available_nodes = list(range(count))

    def assign_nodes_to_job(self, job, now, policy):
        """Give a job its nodes."""
        job.scheduled_nodes = self.available_nodes[: job.nodes_required]
        self.available_nodes = self.available_nodes[job.nodes_required :]
        job.start_time, job.end_time = now, now + job.run_time


machine, jobs = 0, []
for line in open(swf):
    if line.startswith("; MaxProcs:"):
        machine = int(line.split()[2])
    elif not line.startswith(";"):
        row = list(map(int, line.split()))
        jobs.append(
            types.SimpleNamespace(
                id=row[0], submit_time=row[1], run_time=row[3], nodes_required=row[7],
                time_limit=row[8], scheduled_nodes=[], start_time=None, end_time=None,
            )
        )  # fmt: skip
nodes, queue, running = Nodes(machine), [], []
backfilling = None if backfilling == "none" else backfilling
scheduler = default.Scheduler({}, "fcfs", backfilling, resource_manager=nodes)
now, left = 0, list(jobs)
while left or queue or running:
    for job in [job for job in running if job.end_time <= now]:
        running.remove(job)
        nodes.available_nodes = sorted(nodes.available_nodes + job.scheduled_nodes)
    queue += [job for job in left if job.submit_time <= now]
    left = [job for job in left if job.submit_time > now]
    scheduler.schedule(queue, running, now)
    now += 1
with open(out, "w") as file:
    file.write("job_id,start\n")
    for job in jobs:
        file.write(f"{job.id},{job.start_time}\n")
