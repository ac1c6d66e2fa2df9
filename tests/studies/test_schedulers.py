"""The study of other schedulers."""

import pandas as pd

import schedulers
from notebooks.top_percent import runs


def test_other_schedulers_are_spread():
    ours = pd.DataFrame(
        [
            {"trace": "a", "scheduler": s, "policy": "CVH", "measure": m, "value": v, "unit": "1"}
            for m in runs.UNITS
            for s, v in (("EASY", 1.0), ("LAF", 1.25))
        ]
    )
    assert schedulers.spread(ours)["AF"].tolist() == [0.25]
    medians = schedulers.medians(ours).set_index(["measure", "policy"]).loc[("AF", "CVH")]
    assert medians.to_dict() == {"EASY": 1.0, "LAF": 1.25}
