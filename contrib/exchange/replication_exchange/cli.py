"""The command ``replication-exchange``: compare and audit schedules, and write Batsim's table of jobs."""

import json

import click
import pandas as pd

from replication.simulator import writing
from replication_exchange import formats, plans

DIFFERENT, REFUSED = 1, 2
WRONG = {
    "before_submission": "start before their submission",
    "backwards": "end before their start",
    "larger": "are larger than the machine",
    "repeated": "have the number of another job",
}

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
machine = click.option(
    "--processors", "machine", type=click.IntRange(1), help="Size of the machine."
)


class _Group(click.Group):
    """A group whose commands end with one line and exit code 2 for an unusable file."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (ValueError, OSError) as error:
            unusable = click.ClickException(" ".join(str(error).split()))
            unusable.exit_code = REFUSED
            raise unusable from error


@click.group(
    cls=_Group,
    epilog="Exit codes: 0 done; 1 schedules differ, or one is impossible; 2 wrong input.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="replication-exchange")
def main():
    """Compare and audit schedules of any simulator, and write Batsim's table of jobs."""


@main.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@as_json
def compare(first, second, as_json):
    """Compare two schedules, job by job.

    A and B are CSV or SWF files of 'replication simulate', job tables of Batsim or evalys, or logs with waits.
    """
    result = plans.compare(formats.read(first), formats.read(second))
    lines = [f"{result['matched']:,} jobs in both{': the same schedule' * result['same']}"]
    for key in ("only_first", "only_second", "other_size", "other_run_time"):
        lines += [f"  {result[key]:,} jobs: {key.replace('_', ' ')}"] if result[key] else []
    means = pd.DataFrame({"A": result["first"], "B": result["second"]}).rename(plans.NAMES)
    means["change, %"] = 100 * (means["B"] / means["A"] - 1)
    lines.append(means.to_string(float_format="{:,.6g}".format, na_rep=""))
    classes = pd.DataFrame(result["classes"]).set_index("class").drop(columns="mean")
    lines.append(classes.rename_axis("size, processors").to_string())
    _print({"files": [first, second]} | result, lines, as_json)
    if not result["same"]:
        raise SystemExit(DIFFERENT)


@main.command()
@click.argument("schedule", metavar="FILE")
@machine
@as_json
def audit(schedule, machine, as_json):
    """Check that a machine could run a schedule, and count jobs delayed by later ones."""
    plan = formats.read(schedule)
    result = {"file": schedule} | plans.check(plan, machine)
    verdict = {True: "possible", False: "IMPOSSIBLE", None: "undecided without --processors"}
    size = f"{result['jobs']:,} jobs, at most {result['peak']:,} processors"
    lines = [f"{verdict[result['possible']]}: {size}"]
    lines += [f"  {result[key]:,} jobs {words}" for key, words in WRONG.items() if result[key]]
    if result["possible"]:
        try:
            result["fairness"] = plans.fairness(plans.as_schedule(plan, machine))
            lines += [f"  {key}: {value:,.6g}" for key, value in result["fairness"].items()]
            lines.append(
                "  the head is the waiting job that was submitted first; another order delays it"
            )
        except plans.PlanError as error:
            lines.append(f"  delays are not counted: {error}")
    _print(result, lines, as_json)
    if result["possible"] is False:
        raise SystemExit(DIFFERENT)


@main.command()
@click.argument("schedule", metavar="FILE")
@click.argument("out")
@machine
def export(schedule, out, machine):
    """Write the schedule of FILE to OUT as Batsim's table of jobs, with a set of processors for each job."""
    writing.check(out, [schedule])
    formats.write_batsim(plans.as_schedule(formats.read(schedule), machine), out)


def _print(facts, lines, as_json):
    if as_json:  # null for nan and infinity, which JSON does not have
        facts = json.loads(json.dumps(facts), parse_constant=lambda word: None)
        lines = [json.dumps(facts, indent=2)]
    click.echo("\n".join(lines))
