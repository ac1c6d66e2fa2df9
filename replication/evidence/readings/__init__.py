"""The search for what a paper's authors really ran: every sensible combination of what it leaves unsaid.

Each open choice is a `Dimension`; a `Grid` has all combinations that make sense. A combination is taken for
one simulator, so it is held against all numbers of the paper at once: its distance is the median of their
relative differences, |ours - published| / |published|, over all logs; the worst one and the share that match
by the rule of `replication.evidence.compare` stand beside it. A number that a combination leaves undefined is
infinitely far.

The default of every dimension is the textbook's or the paper's own reading; a search never changes one.
"""

import functools
import json
from dataclasses import dataclass

import numpy as np

from replication.evidence import compare

IDENTIFIED = (
    0.10  # how much nearer the best combination with a choice must be than the best without it
)
NUMBER = ("policy", "measure")
ALL = "all"


class ReadingsError(ValueError):
    """A search that cannot be made; the message names the dimension and what is allowed."""


@dataclass(frozen=True)
class Dimension:
    """One choice that a paper leaves open.

    Parameters
    ----------
    name : str
    choices : dict of str to str
        Two or more, the default first: a short name, and words that complete "the simulator behaves as if
        ...".
    """

    name: str
    choices: dict

    def __post_init__(self):
        if len(self.choices) < 2:
            raise ReadingsError(
                f"dimension {self.name!r}: choices {', '.join(self.choices)}; allowed: two or more"
            )

    @property
    def names(self):
        """Names of the choices, the default first."""
        return tuple(self.choices)

    @property
    def words(self):
        """Words of the choices, the default's first."""
        return tuple(self.choices.values())


@dataclass(frozen=True)
class Rule:
    """Combinations that make no sense, and why.

    Parameters
    ----------
    why : str
    forbids : dict of str to tuple of str
        Choices by dimension; a combination is left out if in each of these dimensions it has one of them.
    """

    why: str
    forbids: dict


class Grid:
    """All combinations of choices that make sense.

    Parameters
    ----------
    dimensions : sequence of Dimension
    rules : sequence of Rule
    around : sequence of dict, optional
        For a first look: only these combinations (choices by dimension, what is left out at its default) and
        each with one choice changed.

    Raises
    ------
    ReadingsError
        If a rule names a dimension or choice that does not exist, or forbids the default.
    """

    def __init__(self, dimensions, rules=(), around=None):
        self.dimensions, self.rules = tuple(dimensions), tuple(rules)
        self.place = {dimension.name: k for k, dimension in enumerate(self.dimensions)}
        sizes = [len(dimension.choices) for dimension in self.dimensions]
        codes = np.indices(sizes, dtype=np.int8).reshape(len(sizes), -1).T
        if around is not None:
            codes = codes[self._near(codes, around)]
        #: Combinations by reason that were left out, each counted where it first applies.
        self.left_out = {}
        for rule in self.rules:
            bad = self._forbidden(rule, codes)
            if bad[0]:
                raise ReadingsError(
                    f"rule {rule.why!r} forbids the default; allowed: to forbid others"
                )
            self.left_out[rule.why] = self.left_out.get(rule.why, 0) + int(bad.sum())
            codes = codes[~bad]
        #: int8[combinations, dimensions], the place of each choice; the first is the default.
        self.codes = np.ascontiguousarray(codes)

    def _near(self, codes, around):
        """Which combinations differ from one of some in at most one choice."""
        near = np.zeros(len(codes), bool)
        for base in around:
            centre = [d.names.index(base.get(d.name, d.names[0])) for d in self.dimensions]
            near |= np.count_nonzero(codes != centre, axis=1) <= 1
        return near

    def _forbidden(self, rule, codes):
        bad = np.ones(len(codes), bool)
        for name, choices in rule.forbids.items():
            unknown = {name} - self.place.keys() or set(choices) - set(
                self.dimensions[self.place[name]].names
            )
            if unknown:
                raise ReadingsError(
                    f"rule {rule.why!r}: {sorted(unknown)[0]!r} is no choice of {name!r}"
                )
            allowed = self.dimensions[self.place[name]].names
            bad &= np.isin(
                codes[:, self.place[name]], [allowed.index(choice) for choice in choices]
            )
        return bad

    def __len__(self):
        return len(self.codes)

    def chosen(self, k, names=None):
        """Choices of combination `k` by dimension, of all dimensions or of those named."""
        return {
            d.name: d.names[self.codes[k, j]]
            for j, d in enumerate(self.dimensions)
            if names is None or d.name in names
        }

    def words(self, k, names=None):
        """Combination `k` as the words of what is not the default, in all dimensions or those named."""
        others = [
            d.words[c]
            for d, c in zip(self.dimensions, self.codes[k], strict=True)
            if c and (names is None or d.name in names)
        ]
        return "; ".join(others) or "the default"

    def projections(self, names):
        """One combination of each that differ in the dimensions named, as places in `codes`."""
        columns = [self.place[name] for name in names]
        if not columns:
            return np.zeros(1, np.int64)
        return np.sort(np.unique(self._mixed(columns), return_index=True)[1])

    def _mixed(self, columns):
        """One number for the choices in some dimensions together."""
        sizes = [len(self.dimensions[k].choices) for k in columns]
        return np.ravel_multi_index(self.codes[:, columns].T.astype(np.int64), sizes)


