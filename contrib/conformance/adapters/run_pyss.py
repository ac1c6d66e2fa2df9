"""Run a scheduler of pyss (2007), which needs Python 2.7:

python2.7 run_pyss.py PYSS/src EasyBackfillScheduler {swf} {out}
"""

import os
import re
import sys

source, name, swf, out = sys.argv[1:]
sys.path.insert(0, source)
from base.prototype import _job_inputs_to_jobs  # noqa: E402
from base.workload_parser import parse_lines  # noqa: E402
from schedulers.simulator import Simulator  # noqa: E402

module = {
    "FcfsScheduler": "fcfs_scheduler",
    "EasyBackfillScheduler": "easy_scheduler",
    "EasySJBFScheduler": "easy_sjbf_scheduler",
    "ConservativeScheduler": "conservative_scheduler",
}[name]
scheduler = getattr(__import__("schedulers." + module, fromlist=[name]), name)
text = open(swf).read()
processors = int(re.search("MaxProcs: *([0-9]+)", text).group(1))
lines = [line for line in text.splitlines() if not line.startswith(";")]
jobs = list(_job_inputs_to_jobs(parse_lines(lines), processors))
sys.stdout = open(os.devnull, "w")  # it prints warnings
Simulator(jobs, processors, scheduler(processors)).run()
with open(out, "w") as file:
    file.write("job_id,start\n")
    for job in jobs:
        file.write("%d,%d\n" % (job.id, job.start_to_run_at_time))
