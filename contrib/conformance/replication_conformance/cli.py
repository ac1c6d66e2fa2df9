"""The command ``replication-conformance``: test a scheduler or a program on the
conformance logs.
"""

import json
import sys
from functools import partial
from pathlib import Path

import click

from replication.simulator.text import import_module
from replication_conformance import cases

DIFFERENT, REFUSED = 1, 2
FIRST = (
    "E4 first: of jobs submitted together take the one with the lower number first, not the one "
    "that is listed first, and "
    "run again; other differences may have the same cause"
)


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 as expected; 1 a schedule differs; 2 wrong input.",
)
@click.version_option(package_name="replication-conformance")
@click.option(
    "--import",
    "imports",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Import schedulers of your own.",
)
@click.option("--scheduler", help="Test this scheduler (default: each log's own).")
@click.option(
    "--command",
    help="Test a program: '{swf}' becomes a log, '{out}' the CSV of starts that it writes.",
)
@click.option(
    "--like",
    help="With --scheduler or --command: the logs of this scheduler (default: easy), with options "
    "also those of the "
    "scheduler without, such as EASY(events='one-by-one').",
)
@click.option("--kills", is_flag=True, help="Expect that jobs are killed at their estimates.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command_line(imports, scheduler, command, like, kills, as_json) -> int:
    """Test a scheduler or a program on the conformance logs; name the jobs and sentences that
    differ.
    """
    if scheduler is not None and command is not None:
        raise click.UsageError("--scheduler and --command; expected one of them")
    own = scheduler is None and command is None
    if own and (imports or like is not None or kills):
        raise click.UsageError("--import, --like or --kills; expected --scheduler or --command too")
    for path in imports:
        import_module(path)
    chosen = cases.entries("easy" if like is None and not own else like)
    run = partial(cases.by_scheduler, scheduler, kills)
    if command is not None:
        run = partial(cases.by_program, command)
    failed = list(cases.differences(run, chosen, kills))
    lines = [f"{len(chosen) - len(failed)} of {len(chosen)} schedules are as expected"]
    if any(one["sentence"] == "E4" for one in failed):
        lines.insert(0, FIRST)
    for one in failed:
        start = "never starts" if one["start"] is None else f"starts at {one['start']:g} s"
        tested = f"sentence {one['sentence']} of {one['page']}: {one['rule']}"
        by = f"by {tested}"
        if one["simulated"]:
            by = f"under {one['simulated']}, in the log for {tested}"
        lines.append(
            f"{one['log']}.swf: job {one['job']} {start}; expected {one['expected']:g} s {by}"
        )
    facts = {"logs": len(chosen), "failed": failed}
    click.echo(json.dumps(facts, indent=2) if as_json else "\n".join(lines))
    return DIFFERENT if failed else 0


def main(argv=None) -> int:
    """Run the command, by default with `sys.argv`, and return its exit code."""
    try:
        code = command_line.main(argv, "replication-conformance", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (click.ClickException, ValueError, OSError) as error:
        words = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"replication-conformance: {' '.join(words.split())}", err=True)
        return REFUSED


if __name__ == "__main__":
    sys.exit(main())
