"""List, fetch and describe the logs.

list says where each log is and who uses it; fetch gets those that are missing from the archive and checks
those that are there; describe shows what is in a log (a name or an SWF file) and what the rules make of it.

Examples:
  replication traces list --json
  replication traces fetch KTH-SP2 --folder logs
  replication traces describe KTH-SP2 my-log.swf.gz --json
  replication traces describe CTC-SP2 --paper pv_easy

Exit codes: 0 done; 1 a log cannot be had or used; 2 the command line was refused.
"""

from pathlib import Path

import click

from replication.commands import _options as shared
from replication.simulator import traces

_HEADER = "Computer Installation StartTime EndTime TimeZoneString MaxProcs MaxNodes".split()


@shared.as_json("The list")
def listed(as_json):
    """The logs of the registry, and where they are."""
    known = []
    for name in traces.names():
        log, told = traces.info(name), {"name": name}
        told |= {"jobs": log.jobs, "processors": log.processors, "papers": list(log.papers)}
        known.append(told | {"path": str(traces.locate(name) or ""), "title": log.title})
    lines = (
        f"{log['name']:10} {log['jobs']:>8,} jobs {log['processors']:>7,} processors  "
        f"{', '.join(log['papers']) or 'no paper':38} {log['path'] or 'not here'}"
        for log in known
    )
    shared.say(known, lines, as_json)


@click.argument(
    "names", nargs=-1, metavar="[NAME...]", shell_complete=shared.completing(lambda: traces.names())
)
@click.option("--folder", type=Path, help="Where they go (default data/traces).")
@shared.as_json("What was done")
def fetch(names, folder, as_json):
    """Fetch what is missing, check what is there; all logs without a NAME."""
    done = []
    for name in names or traces.names():
        path = None if folder else traces.locate(name)
        try:
            if path is None:
                path = traces.fetch(name, folder)
            else:
                traces.check(path, traces.info(name).sha256)
            done.append({"name": name, "path": str(path), "error": None})
        except traces.DownloadError as error:
            done.append({"name": name, "path": None, "error": str(error)})
        if not as_json:
            click.echo(f"{name}: {done[-1]['error'] or done[-1]['path'] + ', checked'}")
    if as_json:
        shared.say(done, (), as_json)
    return int(any(log["error"] for log in done))


@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=shared.logs)
@shared.as_json("The facts")
@shared.rules
def describe(names, as_json, **given):
    """Facts of a log and of the jobs made from it; a NAME of the registry or an SWF file."""
    facts = [_facts(name, given) for name in names]
    shared.say(facts if len(facts) > 1 else facts[0], ["\n\n".join(map(_text, facts))], as_json)


def _facts(name, given):
    """Everything that `describe` tells of one log."""
    # Once: a pipe cannot be read again.
    trace = None if name in traces.names() else traces.read(name, given["bad_lines"])
    jobs = traces.load(trace or name, **given)
    facts = {"name": jobs.name, "stand_in": jobs.stand_in}
    if not jobs.stand_in:
        trace = trace or traces.read(name, given["bad_lines"])
        facts |= {
            "file": Path(trace.path).name,
            "sha256": trace.sha256,
            "lines": len(trace) + sum(trace.bad_lines.values()),
            "header": {label: trace.header[label] for label in _HEADER if label in trace.header},
            "bad_lines": trace.bad_lines,
            "anomalies": {what: count for what, count in trace.anomalies.items() if count},
            "acknowledge": trace.acknowledgements,
        }
    if name in traces.names():
        facts |= {"title": traces.info(name).title, "asks": traces.info(name).asks}
    load = jobs.load if jobs.span else None  # no capacity between submissions of one instant
    return facts | {
        "jobs": len(jobs),
        "processors": jobs.machine,
        "load": load,
        "span": jobs.span,
        "mean_size": float(jobs.processors.mean()),
        "mean_run_time": float(jobs.run_time.mean()),
        "users": len(set(jobs.user.tolist())),
        "cleaning": dict(jobs.cleaning),
    }


def _text(facts):
    real, thanks = "file" in facts, {}
    if real:
        archive, keepers = traces.acknowledgements()
        names = [*facts["acknowledge"], f"{', '.join(keepers)} ({archive})"]
        thanks = {"acknowledge": "; ".join(names)}
    asks, found = facts.get("asks"), facts.get("anomalies", {})
    shown = {
        "jobs": f"{facts['jobs']:,}" + (f" of {facts['lines']:,} lines" if real else ""),
        "processors": f"{facts['processors']:,}",
        "load": "none" if facts["load"] is None else f"{facts['load']:.2%}",
        "span": f"{facts['span'] / 86400:.1f} days",
        "users": f"{facts['users']:,}",
        "mean size": f"{facts['mean_size']:.4f} processors",
        "mean run time": f"{facts['mean_run_time']:.1f} s",
    }
    rows = [
        *([("file", f"{facts['file']}, sha256 {facts['sha256']}")] if real else []),
        *((label, "; ".join(values)) for label, values in facts.get("header", {}).items()),
        *shown.items(),
        *((rule, f"{count:,} jobs") for rule, count in facts["cleaning"].items()),
        *((what.replace("_", " "), f"{count:,}") for what, count in found.items()),
        *thanks.items(),
        *([("asks", asks)] if asks else []),
    ]
    title = " (stand-in)" * facts["stand_in"] + (f": {facts['title']}" if "title" in facts else "")
    return "\n".join([f"{facts['name']}{title}", *(f"  {k:24} {v}" for k, v in rows)])


ACTIONS = {"list": listed, "fetch": fetch, "describe": describe}
