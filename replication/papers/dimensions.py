"""What papers leave open, each choice as its alternatives: the textbook's first, which is the default."""

from replication.evidence import variants
from replication.evidence.variants import Variant


def _options(name, **words):
    """Alternatives that are values of a scheduler's option; the default changes nothing.

    A name's underscores stand for the hyphens of the value.
    """
    values = [value.replace("_", "-") for value in words]
    return {
        name: tuple(
            Variant(value, said, scheduler={name: value} if k else {})
            for k, (value, said) in enumerate(zip(values, words.values(), strict=True))
        )
    }


RESERVATION = _options(
    "reservation",
    recomputed="reservations are worked out at every pass",
    kept="a reservation, once made, is kept",
)
EXTRA = _options(
    "extra",
    used_up="a backfilled job that outlives the reservation uses up extra processors",
    not_used_up="extra processors are not used up",
)
SHADOW = _options(
    "shadow",
    all="all jobs that end at the shadow time count",
    first="only the first jobs that suffice at the shadow time count",
)
EVENTS = _options(
    "events",
    together="the events of an instant are taken together",
    one_by_one="events are taken one by one",
)
ORDER = _options(
    "order", ends_first="ends go before submissions", submissions_first="submissions go before ends"
)
PASSES = _options(
    "passes",
    always="every submission leads to a pass",
    if_fits="only a submission that fits the free processors leads to a pass",
)
CANDIDATES = _options(
    "candidates",
    fcfs="candidates are backfilled in the order of the queue",
    sjf="the candidate of the shortest prediction is backfilled first",
)
PREDICTION = _options(
    "refresh",
    **{"pass": "predictions of waiting jobs are made at every pass"},
    submission="predictions are made at submission",
) | _options(
    "correction",
    request="a prediction that has run out becomes the request",
    tsafrir="a prediction that has run out grows by Tsafrir's steps",
    doubling="a prediction that has run out is doubled",
    now="a job whose prediction has run out is expected to end at any moment",
)


#: What the paper's silence leaves to the textbook of EASY.
TEXTBOOK = RESERVATION | EXTRA | SHADOW | EVENTS | ORDER
#: Other cleanings, each tried alone.
CUT_OR_NOT = (
    Variant("runs cut at the estimate", cleaning={"overrun": "cut-run"}),
    Variant("runs may pass the estimate", cleaning={"overrun": "as-is"}),
)
NO_ZEROS = Variant("jobs of run time 0 left out", cleaning={"drop": ("zero-run-time",)})
ALLOCATED = Variant("allocated processors", cleaning={"size": "allocated"})


def alone(dimensions):
    """Every alternative but the defaults of some dimensions, each alone."""
    return [one for name, several in dimensions.items() for one in variants.alone(name, several)]


def changes(logs, *several):
    """What robustness is tried against: the default, a paper's own changes, other logs and other loads.

    Of changes that concern some logs only, those that concern one of the paper's `logs`.
    """
    own = [one for one in several if not one.logs or {*one.logs} & {*logs}]
    return [Variant("default"), *own, *variants.others(logs)]


def size(default):
    """What a job's size is; papers differ in the default, ``allocated`` or ``requested``."""
    words = {
        "allocated": "a job's size is the processors it was allocated",
        "requested": "a job's size is the processors it asked for",
    }
    other = next(name for name in words if name != default)
    return {
        "size": (
            Variant(default, words[default]),
            Variant(other, words[other], cleaning={"size": other}),
        )
    }
