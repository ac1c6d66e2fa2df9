"""Lay two schedules side by side: who starts earlier, who later, by how much, by size.

A and B are files that this package wrote (CSV or SWF), Batsim's jobs tables, evalys' job sets or job logs
with waits; the two need not be of one form. Jobs are matched by their numbers. Of two folders each file of A is
compared with the file of that name in B, whatever its ending: a simulator's schedules with those of conformance/.

Examples:
  replication simulate KTH-SP2 --out easy.csv
  replication simulate KTH-SP2 --estimates perfect --out perfect.csv
  replication compare easy.csv perfect.csv
  replication compare easy.csv batsim_jobs.csv --tolerance 1 --json
  replication compare conformance/schedules mine

Exit codes: 0 the same schedule; 1 they differ; 2 a file cannot be used, or the command line was refused.
"""

from pathlib import Path

import click

from replication.commands import _options as shared
from replication.simulator import formats, plans


@shared.file("first", metavar="A")
@shared.file("second", metavar="B")
@click.option(
    "--tolerance",
    type=shared.Number(0, kind=float),
    metavar="SECONDS",
    help="Waits that differ by no more are the same (default 0.001).",
)
@shared.as_json("Print the differences")
def command(first, second, tolerance, as_json):
    """Compare; the exit code says whether they are the same."""
    tolerance = plans.TOLERANCE if tolerance is None else tolerance
    folders = Path(first).is_dir() and Path(second).is_dir()
    with shared.judging():
        found = (_folders if folders else _files)(first, second, tolerance)
    shared.say(found, (_summary if folders else _lines)(found), as_json)
    return 0 if found["same"] else 1


def _files(first, second, tolerance):
    files = [first, second]
    first, second = map(formats.read, files)
    compared = plans.compare(first, second, tolerance)
    return {"files": files, "forms": [first.form, second.form]} | compared


def _folders(first, second, tolerance):
    """What is said of each file of the first folder: the file of its name in the second has the same schedule,
    or what differs.
    """
    ours, theirs = (
        {path.stem: str(path) for path in sorted(Path(folder).iterdir()) if path.is_file()}
        for folder in (first, second)
    )
    said = dict.fromkeys(ours, "missing")
    for name in ours.keys() & theirs.keys():
        compared = _files(ours[name], theirs[name], tolerance)
        every = compared["classes"][-1]
        lacking = compared["only_first"] + compared["only_second"]
        unlike = compared["other_size"] + compared["other_run_time"]
        said[name] = "same"
        if not compared["same"]:
            said[name] = (
                f"{every['earlier']} earlier, {every['later']} later, {lacking} in one only, "
                f"{unlike} with another size or run time"
            )
    same = all(words == "same" for words in said.values())
    return {"folders": [first, second], "same": same, "schedules": said}


def _summary(found):
    """A line for each schedule that is not the same, and how many are."""
    said = found["schedules"]
    other = {name: words for name, words in said.items() if words != "same"}
    for name, words in other.items():
        yield f"{name:24}{words}"
    yield f"{len(said) - len(other)} of {len(said)} schedules are the same"


def _lines(found):
    """The differences in lines of text."""
    yield f"A  {found['files'][0]} ({found['forms'][0]})"
    yield f"B  {found['files'][1]} ({found['forms'][1]})"
    yield f"{found['matched']:,} jobs in both" + (": the same schedule" if found["same"] else "")
    for key, words in (
        ("only_first", "only in A"),
        ("only_second", "only in B"),
        ("other_size", "with another size in B"),
        ("other_run_time", "with another run time in B"),
    ):
        if found[key]:
            yield f"  {found[key]:,} jobs {words}"
    yield ""
    yield "over all jobs, where simulate leaves out the first 1 % to end:"
    yield f"{'':44}{'A':>14}{'B':>14}{'change':>10}"
    for name, first in found["first"].items():
        second = found["second"][name]
        change = f"{second / first - 1:+.1%}" if first else ""
        yield f"{plans.NAMES[name]:44}{first:>14,.6g}{second:>14,.6g}{change:>10}"
    yield ""
    counts, means = ("jobs", "earlier", "same", "later"), ("earlier by", "later by", "wait")
    yield f"{'size, processors':18}" + "".join(
        [*map("{:>9}".format, counts), *map("{:>12}".format, means)]
    )
    for row in found["classes"]:
        numbers = "".join(f"{row[name]:>9,}" for name in counts)
        shifts = f"{row['mean_earlier']:>12,.0f}{row['mean_later']:>12,.0f}{row['mean']:>+12,.0f}"
        yield f"{row['class']:18}{numbers}{shifts}"
    yield "earlier, later: jobs that start so in B; by: their mean, s; wait: mean change over all jobs, s"
