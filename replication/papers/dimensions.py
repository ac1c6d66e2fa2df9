"""What more than one paper leaves open, as dimensions of the search over readings."""

from replication.evidence.readings import Dimension, Rule

_SIZES = {
    "allocated": "a job's size is the processors it was allocated",
    "requested": "a job's size is the processors it asked for",
}
ORDER = Dimension(
    "order",
    {"ends-first": "ends go before submissions", "submissions-first": "submissions go before ends"},
)
PREDICTION = (
    Dimension(
        "refresh",
        {
            "pass": "predictions of waiting jobs are made at every pass",
            "submission": "predictions are made at submission",
        },
    ),
    Dimension(
        "correction",
        {
            "request": "a prediction that has run out becomes the request",
            "tsafrir": "a prediction that has run out grows by Tsafrir's steps",
            "doubling": "a prediction that has run out is doubled",
            "now": "a job whose prediction has run out is expected to end at any moment",
        },
    ),
)


def size(default):
    """What a job's size is; papers differ in the default, ``allocated`` or ``requested``."""
    return Dimension("size", {default: _SIZES[default]} | _SIZES)


def names(*dimensions):
    """The dimensions' names."""
    return tuple(dimension.name for dimension in dimensions)


def default_on_stand_ins(dimensions):
    """Rules that keep choices about a log's lines to their defaults where there are none."""
    return tuple(
        Rule("a stand-in has no lines to read otherwise", {dimension.name: dimension.names[1:]})
        for dimension in dimensions
    )
