"""The tables of the articles; ``{table easy-tables}`` in a source is that of `easy_tables`.

A function takes the `docs.articles.build_articles.References` of the article, which look up
recorded results, and returns a DataFrame of text with the headings as columns.
"""

import math
from itertools import product

import pandas as pd

BASELINE = "studies/interpretations/pv_easy"
SAME_WILD = "studies/causes/exceptions-equal-wild"
SAME_PRICE = "studies/causes/exceptions-equal-price"
POINTS = "studies/causes/exceptions-points"
POOLED = "studies/other_logs/other_logs-pooled"
WAYS = OVERESTIMATES, RANDOM, RELAXED = "f-model", "random exceptions", "relaxed backfilling"
WHO = "*f*", "random", "relaxed"  # the ways in headings
F = 1, 3, 10
MISSING = "\u2013"
#: Lifetimes of EASY's reservation, as the search and the article name them.
LIFETIMES = {
    "until start": "until start",
    "until due": "until due",
    "computed at every pass": "every pass",
}
#: Corrections of an expired prediction.
CORRECTIONS = {"estimate": "estimate", "tsafrir": "steps", "now": "*now*", "unaged": "unaged"}
#: Policies of Top Percent's Table I.
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
LOGS = {"CTC-SP2": "CTC", "SDSC-BLUE": "BLUE", "SDSC-DS": "DS"}  # of PV-EASY
FOUR = {"CTC-SP2": "CTC", "KTH-SP2-2": "KTH", "SDSC-SP2": "SDSC", "SDSC-BLUE": "BLUE"}
THREE = {"KTH-SP2": "KTH", "CTC-SP2": "CTC", "SDSC-SP2": "SDSC"}  # of Top Percent


