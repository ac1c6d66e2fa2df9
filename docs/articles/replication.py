"""The values and tables that the article ``replication.md``, ``results.md`` and ``reporting.md``
name.
"""

import pandas as pd

SEARCH = "studies/interpretations/pv_easy"
BASELINE = "top_percent/table1-baseline"
LOGS = {"CTC-SP2": "CTC", "SDSC-BLUE": "BLUE", "SDSC-DS": "DS"}  # of PV-EASY
FOUR = {"CTC-SP2": "CTC", "KTH-SP2-2": "KTH", "SDSC-SP2": "SDSC", "SDSC-BLUE": "BLUE"}
THREE = {"KTH-SP2": "KTH", "CTC-SP2": "CTC", "SDSC-SP2": "SDSC"}  # of Top Percent
#: Lifetimes of EASY's reservation, as the search and the article name them.
LIFETIMES = {
    "until start": "until start",
    "until due": "until due",
    "computed at every pass": "every pass",
}
TOP = "Top02", "Top03", "Top04"
GROUPS = "EASY", "EASY-Last", "EASY and EASY-Last"
CLAIMS = {
    "better-than-easy-last": "PV-EASY beats EASY-Last",
    "estimates-beat-last": "EASY beats EASY-Last",
    "easy-last-worst": "EASY-Last is the worst of three",
    "smaller-on-blue": "PV-EASY beats EASY on BLUE",
    "similar-elsewhere": "PV-EASY is as good as EASY on CTC and DS",
}
#: The choices of the textbook's pair, but for the correction.
TEXTBOOK = {
    "lifetime": "computed at every pass",
    "ageing": "aged",
    "extra": "used up",
    "ends": "by the reservation",
}
HEADLINE = "better-than-easy-last"
KILLED = {"item": "table6", "trace": "CTC-SP2", "policy": "PV-EASY", "measure": "preempted"}


#: Kinds of claims that are judged; checks and repeats are not.
JUDGED = "simulated", "log"
VERDICTS = {"hold": "holds", "in-part": "holds in part", "fail": "fails", "undecided": "undecided"}


def values(records) -> dict[str, str]:
    """Return the named values."""
    parts = claims, pv_easy, search, heel_and_toe, top_percent
    return {name: text for part in parts for name, text in part(records).items()}


def claims(records):
    every = records.table("all.claims")
    judged, heel = (
        records.table(f"{paper}.claims").where(kind=JUDGED) for paper in ("all", "heel_and_toe")
    )
    texts = {
        "checks": every.count(kind="check"),
        "repeats": every.count(kind="repeat"),
        "open": judged.count(verdict="open"),
        "otherwise": every.count(other="yes"),
        "no-intervals": every.count(kind="simulated", unsure="no intervals"),
        "heel-claims": heel.count(),
    }
    texts |= {name: judged.count(verdict=verdict) for name, verdict in VERDICTS.items()}
    return texts | {f"heel-{name}": heel.count(verdict=word) for name, word in VERDICTS.items()}


def pv_easy(records):
    numbers, held = records.table("pv_easy.numbers"), records.table("pv_easy.claims")
    killed = records.table(f"{SEARCH}-own_numbers").where(preemption="killed")
    kills = records.table(f"{SEARCH}-own_numbers").where(trace="SDSC-BLUE")
    delayed = records.table("studies/fairness/fairness-values")
    corrections = {"estimate": "estimate", "now": "now", "doubling": "doubling", "steps": "tsafrir"}
    texts = {
        "killed": numbers.text("ours", ",.0f", **KILLED),
        "killed-printed": numbers.text("published", ",.0f", **KILLED),
        "own-largest": killed.text("largest", ".1f", trace="all", correction="estimate"),
        "own-largest-now": killed.text("largest", ".0f", trace="all", correction="now"),
        "kills-blue": kills.text("mkt", ".2f", preemption="killed", correction="estimate"),
        "kills-blue-printed": kills.text("mkt", ".2f", preemption="printed"),
        "kills-blue-spared": kills.text("mkt", ".2f", preemption="spared", correction="estimate"),
        "delayed-pv-easy": delayed.range("delayed_share", ".0f", policy="PV-EASY"),
        "delayed-easy": delayed.range("delayed_share", ".0f", policy="EASY"),
        "beats-last": held.text("held", claim="better-than-easy-last"),
        "beats-last-textbook": held.text("textbook", claim="better-than-easy-last"),
        "estimates-beat-virtual": held.text("held", claim="estimates-beat-virtual"),
    }
    for name, correction in corrections.items():
        texts[f"own-away-{name}"] = killed.text("away", ".1f", trace="all", correction=correction)
    return texts


