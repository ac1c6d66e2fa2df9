"""The stories of the explorer: what each sets and asks, and the score of a guess."""

from typing import NamedTuple

import replication as rp
from notebooks.explorer.model import DOUBLED, MINUTE, RICC, USERS, Log, changes, duration

SAME = 0.01  # relative difference of two mean waits below which they count as the same
ANSWERS = "shorter waits", "the same within 1 %", "longer waits"


class Story(NamedTuple):
    """A log with scheduler and estimates of A, which B has, too, until the reader has guessed, and
    then those of B.
    """

    name: str
    question: str
    look: str
    log: Log
    a: tuple[str, str]
    b: tuple[str, str]


STORIES = (
    Story(
        "Doubled estimates",
        "EASY plans with the users' estimates. Now every estimate is doubled, so that EASY knows "
        "even less about the run times. Do jobs wait longer or shorter on average?",
        "Do the widest jobs pay? Run the cell Who gains. And if estimates become longer still? "
        "Move f, or run the cell of the curve.",
        Log("KTH-SP2-2", "heel_and_toe"),
        ("EASY", USERS),
        ("EASY", DOUBLED),
    ),
    Story(
        "… on another log",
        "The same on RICC, a machine of 8,192 processors whose queue is long, mostly with jobs for "
        "one processor. Do they wait longer or shorter on average?",
        "Who pays here? Run the cell Who gains.",
        RICC,
        ("EASY", USERS),
        ("EASY", DOUBLED),
    ),
    Story(
        "PV-EASY kills",
        "A, textbook EASY with its reservation, plans with predictions: the accuracy of each "
        "user's last job. PV-EASY does so, too, but kills running jobs that delay an earlier job; "
        "they start again from the beginning. Do jobs wait longer or shorter on average?",
        "Look at the crossed boxes of B: work that is done twice. If a reservation lasted until "
        "its job starts, which the paper leaves open, A would wait about as long as B.",
        Log("CTC-SP2", "pv_easy"),
        ("EASY on predictions", USERS),
        ("PV-EASY", USERS),
    ),
)


def score(guess: int, a: rp.Schedule, b: rp.Schedule) -> str:
    """Return whether a guess, a place in `ANSWERS`, is right on this log, and whether it could be
    wrong over other weeks.
    """
    before, after = (schedule.measures["mean_wait"] for schedule in (a, b))
    moved = after - before
    truth = 1 if abs(moved) <= SAME * before else 2 if moved > 0 else 0
    text = f"{'Right' if truth == guess else 'Not so'} on this log: {ANSWERS[truth]}, "
    text += f"{duration(before)} in A and {duration(after)} in B."
    change = changes(a, b).loc["all"]
    if change.low <= 0 <= change.high:
        low, high = (duration(MINUTE * end) for end in (change.low, change.high))
        text += " Over other weeks it could be the other way: the 95 % interval of the change, "
        text += f"{low} to {high}, includes 0."
    return text