def main_table(results):
    """Results of the three papers, one in a row."""
    rows = []

    def claim(paper, name, statement, says, unit):
        held = results.value(f"{paper}.claims", "held", claim=name)
        unsure = results.value(f"{paper}.claims", "unsure", claim=name)
        row(statement, says, f"{held} {unit}", results.verdict(f"{paper}/{name}"), unsure)

    def row(statement, says, here, verdict, unsure=""):
        rows.append((statement, says, here, unsure, verdict))

    def case(paper, name, form):
        return results.value(f"{paper}.cases", "value", "range", form, claim=name)

    def text(measure, form, column="ours"):
        ends = (f"{measure}_min", f"{measure}_max")
        return " to ".join(
            results.value("heel_and_toe.numbers", column, form, item="text", measure=end)
            for end in ends
        )

    killed = {"item": "table6", "trace": "CTC-SP2", "policy": "PV-EASY", "measure": "preempted"}
    row("**PV-EASY**", "", "", "")
    row(
        "reservations that PV-EASY violates",
        "none",
        case("pv_easy", "no-violation", ",.0f"),
        results.verdict("pv_easy/no-violation"),
    )
    row(
        "jobs killed by PV-EASY, CTC",
        results.value("pv_easy.numbers", "published", ",.0f", **killed),
        results.value("pv_easy.numbers", "ours", ",.0f", **killed),
        results.value("pv_easy.numbers", "verdict", **killed),
    )
    row(
        "wasted share of the machine",
        "small",
        f"{case('pv_easy', 'little-waste', '.1f')} %",
        results.verdict("pv_easy/little-waste"),
    )
    claim("pv_easy", "venture-helps", "venture backfilling helps", "yes", "cases")
    row(
        "jobs that wait for one of lower priority",
        "none",
        results.value(
            "studies/fairness/fairness-values", "delayed_share", "range", ".0f", policy="PV-EASY"
        )
        + " % of the jobs",
        results.verdict("pv_easy/strict-by-the-words"),
    )
    compared = [
        ("better-than-easy-last", "PV-EASY is faster than EASY-Last", "yes"),
        ("smaller-on-blue", "PV-EASY is faster than EASY on BLUE", "yes"),
        ("similar-elsewhere", "PV-EASY is as good as EASY, CTC and DS", "similar"),
        ("estimates-beat-last", "EASY is faster than EASY-Last", "yes"),
        ("estimates-beat-virtual", "EASY is faster than with errors of 10 %", "yes"),
    ]
    for *words, says in compared:
        claim("pv_easy", *words, says, "cases")
    row("**Heel and toe**", "", "", "")
    heel = [
        ("perfect-helps", "perfect estimates are better than users'", "usually", "panels"),
        ("doubling-helps", "doubled estimates are better", "tends to", "panels"),
        ("better-than-real", "the *f*-model is better than users'", "yes", "panels"),
        ("initial-drop", "curves over *f* first fall", "yes", "panels"),
        ("v-or-l", "curves are V- or L-shaped", "all", "panels"),
        ("usually-v", "curves are V-shaped", "usually", "panels"),
        ("more-backfilling", "more jobs are backfilled as *f* grows", "yes", "curves"),
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
    for name, *words in heel:
        claim("heel_and_toe", name, *words)
    row(
        "jobs backfilled wildly at *f* = 10",
        f"{text('wild_share', '.0f', 'published')} %",
        f"{text('wild_share', '.1f')} %",
        ", ".join(
            results.value("heel_and_toe.numbers", "verdict", item="text", measure=measure)
            for measure in ("wild_share_min", "wild_share_max")
        ),
    )
    row("**Top Percent**", "", "", "")
    printed = [
        float(cell.replace(",", "")) < 1
        for policy, log, measure in product(TOP, THREE, ("ap0waf", "ap1waf"))
        for cell in results.select(
            "top_percent.numbers",
            "published",
            "item=table1",
            f"trace={log}",
            f"policy={policy}",
            f"measure={measure}",
        )
    ]
    own = f"consistently ({sum(printed)} of {len(printed)})"
    top = [
        ("least-underprediction", "it predicts too short a time least often", "yes", "logs"),
        ("top-best-priority", "it is best on the new measures", "yes", "cases"),
        ("top-beats-reqtime", "it beats the estimates", own, "cases"),
        ("more-aggressive", "it backfills more jobs than estimates", "yes", "cases"),
        ("fewer-backfilled", "estimates leave fewer to be backfilled", "yes", "logs"),
        ("nobody-else-does", "no other predictor beats the estimates", "yes", "cases"),
        ("schedulers-close", "other schedulers give close results", "yes", "cells"),
    ]
    for name, *words in top:
        claim("top_percent", name, *words)
    return pd.DataFrame(rows, columns=["result", "the paper says", "here", "not sure", "verdict"])


def by_factor(results):
    """What the pairs of EASY and EASY-Last say of PV-EASY, by lifetime and correction."""
    rows = []
    for (lifetime, name), (correction, title) in product(LIFETIMES.items(), CORRECTIONS.items()):
        case = {"lifetime": lifetime, "correction": correction}

        def number(column, form=".0f", case=case):
            return results.value(f"{BASELINE}-by_factor", column, form, **case)

        def cases(claim, number=number):
            ends = number(f"{claim}: fewest"), number(f"{claim}: most")
            return " to ".join(dict.fromkeys(ends))

        away = [number(f"nearest, {group}", ".1f") for group in GROUPS]
        own = number("better-than-easy-last: nearest")
        beats = cases("better-than-easy-last"), own, cases("smaller-on-blue")
        rows.append([name, title, number("pairs"), number("votes"), *away, *beats])
    headings = ["lifetime", "correction", "pairs", "vote", "EASY", "Last", "both"]
    headings += ["beats Last", "nearest", "beats EASY"]
    return pd.DataFrame(rows, columns=headings)


def baseline_counts(results):
    """The numbers of Tables 1, 2 and 4: printed, of the nearest pair and of the textbook."""
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
    columns = {"published": "", "nearest": "nearest", "textbook": "textbook"}

    def cells(policy, measure, form):
        for log, column in product(LOGS, columns):
            case = {"trace": log, "policy": policy, "measure": measure}
            yield results.value(f"{BASELINE}-numbers", column, form, **case)

    rows = [
        [policy, title, *cells(policy, measure, form)] for policy, title, measure, form in measures
    ]
    headings = [title or name for name, title in product(LOGS.values(), columns.values())]
    return pd.DataFrame(rows, columns=["", "", *headings])


def conclusions(results):
    """Cases in which claims of PV-EASY hold, by the simulators of its baseline."""
    table, rows = f"{BASELINE}-conclusions", []
    for claim, title in CLAIMS.items():
        verdict = results.verdict(f"pv_easy/{claim}")

        def ends(group, claim=claim):
            both = (
                results.value(table, f"{group}, {end}", ".0f", claim=claim)
                for end in ("fewest", "most")
            )
            return " to ".join(dict.fromkeys(both))

        number = {
            name: results.value(table, name, ".0f", claim=claim) for name in ("cases", "textbook")
        }
        several = ends("vote"), ends("all"), number["textbook"]
        rows.append([title, number["cases"], *several, verdict])
    headings = ["claim", "cases", "vote", "all", "textbook", "verdict"]
    return pd.DataFrame(rows, columns=headings)


def left_out(results):
    """The nearest pairs if some of the numbers are left out."""
    names = {
        "nothing": "nothing",
        "mean delays of Table 2": "mean delays of its Table 2",
        "mean delays and increases of slowdown of Table 2": "also its increases of slowdown",
        "all that are no counts of jobs": "all that are no counts of jobs",
        "CTC-SP2": "CTC",
        "SDSC-BLUE": "BLUE",
        "SDSC-DS": "DS",
    }
    rows = []
    for name, title in names.items():

        def number(column, form=".0f", name=name):
            return results.value(f"{BASELINE}-left_out", column, form, **{"left out": name})

        away = [number(lifetime, ".1f") for lifetime in LIFETIMES]
        cases = " to ".join(dict.fromkeys([number("fewest cases"), number("most cases")]))
        rows.append([title, *away, number("votes"), cases])
    headings = [*LIFETIMES.values(), "pairs", "beats Last"]
    return pd.DataFrame(rows, columns=["left out", *headings])


def matches(results):
    """Ratios printed for Top Percent that match."""
    rows = {
        "by the words of the paper": "words",
        "with the details of its simulator": "coded",
        "a constant 1.000": "constant 1.000",
    }
    frame = {
        label: [
            results.value("top_percent/table1-baseline", "match", ".0f", ours=ours, trace=log)
            for log in THREE
        ]
        for label, ours in rows.items()
    }
    return pd.DataFrame(frame, index=THREE.values()).T.rename_axis("matches").reset_index()


def left_open(results):
    """Details that the papers leave open, and their effects."""

    def beats(column, **case):
        return results.value(
            f"{BASELINE}-by_factor", f"better-than-easy-last: {column}", ".0f", **case
        )

    any_correction = [
        [beats(end, lifetime=lifetime, correction="any") for end in ("fewest", "most")]
        for lifetime in LIFETIMES
    ]
    start, due, every = (" to ".join(dict.fromkeys(ends)) for ends in any_correction)
    textbook = [
        results.value(f"{BASELINE}-pairs", "PV-EASY beats EASY-Last", **TEXTBOOK, correction=one)
        for one in ("estimate", "tsafrir", "now")
    ]
    counted = results.value(f"{BASELINE}-violations", "textbook", "range", ".0f", trace="CTC-SP2")
    ratios = [
        results.value("top_percent/table1-baseline", column, ".0f", ours=ours, trace="CTC-SP2")
        for column, ours in (("match", "words"), ("match", "coded"), ("ratios", "coded"))
    ]

    def effect(measure, design):
        case = {"log": "CTC-SP2", "measure": measure, "design": design}
        value, low, high = (
            results.value("studies/ablation/ablation-measures", column, ".2f", **case)
            for column in ("value", "low", "high")
        )
        return f"{value} [{low}, {high}]"

    without = [
        (effect(measure, "Top 3 %"), effect(measure, "no artificial point"))
        for measure in ("AP1WAF", "AP0WAF")
    ]
    sign = [
        results.value(
            "studies/sensitivity/top_percent",
            column,
            ".0f",
            headline="top-beats-reqtime",
            kind="default",
        )
        for column in ("not sure", "cases")
    ]
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
            "in the textbook PV-EASY beats EASY with the same predictions in {} cases if it is the "
            "user's estimate, in {} if the prediction grows in steps, in {} if it is now".format(
                *textbook
            ),
        ),
        (
            "whose reservation is violated, and which jobs are to blame",
            "PV-EASY",
            f"{counted} violations of one schedule on CTC",
        ),
        (
            "which events lead to a pass over the queue; with three other details of the source "
            "(ties, threshold, dropped jobs)",
            "Top Percent",
            "{} or {} of {} ratios on CTC match".format(*ratios),
        ),
        (
            "all inputs of a predictor, also artificial ones",
            "Top Percent",
            "on CTC, AP1WAF is {} times that with estimates, without the artificial point {}; "
            "AP0WAF {} and {}".format(*without[0], *without[1]),
        ),
        (
            "the interval of a gain",
            "Top Percent",
            "the sign of the gain is open in {} of {} cases".format(*sign),
        ),
        (
            "the version and the cleaning of each log",
            "PV-EASY, Top Percent",
            "two logs have more jobs than printed; a third cannot be compared",
        ),
    ]
    return pd.DataFrame(rows, columns=["detail", "left open by", "what it changed"])


