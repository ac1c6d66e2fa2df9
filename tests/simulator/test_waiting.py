"""The queue of waiting jobs: what is passed over, against a plain search, and long queues against the twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.kernels import waiting
from replication.simulator.reference import easy as reference
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload

ENTRIES = 1024  # of a piece
LARGE = 32 * ENTRIES


def queue_of(size, estimate):
    """A queue with jobs of these sizes and estimates."""
    queue = waiting.empty_queue(len(size))
    for k, (one, long) in enumerate(zip(size.tolist(), estimate.tolist(), strict=True)):
        waiting.append(queue, k, k, one, long)
    return queue


def looked_at(queue, tail, free, extra, window):
    """Entries of the pieces that a pass looks at, mending each; and the least size that it came across."""
    pieces, piece, smallest = -(-tail // ENTRIES), np.uint64(0), np.int64(waiting.EMPTY)
    seen = np.zeros(tail, bool)
    limits = np.int32(free), np.int32(min(free, extra)), np.int32(window)
    while piece < pieces:
        piece, smallest = waiting.skip_pieces(queue, piece, tail, smallest, *limits)
        if piece < pieces:
            part = slice(int(piece) * ENTRIES, min((int(piece) + 1) * ENTRIES, tail))
            seen[part] = True
            smallest = min(smallest, queue.size[part].min())
            waiting.rebuild_row(queue, piece, tail)
        piece = np.uint64(int(piece) + 1)
    return seen, smallest


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, LARGE + 5 * ENTRIES),
    widest=st.integers(1, 70_000),
)
def test_no_piece_with_a_job_that_fits_is_passed_over(seed, length, widest):
    """Narrow jobs are long and wide ones short, some leave between passes, and the queue is closed up."""
    rng = np.random.default_rng(seed)
    size = np.minimum(rng.geometric(rng.uniform(0.001, 0.5), length), widest)
    estimate = rng.integers(1, 100_000, length) // size + 1
    queue, tail = queue_of(size, estimate), length
    for free in rng.integers(0, widest + 1, 8).tolist():
        extra, window = (
            int(rng.integers(0, free + 1) // 8),
            int(rng.integers(1, 200_000) // (free + 1)),
        )
        waits = queue.size[:tail] != waiting.EMPTY
        fits = (queue.size[:tail] <= min(extra, free)) | (
            (queue.size[:tail] <= free) & (queue.estimate[:tail] <= window)
        )
        seen, smallest = looked_at(queue, tail, free, extra, window)
        assert seen[fits & waits].all()
        assert smallest <= queue.size[:tail].min()
        for k in np.flatnonzero(waits)[:: int(rng.integers(1, 9))]:
            waiting.remove_from_middle(queue, np.uint64(k))
        if rng.random() < 0.3:
            tail = waiting.compact(queue, 0, tail)
        if tail == 0:
            return


def test_a_second_pass_over_a_long_queue_looks_at_nobody_in_vain():
    """Where nobody fits, the rows say so once they are made: of wide jobs that are short, and narrow ones that
    are long."""
    wide = np.arange(3 * LARGE) % 2 == 0
    queue = queue_of(np.where(wide, 64, 2), np.where(wide, 10, 5000))
    tail = 3 * LARGE
    first, _ = looked_at(queue, tail, 60, 1, 100)
    second, smallest = looked_at(queue, tail, 60, 1, 100)
    assert first.all()
    assert not second.any()
    assert smallest == 2


@pytest.mark.parametrize("widest", [4, 5])
def test_kernel_and_twin_agree_on_a_queue_of_thousands(widest):
    """More wait at once than are looked at one by one; ends fall together, so that the twin takes seconds."""
    rng = np.random.default_rng(3)
    n = waiting.INDEX_THRESHOLD + 400
    run_time = 500 * rng.integers(1, 4, n)
    workload = Workload.from_columns(
        "thousands",
        256,
        submit=np.sort(rng.integers(0, 3, n)) * 10,
        run_time=run_time,
        processors=2 ** rng.integers(0, widest, n) + rng.integers(0, 2, n),
        estimate=run_time * rng.integers(1, 4, n),
    )
    fast = simulate(workload)
    slow = reference.Easy(workload).run()
    assert fast.start.tolist() == slow.start
    assert fast.backfilled.tolist() == slow.backfilled
