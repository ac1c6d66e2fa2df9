"""What papers leave open, each choice as its alternatives: the textbook's first, which is the default."""

from replication.evidence import published, variants
from replication.evidence.variants import Variant

COUNTING = "counting"  # ways of counting change nothing of the simulation


def read(kind, *paper):
    """The dimensions of one kind in ``data/published/readings.toml``, or in a paper's file of that name.

    The kind is the part of a `Variant` in which another choice than the default stands, as the value of the
    dimension; or `COUNTING`.
    """

    def alternative(dimension, name, words, default):
        changed = {} if default or kind == COUNTING else {kind: {dimension: name}}
        return Variant(name, words, **changed)

    return {
        dimension: tuple(
            alternative(dimension, name, words, default=k == 0)
            for k, (name, words) in enumerate(several.items())
        )
        for dimension, several in published.entries(*paper, "readings.toml")[kind].items()
    }


#: Options of EASY.
ALL = read("scheduler")


def of(*names):
    """Some options of EASY."""
    return {name: ALL[name] for name in names}


#: What the paper's silence leaves to the textbook of EASY.
TEXTBOOK = of("reservation", "extra", "shadow", "events", "order")
PREDICTION = of("refresh", "correction")
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