def random_exceptions(results):
    """Gains of random exceptions and of f at equal shares of wild backfills."""

    def row(log, f):
        case = {"log": log, "f": f, "way": RANDOM}

        def number(column, form=".1f"):
            return _cell(results, SAME_WILD, column, form, **case)

        relaxed = _cell(results, SAME_WILD, "gain", ".1f", **case | {"way": RELAXED})
        return [
            f"{FOUR[log]}, *f* = {f}",
            number("level", ".0%"),
            number("wild"),
            number("gain of f"),
            number("gain"),
            relaxed,
            _difference(results, SAME_WILD, "gain, more", 2, **case),
            _difference(results, SAME_WILD, "slowdown gain, more", 2, **case),
        ]

    headings = [
        "",
        "let past",
        "wild backfills, %",
        "gain of *f*, %",
        "of random exceptions, %",
        "of relaxed backfilling, %",
        "random less *f*, points",
        "in slowdown, points",
    ]
    return pd.DataFrame([row(log, f) for log in FOUR for f in F], columns=headings)


def equal_price(results):
    """Largest gains of three ways at equal prices for the heads."""

    def row(log, f):
        case = {"log": log, "f": f}

        def changed(way):
            """Return the change of the heads' wait, in bold if they surely wait longer."""
            text = _cell(results, SAME_PRICE, "heads", "+.1f", **case | {"way": way})
            low = _number(results, SAME_PRICE, "heads low", **case | {"way": way})
            return f"**{text}**" if low > 0 else text

        limit = _cell(results, SAME_PRICE, "price", ".1f", **case | {"way": OVERESTIMATES})
        gains = [_cell(results, SAME_PRICE, "gain", ".1f", **case | {"way": way}) for way in WAYS]
        more = [
            _difference(results, SAME_PRICE, "gain, more", **case | {"way": way})
            for way in (RANDOM, RELAXED)
        ]
        price = f"*f* = {f}: {limit} %" if f else "0 %"
        return [f"{FOUR[log]}, {price}", *gains, *more, *map(changed, WAYS)]

    headings = [f"{way}, gain" for way in WHO]
    headings += [f"{way} less *f*" for way in WHO[1:]]
    headings += [f"{way}, heads" for way in WHO]
    rows = [row(log, f) for log in FOUR for f in (0, *F)]
    return pd.DataFrame(rows, columns=["at the price of", *headings])


