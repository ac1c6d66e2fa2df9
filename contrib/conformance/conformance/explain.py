"""Which other interpretation produces exactly the given schedules."""

from dataclasses import dataclass
from itertools import combinations

from conformance.rules import CONVENTIONS, Rules, simulate


@dataclass(frozen=True)
class Interpretation:
    """Another way to read a sentence.

    Parameters
    ----------
    sentence : str
    values : dict of str to str or int
        Rules that differ.
    predicate : str
        What the program does, as the predicate of "your program".
    schedulers : tuple of str
        The schedulers that it makes sense for.
    """

    sentence: str
    values: dict
    predicate: str
    schedulers: tuple = ("easy",)

    def of(self, rules):
        """Return rules with those of this interpretation."""
        return Rules.of({**dict(rules.chosen), **self.values})

    @property
    def is_convention(self):
        """Whether programs do so on purpose."""
        return set(self.values) <= set(CONVENTIONS)


ALL = ("easy", "fcfs", "conservative")
PLANNED = ("easy", "conservative")
CONSERVATIVE = ("conservative",)
OTHERS = tuple(
    Interpretation(*row)
    for row in (
        ("E2", {"events": "one-by-one"}, "takes the events of an instant one by one", ALL),
        ("P21", {"events": "by-plan"}, "takes the events of an instant one by one, after the jobs "
         "that end as planned have freed their processors", ALL),
        ("E2", {"events": "together"}, "takes all events of an instant together", ALL),
        ("P14", {"ties": "submissions-first"}, "takes the submissions of an instant before its "
         "ends", ALL),
        ("P14", {"ties": "ends-first"}, "takes the ends of an instant before its submissions", ALL),
        ("P15", {"passes": "if-fits"}, "lets a submission lead to a pass only if the submitted job "
         "fits", ALL),
        ("E3", {"zero": "a-second-later"}, "lets a job of run time 0 run for a second", ALL),
        ("E3", {"zero": "dropped"}, "drops jobs of run time 0", ALL),
        ("E4", {"listed": "highest-number"}, "takes the highest number of jobs submitted together "
         "first", ALL),
        ("E5", {"heads": "one"}, "starts no more than one job from the head in a pass",
         ("easy", "fcfs")),
        ("E5", {"reserved-head": "waits-for-its-time"}, "lets a head wait for its reserved time "
         "although it fits before"),
        ("E6", {"scheduler": "fcfs"}, "backfills nothing", PLANNED),
        ("E6", {"scheduler": "easy"}, "backfills past one reservation, as EASY",
         ("fcfs", "conservative")),
        ("E7", {"scheduler": "easy", "extra": "whatever-fits"}, "starts whatever fits and reserves "
         "nothing for the head", ALL),
        ("E7", {"scheduler": "conservative"}, "makes a reservation for every waiting job",
         ("easy", "fcfs")),
        ("R3", {"reservations": 2}, "makes a reservation for the first two blocked jobs"),
        ("R3", {"reservations": 3}, "makes a reservation for the first three blocked jobs"),
        ("R3", {"reservations": 1}, "makes a reservation for the head alone"),
        ("E7", {"lifetime": "until-due"}, "keeps the first reservation of a head until its time "
         "has come"),
        ("E7", {"lifetime": "until-start"}, "keeps the first reservation of a head until it "
         "starts"),
        ("E8", {"shadow": "last"}, "takes the last planned end for the shadow time"),
        ("E8", {"shadow": "by-limit"}, "sorts running jobs by their estimates instead of their "
         "planned ends"),
        ("E7", {"reservations": 99}, "makes a reservation for every blocked job, at every pass "
         "again"),
        ("E7", {"window": 5}, "makes no reservation for a head that has to wait for more than 5 s"),
        ("E8", {"shadow": "windows"}, "takes planned ends together in windows that double"),
        ("E8", {"processors": "named"}, "reserves named processors, the lowest that will be free",
         PLANNED),
        ("E8", {"processors": "consecutive"}, "reserves named processors, those of the smallest "
         "gap"),
        ("E8", {"processors": "busy"}, "reserves named processors, those in use first, and an idle "
         "one more than the head needs"),
        ("E9", {"shadow": "first"}, "counts, of the jobs that end at the shadow time, only as many "
         "as the head needs"),
        ("E9", {"shadow": "first-started"}, "counts, of the jobs that end at the shadow time, only "
         "as many as the head needs, those that started first"),
        ("E10", {"candidates": "shortest"}, "tries the shortest job behind the head first"),
        ("E10", {"candidates": "smallest"}, "tries the smallest job behind the head first"),
        ("E10", {"candidates": "last-first"}, "tries the last job of the queue first"),
        ("P31", {"candidates-limit": 1}, "tries only one job behind the head"),
        ("E11", {"strict": "yes"}, "backfills a job only if it ends before the shadow time, not at "
         "it"),
        ("E12", {"extra": "none"}, "backfills nothing on extra processors"),
        ("E12", {"extra": "not-used-up"}, "does not use up extra processors"),
        ("E12", {"extra": "always-used-up"}, "uses up extra processors for jobs that end in time, "
         "too"),
        ("E12", {"extra": "one-left"}, "leaves one extra processor over"),
        ("E14", {"predictor": "clairvoyant"}, "plans all jobs with their true run times", PLANNED),
        ("E14", {"candidate-length": "run-time"}, "plans candidates with their true run times"),
        ("E15", {"kills": "yes"}, "kills jobs at their estimates", ALL),
        ("E15", {"past-estimate": "past"}, "keeps the planned end of a job past its estimate in "
         "the past"),
        ("E15", {"past-estimate": "never"}, "never expects the end of a job past its estimate"),
        ("E15", {"past-estimate": "again"}, "expects a job past its estimate to run for its "
         "estimate once more"),
        ("P1", {"predictor": "estimate"}, "plans with the users' estimates", PLANNED),
        ("P1", {"refresh": "submission"}, "keeps the prediction of the submission", PLANNED),
        ("P6", {"correction": "estimate"}, "corrects an expired prediction to the estimate at once",
         PLANNED),
        ("P6", {"correction": "now"}, "does not correct an expired prediction", PLANNED),
        ("P6", {"correction": "doubling"}, "doubles an expired prediction", PLANNED),
        ("P16", {"search": "backwards"}, "seeks a reservation from the last planned end backwards",
         CONSERVATIVE),
        ("P17", {"compression": "queue-order"}, "makes all reservations again at every pass, in "
         "queue order", CONSERVATIVE),
        ("P17", {"compression": "each"}, "exchanges reservations one by one, in queue order, after "
         "an end", CONSERVATIVE),
        ("P17", {"compression": "all"}, "makes all reservations again after an end", CONSERVATIVE),
        ("P17", {"compression": "none"}, "never makes a reservation again", CONSERVATIVE),
        ("Q2", {"order": "submission", "candidates": "shortest"}, "orders the candidates alone"),
        ("Q5", {"order": "submission"}, "does not order the queue"),
        ("Q5", {"order": "shortest"}, "takes the shortest job first"),
        ("Q5", {"order": "smallest-area"}, "takes the smallest area first"),
        ("Q8", {"waiting-limit": "none"}, "knows no limit of the wait"),
    )
)  # fmt: skip


