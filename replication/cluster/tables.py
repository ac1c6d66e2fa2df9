"""The tables of a study as text: what each cell says, and the change by which it is shaded."""

from replication.cluster import study as cluster_study
from replication.cluster.study import BASE, POLICIES, percent

_OVERVIEW_NOTE = (
    "Bounded slowdown: time from submission to end over run time, runs below 10 s counted as 10 s. Change: "
    "of its "
    f"mean, against {BASE} on the users' own estimates; in brackets the 95 % interval over the weeks of "
    f"the log. "
    "Delayed at the head: jobs at the front of the queue that could have started earlier without those "
    "behind them. "
    "Reservation missed: jobs kept from their first reservation by a job behind them that ran past what "
    "was planned "
    "for it."
)
_GAINS_NOTE = (
    f"Change of the class's mean wait against {BASE}; green and minus: shorter, red and plus: "
    f"longer. "
    "Sizes in processors."
)
_USERS_NOTE = (
    f"Users whose mean wait changes by more than {100 * cluster_study.NOTICEABLE:.0f} % and "
    f"{cluster_study.LEAST} s; and what becomes of the mean wait of the three users with the most work."
)
_WORTH_NOTE = (
    f"All under {BASE}. Perfect: the true run time. Predicted: the request times the accuracy of the "
    f"user's last "
    "job; no job is killed at a prediction. Change: of the mean bounded slowdown, with its 95 % interval."
)


def _change(value):
    """A relative change as a cell: text, and the number that shades it."""
    return {"text": percent(value), "change": value if value == value else None}


def _cells(*texts):
    return [{"text": text} for text in texts]


def _changed(row):
    """Change with its interval as one cell."""
    if row["change"] != row["change"]:
        return {"text": "–"}
    if row["change, low"] == row["change, high"]:
        return {"text": "–"}
    ends = " to ".join(percent(row[f"change, {end}"]).removesuffix(" %") for end in ("low", "high"))
    own = _change(row["change"])
    return own | {"text": f"{own['text']} ({ends})"}


def _overview(frame):
    head = [
        "",
        "mean wait, h",
        "95 % wait less than, h",
        "mean bounded slowdown",
        "change",
        "delayed at the head, jobs",
        "by, h",
        "reservation missed, jobs",
        "runs killed",
    ]
    rows = [
        [
            *_cells(
                row["scheduler"],
                f"{row['mean wait, h']:,.2f}",
                f"{row['95 % of waits below, h']:,.1f}",
                f"{row['mean bounded slowdown']:,.1f}",
            ),
            _changed(row),
            *_cells(
                f"{row['delayed at the head']:,}",
                f"{row['head delay, h']:,.1f}",
                f"{row['reservations broken']:,}",
                f"{row['runs killed']:,}",
            ),
        ]
        for row in frame.to_dict("records")
    ]
    return {"head": head, "rows": rows}


def _gains(frame, by):
    names = [name for name in frame.columns if name in POLICIES]
    head = [
        "size, processors" if by == "size" else by,
        "jobs",
        "share of work",
        f"mean wait, h, {BASE}",
        *names,
    ]
    rows = [
        [
            *_cells(
                row[by],
                f"{row['jobs']:,}",
                f"{100 * row['share of work']:.0f} %",
                f"{row['mean wait, h']:,.2f}",
            ),
            *(_change(row[name]) for name in names),
        ]
        for row in frame.to_dict("records")
    ]
    return {"head": head, "rows": rows}


def _users(frame):
    head = [
        "",
        "users that gain",
        "that lose",
        "neither",
        *(name for name in frame if "by work" in name),
    ]
    rows = [
        [
            *_cells(row["scheduler"], *(f"{row[what]:,}" for what in ("gain", "lose", "neither"))),
            *(_change(row[name]) for name in frame if "by work" in name),
        ]
        for row in frame.to_dict("records")
    ]
    return {"head": head, "rows": rows}


def _worth(frame):
    rows = [
        [
            *_cells(
                row["estimates"],
                f"{row['mean wait, h']:,.2f}",
                f"{row['mean bounded slowdown']:,.1f}",
            ),
            _changed(row),
        ]
        for row in frame.to_dict("records")
    ]
    return {"head": ["estimates", "mean wait, h", "mean bounded slowdown", "change"], "rows": rows}


#: Title, note and cells of each table.
TABLES = {
    "overview": ("What each scheduler would have done", _OVERVIEW_NOTE, _overview),
    "by_size": (
        "Who gains and who loses, by size",
        _GAINS_NOTE,
        lambda frame: _gains(frame, "size"),
    ),
    "by_run_time": (
        "Who gains and who loses, by run time",
        _GAINS_NOTE,
        lambda frame: _gains(frame, "run time"),
    ),
    "users": ("Who gains and who loses, by user", _USERS_NOTE, _users),
    "worth": ("What better estimates would be worth", _WORTH_NOTE, _worth),
}
