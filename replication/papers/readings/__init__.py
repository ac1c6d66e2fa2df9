"""The search for what a paper's authors really ran: every sensible combination of what it leaves unsaid.

In go a paper's open choices, each a tuple of alternatives (`replication.papers.variants.Variant`, the default
first), and its published numbers; out come tables and sentences of what these numbers identify. A `Grid` has all
combinations that make sense. A combination is taken for one simulator, so it is held against all numbers of the
paper at once: its distance is the median of their relative differences, |ours - published| / |published|, over
all logs; the worst one and the share that match by the rule of `replication.papers.compare` stand beside it. A
number that a combination leaves undefined is infinitely far.

The default is the textbook's or the paper's own reading; a search never changes it.
"""

import json
from dataclasses import dataclass

import numpy as np

from replication.papers import compare
from replication.papers.published import EvidenceError
from replication.simulator.choices import among

# How much nearer the best combination with a choice must be than the best without it.
IDENTIFIED = 0.10
ALL = "all"


@dataclass(frozen=True)
class Rule:
    """Combinations that make no sense, and why: those that in each dimension have one of the choices forbidden."""

    why: str
    forbids: dict


def kept_to_defaults(why, dimensions):
    """Rules that leave out all but the default of some dimensions."""
    others = {name: tuple(one.name for one in several[1:]) for name, several in dimensions.items()}
    return [Rule(why, {name: choices}) for name, choices in others.items()]


class Grid:
    """All combinations of choices that make sense.

    `dimensions` have two alternatives or more each, the default first. For a first look there are
    only the combinations `around` (choices by dimension, what is left out at its default) and each
    with one choice changed.

    ``codes``, int8[combinations, dimensions], has the place of each choice; the first combination
    is the default. ``left_out`` counts by reason the combinations that were left out, each where it
    first applies. EvidenceError if a rule forbids the default.
    """

    def __init__(self, dimensions, rules=(), around=None):
        self.dimensions, self.left_out = dict(dimensions), {}
        self.names = {name: [one.name for one in several] for name, several in dimensions.items()}
        self.place = {name: k for k, name in enumerate(self.names)}
        sizes = [len(choices) for choices in self.names.values()]
        codes = np.indices(sizes, dtype=np.int8).reshape(len(sizes), -1).T
        if around is not None:
            centres = [
                [several.index(base.get(name, several[0])) for name, several in self.names.items()]
                for base in around
            ]
            changed = [np.count_nonzero(codes != centre, axis=1) for centre in centres]
            codes = codes[np.min(changed, axis=0) <= 1]
        for rule in rules:
            bad = np.ones(len(codes), bool)
            for name, choices in rule.forbids.items():
                known = self.names.get(name, ())
                for choice in choices:
                    among(known, f"rule {rule.why!r}: choice of {name}", choice, EvidenceError)
                forbidden = [known.index(choice) for choice in choices]
                bad &= np.isin(codes[:, self.place[name]], forbidden)
            if bad[0]:
                raise EvidenceError(
                    f"rule {rule.why!r} forbids the default; allowed: to forbid others"
                )
            self.left_out[rule.why] = self.left_out.get(rule.why, 0) + int(bad.sum())
            codes = codes[~bad]
        self.codes = np.ascontiguousarray(codes)

    def __len__(self):
        return len(self.codes)

    def variants(self, k, names=None):
        """Alternatives that make up combination `k`, by dimension; of all dimensions or of those named."""
        pairs = zip(self.dimensions.items(), self.codes[k], strict=True)
        return {n: several[code] for (n, several), code in pairs if names is None or n in names}

    def words(self, k, names=None):
        """Combination `k` as the words of what is not the default, likewise."""
        chosen = self.variants(k, names).items()
        others = [one.words for name, one in chosen if one is not self.dimensions[name][0]]
        return "; ".join(others) or "the default"

    def projections(self, names):
        """The first of the combinations that are alike in the dimensions named, as places in `codes`."""
        columns = [self.place[name] for name in names]
        if not columns:
            return np.zeros(1, np.int64)
        sizes = [len(self.names[name]) for name in names]
        mixed = np.ravel_multi_index(self.codes[:, columns].T.astype(np.int64), sizes)
        return np.sort(np.unique(mixed, return_index=True)[1])


