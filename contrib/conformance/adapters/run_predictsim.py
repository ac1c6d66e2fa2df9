"""Run a scheduler of Predictsim (2015 or 2024), which needs Python 2.7:

python2.7 run_predictsim.py PREDICTSIM/pyss SCHEDULER {swf} {out} [PREDICTOR CORRECTOR]
"""

import os
import re
import sys

source, name, swf, out = sys.argv[1:5]
swf, out = os.path.abspath(swf), os.path.abspath(out)
sys.path[:0] = [source, os.path.dirname(source)]
os.chdir(source)
from base.prototype import _job_inputs_to_jobs  # noqa: E402
from base.workload_parser import parse_lines  # noqa: E402
from schedulers.common import module_to_class  # noqa: E402

from schedulers import simulator  # noqa: E402

text = open(swf).read()
processors = int(re.search("MaxProcs: *([0-9]+)", text).group(1))
options = {"num_processors": processors, "input_file": swf, "output_swf": out, "stats": False}
options["scheduler"] = {"name": name, "progressbar": False}
if len(sys.argv) > 5:
    options["scheduler"]["predictor"] = {"name": sys.argv[5]}
    options["scheduler"]["corrector"] = {"name": sys.argv[6]}
module = __import__("schedulers." + name, fromlist=[name])
scheduler = getattr(module, module_to_class(name))(options)
lines = [line for line in text.splitlines() if not line.startswith(";")]
jobs = list(_job_inputs_to_jobs(parse_lines(lines), processors))
screen, sys.stdout = sys.stdout, open(os.devnull, "w")
try:
    simulator.run_simulator(
        num_processors=processors, jobs=jobs, scheduler=scheduler, output_swf=out,
        input_file=swf, no_stats=True, options=options,
    )  # fmt: skip
except TypeError:  # that of 2015
    simulator.run_simulator(processors, iter(jobs), scheduler, out, swf, True, options)
with open(out, "w") as file:
    file.write("job_id,start\n")
    for job in jobs:
        file.write("%d,%d\n" % (job.id, job.start_to_run_at_time))