def slowdown_and_longest(results):
    """Largest gains in slowdown at the prices of `equal_price`, and longest waits at its levels."""

    def slowdown(log, f, way):
        level = best_level(results.rows(POINTS), log, f, way, "slowdown gain")
        return _with_interval(results, POINTS, "slowdown gain", log=log, way=way, level=level)

    def longest(log, f, way):
        case = {"log": log, "f": f, "way": way}
        chosen = [
            _number(results, SAME_PRICE, f"level, {half}", **case) for half in ("odd", "even")
        ]
        waits = [_number(results, POINTS, "longest", log=log, way=way, level=one) for one in chosen]
        return f"{sum(waits) / 2:+,.0f}"

    rows = []
    for log, f in product(FOUR, (0, *F)):
        cells = [cell(log, f, way) for cell in (slowdown, longest) for way in WAYS]
        rows.append([f"{FOUR[log]}, {f'*f* = {f}' if f else '0 %'}", *cells])
    headings = [f"{way}, {what}" for what in ("gain in slowdown", "longest wait") for way in WHO]
    return pd.DataFrame(rows, columns=["at the price of", *headings])


def best_level(points, log, f, way, name):
    """Return the level of a way with the largest gain whose heads pay no more than under f.

    Parameters
    ----------
    points : list of dict
        Rows with log, way, level, heads (their price) and the gain.
    log : str
    f : float
        Of the f-model.
    way : str
    name : str
        Of the gain.
    """
    own = [row for row in points if row["log"] == log]
    [limit] = [row["heads"] for row in own if (row["way"], row["level"]) == (OVERESTIMATES, f)]
    allowed = [row for row in own if row["way"] == way and row["heads"] <= limit]
    return max(allowed, key=lambda row: row[name])["level"]


