"""The counts in the openings of notebooks are those of the claims."""

import re

from replication.report import record

COUNT = re.compile(r"\d+ of \d+")
#: Openings whose counts no claim makes, with what they count.
OTHERS = {
    "heel_and_toe/fig13": "logs whose most popular estimate is E_max",
    "pv_easy/fig02": "groups of jobs by size and log, by intervals",
    "pv_easy/fig03": "groups of jobs by size and log, by intervals",
    "pv_easy/fig05": "logs, by intervals",
    "pv_easy/fig06": "logs, by intervals",
    "top_percent/agreement": "runs of other simulators",
    "top_percent/fig1": "jobs of a picture",
}


def test_an_opening_has_the_counts_of_the_claims(recorded):
    """A sentence that counted rows by itself said 15 of 16 where the verdict had 14 of 16."""
    by_paper = {
        paper.key: {count for claim in paper.claims for count in (claim.count, claim.textbook)}
        for paper in recorded.papers
    }
    counts = {}
    for item in recorded.every("items"):
        if not item.name.startswith(record.STUDY) and item.name not in OTHERS:
            opening = item.facts["summary"].replace("*", "")
            paper = item.name.partition("/")[0]
            counts |= {(item.name, count): paper for count in COUNT.findall(opening)}
    wrong = {key for key, paper in counts.items() if key[1] not in by_paper.get(paper, ())}
    assert counts and not wrong
