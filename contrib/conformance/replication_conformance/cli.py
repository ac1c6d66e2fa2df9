"""The command ``replication-conformance``: test a scheduler or a program on the conformance logs."""

import json
import sys
from functools import partial
from pathlib import Path

import click

from replication.simulator import text
from replication_conformance import cases

DIFFERENT, REFUSED = 1, 2


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
    "--like", help="With --scheduler or --command: the logs of this scheduler (default: easy)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command_line(imports, scheduler, command, like, as_json) -> int:
    """Test a scheduler or a program on the conformance logs; name the jobs and sentences that differ."""
    if scheduler and command:
        raise click.UsageError("--scheduler and --command; expected one of them")
    for path in imports:
        text.import_module(path)
    chosen = cases.entries(like or "easy" if scheduler or command else like)
    run = partial(cases.by_program, command) if command else partial(cases.by_scheduler, scheduler)
    failed = list(cases.differences(run, chosen))
    lines = [f"{len(chosen) - len(failed)} of {len(chosen)} schedules are as expected"]
    for one in failed:
        start = "never starts" if one["start"] is None else f"starts at {one['start']:g} s"
        lines.append(
            f"{one['log']}.swf: job {one['job']} {start}; expected {one['expected']:g} s "
            f"by sentence {one['sentence']} of {one['page']}: {one['rule']}"
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
