"""Run a scheduler that speaks Batsim's protocol, such as batsched; pyzmq is needed.

python3 run_batsim.py "batsched -v easy_bf -d 0 -s {socket}" {swf} {out}

This program stands in for Batsim: in each message it sends the ends and then the submissions of one
instant, and it kills jobs at their walltime as Batsim does.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile

import zmq

command, swf, out = sys.argv[1:]
machine, jobs = 0, {}
for line in open(swf):
    if line.startswith("; MaxProcs:"):
        machine = int(line.split()[2])
    elif not line.startswith(";"):
        row = list(map(int, line.split()))
        # Batsim sends jobs of one instant in the order of its workload, which is that of the log.
        jobs[f"w0!{row[0]}"] = (row[1], row[7], row[8], min(row[3], row[8]))
folder = tempfile.mkdtemp()
address = f"ipc://{folder}/socket"
scheduler = subprocess.Popen(
    shlex.split(command.replace("{socket}", address)),
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
)  # fmt: skip
socket = zmq.Context().socket(zmq.REQ)
socket.setsockopt(zmq.RCVTIMEO, 20_000)
socket.setsockopt(zmq.LINGER, 0)
socket.connect(address)


def send(now, events):
    """Send events, pairs of type and data, and return those of the answer."""
    rows = [{"timestamp": float(now), "type": kind, "data": data} for kind, data in events]
    socket.send_string(json.dumps({"now": float(now), "events": rows}))
    return json.loads(socket.recv_string())["events"]


places = [
    {"id": k, "name": f"m{k}", "state": "idle", "core": 1, "properties": {}, "zone_properties": {}}
    for k in range(machine)
]
begin = {
    "nb_resources": machine, "nb_compute_resources": machine, "nb_storage_resources": 0,
    "allow_time_sharing": False, "allow_compute_sharing": False, "allow_storage_sharing": False,
    "allow_time_sharing_on_compute": False, "allow_time_sharing_on_storage": False,
    "compute_resources": places, "resources_data": places, "storage_resources": [],
    "workloads": {"w0": "w0"}, "profiles": {"w0": {"p": {"type": "delay", "delay": 1}}},
    "config": {
        "redis-enabled": False, "redis-hostname": "", "redis-port": 0, "redis-prefix": "",
        "profiles-forwarded-on-submission": True, "dynamic-jobs-enabled": False,
        "dynamic-jobs-acknowledged": False, "profile-reuse-enabled": False,
        "job_submission": {"forward_profiles": True, "from_scheduler": {"enabled": False}},
        "forward-unknown-events": False,
    },
}  # fmt: skip
try:
    starts, running, calls, coming = {}, {}, set(), dict(jobs)
    answers, now = send(0, [("SIMULATION_BEGINS", begin)]), 0
    while True:
        for event in answers:
            data = event.get("data", {})
            if event["type"] == "EXECUTE_JOB":
                name = data["job_id"]
                starts[name] = now
                running[name] = (now + jobs[name][3], data.get("alloc", ""))
            elif event["type"] == "CALL_ME_LATER":
                calls.add(data["timestamp"])
        times = [job[0] for job in coming.values()] + [end for end, _ in running.values()]
        if not times:
            break
        now = min([*times, *(call for call in calls if call >= now)])
        events = []
        for name in [name for name, (end, _) in running.items() if end == now]:
            _, place = running.pop(name)
            killed = jobs[name][3] >= jobs[name][2]
            state = "COMPLETED_WALLTIME_REACHED" if killed else "COMPLETED_SUCCESSFULLY"
            data = {"job_id": name, "status": "SUCCESS", "job_state": state, "return_code": 0}
            events.append(("JOB_COMPLETED", {**data, "kill_reason": "", "alloc": place}))
        for name in [name for name, job in coming.items() if job[0] == now]:
            submit, size, walltime, run_time = coming.pop(name)
            job = {"id": name, "subtime": submit, "res": size, "walltime": walltime}
            profile = {"type": "delay", "delay": run_time}
            job["profile"] = f"p{name[3:]}"
            data = {"job_id": name, "job": job, "profile": profile}
            events.append(("JOB_SUBMITTED", data))
        if now in calls:
            calls.remove(now)
            events.append(("REQUESTED_CALL", {}))
        answers = send(now, events)
    send(now, [("SIMULATION_ENDS", {})])
except zmq.error.Again:  # what has started is written
    print(f"{swf}: the scheduler does not answer", file=sys.stderr)
finally:
    scheduler.kill()
    scheduler.wait()
    if os.path.exists(f"{folder}/socket"):
        os.remove(f"{folder}/socket")
    os.rmdir(folder)
with open(out, "w") as file:
    file.write("job_id,start\n")
    for name, start in starts.items():
        file.write(f"{name[3:]},{start:.10g}\n")
