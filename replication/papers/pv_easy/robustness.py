"""PV-EASY's headline conclusions under other readings, cleanings, logs and loads."""

from replication.papers import dimensions, robustness, variants
from replication.papers.deciders import below, each_log
from replication.papers.pv_easy import claims, runs
from replication.papers.pv_easy.claims import FORM, LITTLE, LOWER, NEVER


class Evidence(claims.Evidence):
    """What the claims rest on, of one log under one variant; the log needs no name in its cases. The seed is that of the
    blocks that are drawn.
    """

    def __init__(self, log, workload, variant, seed=1):
        super().__init__({"": workload}, reading=variant, seed=seed)


#: Every open option alone, and some together; ways of counting, cleanings.
CHANGES = (
    *runs.ALONE,
    *dimensions.entered(runs.PAPER, "counted"),
    *runs.TOGETHER,
    *runs.CLEANING,
    *dimensions.entered(runs.PAPER, "machines"),
)
HEADLINES = robustness.Headlines(runs.PAPER, Evidence, CHANGES, FORM)
decides = HEADLINES.decides


def _large_blocked(e):
    cases = [(what.strip(" :"), values) for what, values in claims.LARGE_JOBS(e)]
    if not cases:
        raise variants.NotApplicable("no blocked job is that large")
    return cases


def _waste(e):
    since = e.reading.count.get("since", "first-submission")
    return claims.number(*claims.WASTE, since)(e)


decides("head-never-delayed", NEVER, "{:,} jobs")(each_log(claims.heads_kept_waiting))
decides("no-violation", NEVER, "{:,} jobs")(claims.number(*claims.BY_ALL))
decides("large-blocked-better", claims.borne_out(LOWER))(_large_blocked)
decides("as-good-as-easy", below(1 + claims.SIMILAR))(claims.to_base("PV-EASY", "EASY"))
decides("better-than-easy-last", LOWER)(claims.to_base("PV-EASY", "EASY-Last"))
decides("estimates-beat-last", LOWER)(claims.to_base("EASY", "EASY-Last"))
decides("little-waste", LITTLE, "{:.2f} %")(_waste)
