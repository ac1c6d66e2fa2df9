"""Predicted run times (P1 to P7, P26): predictors, and corrections of expired predictions."""

from collections import defaultdict

from conformance.easy import Easy

HOUR = 3600
#: Steps by which a prediction is corrected, s (Tsafrir, Etsion and Feitelson 2007, section 4.2).
STEPS = (60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR)


class Predicted(Easy):
    """Jobs are planned with predictions; a subclass has the `predict` of a predictor."""

    corrected = False  # whether an event has corrected a plan

    def __init__(self, jobs, processors):
        super().__init__(jobs, processors)
        self.ended = defaultdict(list)  # jobs of each user

    def end(self, job):
        """Free the processors of a job, and learn from it (P2)."""
        super().end(job)
        self.ended[job.user].append(job)

    def planned(self, job):
        """Return the prediction of a waiting job, at most its estimate (P1, P26)."""
        return max(min(self.predict(job), job.estimate), min(job.estimate, 1))

    def start(self, job):
        """Start a job, planned with the prediction of now (P4)."""
        super().start(job)
        job.prediction = job.plan

    def take_events(self):
        """Take events, and correct the predictions that have expired (P5)."""
        super().take_events()
        self.corrected = False
        for job in self.running:
            ran = self.now - job.start
            if job.plan <= ran:
                plan, job.plan = job.plan, self.correct(job, ran)
                self.corrected |= plan != job.plan

    def correct(self, job, ran):
        """Return the first correction of a prediction that exceeds `ran` s, or the estimate."""
        plan = job.prediction
        for plan in self.corrections(job):
            if plan > ran:
                break
        return min(plan, job.estimate)

    def corrections(self, job):
        """Return the corrections of an expired prediction: the estimate at once (P6)."""
        return [job.estimate]


class Clairvoyant(Predicted):
    """The run time is known."""

    def predict(self, job):
        """Return the run time."""
        return job.run_time


class HalfRunTime(Predicted):
    """Half of the run time is predicted."""

    def predict(self, job):
        """Return half of the run time."""
        return round(job.run_time / 2)


class QuarterRunTime(Predicted):
    """A quarter of the run time is predicted."""

    def predict(self, job):
        """Return a quarter of the run time."""
        return round(job.run_time / 4)


class Last(Predicted):
    """The user's last job was as long, compared with its estimate (V14)."""

    def predict(self, job):
        """Return the estimate times the accuracy of the user's last estimate."""
        last = self.ended[job.user][-1:]
        if last and last[0].estimate:
            return round(last[0].run_time / last[0].estimate * job.estimate)
        return job.estimate


class Tsafrir(Predicted):
    """The user's last two jobs were as long on average."""

    def predict(self, job):
        """Return the mean run time of the user's last two jobs."""
        last = self.ended[job.user][-2:]
        return sum(j.run_time for j in last) // 2 if len(last) > 1 else job.estimate


class PredictedAtSubmission(Easy):
    """A waiting job keeps the prediction of its submission."""

    def submit(self, job):
        """Put a job in the queue, and predict its run time."""
        super().submit(job)
        job.first = super().planned(job)

    def planned(self, job):
        """Return the first prediction."""
        return job.first


class CorrectedByTsafrir(Easy):
    """An expired prediction is corrected by Tsafrir's steps (P6)."""

    def corrections(self, job):
        """Return the steps on the first prediction, then the estimate."""
        return [*(job.prediction + step for step in STEPS), job.estimate]


class CorrectedByDoubling(Easy):
    """An expired prediction is doubled (P6)."""

    def corrections(self, job):
        """Return the doublings up to the estimate."""
        plan = job.prediction
        while plan < job.estimate:
            plan *= 2
            yield plan


class NotCorrected(Easy):
    """An expired prediction is not corrected (P6)."""

    def corrections(self, job):
        """Return no correction."""
        return []
