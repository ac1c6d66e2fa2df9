"""Run AccaSim's EASY or FIFO dispatcher with its first-fit allocator, one processor a node:

python3 run_accasim.py EASYBackfilling {swf} {out}
"""

import contextlib
import datetime
import json
import os
import re
import sys
import tempfile
import time

import accasim.base.scheduler_class as schedulers
from accasim.base.allocator_class import FirstFit
from accasim.base.simulator_class import Simulator

name, swf, out = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
text = open(swf).read()
processors = int(re.search("MaxProcs: *([0-9]+)", text)[1])
# It divides by the memory that a job asks for: one unit, of which each node has one.
rows = [line.split() for line in text.splitlines() if not line.startswith(";")]
lines = [" ".join([*row[:9], "1", *row[10:]]) for row in rows]
with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nothing:
    os.chdir(folder)
    with open("system.json", "w") as file:
        json.dump({
            "system_name": "conformance", "start_time": 0,
            "equivalence": {"processor": {"core": 1}},
            "groups": {"g0": {"core": 1, "mem": 1}}, "resources": {"g0": processors},
        }, file)  # fmt: skip
    with open("log.swf", "w") as file:
        file.write("\n".join([f"; MaxProcs: {processors}", *lines]) + "\n")
    with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
        dispatcher = getattr(schedulers, name)(FirstFit())
        run = Simulator(
            "log.swf", "system.json", dispatcher, RESULTS_FOLDER_PATH=folder,
            statistics_output=False, show_statistics=False,
        )  # fmt: skip
        run.start_simulation()
    # A thread of its own writes the result, with the dates of 1970 as the log counts from 0.
    records, waited = [], 0
    while len(records) < len(rows) and waited < 10:
        time.sleep(0.05)
        waited += 0.05
        if os.path.exists("sched-log.swf"):
            records = open("sched-log.swf").read().splitlines()
with open(out, "w") as file:
    file.write("job_id,start\n")
    for line in records:
        number, start = line.split(";")[0], line.split("#__")[1].split(";")[0]
        moment = datetime.datetime.strptime(start, "%Y-%m-%d %H:%M:%S")
        file.write(f"{number},{int((moment - datetime.datetime(1970, 1, 1)).total_seconds())}\n")