class Found:
    """The numbers of all combinations, beside those that the paper printed.

    `table` is from `replication.papers.readings.search.search`. Of the `published` numbers one
    that the paper prints twice counts once; one that is not in the table does not count.

    ``numbers`` and ``logs`` are those that count; ``groups`` has places of all numbers. By combination and number there are ``differences``, relative, infinite where a value
    is undefined, and ``matched``, by the rule of `replication.papers.compare`; by combination
    ``distances`` to all numbers, and their ``order`` from the nearest to the farthest: by median,
    worst difference, the grid's order.
    """

    def __init__(self, grid, table, published):
        self.grid = grid
        rows = dict(tuple(table.groupby(["trace", "policy", "measure"], sort=False)))
        printed = {}
        for row in published:
            printed.setdefault(row.key, row)
        self.numbers = [row for key, row in printed.items() if key in rows]
        if not self.numbers:
            raise EvidenceError("none of the published numbers was computed")
        self._cells = [_cells(grid, rows[row.key]) for row in self.numbers]
        self._told = {}
        self.logs = list(dict.fromkeys(row.trace for row in self.numbers))
        self.groups = {ALL: [*range(len(self.numbers))]}
        self.differences = np.empty((len(grid), len(self.numbers)), np.float32)
        self.matched = np.empty((len(grid), len(self.numbers)), bool)
        for k, row in enumerate(self.numbers):
            # A published 0 has no relative distance: the difference itself stands for it, as in compare.
            away = np.abs(self.values(k) - row.value) / (abs(row.value) or 1.0)
            self.differences[:, k] = np.where(np.isnan(away), np.inf, away)
            values, place = np.unique(self.values(k), return_inverse=True)
            verdicts = [compare.verdict(float(value), row).verdict for value in values]
            self.matched[:, k] = (np.array(verdicts) == compare.MATCH)[place]
        self.distances = np.median(self.differences, axis=1)
        self.order = np.lexsort((self.differences.max(axis=1), self.distances))

    def __len__(self):
        return len(self.grid)

    def of(self, **wanted):
        """Places of the numbers that have some facts, such as ``trace="CTC-SP2"``."""
        return [
            k
            for k, row in enumerate(self.numbers)
            if all(getattr(row, name) == value for name, value in wanted.items())
        ]

    def values(self, number, combinations=slice(None)):
        """Our value of a number under combinations, float64[m]."""
        names, cells = self._cells[number]
        codes = self.grid.codes[combinations]
        return cells[tuple(codes[..., self.grid.place[name]] for name in names)]

    def dimensions(self, number):
        """Dimensions that the number depends on: those along which any value differs."""
        names, cells = self._cells[number]

        def moves(axis):
            first = cells.take([0], axis)
            return np.any((cells != first) & ~np.isnan(cells) & ~np.isnan(first))

        return [name for axis, name in enumerate(names) if moves(axis)]

    def told_apart(self, numbers):
        """The first of the combinations alike to some numbers (places), int64[k], and each one's distance to these."""
        key = tuple(numbers)
        if key not in self._told:
            some = self.grid.projections([*self._moving(numbers)])
            self._told[key] = some, self.distance(numbers, some)
        return self._told[key]

    def _moving(self, numbers):
        return dict.fromkeys(name for number in numbers for name in self.dimensions(number))

    def distance(self, numbers, combinations):
        """Median relative difference to some numbers under some combinations, float32[combinations]."""
        return np.median(self.differences[np.ix_(combinations, numbers)], axis=1)

    def words(self, k, numbers):
        """Combination `k` in words, as far as some numbers depend on it."""
        return self.grid.words(k, self._moving(numbers))

    @property
    def best(self):
        """The combination nearest to all numbers."""
        return int(self.order[0])

    @property
    def default_rank(self):
        """Where the default stands in the order, from 1."""
        return int(np.flatnonzero(self.order == 0)[0]) + 1

    def nearest(self, numbers):
        """The combination nearest to some numbers: by median, worst difference, the grid's order."""
        some, distance = self.told_apart(numbers)
        tied = some[distance == distance.min()]
        return int(tied[np.argmin(self.differences[np.ix_(tied, numbers)].max(axis=1))])


def _cells(grid, rows):
    """Values of a number, with an axis for each dimension it depends on; nan where not computed."""
    chosen = [json.loads(text) for text in rows["chosen"]]
    names = list(chosen[0])
    cells = np.full([len(grid.names[name]) for name in names], np.nan)
    index = tuple([grid.names[name].index(one[name]) for one in chosen] for name in names)
    cells[index] = rows["value"].to_numpy()
    return names, cells
