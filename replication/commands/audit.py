"""Check a schedule: whether a machine could have run it, and whether it was fair.

FILE is a schedule that this package wrote (CSV or SWF), a Batsim jobs table, an evalys job set, or a job log
with waits. Jobs before their submission, too many processors at once and repeated jobs make it impossible.
Delays by jobs further back in the queue are counted and judge nothing: most schedulers allow them.

Examples:
  replication simulate KTH-SP2 --out easy.swf
  replication audit easy.swf
  replication audit batsim_jobs.csv --processors 128 --json

Exit codes: 0 possible; 1 impossible; 2 the file cannot be used, or the command line was refused.
"""

from replication.commands import _options as shared
from replication.simulator import formats, plans

_WRONG = {
    "before_submission": "started before their submission",
    "backwards": "ended before their start",
    "larger": "larger than the machine",
    "repeated": "that are there already",
}


@shared.file("schedule", metavar="FILE")
@shared.processors("SWF's MaxProcs")
@shared.as_json("Print what was found")
def command(schedule, processors, as_json):
    """Check; the exit code says whether the schedule is possible."""
    with shared.judging():
        plan = formats.read(schedule)
    found = {"file": schedule, "form": plan.form} | plans.check(plan, processors)
    found["fairness"], found["fairness_left_out"] = _fairness(plan, processors, found["possible"])
    shared.say(found, _lines(found), as_json)
    return 1 if found["possible"] is False else 0


def _fairness(plan, processors, possible):
    """What the audits found, and why they were left out, one of them None."""
    if not possible:
        return (
            None,
            f"the {'schedule is impossible' if possible is False else 'machine is not known'}",
        )
    try:
        return plans.fairness(plans.as_schedule(plan, processors)), None
    except plans.PlanError as error:
        return None, str(error)


def _lines(found):
    """What was found in lines of text."""
    machine = "an unknown machine (--processors)"
    if found["machine"]:
        machine = f"{found['machine']:,} processors"
    yield f"{found['file']} ({found['form']}): {found['jobs']:,} jobs on {machine}"
    if found["never_ran"]:
        yield f"  {found['never_ran']:,} jobs without start or end, left out"
    for key, words in _WRONG.items():
        if found[key]:
            yield f"  {found[key]:,} jobs {words}"
    yield f"  {found['peak']:,} processors in use at most"
    if found["over_from"] is not None:
        yield f"  too many from second {found['over_from']:.10g}"
    yield f"  {found['past_estimate']:,} jobs ran past their estimate"
    words = {True: "possible", False: "IMPOSSIBLE", None: "nothing wrong as far as one sees"}
    yield words[found["possible"]]
    fair = found["fairness"]
    if fair is None:
        yield f"fairness not looked at: {found['fairness_left_out']}"
        return
    yield f"{fair['blocked']:,} jobs waited at the head of the queue, of these"
    yield (
        f"  {fair['head_delayed']:,} could have started earlier without the jobs behind them"
        f" (mean delay {fair['head_delay']:,.0f} s)"
    )
    yield (
        f"  {fair['reservations_broken']:,} missed their first reservation through a job behind them "
        f"that ran past its estimate (mean delay {fair['reservation_delay']:,.0f} s)"
    )
