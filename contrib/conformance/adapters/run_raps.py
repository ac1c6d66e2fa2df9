"""Run RAPS, first come first served, with EASY backfilling:

python3 run_raps.py RAPS easy {swf} {out}      (or none)

Its engine runs with its own reader of logs, on a machine of one rack, without cooling and network.
A running job that exceeds its limit is an error there, so run times are cut at the estimates.
The engine frees the nodes of a job at the tick after its end, and runs no job for 0 s: each run
time is given a second shorter, so that a job holds its nodes as long as the log says, and at least
for a second.
"""

import contextlib
import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import yaml

folder, backfilling, swf, out = sys.argv[1:]
sys.path.insert(0, folder)
from raps.engine import Engine
from raps.sim_config import SingleSimConfig

machine, lines = 0, ["; UnixStartTime: 0"]
for line in open(swf):
    if line.startswith("; MaxProcs:"):
        machine = int(line.split()[2])
    elif not line.startswith(";"):
        row = list(map(int, line.split()))
        run_time = max(min(row[3], row[8]), 1) - 1
        start = [row[0], row[1], 0, run_time, row[7], -1, -1, row[7], row[8], *row[9:18]]
        lines.append(" ".join(map(str, [*start, 0, -1, f"log:excl:{row[7]}x1"])))
system = yaml.safe_load(Path(folder, "config", "selene.yaml").read_text())
system["system"].update(num_cdus=1, racks_per_cdu=1, chassis_per_rack=1, nodes_per_rack=machine)
system["system"].update(nodes_per_blade=1, rectifiers_per_chassis=machine)
system["scheduler"].update(max_nodes_per_job=machine)
with tempfile.TemporaryDirectory() as place, open(os.devnull, "w") as nothing:
    Path(place, "machine.yaml").write_text(yaml.safe_dump(system))
    Path(place, "log.swf").write_text("\n".join(lines) + "\n")
    with contextlib.redirect_stdout(nothing):
        engine = Engine(
            SingleSimConfig(
                system=f"{place}/machine.yaml", replay=[f"{place}/log.swf"],
                dataloader="raps.dataloaders.frontier_swf", scheduler="default", policy="fcfs",
                backfill=backfilling, noui=True, output="none", time=timedelta(days=1000),
                time_delta=timedelta(days=1),
            )
        )  # fmt: skip
        jobs = list(engine.jobs)
        for _ in engine.run_simulation(autoshutdown=True):
            pass
origin = min(int(line.split()[1]) for line in lines[1:])
with open(out, "w") as file:
    file.write("job_id,start\n")
    for job in jobs:
        file.write(f"{job.id},{job.start_time + origin:.10g}\n")
