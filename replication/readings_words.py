"""What a search over readings found, in sentences: each is made from the numbers it speaks of."""

import numpy as np

from replication.readings import IDENTIFIED
from replication.readings_tables import KNOWN, NEAR, UNDECIDED, percent


def finding(found, choices, hold_out, by_log):
    """The search in a few points.

    Parameters
    ----------
    found : replication.readings.Found
    choices, hold_out, by_log : pandas.DataFrame
        From `replication.readings_tables`.

    Returns
    -------
    str
        Markdown.
    """
    return "\n".join(f"- {line}" for line in (_distances(found), *_identified(choices), _one_for_all(by_log),
                                              _tested(hold_out)) if line)


def _distances(found):
    rank = int(np.flatnonzero(found.order == 0)[0]) + 1
    return (f"{len(found):,} combinations were tried against {len(found.numbers)} numbers on {len(found.logs)} logs. "
            f"Under the default (number {rank:,} in order) {_fit(found, 0)}. Under the nearest {_fit(found, found.best)}; "
            f"it is the default except that {found.grid.words(found.best)}.")


def _fit(found, k):
    far = found.differences[k]
    return (f"half of them are within {percent(found.distances[k]):.1f} % of the paper's, {int(found.matched[k].sum())} "
            f"match and {int((far <= NEAR).sum())} are within {100 * NEAR:.0f} %")


def _identified(choices):
    if (choices["verdict"] == UNDECIDED).any():
        yield "Generated or shortened logs decide nothing about the authors' choices."
        return
    known = choices[choices["verdict"] == KNOWN]
    for default, lead in (("", "Against the default, the authors' simulator behaves as if"),
                          ("yes", "With the default, it behaves as if")):
        words = [f"{row.words} (within {row.best_with:.1f} %; {row.best_without:.1f} % without)"
                 for row in known[known["default"] == default].itertuples()]
        if words:
            yield f"{lead} {'; '.join(words)}."
    left = [name for name in dict.fromkeys(choices["dimension"]) if name not in set(known["dimension"])]
    if left:
        yield (f"Left open, as no choice is nearer by {100 * IDENTIFIED:.0f} % with every log left out once: "
               f"{', '.join(left)}.")


def _one_for_all(by_log):
    lost = by_log[by_log["own"] < (1 - IDENTIFIED) * by_log["common"]]
    numbers = "; ".join(f"{row.log} {row.own:.1f} % alone, {row.common:.1f} % by the common one" for row in by_log.itertuples())
    if len(lost):
        return (f"No one reading explains all logs: {', '.join(lost['log'])} would do better by more than "
                f"{100 * IDENTIFIED:.0f} % with another ({numbers}).")
    return f"One reading does for all logs ({numbers})."


def _tested(hold_out):
    if not len(hold_out):
        return ""
    parts = [f"{row.test:.1f} % on {row.tested_on} (default {row.default:.1f} %, a combination at random {row.blind:.1f} %)"
             for row in hold_out.itertuples()]
    better = int((hold_out["test"] < hold_out["default"]).sum())
    return (f"Chosen on the other logs and tested on the one left out, the nearest of {hold_out['tried'].iloc[0]:,} "
            f"combinations comes to {'; '.join(parts)}: nearer than the default on {better} of {len(hold_out)}.")


def contrast(found, policy, measure, what):
    """One measure under the default and under the nearest reading, against the paper's, log by log.

    Parameters
    ----------
    found : replication.readings.Found
    policy, measure : str
    what : str
        What is measured, in words.

    Returns
    -------
    str
        Markdown, one point.
    """
    def over(k):
        return ", ".join(f"{100 * (found.values(n, k) / row.value - 1):+.0f} % ({row.trace})" for n, row in picked)
    picked = [(n, row) for n, row in enumerate(found.numbers) if (row.policy, row.measure) == (policy, measure)]
    return f"- {what}, against the paper's: by default {over(0)}; under the nearest reading {over(found.best)}."
