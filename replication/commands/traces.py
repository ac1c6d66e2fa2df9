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

import json
from pathlib import Path

from replication.logs import cleaning, traces

_HEADER = (
    "Computer",
    "Installation",
    "StartTime",
    "EndTime",
    "TimeZoneString",
    "MaxProcs",
    "MaxNodes",
)


def add_arguments(parser):
    """What to do, with which logs."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|fetch|describe")
    listed = actions.add_parser("list", help="the logs of the registry, and where they are")
    listed.add_argument("--json", action="store_true", help="as JSON")
    fetched = actions.add_parser("fetch", help="fetch what is missing, check what is there")
    fetched.add_argument("names", nargs="*", metavar="NAME", help="by default all logs")
    fetched.add_argument("--folder", type=Path, default=None, help="by default data/traces")
    fetched.add_argument("--json", action="store_true", help="as JSON")
    described = actions.add_parser("describe", help="facts of a log and of the jobs made from it")
    described.add_argument(
        "names", nargs="+", metavar="NAME", help="a name of the registry or an SWF file"
    )
    described.add_argument("--json", action="store_true", help="as JSON")
    add_rules(described)


def add_rules(parser):
    """The options that say how jobs are made from a log; `chosen_rules` reads them."""
    parser.add_argument("--paper", help=f"use a paper's rules: {', '.join(traces.papers())}")
    parser.add_argument(
        "--processors", type=int, metavar="N", help="by default the header's MaxProcs"
    )
    parser.add_argument(
        "--size",
        choices=cleaning.SIZES,
        help="which processors are a job's size; the others where these are missing",
    )
    parser.add_argument(
        "--overrun",
        choices=cleaning.OVERRUNS,
        help="what becomes of a run longer than its estimate",
    )
    parser.add_argument(
        "--drop",
        metavar="RULES",
        help="jobs left out, by commas; '' for none: "
        + "; ".join(f"{rule} ({words})" for rule, (words, _) in cleaning.DROP_RULES.items()),
    )


def chosen_rules(args):
    """Keyword arguments for `replication.logs.traces.load` from the options of `add_rules`."""
    return {
        "paper": args.paper,
        "machine": args.processors,
        "size": args.size,
        "overrun": args.overrun,
        "drop": args.drop,
    }


def main(args):
    """Do what was asked for.

    Returns
    -------
    int
        0, or 1 if a log could not be fetched.
    """
    return {"list": _list, "fetch": _fetch, "describe": _describe}[args.action](args)


def _list(args):
    logs = [
        {
            "name": name,
            "jobs": log.jobs,
            "processors": log.processors,
            "papers": list(log.papers),
            "path": str(traces.locate(name) or ""),
            "title": log.title,
        }
        for name, log in ((name, traces.info(name)) for name in traces.names())
    ]
    if args.json:
        print(json.dumps(logs, indent=2))
        return 0
    for log in logs:
        print(
            f"{log['name']:10} {log['jobs']:>8,} jobs {log['processors']:>7,} processors  "
            f"{', '.join(log['papers']) or 'no paper':38} {log['path'] or 'not here'}"
        )
    return 0


def _fetch(args):
    from replication.logs import archive

    logs = []
    for name in args.names or traces.names():
        path = None if args.folder else traces.locate(name)
        try:
            if path is None:
                path = traces.fetch(name, args.folder)
            else:
                archive.check(path, traces.info(name).sha256)
            logs.append({"name": name, "path": str(path), "error": None})
        except archive.ArchiveError as error:
            logs.append({"name": name, "path": None, "error": str(error)})
        if not args.json:
            print(f"{name}: {logs[-1]['error'] or logs[-1]['path'] + ', checked'}")
    if args.json:
        print(json.dumps(logs, indent=2))
    return int(any(log["error"] for log in logs))


def _describe(args):
    facts = [_facts(name, args) for name in args.names]
    if args.json:
        print(json.dumps(facts if len(facts) > 1 else facts[0], indent=2))
    else:
        print("\n\n".join(map(_text, facts)))
    return 0


def _facts(name, args):
    """Everything that `describe` tells of one log."""
    jobs = traces.load(name, **chosen_rules(args))
    facts = {"name": jobs.name, "stand_in": jobs.stand_in}
    if not jobs.stand_in:
        trace = traces.read(name)
        facts |= {
            "file": Path(trace.path).name,
            "sha256": trace.sha256,
            "lines": len(trace),
            "header": {label: trace.header[label] for label in _HEADER if label in trace.header},
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
    rows = [("file", f"{facts['file']}, sha256 {facts['sha256']}")] if "file" in facts else []
    rows += [(label, "; ".join(values)) for label, values in facts.get("header", {}).items()]
    rows += [
        (
            "jobs",
            f"{facts['jobs']:,}" + (f" of {facts['lines']:,} lines" if "lines" in facts else ""),
        ),
        ("processors", f"{facts['processors']:,}"),
        ("load", "none" if facts["load"] is None else f"{facts['load']:.2%}"),
        ("span", f"{facts['span'] / 86400:.1f} days"),
        ("users", f"{facts['users']:,}"),
        ("mean size", f"{facts['mean_size']:.4f} processors"),
        ("mean run time", f"{facts['mean_run_time']:.1f} s"),
    ]
    rows += [(rule, f"{count:,} jobs") for rule, count in facts["cleaning"].items()]
    rows += [
        (what.replace("_", " "), f"{count:,}") for what, count in facts.get("anomalies", {}).items()
    ]
    archive, keepers = traces.acknowledgements()
    thanks = [*facts.get("acknowledge", []), f"{', '.join(keepers)} ({archive})"]
    rows += [("acknowledge", "; ".join(thanks))] if "file" in facts else []
    rows += [("asks", facts["asks"])] if facts.get("asks") else []
    kind = " (stand-in)" if facts["stand_in"] else ""
    title = f": {facts['title']}" if "title" in facts else ""
    return "\n".join(
        [f"{facts['name']}{kind}{title}", *(f"  {label:24} {value}" for label, value in rows)]
    )
