"""Relaxed backfilling, compiled and in readable Python."""

import pytest

import replication as rp
from relaxed_backfilling import Relaxed
from replication.simulator.schedulers.event_loop import earliest_fit
from tests.workloads import jobs, random_jobs

CROWD = random_jobs(600, 32, 3 * 24 * 3600, 4000, 9000, name="crowd")
MODELS = [rp.Perfect(), rp.Users(), rp.FModel(3)]


class ReadableRelaxed(rp.PythonScheduler, name="readable-relaxed"):
    """A job is backfilled if the head could still start by its latest start."""

    share: float = 0.0

    def schedule(self, now):
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
        if not self.queue:
            return
        head, *others = self.queue
        if getattr(self, "reserved", None) is not head:
            self.reserved, start = head, self.reservation(head).time
            self.latest = start + int(self.share * (start - head.submit))
        for job in others:
            if job.size <= self.free and self.start_behind(head, job, now) <= self.latest:
                self.begin(job)

    def start_behind(self, head, job, now):
        """The earliest start of the head if a job began now."""
        ends = [(max(self.planned_end(running), now), running.size) for running in self.running]
        ends.append((now + self.planned(job), job.size))
        return earliest_fit(head.size, self.free - job.size, ends).time


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("share", [0, 0.1, 1, 7])
def test_the_compiled_scheduler_equals_the_readable_one(share, model):
    compiled = rp.simulate(CROWD, Relaxed(share=share), model)
    readable = rp.simulate(CROWD, ReadableRelaxed(share=share), model)
    assert compiled.start.tolist() == readable.start.tolist()
    assert compiled.backfilled.tolist() == readable.backfilled.tolist()


def test_without_a_limit_every_job_that_fits_may_pass():
    alone = rp.simulate(CROWD, rp.PaperEASY(let_past=1.0), rp.Perfect())
    schedule = rp.simulate(CROWD, Relaxed(share=1e6), rp.Perfect())
    assert schedule.start.tolist() == alone.start.tolist()


def test_a_head_waits_at_most_its_share_longer():
    # The head is reserved at 10, after a wait of 9; with share 0.5 it may start at 14.
    log = jobs(4, (0, 10, 3), (1, 5, 4), (2, 12, 1), (3, 11, 1))
    starts = {share: rp.simulate(log, Relaxed(share=share)).start for share in (0, 0.5, 4 / 9)}
    assert starts[0].tolist() == [0, 10, 15, 15]
    assert starts[0.5].tolist() == [0, 14, 2, 14 + 5]
    assert starts[4 / 9].tolist() == [0, 14, 2, 19]
