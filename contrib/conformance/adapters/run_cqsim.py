"""Run CQSim, first come first served, with EASY or conservative backfilling:

python3 run_cqsim.py CQSIM/src easy {swf} {out}
"""

import contextlib
import os
import sys
import tempfile

source, backfilling, swf, out = map(os.path.abspath, sys.argv[1:])
backfilling = {"fcfs": 0, "easy": 1, "conservative": 2}[os.path.basename(backfilling)]
sys.path.insert(0, source)
submitted = {}
for line in open(swf):
    if not line.startswith(";"):
        number, submit = line.split()[:2]
        submitted[number] = int(submit)
with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nothing:
    os.chdir(folder)
    paths = {key: folder + "/" for key in ("path_fmt", "path_out", "path_debug")}
    ends = {"ext_fmt_j": ".j", "ext_fmt_n": ".n", "ext_fmt_j_c": ".jc", "ext_fmt_n_c": ".nc"}
    ends |= {"ext_si": ".ult", "ext_ai": ".adp", "ext_jr": ".rst", "ext_debug": ".log"}
    names = {"job_save": "jobs", "node_save": "nodes", "output": "result", "debug": "debug"}
    lists = dict.fromkeys(("bf_para", "win_para", "ad_win_para", "ad_bf_para", "ad_alg_para"), [])
    numbers = {"cluster_fraction": 1.0, "start": 0.0, "anchor": 0, "read_num": -1, "win": 0}
    numbers |= {"debug_lvl": 0, "monitor": 0, "log_freq": 1, "read_input_freq": 1000}
    order = {"alg": ["w", "+", "2"], "alg_sign": [1, 0, 1], "backfill": backfilling}
    trace = {"path_in": "", "job_trace": swf, "node_struc": swf}
    with contextlib.redirect_stdout(nothing):
        import cqsim_main

        cqsim_main.cqsim_main({**paths, **ends, **names, **lists, **numbers, **order, **trace})
    with open("result.rst") as result, open(out, "w") as file:
        file.write("job_id,start\n")
        for line in result:
            cells = line.split(";")
            file.write(f"{cells[0]},{submitted[cells[0]] + float(cells[5]):.10g}\n")