def search(records):
    """The search for the baseline of PV-EASY."""

    def table(name):
        return records.table(f"{SEARCH}-{name}")

    pairs, tried, near, counts = map(table, ("pairs", "tried", "near_numbers", "by_count"))
    both, easy = (tried.where(policy=policy) for policy in ("EASY and EASY-Last", "EASY"))
    cases = table("conclusions").where(claim=HEADLINE)
    rule, test = table("self_test_rule").where(claim=HEADLINE), table("self_test")
    limits, beats, alone = table("by_limit"), "PV-EASY beats EASY-Last", "by EASY-Last alone"
    voters = pairs.where(votes="yes")
    most = cases.text("cases", ".0f")
    last = limits.where(limit=20)
    texts = {
        "pairs": both.text("schedulers", ".0f"),
        "pairs-different": both.text("different", ".0f"),
        "votes": both.text("vote", ".0f"),
        "votes-different": both.text("different_voters", ".0f"),
        "votes-easy": easy.text("vote", ".0f"),
        "numbers-of-each": easy.text("numbers", ".0f"),
        "combinations": both.text("products", ",.0f"),
        "schedulers-easy": easy.text("schedulers", ".0f"),
        "schedulers-last": tried.text("schedulers", ".0f", policy="EASY-Last"),
        "beats-last-fewest": cases.text("vote: fewest", ".0f"),
        "cases-of-last": most,
        "votes-for-all": voters.count(**{beats: f"{most_of(cases)} of {most_of(cases)}"}),
        "near-nearest": near.text("near", ".0f", simulator="nearest"),
        "near-of": near.text("numbers", ".0f", simulator="nearest"),
        "near-textbook": near.text("near", ".0f", simulator="textbook"),
        "near-textbook-default": near.text("near", ".0f", simulator="textbook, default"),
        "away-nearest": both_away(near.where(simulator="nearest")),
        "away-default": counts.text("nearest", ".1f", counts="all by the default"),
        "votes-default": counts.text("vote", ".0f", counts="all by the default"),
        "votes-last-alone": last.text(f"{HEADLINE}, {alone}: vote", ".0f"),
        "beats-last-alone-fewest": last.text(f"{HEADLINE}, {alone}: fewest", ".0f"),
        "beats-last-alone-most": last.text(f"{HEADLINE}, {alone}: most", ".0f"),
        "trials": test.total("trials"),
    }
    agree = [
        limit
        for limit, fewest in zip(
            limits.values("limit"), limits.values(f"{HEADLINE}: fewest"), strict=True
        )
        if fewest != "" and 2 * fewest > cases.number("cases")
    ]
    texts |= {"limit-from": f"{min(agree):.0f}", "limit-to": f"{max(agree):.0f}"}
    in_all = limits.where(**{f"{HEADLINE}: fewest": cases.number("cases")})
    texts["limit-all"] = in_all.range("limit", ".0f")
    for name, correction in (("estimate", "estimate"), ("steps", "tsafrir"), ("now", "now")):
        texts[f"textbook-{name}"] = pairs.text(beats, **TEXTBOOK, correction=correction)
    for column in ("right", "wrong", "open", "always"):
        texts[f"rule-{column}"] = rule.text(column, ".0f")
    columns = (pairs.values(column) for column in ("EASY", "EASY-Last", beats))
    fewest = last.number(f"{HEADLINE}, {alone}: fewest")
    easy = [
        easy_away
        for easy_away, last_away, held in zip(*columns, strict=True)
        if last_away <= last.number("limit") and held.startswith(f"{fewest:.0f} ")
    ]
    texts["last-alone-easy"] = f"{min(easy):.0f} to {max(easy):.0f}"
    decided = rule.number("right") + rule.number("wrong")
    return texts | {"rule-decided": rule.link(f"{decided:.0f}")}


def most_of(cases):
    return f"{cases.number('cases'):.0f}"


def both_away(near):
    """Return the distances of a pair from the numbers of each policy."""
    return " and ".join(near.text(policy, ".1f") for policy in ("EASY", "EASY-Last"))


