"""What a search over readings found, in sentences: each is made from the numbers it speaks of."""

import numpy as np

from replication.papers.readings import ALL, IDENTIFIED
from replication.papers.readings.tables import KNOWN, NEAR, OPEN, UNDECIDED, each, percent


def finding(found, choices, hold_out):
    """The search in a few points, as Markdown; takes the tables of its choices and of the logs held out."""
    if (choices["verdict"] == UNDECIDED).any():
        nothing = "Generated or shortened logs decide nothing about a paper."
        return f"- {len(found):,} combinations were tried. {nothing}"
    lines = [_distances(found), *_identified(found, choices)]
    if len(found.logs) > 1:
        lines.append(_one_for_all(each(found)))
    return "\n".join(f"- {line}" for line in [*lines, *_tested(hold_out)])


def _distances(found):
    def fit(k):
        matched, near = found.matched[k].sum(), (found.differences[k] <= NEAR).sum()
        return (
            f"half of them are within {_percent(percent(found.distances[k]))} % of the paper's, "
            f"{matched} match and {near} are within {100 * NEAR:.0f} %"
        )

    but = f" except that {found.grid.words(found.best)}" if found.best else ""
    logs = ", ".join(found.logs) if len(found.logs) > 1 else "all logs at once"
    return (
        f"**All at once.** {len(found):,} combinations were tried against {len(found.numbers)} numbers on "
        f"{logs}. Under the default (number {found.default_rank:,} in order) {fit(0)}. Under the nearest "
        f"{fit(found.best)}; it is the default{but}."
    )


def _identified(found, choices):
    for group, part in choices.groupby("group", sort=False):
        numbers, known = found.groups[group], part[part["verdict"] == KNOWN]
        own = percent(np.median(found.differences[found.nearest(numbers)][numbers]))
        words = [
            f"*{row.words}* (within {_percent(row.best_with)} %; {_percent(row.best_without)} % otherwise"
            f"{', as by default' if row.default else ''})"
            for row in known.itertuples()
        ]
        left = dict.fromkeys(part.loc[part["verdict"] == OPEN, "dimension"])
        left = [name for name in left if name not in set(known["dimension"])]
        about = "All numbers together" if group == ALL else f"The numbers of {group} alone"
        yield (
            f"**Identified.** {about} ({len(numbers)}, at best within {_percent(own)} %) identify, each by "
            f"the numbers it moves: {'; '.join(words) or 'nothing'}. Left open: {', '.join(left) or 'nothing'}."
        )


def _one_for_all(table):
    lost = table[table["own"] < (1 - IDENTIFIED) * table["common"]]
    numbers = "; ".join(
        f"{row['trace']} {_percent(row['own'])} % alone, {_percent(row['common'])} % by the common reading"
        for row in table.to_dict("records")
    )
    if len(lost):
        return (
            f"**No one reading explains all logs**: {', '.join(lost['trace'])} would come nearer by "
            f"more than {100 * IDENTIFIED:.0f} % by a reading of the log's own ({numbers})."
        )
    return f"**One reading does for all logs** ({numbers})."


def _tested(hold_out):
    for group, part in hold_out.groupby("group", sort=False):
        better = int((part["test"] < part["default"]).sum())
        numbers = "; ".join(
            f"{_percent(row.test)} % on {row.tested_on} (default {_percent(row.default)} %, the median "
            f"combination {_percent(row.blind)} %)"
            for row in part.itertuples()
        )
        about = "all numbers" if group == ALL else f"the numbers of {group}"
        yield (
            f"**By chance?** Of the {part['tried'].iloc[0]:,} combinations that {about} tell apart, the one "
            f"nearest on the other logs comes to {numbers} on the log left out: nearer than the default on "
            f"{better} of {len(part)}."
        )


def _percent(value):
    """A number of per cent with two digits, or more where it is above 100."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"
