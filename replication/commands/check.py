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

import click

from replication.commands import UsageError
from replication.commands import _options as shared
from replication.papers import committed
from replication.report import results


@shared.as_json("Print what has changed")
@click.option(
    "--write",
    is_flag=True,
    help="Write the verdicts as they are now to figures/verdicts.csv, to be committed.",
)
def command(as_json, write):
    """Print a line for each verdict that has changed."""
    if write and as_json:
        raise UsageError("--write prints no JSON: give either --write or --json")
    papers = results.recorded().papers
    now = committed.found(papers, again=True)
    if write:
        committed.save(papers, again=True)
        click.echo(f"{len(now)} verdicts written to {committed.path()}")
        return 0
    before, source = committed.load()
    changed = committed.changes(before, now)
    told = (
        f"{len(changed)} of {len(now)} verdicts are not those of {source}"
        if changed
        else f"{len(now)} verdicts, all as in {source}"
    )
    facts = [
        dict(zip(committed.NAME, one.name, strict=False))
        | {"before": one.before, "after": one.after}
        for one in changed
    ]
    facts = {"verdicts": len(now), "held_against": source, "changed": facts}
    shared.say(facts, [*map(str, changed), told], as_json)
    return 1 if changed else 0
