"""Long queues: the tree over a queue by brute force,
and long queues compared with the reference implementation.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.kernels import list_scheduler, queue_tree
from replication.simulator.kernels import queue as queues
from replication.simulator.predictors import Clairvoyant, Last
from replication.simulator.schedulers import EASY, LargestAreaFirst, OrderedEASY
from replication.simulator.schedulers.queue_orders import ORDERS
from replication.simulator.workload import Workload
from tests.agreement import agree

EMPTY = int(queue_tree.EMPTY)


def tree_of(size, planned):
    """Return a tree of jobs with these sizes and planned times."""
    tree = queue_tree.empty_tree(len(size))
    tree.size[: len(size)], tree.planned[: len(size)] = size, planned
    queue_tree.update_all(tree, len(tree.size) // 32)
    return tree


def found(tree, free, extra, window):
    """Return all entries that a search finds."""
    entries, entry = [], queue_tree.next_entry(tree, 0, free, extra, window)
    while entry < len(tree.size):
        entries.append(entry)
        entry = queue_tree.next_entry(tree, entry + 1, free, extra, window)
    return entries


def fitting(tree, free, extra, window):
    """Return all entries that fit."""
    is_narrow, is_short = tree.size <= min(extra, free), tree.planned <= window
    return np.flatnonzero(is_narrow | ((tree.size <= free) & is_short)).tolist()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 3000), widest=st.integers(1, 70_000))
def test_a_search_finds_the_entries_that_fit(seed, length, widest):
    """Narrow jobs are long and wide ones short, and some leave between searches."""
    rng = np.random.default_rng(seed)
    size = np.minimum(rng.geometric(rng.uniform(0.001, 0.5), length), widest)
    tree = tree_of(size, rng.integers(1, 100_000, length) // size + 1)
    for free in rng.integers(0, widest + 1, 8).tolist():
        limits = free, int(rng.integers(-3, free + 1)) // 8, int(rng.integers(0, 200_000)) // 9
        assert found(tree, *limits) == fitting(tree, *limits)
        for entry in np.flatnonzero(tree.size < EMPTY)[:: int(rng.integers(1, 9))]:
            queue_tree.leave(tree, entry)
        assert tree.rows[1, 0] == tree.size.min()


def test_only_the_block_of_a_candidate_is_searched():
    """No job fits but one, which then leaves: the wide ones are short and the narrow ones long."""
    wide = np.arange(4096) % 2 == 0
    planned = np.where(wide, 10, 5000)
    planned[2049] = 100
    tree = tree_of(np.where(wide, 64, 2), planned)
    limits = np.int32(60), np.int32(1), np.int32(100)
    block = queue_tree.next_block(tree, np.uint64(0), *limits)
    assert block == 2049 // 32
    assert queue_tree.next_block(tree, block + np.uint64(1), *limits) == 4096 // 32
    queue_tree.leave(tree, 2049)
    assert queue_tree.next_block(tree, np.uint64(0), *limits) == 4096 // 32


def test_the_tree_of_a_queue_follows_it_beyond_the_threshold():
    """The queue grows, loses jobs at random, is compacted,
    and shrinks below the threshold and grows again.
    """
    rng = np.random.default_rng(1)
    queue, tail = queues.empty_queue(6000, True), 0
    for most in (queues.LONG + 500, queues.LONG - 100, queues.LONG + 900):
        while tail < most:
            queues.append(queue, tail, tail, int(rng.integers(1, 99)), int(rng.integers(1, 999)))
            tail += 1
        for k in rng.permutation(tail)[: tail // 2].tolist():
            queues.remove(queue, k, tail)
        tail = queues.compact(queue, 0, tail)
        while tail <= queues.LONG:
            queues.append(queue, tail, tail, int(rng.integers(1, 99)), int(rng.integers(1, 999)))
            tail += 1
        assert found(queue.tree, 9, 2, 500) == fitting(queue.tree, 9, 2, 500)
        assert (queue.size[:tail] < EMPTY).all() and (queue.size[tail:] == EMPTY).all()


def by_size(workload):
    return workload.processors


LONG_QUEUES = [
    EASY(),
    EASY(Clairvoyant(), candidates="shortest"),
    EASY(Last()),
    LargestAreaFirst(),
    OrderedEASY(by_size, predictor=Last()),
    *map(OrderedEASY, ORDERS),
]


@pytest.mark.parametrize("scheduler", LONG_QUEUES, ids=repr)
def test_kernel_and_reference_agree_on_a_queue_of_thousands(scheduler):
    """The queue is searched by the tree. Many jobs end at one instant,
    so that the reference takes seconds.
    """
    rng = np.random.default_rng(3)
    n = 2 * list_scheduler.LONG + 400
    run_time = 500 * rng.integers(1, 4, n)
    workload = Workload.from_columns(
        "thousands",
        256,
        submit=np.sort(rng.integers(0, 3, n)) * 10,
        run_time=run_time,
        processors=2 ** rng.integers(0, 5, n) + rng.integers(0, 2, n),
        estimate=run_time * rng.integers(1, 4, n),
    )
    agree(workload, scheduler)