#: Rules that published simulators follow together, apart from the kills.
PUBLISHED = (
    {"events": "by-plan", "ties": "submissions-first"},
    {"passes": "if-fits", "ties": "submissions-first"},
    {"scheduler": "conservative", "events": "by-plan", "compression": "each"},
    {"scheduler": "conservative", "events": "by-plan", "compression": "each",
     "ties": "submissions-first"},
    {"events": "one-by-one", "candidate-length": "run-time"},
    {"shadow": "by-limit", "extra": "none", "zero": "a-second-later"},
    {"extra": "none", "lifetime": "until-due"},
    {"processors": "named", "listed": "as-listed"},
    {"processors": "consecutive", "strict": "yes", "past-estimate": "past"},
    {"processors": "consecutive", "strict": "yes", "past-estimate": "again"},
    {"scheduler": "conservative", "compression": "queue-order"},
    {"scheduler": "conservative", "compression": "queue-order", "search": "backwards"},
    {"scheduler": "conservative", "compression": "queue-order", "processors": "named"},
)  # fmt: skip


def fitting(rules):
    """Return the interpretations that change these rules."""
    return [
        change
        for change in OTHERS
        if rules["scheduler"] in change.schedulers and change.of(rules) != rules
    ]


def by_log(result):
    """Return the interpretations that give exactly the program's schedule of one log, the nearest
    first.
    """
    jobs, machine = result.log.jobs()
    if result.rules["scheduler"] == "pv-easy":
        return []
    others = [
        change
        for change in fitting(result.rules)
        if simulate(jobs, machine, change.of(result.rules)) == result.given
    ]
    return [others[0] for others in _nearest([(change,) for change in others], [result])]


