"""A scheduler of a user, for tests: it is defined once, since names of schedulers are unique."""

from math import inf

import replication as rp


class Own(rp.PythonScheduler, name="own"):
    """EASY with a slack."""

    slack: int = 0

    def schedule(self, now):
        time, extra = inf, 0
        for job in self.queue:
            in_time = now + self.planned(job) <= time
            if job.size <= self.free and (in_time or job.size <= extra):
                self.begin(job)
                extra -= 0 if in_time else job.size
            elif time == inf:
                time, extra = self.reservation(job)
                time += self.slack
