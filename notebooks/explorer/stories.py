"""Four stories that the explorer tells: what each sets, asks and shows."""

from typing import NamedTuple

import replication as rp
from notebooks.explorer.model import OWN, Log, changes, hours
from notebooks.explorer.steps import Moment

SAME = 0.01  # relative difference of two mean waits below which they count as the same


class Story(NamedTuple):
    """A log with its menus: scheduler, predictor and estimates of A, which B has too until the
    reader has guessed, and then those of B. Without a log it is heel-and-toe's Fig. 8.
    """

    name: str
    question: str
    look: str
    log: Log | None = None
    a: tuple[str, str, str] | None = None
    b: tuple[str, str, str] | None = None
    f: float = 0.0
    words: tuple[str, str, str] = ("shorter waits", "the same within 1 %", "longer waits")


_TEXTBOOK, _DOUBLED = ("EASY", OWN, "user estimates"), ("EASY", OWN, "user estimates × (f + 1)")
STORIES = (
    Story(
        "A wild backfill",
        "Every job runs for half its estimate. Job 3 needs both processors and has a reservation. "
        "Job 2 has ended, and EASY may start job 4, which by its estimate ends before the "
        "reservation. When could job 3 then start?",
        "Look at the red box above the machine, the time stolen from job 3: job 1 ends long before "
        "its estimate, but job 4 still runs.",
        words=("earlier than before", "at the same time", "later than before"),
    ),
    Story(
        "PV-EASY kills",
        "A plans with each user's last accuracy. PV-EASY does so too, but kills running jobs that "
        "delay an earlier one; they start again from the beginning. Do jobs then wait longer or "
        "shorter on average?",
        "Look at the crossed boxes of B: work that was killed and is done twice.",
        Log("KTH-SP2"),
        ("EASY on predictions", OWN, "user estimates"),
        ("PV-EASY", OWN, "user estimates"),
    ),
    Story(
        "Doubled estimates",
        "EASY on CTC-SP2, on the machine of the paper heel and toe, with the users' estimates. Now "
        "every estimate is doubled, so that EASY knows even less about the run times. Do jobs then "
        "wait longer or shorter on average?",
        "Look at Who gains? below: do the widest jobs pay? And if estimates become longer still? "
        "Draw the curve below before you see it.",
        Log("CTC-SP2", "heel_and_toe"),
        _TEXTBOOK,
        _DOUBLED,
        1.0,
    ),
    Story(
        "… on another log",
        "The same on RICC, a machine with 8,192 processors whose queue is long, mostly with jobs "
        "for one processor. Do they wait longer or shorter on average?",
        "Look at Who gains? below: who pays here? And if estimates become longer still? Draw the "
        "curve below before you see it.",
        Log("RICC"),
        _TEXTBOOK,
        _DOUBLED,
        1.0,
    ),
)


def of_walk(moment: Moment) -> tuple[int, str]:
    """Return the answer (0 earlier, 1 same, 2 later) for the head at a backfill, in words too."""
    moved = moment.sight.real - moment.before
    return 1 + (moved > 0) - (moved < 0), ""


def of_schedules(a: rp.Schedule, b: rp.Schedule) -> tuple[int, str]:
    """Return the answer (0 shorter, 1 same, 2 longer) for the mean wait of B, in words too."""
    before, after = (schedule.measures["mean_wait"] for schedule in (a, b))
    moved = after - before
    truth = 1 if abs(moved) <= SAME * before else 2 if moved > 0 else 0
    words = f"The mean wait goes from {hours(before)} to {hours(after)}"
    change = changes(a, b)["processors"].loc["all"]
    if truth != 1 and change.low <= 0 <= change.high:
        words += (
            f"; the 95 % interval of the change over weeks, {change.low:,.2f} to "
            f"{change.high:,.2f} h, includes 0"
        )
    return truth, words + "."