def no_reservation(results):
    """The end of the curve: every job may pass the head."""
    changes = {
        "gain in mean wait, %": ("gain", ".0f"),
        "heads' mean wait, %": ("heads", "+,.0f"),
        "longest wait, %": ("longest", "+,.0f"),
    }
    rows = [
        [label, *(results.value(POINTS, *column, log=log, way=RANDOM, level=1) for log in FOUR)]
        for label, column in changes.items()
    ]
    return pd.DataFrame(rows, columns=["EASY without a reservation", *FOUR.values()])


def other_machines(results):
    """Quotients of mean waits on other machines."""
    compared = {
        "*f* = 1 over *f* = 0": "small-f-helps",
        "*f* = 10 over *f* = 0": "large-f-helps",
        "random exceptions over none": "random-wild-backfills",
    }

    def row(conclusion):
        own = {"id": conclusion, "measure": "mean_wait"}

        def number(column, form):
            return results.value(POOLED, column, form, **own)

        counts = [number(word, ".0f") for word in ("for", "against", "open")]
        case = f"conclusion={conclusion}", "measure=mean_wait", "recorded load=True"
        words = results.select("studies/other_logs/other_logs-cases", "word", *case)
        counts.append(str(sum(word not in ("for", "against", "open") for word in words)))
        ends = [number(f"prediction_{end}", ".2f") for end in ("low", "high")]
        return [
            *counts,
            number("pooled", ".2f"),
            " to ".join(ends),
            number("above_one", ".0%").replace("%", " %"),
        ]

    counts = "shorter", "longer", "open", "not usable"
    headings = ["perfect estimates, mean wait of", *counts, "mean", "one more log", "longer wait"]
    rows = [[label, *row(conclusion)] for label, conclusion in compared.items()]
    return pd.DataFrame(rows, columns=headings)


def _cell(results, table, column, form, **case):
    """Return the value of a row, and a dash where there is none."""
    missing = math.isnan(_number(results, table, column, **case))
    return MISSING if missing else results.value(table, column, form, **case)


def _difference(results, table, name, digits=1, **case):
    """Return a difference with its interval, and a dash where there is none."""
    return _with_interval(results, table, name, "+.1f", f".{digits}f", **case)


def _with_interval(results, table, name, form=".1f", form_of_ends=".1f", **case):
    """Return a value with its interval, and a dash where there is none."""
    ends = [_cell(results, table, f"{name} {end}", form_of_ends, **case) for end in ("low", "high")]
    value = _cell(results, table, name, form, **case)
    return MISSING if value == MISSING else f"{value} [{', '.join(ends)}]"


def _number(results, table, column, **case):
    """Return the number in a row, nan where its cell is empty."""
    cell = results.select(table, column, *(f"{name}={value}" for name, value in case.items()))[0]
    return math.nan if cell == "" else cell


def wild_by_length(results):
    """Gains in mean wait where only some jobs may be backfilled wildly."""
    allowed = (
        "all jobs",
        "shorter than the median",
        "longer than the median",
        "half of the jobs, at random",
        "no job",
    )
    case = {"f": 1, "measure": "mean_wait"}
    rows = [
        [
            jobs,
            *(
                results.value(
                    "studies/causes/order-some-wild", "gain", ".1f", log=log, scheduler=jobs, **case
                )
                for log in FOUR
            ),
        ]
        for jobs in allowed
    ]

    def difference(log, f):
        value, low, high = (
            results.value(
                "studies/causes/order-shorter-minus-longer",
                column,
                form,
                log=log,
                f=f,
                measure="mean_wait",
            )
            for column, form in (
                ("difference", "+.1f"),
                ("difference low", ".1f"),
                ("difference high", ".1f"),
            )
        )
        return f"{value} [{low}, {high}]"

    rows += [[f"shorter less longer, *f* = {f}", *(difference(log, f) for log in FOUR)] for f in F]
    return pd.DataFrame(rows, columns=["wild backfills allowed for", *FOUR.values()])


#: All tables by their names.
TABLES = {
    make.__name__: make
    for make in (
        baseline_counts,
        by_factor,
        conclusions,
        equal_price,
        left_open,
        left_out,
        main_table,
        matches,
        no_reservation,
        other_machines,
        random_exceptions,
        slowdown_and_longest,
        wild_by_length,
    )
}