def heel_and_toe(records):
    held, cases, numbers = (
        records.table(f"heel_and_toe.{part}") for part in ("claims", "cases", "numbers")
    )
    falls = records.table("heel_and_toe/fig04-shapes").where(load="log")
    real = records.table("studies/reservations/reservations-claims")
    slowdown, claim = {"measure": "mean_bounded_slowdown", "log": "SDSC-SP2"}, "better-than-real"
    rise = cases.where(claim="shapes", part="rise")
    texts = {
        "doubling-helps": held.text("held", claim="doubling-helps"),
        "doubling-unsure": held.text("unsure", claim="doubling-helps"),
        "usually-v": held.text("held", claim="usually-v"),
        "v-unsure": held.text("unsure", claim="usually-v"),
        "wild-share-most": numbers.text("ours", ".1f", item="text", measure="wild_share_max"),
        "fall-sdsc-slowdown": falls.text("fall [%]", ".1f", **slowdown),
        "rise-kth-wait": rise.text("value", ".1f", case="KTH-SP2-2 wait, expected L"),
        "rise-kth-slowdown": rise.interval(
            "value", ".1f", names=("low", "high"), case="KTH-SP2-2 slowdown, expected V"
        ),
        "sjfness-fall-ctc": cases.text(
            "value", ".1f", claim="sjfness-lambda", case="CTC-SP2", part="fall"
        ),
        "real-until-due": real.text("until-due", claim=claim),
        "sjfness-until-due": real.text("until-due", claim="sjfness-lambda"),
        "verdict-until-due": real.text("verdict, until-due", claim="sjfness-lambda"),
        "real-textbook": real.text("recomputed", claim=claim),
    }
    for log, name in FOUR.items():
        fall = falls.text("fall [%]", ".0f", measure="mean_wait", log=log)
        texts[f"fall-{name.lower()}"] = fall
    return texts


def top_percent(records):
    held, cases = records.table("top_percent.claims"), records.table("top_percent.cases")
    ratios, runs = records.table(BASELINE), records.table("top_percent/agreement-runs")
    both = records.table("top_percent/table1-both")
    comparable = both.where(**{"verdict, words": ("match", "close", "near", "differs")})
    equal = records.table("top_percent/table1-estimates").where(variant="words", policy="Top03")
    coverage = records.table("studies/intervals/intervals-overview")
    short = records.table("studies/intervals/short_logs-overview")
    short = short.where(weeks=48, measure="mean wait", method="as used")
    texts = {
        "ratios-coded": ratios.total("ratios", ours="coded"),
        "ratios-coded-match": ratios.total("match", ours="coded"),
        "ratios-words-match": ratios.total("match", ours="words"),
        "ratios-coded-kth": ratios.text("ratios", ".0f", ours="coded", trace="KTH-SP2"),
        "same-runs": runs.count(same="True"),
        "runs-compared": runs.count(),
        "runs-kth": runs.count(log="KTH-SP2-2"),
        "runs-ctc": runs.count(log="CTC-SP2"),
        "comparable": comparable.count(),
        "r2": comparable.count(measure="r2", policy=TOP),
        "flow-time": cases.range("value", ".3f", claim="top-beats-reqtime"),
        "equal-to-estimate": equal.range("equal to the estimate", ".1f"),
        "more-backfilled": cases.range("value", "+.1f", claim="more-aggressive"),
        "coverage": coverage.range("coverage", ".2f", method="jackknife, as used"),
        "coverage-short": f"{short.text('least', '.2f')} to {short.text('most', '.2f')}",
    }
    for version in ("words", "coded"):
        match = {f"verdict, {version}": "match"}
        texts[f"{version}-match"] = both.count(**match)
        texts[f"r2-{version}-match"] = both.count(measure="r2", policy=TOP, **match)
    changed = records.table("top_percent/claims-coded")
    texts |= {
        "coded-changed": changed.count(),
        "nobody-coded": changed.text("coded", claim="nobody-else-does"),
        "close-coded": changed.text("coded", claim="schedulers-close"),
    }
    for name, claim in (("top-best", "top-best-priority"), ("top-beats", "top-beats-reqtime")):
        texts[name] = held.text("held", claim=claim)
        texts[f"{name}-unsure"] = held.text("unsure", claim=claim)
    return texts


