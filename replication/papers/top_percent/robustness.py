"""Top Percent's headline conclusions under other readings, cleanings, logs and loads."""

from replication.evidence import robustness
from replication.evidence.robustness import CLEANING, DEFAULT, READING, Change
from replication.logs import traces
from replication.papers.top_percent.claims import CLAIMS
from replication.papers.top_percent.intervals import Block
from replication.papers.top_percent.runs import POLICIES, READINGS
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

#: Options of the scheduler that the paper's words leave open.
OPTIONS = (
    "passes",
    "order",
    "events",
    "reservation",
    "shadow",
    "extra",
    "refresh",
    "correction",
    "candidates",
)
TOP_AS_CODED = READINGS["coded"].predictors
#: CTC's machine: the default is the header's batch part, 338; PV-EASY has 430, the whole machine 512.
MACHINES = (430, 512)
HEADLINES = robustness.Headlines("top_percent")
for name in HEADLINES.published():
    # One log at a time, by the same functions as the claims.
    HEADLINES.decides(name)(CLAIMS.deciders[name])


def changes(page):
    """The default; each open option alone, and what the simulator does; cleanings, other logs and loads."""
    logs, coded = tuple(page.logs), READINGS["coded"]
    drop = (*traces.rules(logs[0], page.paper).drop, *coded.drop)
    cleanings = {
        "jobs without a request left out": {"drop": drop},
        "requests raised to the run time": {"overrun": "raise-estimate"},
        "runs may pass the request": {"overrun": "as-is"},
        "allocated processors": {"size": "allocated"},
    }
    recorded = [
        Change(CLEANING, "KTH-SP2 as recorded", ("KTH-SP2",), source={"KTH-SP2": "KTH-SP2-2"})
        for log in logs
        if log == "KTH-SP2"
    ]
    return [
        Change(DEFAULT, "default", logs),
        *robustness.readings(logs, OPTIONS),
        Change(READING, "Top Percent as coded", logs, {"predictors": TOP_AS_CODED}),
        Change(
            READING,
            "all as the simulator does",
            logs,
            {"scheduler": coded.options, "predictors": TOP_AS_CODED},
            {"drop": drop},
        ),
        *(Change(CLEANING, about, logs, cleaning=rules) for about, rules in cleanings.items()),
        *robustness.machines(page, "CTC-SP2", MACHINES),
        *recorded,
        *robustness.others(page),
    ]


class Evidence:
    """The schedules of one case, as `replication.papers.top_percent.evidence.Evidence` has those of a page.

    Parameters
    ----------
    case : replication.evidence.robustness.Case
    """

    def __init__(self, case):
        options = case.change.options.get("scheduler", {})
        predictors = POLICIES | case.change.options.get("predictors", {})
        self.logs, self.workloads = case.logs, case.workloads
        found = {
            policy: simulate(case.workload, EASY(predictors[policy], **options))
            for policy in POLICIES
        }
        self.schedules = {(case.log, policy): schedule for policy, schedule in found.items()}
        self.blocks = {case.log: Block(case.log, found)}


def study(page):
    """The cases of every headline under every change; see `replication.evidence.robustness.study`."""
    return robustness.study(page, HEADLINES, changes(page), Evidence)
