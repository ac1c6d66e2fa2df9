"""Other candidates, and other conditions under which one passes the blocked head (P9 to P32)."""

from conformance.easy import Easy


class ShortestCandidates(Easy):
    """The shortest job behind the head is tried first (P9)."""

    def candidates(self, waiting):
        """Return the jobs by their planned run times."""
        return sorted(waiting, key=self.planned)


class SmallestCandidates(Easy):
    """The smallest job behind the head is tried first."""

    def candidates(self, waiting):
        """Return the jobs by their sizes."""
        return sorted(waiting, key=lambda job: job.size)


class LastCandidates(Easy):
    """The last job of the queue is tried first."""

    def candidates(self, waiting):
        """Return the jobs in reversed order."""
        return waiting[::-1]


class FewCandidates(Easy):
    """A pass tries the first n jobs behind the head (P31)."""

    candidates_limit = 1

    def candidates(self, waiting):
        """Return the first jobs."""
        return super().candidates(waiting)[: self.candidates_limit]


class Strict(Easy):
    """A job is backfilled if it ends before the shadow time, not at it (P28)."""

    def clears(self, end, begin):
        """Return whether an end is before a reservation."""
        return end < begin


class NoExtra(Easy):
    """No job is backfilled on extra processors (P32)."""

    def fits_extra(self, job):
        """Return that it does not fit."""
        return False


class OneExtraLeft(Easy):
    """One extra processor is left over."""

    def fits_extra(self, job):
        """Return whether a job is smaller than the extra processors."""
        return job.size < self.extra


class WhateverFits(Easy):
    """Whatever fits is backfilled."""

    def fits_extra(self, job):
        """Return that it may start."""
        return True


class ExtraNotUsedUp(Easy):
    """Each candidate of a pass may use all extra processors (P11)."""

    def use_extra(self, job, in_time):
        """Leave the extra processors as they are."""


class ExtraAlwaysUsedUp(Easy):
    """Jobs that end in time use up extra processors, too."""

    def use_extra(self, job, in_time):
        """Use up extra processors."""
        self.extra -= job.size


class CandidatesByRunTime(Easy):
    """The end of a candidate is known before it starts."""

    def candidate_end(self, job):
        """Return the end of a job that would start now."""
        return self.now + job.run_time


class OneHead(Easy):
    """A pass starts no more than one job from the head of the queue."""

    def schedule(self):
        """Start the first job if it fits; backfill if the next one does not."""
        if self.queue and self.queue[0].size <= self.free:
            self.start(self.queue[0])
        if self.queue and self.queue[0].size > self.free:
            self.backfill(self.queue[0])