def main_table(records):
    """Results of the three papers, one in a row."""
    rows = []

    def row(statement, says, here, verdict, unsure=""):
        rows.append((statement, says, here, unsure, verdict))

    def rows_of(paper, several):
        held = records.table(f"{paper}.claims")
        for claim, statement, says, unit in several:
            case = held.where(claim=claim)
            verdict = records.verdict(f"{paper}/{claim}")
            row(statement, says, f"{case.text('held')} {unit}", verdict, case.text("unsure"))

    def wild(column, form):
        ends = (text.text(column, form, measure=f"wild_share_{end}") for end in ("min", "max"))
        return f"{' to '.join(ends)} %"

    cases = records.table("pv_easy.cases")
    killed = records.table("pv_easy.numbers").where(**KILLED)
    delayed = records.table("studies/fairness/fairness-values").where(policy="PV-EASY")
    text = records.table("heel_and_toe.numbers").where(item="text")
    printed = records.table("top_percent.numbers").where(
        item="table1", trace=(*THREE,), policy=TOP, measure=("ap0waf", "ap1waf")
    )
    below = [float(cell) < 1 for cell in printed.values("published")]

    row("**PV-EASY**", "", "", "")
    row(
        "reservations that PV-EASY violates",
        "none",
        cases.range("value", ",.0f", claim="no-violation"),
        records.verdict("pv_easy/no-violation"),
    )
    columns = killed.text("published", ",.0f"), killed.text("ours", ",.0f"), killed.text("verdict")
    row("jobs killed by PV-EASY, CTC", *columns)
    row(
        "wasted share of the machine",
        "small",
        f"{cases.range('value', '.1f', claim='little-waste')} %",
        records.verdict("pv_easy/little-waste"),
    )
    rows_of("pv_easy", [("venture-helps", "venture backfilling helps", "yes", "cases")])
    row(
        "jobs that wait for one of lower priority",
        "none",
        f"{delayed.range('delayed_share', '.0f')} % of the jobs",
        records.verdict("pv_easy/strict-by-the-words"),
    )
    pv_easy = [
        ("better-than-easy-last", "PV-EASY is faster than EASY-Last", "yes", "cases"),
        ("smaller-on-blue", "PV-EASY is faster than EASY on BLUE", "yes", "cases"),
        ("similar-elsewhere", "PV-EASY is as good as EASY, CTC and DS", "similar", "cases"),
        ("estimates-beat-last", "EASY is faster than EASY-Last", "yes", "cases"),
        ("estimates-beat-virtual", "EASY is faster than with errors of 10 %", "yes", "cases"),
    ]
    rows_of("pv_easy", pv_easy)
    row("**Heel and toe**", "", "", "")
    heel = [
        ("perfect-helps", "perfect estimates are better than users'", "usually", "panels"),
        ("doubling-helps", "doubled estimates are better", "tends to", "panels"),
        ("better-than-real", "the *f*-model is better than users'", "yes", "panels"),
        ("initial-drop", "curves over *f* first fall", "yes", "panels"),
        ("v-or-l", "curves are V- or L-shaped", "all", "panels"),
        ("usually-v", "curves are V-shaped", "usually", "panels"),
        ("more-backfilling", "more, longer and wider jobs are backfilled", "yes", "curves"),
        ("delay-grows", "heads are delayed more as *f* grows", "yes", "logs"),
        ("deterministic-better", "the deterministic model is better", "always", "panels"),
        ("sjfness-lambda", "starts of the shortest job rise, then fall", "yes", "logs"),
        ("regular-shorter", "jobs not backfilled become shorter", "usually", "logs"),
        ("deterministic-lower-bound", "it is near the better bound", "usually", "panels"),
        ("equal-load-equal-rates", "equal loads have similar backfilling", "yes", "loads"),
        ("run-time-ten-to-twenty", "backfilled jobs become 10 to 20 % longer", "yes", "logs"),
        ("peaks-are-popular", "the accuracy peaks at popular estimates", "yes", "logs"),
        ("short-at-e-max", "many jobs at the maximum are short", "yes", "logs"),
        ("modal-worse", "more jobs at the maximum are worse", "yes", "cases"),
        ("modal-like-real", "the modal model performs like users", "yes", "cases"),
    ]
    rows_of("heel_and_toe", heel)
    verdicts = (text.text("verdict", measure=f"wild_share_{end}") for end in ("min", "max"))
    row(
        "jobs backfilled wildly at *f* = 10",
        wild("published", ".0f"),
        wild("ours", ".1f"),
        ", ".join(verdicts),
    )
    row("**Top Percent**", "", "", "")
    unit = f"consistently ({sum(below)} of {len(below)})"
    top = [
        ("least-underprediction", "it predicts too short a time least often", "yes", "logs"),
        ("top-best-priority", "it is best on the new measures", "yes", "cases"),
        ("top-beats-reqtime", "it beats the estimates", unit, "cases"),
        ("more-aggressive", "it backfills more jobs than estimates", "yes", "cases"),
        ("nobody-else-does", "no other predictor beats the estimates", "yes", "cases"),
        ("schedulers-close", "other schedulers give close results", "yes", "cells"),
    ]
    rows_of("top_percent", top)
    return pd.DataFrame(rows, columns=["result", "the paper says", "here", "not sure", "verdict"])


