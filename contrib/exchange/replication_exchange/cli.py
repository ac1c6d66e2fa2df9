"""The command ``replication-exchange``: compare and audit schedules, and write Batsim's table of
jobs.
"""

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
    "set_smaller": "hold fewer resources than they asked for",
}
REMARKS = {
    "set_larger": "hold more resources than they asked for",
    "past_estimate": "ran past their estimate",
    "never_ran": "never ran",
}
FAIRNESS = {
    "blocked": "{blocked:,} jobs waited as the one submitted first; another order of the queue "
    "delays it",
    "head_delayed": "{head_delayed:,} jobs of these delayed by later ones, for {head_delay:,.6g} s "
    "on average",
    "idle_delayed": "{idle_delayed:,} of these waited although enough processors were idle, for "
    "{idle_delay:,.6g} s on average",
    "within_latency": "{within_latency:,} of these could have started earlier by the latency of "
    "{latency:g} s or less",
}
BROKEN = (
    "{reservations_broken:,} of these missed their first reservation because a later job ran past "
    "its "
    "estimate, by {reservation_delay:,.6g} s on average"
)
MOST = 5  # pairs of jobs that are printed

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

    A and B are CSV or SWF files of 'replication simulate', job tables of Batsim or evalys, or logs
    with waits.
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
@click.option(
    "--latency",
    type=click.FloatRange(0),
    default=0,
    metavar="SECONDS",
    help="Time that the scheduler may take to start a job that fits; such waits are counted apart.",
)
@as_json
def audit(schedule, machine, latency, as_json):
    """Check that a machine could run a schedule, and count jobs delayed by later ones.

    The sets of resources of the jobs are checked if FILE has them.
    """
    plan = formats.read(schedule)
    result = {"file": schedule} | plans.check(plan, machine)
    verdict = {True: "possible", False: "IMPOSSIBLE", None: "undecided without --processors"}
    lines = [
        f"{verdict[result['possible']]}: {result['jobs']:,} jobs, at most {result['peak']:,} "
        f"processors",
        f"  by number of processors; {_evidence(result)}",
    ]
    lines += [f"  {result[key]:,} jobs {words}" for key, words in WRONG.items() if result.get(key)]
    for pair in result.get("shared", [])[:MOST]:
        lines.append(
            "  jobs {} and {} hold resource {resource} from {since:.10g} s to {until:.10g} "
            "s".format(*pair["jobs"], **pair)
        )
    if len(result.get("shared", [])) > MOST:
        lines.append(f"  {len(result['shared']) - MOST:,} further pairs of jobs hold one resource")
    if machine and result.get("resources", 0) > machine:
        lines.append(f"  the machine has {machine:,} processors only")
    lines += [
        f"  {result[key]:,} jobs {words}" for key, words in REMARKS.items() if result.get(key)
    ]
    if result["in_milliseconds"]:
        lines.append("  times have fractions of a second; they are counted in milliseconds")
    if result["possible"]:
        found = result["fairness"] = plans.fairness(plan, machine, latency)
        lines += [
            "  " + words.format(**found, latency=latency)
            for key, words in FAIRNESS.items()
            if found[key] or key in ("blocked", "head_delayed")
        ]
        broken = "missed reservations are unknown without estimates"
        if found["reservations_broken"] is not None:
            broken = BROKEN.format(**found)
        lines.append(f"  {broken}")
    _print(result, lines, as_json)
    if result["possible"] is False:
        raise SystemExit(DIFFERENT)


def _evidence(found):
    """Return what an audit looked at, in words."""
    if found["with_set"] is None:
        return "resources not given"
    missing = found["jobs"] - found["with_set"]
    sets = f"by the jobs' sets of {found['resources']:,} different resources"
    return sets + f", which {missing:,} jobs lack" * (missing > 0)


@main.command()
@click.argument("schedule", metavar="FILE")
@click.argument("out")
@machine
def export(schedule, out, machine):
    """Write the schedule of FILE to OUT as Batsim's table of jobs, with a set of processors for
    each job.
    """
    writing.check(out, [schedule])
    plan = formats.read(schedule)
    formats.write_batsim(plans.as_schedule(plan, machine), out, plan.clock)


def _print(facts, lines, as_json):
    if as_json:  # null for nan and infinity, which JSON does not have
        facts = json.loads(json.dumps(facts), parse_constant=lambda word: None)
        lines = [json.dumps(facts, indent=2)]
    click.echo("\n".join(lines))
