"""Say which verdicts have changed since they were committed, and from what to what.

Every verdict is reached again by the rules as they are now, from what the papers print (data/published/) and
from what was recorded of our results (figures/), and is held against figures/verdicts.csv as the last commit
has it. Nothing is simulated: after a change in the simulator run 'make figures' first. What was not drawn
again counts as it was recorded.

Exit codes: 0 all verdicts are as committed, or were written; 1 some are not, or a record or the list cannot
be used; 2 the command line was refused.

Examples:
  replication check
  replication check --json
  replication check --write
"""

import json


def add_arguments(parser):
    """Whether to accept what is found."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--json", action="store_true", help="print what has changed as JSON")
    either.add_argument(
        "--write",
        action="store_true",
        help="write the verdicts as they are now to figures/verdicts.csv, to be committed",
    )


def main(args):
    """Print a line for each verdict that has changed."""
    from replication.evidence import committed
    from replication.report import results

    now = committed.found(results.recorded().papers, again=True)
    if args.write:
        committed.save(now)
        print(f"{len(now)} verdicts written to {committed.path()}")
        return 0
    before, source = committed.load()
    changed = committed.changes(before, now)
    if args.json:
        print(
            json.dumps(
                {
                    "verdicts": len(now),
                    "held_against": source,
                    "changed": [
                        dict(zip(committed.COLUMNS, change.name, strict=False))
                        | {"before": change.before, "after": change.after}
                        for change in changed
                    ],
                },
                indent=2,
            )
        )
    else:
        print(
            *changed,
            f"{len(changed)} of {len(now)} verdicts are not those of {source}"
            if changed
            else f"{len(now)} verdicts, all as in {source}",
            sep="\n",
        )
    return 1 if changed else 0