def by_lifetime(records):
    """What the simulators of each lifetime of EASY's reservation say of PV-EASY."""
    lifetimes = records.table(f"{SEARCH}-by_lifetime")
    rows = []
    for lifetime, name in LIFETIMES.items():
        cells = lifetimes.where(lifetime=lifetime)
        row = [name, *(cells.text(f"nearest, {group}", ".1f") for group in GROUPS[:2])]
        for claim, noun in ((HEADLINE, "pairs"), ("smaller-on-blue", "schedulers")):
            voters = f"voting {claim}: "
            row += [cells.text(noun, ".0f"), ends(cells, f"{claim}: ")]
            row += [cells.text(f"voting {noun}", ".0f"), ends(cells, voters)]
        rows.append(row)
    headings = ["lifetime", "EASY", "Last", "pairs", "beats Last", "vote", "beats Last "]
    headings += ["EASYs", "beats EASY", "vote ", "beats EASY "]
    return pd.DataFrame(rows, columns=headings)


def ends(cells, prefix):
    """Return the fewest and the most cases as a range, or one if they are equal."""
    both = (cells.text(f"{prefix}{end}", ".0f") for end in ("fewest", "most"))
    return " to ".join(dict.fromkeys(both))


def baseline_counts(records):
    """The numbers of Tables 1, 2 and 4: printed, of the nearest pair and of the textbook."""
    numbers = records.table(f"{SEARCH}-numbers")
    measures = [
        ("EASY", "blocked jobs", "blocked", ",.0f"),
        ("EASY", "delayed jobs", "delayed", ",.0f"),
        ("EASY", "mean delay", "mean_delay", ".0f"),
        ("EASY", "backfilled jobs", "backfilled", ",.0f"),
        ("EASY-Last", "violations", "violated", ",.0f"),
        ("EASY-Last", "mean size", "violated_mean_size", ".0f"),
        ("EASY-Last", "mean delay", "mean_dtr", ".0f"),
        ("EASY-Last", "mean increase", "mean_si", ".1f"),
    ]
    columns = {
        "published": "printed",
        "nearest": "nearest",
        "textbook": "textbook",
        "textbook, default": "default",
    }
    rows = []
    for policy, title, measure, form in measures:
        for log, name in LOGS.items():
            cells = numbers.where(trace=log, policy=policy, measure=measure)
            head = (policy, title) if name == "CTC" else ("", "")
            rows.append([*head, name, *(cells.text(column, form) for column in columns)])
    return pd.DataFrame(rows, columns=["", "", "", *columns.values()])


def conclusions(records):
    """Cases in which claims of PV-EASY hold, by the simulators of its baseline."""
    counts = records.table(f"{SEARCH}-conclusions")
    rows = []
    for claim, title in CLAIMS.items():
        cells = counts.where(claim=claim)
        cases, textbook = (cells.text(column, ".0f") for column in ("cases", "textbook"))
        vote = cells.text("vote", ".0f"), cells.text("voters")
        row = [title, cases, *vote, ends(cells, "all: "), textbook]
        rows.append([*row, records.verdict(f"pv_easy/{claim}")])
    headings = ["claim", "cases", "vote", "cases under these", "all", "textbook", "verdict"]
    return pd.DataFrame(rows, columns=headings)


def judged(records):
    """The pairs that would vote on PV-EASY and EASY-Last by other limits, policies, counts and
    numbers.
    """
    limits, counts, left_out = (
        records.table(f"{SEARCH}-{name}") for name in ("by_limit", "by_count", "left_out")
    )
    at_20 = limits.where(limit=20)
    rows = [
        [f"limit {limit:.0f} %", *_vote(limits.where(limit=limit), HEADLINE)]
        for limit in limits.values("limit")
    ]
    for criterion in ("by EASY-Last alone", "by the mean of both"):
        rows.append([f"near {criterion}", *_vote(at_20, f"{HEADLINE}, {criterion}")])
    for name in counts.values("counts")[1:]:
        rows.append([f"counts: {name}", *_vote(counts.where(counts=name), HEADLINE, "vote")])
    without = "mean delays of Table 2", "mean delays and increases of slowdown of Table 2"
    for name in (*without, "all that are no counts of jobs"):
        row = left_out.where(**{"left out": name})
        rows.append([f"without {name}", *_vote(row, HEADLINE, "votes")])
    return pd.DataFrame(rows, columns=["judged", "pairs", "beats EASY-Last"])


