"""Top Percent's headline conclusions under other interpretations, cleanings, logs and loads."""

from dataclasses import replace
from functools import partial

import sensitivity
from notebooks import variants
from notebooks.top_percent import claims, runs, weeks
from notebooks.variants import Variant

CODED = runs.VARIANTS["coded"]


#: Each open option alone, and what the simulator does; cleanings.
CHANGES = (
    *variants.alone(*variants.open_options(), lasting=True),
    Variant("Top Percent as coded", predictor=CODED.predictor),
    replace(CODED, name="all as the simulator does"),
    Variant("jobs without an estimate left out", cleaning=CODED.cleaning),
    Variant("estimates raised to the run time", cleaning={"overrun": "raise-estimate"}),
    Variant("runs may pass the estimate", cleaning={"overrun": "as-is"}),
    Variant("allocated processors", cleaning={"size": "allocated"}),
    *variants.entered(runs.PAPER, "machines"),
)


def tables(log, jobs, variant):
    """Return the tables that decide the headlines on one log under a variant."""
    replicates = weeks.replicates(runs.schedules({log: jobs}, variant))
    return {"replicates": replicates, "ratios": weeks.table(replicates)}


#: ``study(workloads, first, workers)``, see `sensitivity.study`.
study = partial(sensitivity.study, runs.PAPER, claims, tables, CHANGES)
