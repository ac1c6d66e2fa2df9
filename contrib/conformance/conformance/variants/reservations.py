"""Other reservations of the head: other shadow times, and reservations that last (P10 to P25)."""

from conformance.easy import NEVER, Easy


class FirstThatSuffice(Easy):
    """Of jobs expected to end together only as many count as the head needs (P12, P27)."""

    def expected_ends(self):
        """Return each job with its end."""
        running = sorted(self.running, key=self.end_order)
        return [(self.planned_end(job), [job]) for job in running]

    def end_order(self, job):
        """Return the end of the plan, which may be past, and the place in the queue."""
        return job.start + job.plan, self.rank(job)

    def free_at(self, time, head):
        """Return the processors that are free at a reserved time, as many as count."""
        free = self.free
        for end, (job,) in self.expected_ends():
            if end > time or (end == time and free >= head.size):
                break
            free += job.size
        return free


class FirstStarted(FirstThatSuffice):
    """The same; of those expected to end together the first started count first (P12)."""

    def end_order(self, job):
        """Return the end of the plan, the start, and the place in the queue."""
        return job.start + job.plan, job.start, self.rank(job)


class LastEnd(Easy):
    """The shadow time is the end of the last running job."""

    def expected_ends(self):
        """Return the last end, with all jobs."""
        return [(max(map(self.planned_end, self.running)), self.running)]


class Windows(Easy):
    """Ends are taken together in windows from the first end on, of 1 s, 2 s, 4 s and so on."""

    def expected_ends(self):
        """Return the last end of each window, with the jobs that have ended then."""
        running = sorted(self.running, key=self.planned_end)
        first, window = self.planned_end(running[0]), 0
        while running:
            last = first + window
            ended = [job for job in running if self.planned_end(job) <= last]
            if ended:
                yield self.planned_end(ended[-1]), ended
            running = running[len(ended) :]
            window = 2 * window or 1


class Window(Easy):
    """A head that does not fit within so many seconds has no reservation."""

    window = NEVER

    def reservation(self, head):
        """Return shadow time and extra processors; the shadow time is never if it is too late."""
        shadow, extra = super().reservation(head)
        return (shadow if shadow - self.now <= self.window else NEVER), extra


class ByLimit(Easy):
    """Running jobs are sorted by their limits, not by their expected ends."""

    def expected_ends(self):
        """Return each job with its end, the job with the shortest estimate first."""
        running = sorted(self.running, key=lambda job: job.plan)
        return [(self.planned_end(job), [job]) for job in running]


class UntilDue(Easy):
    """A reservation lasts until the head starts or the shadow time has come (P10)."""

    head = None  # of the last reservation

    def reservation(self, head):
        """Return shadow time and extra processors, those of the last pass if they last."""
        if head is self.head and self.lasts():
            shadow, extra = self.shadow, self.extra_at(max(self.shadow, self.now), head)
        else:
            shadow, extra = super().reservation(head)
        self.head = head
        return shadow, 0 if shadow <= self.now and self.closes() else extra

    def lasts(self):
        """Return whether the shadow time is still to come."""
        return self.shadow > self.now

    def extra_at(self, time, head):
        """Return the extra processors that are left of a reservation that lasts."""
        return self.extra

    def closes(self):
        """Return whether the extra processors are closed once the shadow time has come."""
        return False


class UntilStart(UntilDue):
    """A reservation lasts until the head starts (P23)."""

    def lasts(self):
        """Return that it lasts."""
        return True

    def closes(self):
        """Return that no job is backfilled on extra processors of a reservation that is due."""
        return True


class WaitsForItsTime(UntilStart):
    """A head waits for its reserved time although it fits before."""

    def next_instant(self):
        """Return the time of the next event, or that of a head that waits for it after the last."""
        coming = super().next_instant()
        return self.shadow if coming == NEVER and self.head in self.queue else coming

    def schedule(self):
        """Start no head before its time."""
        if self.queue and self.queue[0] is self.head and self.shadow > self.now:
            self.backfill(self.head)
        else:
            super().schedule()


class Recounted(Easy):
    """The extra processors of a reservation that lasts are counted at every pass (P25)."""

    def extra_at(self, time, head):
        """Return the extra processors that the plans leave at a reserved time."""
        return self.free_at(time, head) - head.size

    def free_at(self, time, head):
        """Return the processors that are free at a reserved time."""
        return self.free + sum(job.size for job in self.running if self.planned_end(job) <= time)


class OverdueExtra(Easy):
    """Extra processors of a reservation that is due are used, too (P24)."""

    def closes(self):
        """Return that they are used."""
        return False


class OverdueNobody(Easy):
    """Extra processors of a reservation that is due are never used (P24)."""

    def closes(self):
        """Return that they are closed."""
        return True


class SeveralReservations(Easy):
    """Each of the first k blocked jobs has a reservation (R1 to R8)."""

    reservations = 2

    def backfill(self, head):
        """Start or reserve in queue order until k jobs are blocked, then try the others."""
        self.holds = [(self.now, self.planned_end(job), job.size) for job in self.running]
        waiting, blocked = list(self.queue), 0
        while waiting and blocked < self.reservations:
            job = waiting.pop(0)
            if not self.start_if_it_fits(job):
                self.reserve(job)
                blocked += 1
        for job in self.candidates(waiting):
            self.start_if_it_fits(job)

    def start_if_it_fits(self, job):
        """Start a job if it delays no reservation; return whether it started."""
        length = self.planned(job)
        if job.size > self.free or not self.fits(job.size, self.now, length):
            return False
        self.start(job)
        self.holds.append((self.now, self.now + length, job.size))
        return True

    def reserve(self, job):
        """Hold processors for a job at the earliest time at which it delays no other."""
        length = max(self.planned(job), 1)
        instants = sorted({self.now, *(end for _, end, _ in self.holds if end > self.now)})
        start = next(instant for instant in instants if self.fits(job.size, instant, length))
        self.holds.append((start, start + length, job.size))

    def fits(self, size, start, length):
        """Return whether `size` processors are free from `start` on for `length` s."""
        begins = {begin for begin, _, _ in self.holds if start < begin}
        begins = {begin for begin in begins if not self.clears(start + length, begin)}
        return length == 0 or all(
            size + sum(held for begin, end, held in self.holds if begin <= time < end)
            <= self.processors
            for time in {start, *begins}
        )


class PastPlans(Easy):
    """The end expected of a job past its estimate stays in the past."""

    def planned_end(self, job):
        """Return the end of the plan."""
        return job.start + job.plan


class Again(Easy):
    """A head that waits for jobs past their estimates alone expects the last to run for its
    estimate once more.
    """

    def reservation(self, head):
        """Return shadow time and extra processors."""
        shadow, extra = super().reservation(head)
        if shadow <= self.now:
            past = [job for job in self.running if self.planned_end(job) <= self.now]
            shadow = (
                self.now + max(past, key=lambda job: (job.start + job.plan, self.rank(job))).plan
            )
        return shadow, extra


class NeverEnds(Easy):
    """A job past its estimate is never expected to end."""

    def planned_end(self, job):
        """Return the end of the plan, or never if it is past."""
        end = job.start + job.plan
        return end if end >= self.now else NEVER
