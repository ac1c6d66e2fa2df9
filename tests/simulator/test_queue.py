"""The queue of waiting jobs: pieces skipped by a search, and long queues compared with the reference implementation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.kernels import queue as queues
from replication.simulator.schedulers import EASY
from replication.simulator.workload import Workload
from tests.agreement import agree

ENTRIES = 256  # of a piece
LARGE = 64 * ENTRIES  # of the largest piece


def queue_of(size, estimate):
    """Return a queue of jobs with these sizes and estimates."""
    queue = queues.empty_queue(len(size))
    for k, (one, long) in enumerate(zip(size.tolist(), estimate.tolist(), strict=True)):
        queues.append(queue, k, k, one, long)
    return queue


def searched(queue, tail, free, extra, window):
    """Return the mask of the entries in pieces that a search does not skip, and the least size; update the rows."""
    pieces, piece, smallest = -(-tail // ENTRIES), np.uint64(0), queues.EMPTY
    seen = np.zeros(tail, bool)
    limits = np.int32(free), np.int32(min(free, extra)), np.int32(window)
    while piece < pieces:
        piece, smallest = queues.skip_pieces(queue, piece, tail, smallest, *limits)
        if piece < pieces:
            part = slice(int(piece) * ENTRIES, min((int(piece) + 1) * ENTRIES, tail))
            seen[part] = True
            smallest = min(smallest, queue.size[part].min())
        piece = np.uint64(int(piece) + 1)
    return seen, smallest


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, LARGE + 5 * ENTRIES),
    widest=st.integers(1, 70_000),
)
def test_no_piece_with_a_candidate_is_skipped(seed, length, widest):
    """Narrow jobs are long and wide ones short, some leave between searches, and the queue is compacted."""
    rng = np.random.default_rng(seed)
    size = np.minimum(rng.geometric(rng.uniform(0.001, 0.5), length), widest)
    estimate = rng.integers(1, 100_000, length) // size + 1
    queue, tail = queue_of(size, estimate), length
    for free in rng.integers(0, widest + 1, 8).tolist():
        extra, window = (
            int(rng.integers(0, free + 1) // 8),
            int(rng.integers(1, 200_000) // (free + 1)),
        )
        waits = queue.size[:tail] != queues.EMPTY
        fits = (queue.size[:tail] <= min(extra, free)) | (
            (queue.size[:tail] <= free) & (queue.estimate[:tail] <= window)
        )
        seen, smallest = searched(queue, tail, free, extra, window)
        assert seen[fits & waits].all()
        assert smallest <= queue.size[:tail].min()
        for k in np.flatnonzero(waits)[:: int(rng.integers(1, 9))]:
            queues.remove_from_middle(queue, np.uint64(k))
        if rng.random() < 0.3:
            tail = queues.compact(queue, 0, tail)
        if tail == 0:
            return


def test_only_the_piece_of_a_candidate_is_searched():
    """No job fits but one, which then leaves: the wide ones are short and the narrow ones long."""
    tail = 3 * LARGE
    wide = np.arange(tail) % 2 == 0
    estimate = np.where(wide, 10, 5000)
    estimate[LARGE + 1] = 100
    queue = queue_of(np.where(wide, 64, 2), estimate)
    for _ in range(2):
        seen, smallest = searched(queue, tail, 60, 1, 100)
        assert np.flatnonzero(seen).tolist() == list(range(LARGE, LARGE + ENTRIES))
        assert smallest == 2
    queues.remove_from_middle(queue, np.uint64(LARGE + 1))
    seen, smallest = searched(queue, tail, 60, 1, 100)
    assert not seen.any()
    assert smallest == 2


@pytest.mark.parametrize("widest", [4, 5])
def test_kernel_and_reference_agree_on_a_queue_of_thousands(widest):
    """The search uses pieces. Many jobs end at one instant, so that the reference implementation takes seconds."""
    rng = np.random.default_rng(3)
    n = LARGE // 4 + 400
    run_time = 500 * rng.integers(1, 4, n)
    workload = Workload.from_columns(
        "thousands",
        256,
        submit=np.sort(rng.integers(0, 3, n)) * 10,
        run_time=run_time,
        processors=2 ** rng.integers(0, widest, n) + rng.integers(0, 2, n),
        estimate=run_time * rng.integers(1, 4, n),
    )
    agree(workload, EASY())