def _vote(cells, prefix, vote=""):
    """Return the number of pairs that would vote, and their cases."""
    return cells.text(vote or f"{prefix}: vote", ".0f"), ends(cells, f"{prefix}: ")


def matches(records):
    """Ratios printed for Top Percent that match."""
    ratios = records.table(BASELINE)
    versions = {
        "by the words of the paper": "words",
        "with the details of its simulator": "coded",
        "a constant 1.000": "constant 1.000",
    }
    rows = [
        [label, *(ratios.text("match", ".0f", ours=ours, trace=log) for log in THREE)]
        for label, ours in versions.items()
    ]
    return pd.DataFrame(rows, columns=["matches", *THREE.values()])


def left_open(records):
    """Details that the papers leave open, and their effects."""
    lifetimes = records.table(f"{SEARCH}-by_lifetime")
    start, due, every = (
        ends(lifetimes.where(lifetime=lifetime), f"{HEADLINE}: ") for lifetime in LIFETIMES
    )
    pairs = records.table(f"{SEARCH}-pairs").where(**TEXTBOOK)
    estimate, steps, now = (
        pairs.text("PV-EASY beats EASY-Last", correction=correction)
        for correction in ("estimate", "tsafrir", "now")
    )
    counted = records.table(f"{SEARCH}-violations").range(
        "textbook", ".0f", trace="CTC-SP2", whose="predictions"
    )
    ratios = records.table(BASELINE).where(trace="CTC-SP2")
    by_words, coded = (ratios.text("match", ".0f", ours=ours) for ours in ("words", "coded"))
    printed = ratios.text("ratios", ".0f", ours="coded")
    parts = records.table("studies/ablation/ablation-measures").where(log="CTC-SP2")
    (with_1, without_1), (with_0, without_0) = (
        [
            parts.interval("value", ".2f", ".2f", ("low", "high"), measure=measure, design=design)
            for design in ("Top 3 %", "no artificial point")
        ]
        for measure in ("AP1WAF", "AP0WAF")
    )
    sign = records.table("studies/sensitivity/top_percent").where(
        headline="top-beats-reqtime", kind="default"
    )
    rows = [
        (
            "how long a reservation lasts",
            "PV-EASY, heel and toe",
            f"PV-EASY beats EASY with the same predictions in {start} of 6 cases if it lasts until "
            f"the start, {due} if it lasts until due, {every} if it is computed at every pass",
        ),
        (
            "what the scheduler expects of a job that outlives its prediction",
            "PV-EASY",
            "in the textbook PV-EASY beats EASY with the same predictions in "
            f"{estimate} cases if it is the user's estimate, in {steps} if the prediction grows in "
            f"steps, in {now} if it is now",
        ),
        (
            "which jobs are to blame for a violated reservation",
            "PV-EASY",
            f"{counted} violations of one schedule on CTC",
        ),
        (
            "which events lead to a pass over the queue; with three other details of the source "
            "(ties, threshold, dropped jobs)",
            "Top Percent",
            f"{by_words} or {coded} of {printed} ratios on CTC match",
        ),
        (
            "all inputs of a predictor, also artificial ones",
            "Top Percent",
            f"on CTC, AP1WAF is {with_1} times that with estimates, without the artificial point "
            f"{without_1}; AP0WAF {with_0} and {without_0}",
        ),
        (
            "the interval of a gain",
            "Top Percent",
            f"the sign of the gain is open in {sign.text('not sure', '.0f')} of "
            f"{sign.text('cases', '.0f')} cases",
        ),
        (
            "the version and the cleaning of each log",
            "PV-EASY, Top Percent",
            "two logs have more jobs than printed; a third cannot be compared",
        ),
    ]
    return pd.DataFrame(rows, columns=["detail", "left open by", "what it changed"])


#: Tables by their names.
TABLES = {
    "baseline-counts": baseline_counts,
    "by-lifetime": by_lifetime,
    "conclusions": conclusions,
    "judged": judged,
    "left-open": left_open,
    "main-table": main_table,
    "matches": matches,
}