def of_all(results):
    """Return the interpretations that together give the schedules of a program.

    Parameters
    ----------
    results : list of conformance.suite.Result

    Returns
    -------
    list of tuple of Interpretation
        Each gives all schedules, and has one or two interpretations; the nearest to the expected
        rules is first. If none does, those that were put together step by step, each time by the
        interpretation that explains most further logs; see `explained` for their number of logs.
        Empty if nothing differs or helps.
    """
    failed = [result for result in results if not result.passed]
    if not failed or any(result.rules["scheduler"] == "pv-easy" for result in failed):
        return []
    gives = _Comparison(results)
    # The failing logs first: most interpretations are ruled out by the first of them.
    ordered = sorted(results, key=lambda result: result.passed)
    changes = [change for change in OTHERS if any(change in fitting(r.rules) for r in failed)]
    for count in (1, 2):
        sets = [others for others in combinations(changes, count) if _compatible(others)]
        matches = [others for others in sets if all(gives(others, result) for result in ordered)]
        if matches:
            return _nearest(matches, failed)
    best, explained = [()], sum(result.passed for result in results)
    while explained < len(results):
        sets = [(*best[0], change) for change in changes if _compatible((*best[0], change))]
        counts = [sum(gives(others, result) for result in results) for others in sets]
        if max(counts, default=0) <= explained:
            break
        explained = max(counts)
        equal = [others for others, count in zip(sets, counts) if count == explained]
        best = _nearest(equal, failed)
    return best if best[0] else []


def _nearest(sets, failed):
    """Return interpretations, first those about the sentences that the program breaks.

    A program that breaks P17 more likely makes its reservations in another way than it knows run
    times, which is against E14.
    """
    broken = {result.log.sentence for result in failed}
    return sorted(sets, key=lambda others: sum(o.sentence not in broken for o in others))


def explained(others, results):
    """Return the number of logs whose schedules these interpretations together give."""
    gives = _Comparison(results)
    return sum(gives(others, result) for result in results)


def _compatible(others):
    names = [name for change in others for name in change.values]
    return len(set(names)) == len(names)


class _Comparison:
    """Whether interpretations give the schedule of a result; each is simulated once."""

    def __init__(self, results):
        self.jobs = {result.log.name: result.log.jobs() for result in results}
        self.cache = {}

    def __call__(self, others, result):
        rules = result.rules
        for change in others:
            rules = change.of(rules)
        key = result.log.name, rules
        if key not in self.cache:
            self.cache[key] = simulate(*self.jobs[result.log.name], rules) == result.given
        return self.cache[key]


def sentence(others):
    """Return what a program with these interpretations does."""
    return "; ".join(change.predicate for change in others)