class Found:
    """The numbers of all combinations, beside those that the paper printed.

    Parameters
    ----------
    grid : Grid
    table : pandas.DataFrame
        From `replication.evidence.readings.search.search`.
    published : sequence of replication.evidence.published.Published
        Numbers of the paper. One that it prints twice counts once; one that is not in `table` does not count.
    by_policy : bool
        Whether each policy has its own code, so that each may identify choices of its own.
    """

    def __init__(self, grid, table, published, by_policy=False):
        self.grid, self.by_policy = grid, by_policy
        groups = dict(tuple(table.groupby(["trace", *NUMBER], sort=False)))
        printed = {}
        for row in published:
            printed.setdefault(row.key, row)
        self.numbers = [row for key, row in printed.items() if key in groups]
        if not self.numbers:
            raise ReadingsError("none of the published numbers was computed")
        self._cells = [_cells(grid, groups[row.key]) for row in self.numbers]
        self._told = {}

    def __len__(self):
        return len(self.grid)

    @property
    def logs(self):
        """The logs that have a number."""
        return list(dict.fromkeys(row.trace for row in self.numbers))

    def of(self, **wanted):
        """Places of the numbers that have some facts, such as ``trace="CTC-SP2"``."""
        return [
            k
            for k, row in enumerate(self.numbers)
            if all(getattr(row, name) == value for name, value in wanted.items())
        ]

    @property
    def groups(self):
        """Places of all numbers, and by policy where each has its own code."""
        policies = dict.fromkeys(row.policy for row in self.numbers if self.by_policy)
        return {ALL: [*range(len(self.numbers))]} | {
            policy: self.of(policy=policy) for policy in policies
        }

    def values(self, number, combinations=slice(None)):
        """Our value of a number under combinations, float64[m]."""
        names, cells = self._cells[number]
        codes = self.grid.codes[combinations]
        return cells[tuple(codes[..., self.grid.place[name]] for name in names)]

    def dimensions(self, number):
        """Dimensions that the number depends on: those along which any value differs."""
        names, cells = self._cells[number]
        return [name for axis, name in enumerate(names) if not _same(cells, cells.take([0], axis))]

    @functools.cached_property
    def differences(self):
        """Relative differences, float32[combinations, numbers]; infinite where a value is undefined."""
        far = np.empty((len(self), len(self.numbers)), np.float32)
        for k, row in enumerate(self.numbers):
            # A published 0 has no relative distance: the difference itself stands for it, as in compare.
            away = np.abs(self.values(k) - row.value) / (abs(row.value) or 1.0)
            far[:, k] = np.where(np.isnan(away), np.inf, away)
        return far

    @functools.cached_property
    def matched(self):
        """Which numbers match by the rule of `compare`, bool[combinations, numbers]."""
        hit = np.empty((len(self), len(self.numbers)), bool)
        for k, row in enumerate(self.numbers):
            values, place = np.unique(self.values(k), return_inverse=True)
            words = [
                compare.verdict(float(value), row).verdict == compare.MATCH for value in values
            ]
            hit[:, k] = np.array(words)[place]
        return hit

    def told_apart(self, numbers):
        """The combinations that some numbers can tell apart, and the distance of each to them.

        Parameters
        ----------
        numbers : sequence of int
            Places in `numbers`.

        Returns
        -------
        combinations : int64[k]
            Of those that are alike to these numbers, the first of the grid.
        distances : float32[k]
            Medians of the relative differences.
        """
        key = tuple(numbers)
        if key not in self._told:
            names = dict.fromkeys(name for number in key for name in self.dimensions(number))
            some = self.grid.projections([*names])
            self._told[key] = some, self.distance(numbers, some)
        return self._told[key]

    def distance(self, numbers, combinations):
        """Median relative difference to some numbers under some combinations, float32[combinations]."""
        return np.median(self.differences[np.ix_(combinations, numbers)], axis=1)

    @functools.cached_property
    def distances(self):
        """The distance of each combination to all numbers."""
        return np.median(self.differences, axis=1)

    @functools.cached_property
    def order(self):
        """Combinations from the nearest to the farthest: by median, worst difference, the grid's order."""
        return np.lexsort((self.differences.max(axis=1), self.distances))

    def words(self, k, numbers):
        """Combination `k` in words, as far as some numbers depend on it."""
        return self.grid.words(k, {name for number in numbers for name in self.dimensions(number)})

    @property
    def best(self):
        """The combination nearest to all numbers."""
        return int(self.order[0])

    def nearest(self, numbers):
        """The combination nearest to some numbers: by median, worst difference, the grid's order."""
        some, distance = self.told_apart(numbers)
        tied = some[distance == distance.min()]
        return int(tied[np.argmin(self.differences[np.ix_(tied, numbers)].max(axis=1))])


def _cells(grid, rows):
    """Values of a number, with an axis for each dimension it depends on; nan where not computed."""
    chosen = [json.loads(text) for text in rows["chosen"]]
    names = list(chosen[0])
    cells = np.full([len(grid.dimensions[grid.place[name]].choices) for name in names], np.nan)
    places = [
        {name: k for k, name in enumerate(grid.dimensions[grid.place[name]].names)}
        for name in names
    ]
    index = tuple(
        np.array([place[one[name]] for one in chosen])
        for name, place in zip(names, places, strict=True)
    )
    cells[index] = rows["value"].to_numpy()
    return names, cells


def _same(one, other):
    """Whether two arrays agree wherever both are known."""
    return bool(np.all((one == other) | np.isnan(one) | np.isnan(other)))
