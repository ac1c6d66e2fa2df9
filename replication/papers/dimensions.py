"""What papers leave open, each choice as its alternatives: the textbook's first, which is the default."""

from collections.abc import Mapping

from replication.papers import published, variants
from replication.papers.variants import Variant

COUNTING = "counting"  # ways of counting change nothing of the simulation


def read(kind, *paper):
    """The dimensions of one kind in ``data/published/readings.toml``, or in a paper's file of that name.

    The kind is the part of a `Variant` in which another choice than the default stands, as the value of the
    dimension, unless its entry says what it changes; or `COUNTING`.
    """

    def alternative(dimension, name, told, default):
        if isinstance(told, Mapping):
            return _variant(told | {"name": name})
        changed = {} if default or kind == COUNTING else {kind: {dimension: name}}
        return Variant(name, told, **changed)

    return {
        dimension: tuple(
            alternative(dimension, name, told, default=k == 0)
            for k, (name, told) in enumerate(several.items())
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


def entered(paper, kind):
    """What a paper's ``readings.toml`` has to be tried alone, under the name of a kind."""
    return [_variant(told) for told in published.entries(paper, "readings.toml")[kind]]


def _variant(told):
    """A variant as it is entered; its lists are tuples."""
    told = told | {"logs": tuple(told.get("logs", ()))}
    cleaning = dict(told.get("cleaning", {}))
    if "drop" in cleaning:
        cleaning["drop"] = tuple(cleaning["drop"])
    return Variant(**told | {"cleaning": cleaning})


def alone(dimensions):
    """Every alternative but the defaults of some dimensions, each alone."""
    return [one for name, several in dimensions.items() for one in variants.alone(name, several)]
