"""The values and tables that the article ``studies.md`` names."""

from itertools import product

import pandas as pd

WAYS = OVERESTIMATES, RANDOM, RELAXED = "f-model", "random exceptions", "relaxed backfilling"
WHO = "*f*", "random", "relaxed"  # the ways in headings
F = 1, 3, 10
FOUR = {"CTC-SP2": "CTC", "KTH-SP2-2": "KTH", "SDSC-SP2": "SDSC", "SDSC-BLUE": "BLUE"}
CTC, KTH, SDSC, BLUE = FOUR
SMALL, LARGE = "small f", "large f"
YES_NO = "True", "False"
WEEKS = "low", "high"  # ends of intervals over weeks


def values(records) -> dict[str, str]:
    """Return the named values."""
    return {**at_equal_shares(records), **prices(records), **order(records), **machines(records)}


def at_equal_shares(records):
    wild, summary = (
        records.table(f"studies/causes/{name}")
        for name in ("exceptions-equal-wild", "wild-summary")
    )
    random = wild.where(way=RANDOM)
    found = {"let-past": random.range("level", ".0%")}
    for log, f in ((KTH, 1), (KTH, 3), (SDSC, 1)):
        name = f"{FOUR[log].lower()}-{f}"
        found[f"random-{name}"] = random.text("gain", ".1f", log=log, f=f)
        found[f"f-{name}"] = random.text("gain of f", ".1f", log=log, f=f)
    found["random-ahead"] = random.range("gain, more", ".0f", log=(CTC, BLUE))
    for log, name in FOUR.items():
        found[f"random-price-{name.lower()}"] = random.text("heads, more", ".0f", log=log, f=1)
        found[f"random-behind-{name.lower()}"] = random.size("gain, more", ".1f", log=log, f=1)
    for name, f in (("small", SMALL), ("large", LARGE)):
        found[f"wild-explained-{name}"] = summary.text("explained", ".0f", range=f)
        found[f"wild-cases-{name}"] = summary.text("cases", ".0f", range=f)
    return found


def prices(records):
    price, points = (
        records.table(f"studies/causes/exceptions-{name}") for name in ("equal-price", "points")
    )
    relaxed, overestimates = price.where(way=RELAXED), price.where(way=OVERESTIMATES)
    heel = records.table("heel_and_toe.claims")
    found = {
        "runs": price.text("runs", ".0f", log=CTC, f=1, way=RANDOM),
        "runs-kth-sdsc": price.text("runs", ".0f", log=KTH, f=1, way=RANDOM),
        "relaxed-more": relaxed.range("gain, more", ".0f", log=(KTH, SDSC, BLUE), f=1),
        "relaxed-free": relaxed.range("gain", ".0f", f=0),
        "ahead-ctc-10": relaxed.size("gain, more", ".0f", log=CTC, f=10),
        "free-f-kth": overestimates.text("level, odd", ".1f", log=KTH, f=0),
        "free-f-sdsc": overestimates.text("level, odd", ".1f", log=SDSC, f=0),
        "best-f-sdsc": overestimates.text("level, odd", ".1f", log=SDSC, f=1),
        "price-sdsc": overestimates.text("heads", "+.1f", log=SDSC, f=1),
        "no-reservation-price-ctc": points.text("heads", ".0f", log=CTC, way=RANDOM, level=1),
        "share-of-heads": records.table("studies/causes/who_pays-values").range(
            "share", ".0f", jobs="heads", change="perfect to f = 1"
        ),
        "delayed-heads": records.table("heel_and_toe/fig10").range(
            "f=10", ".1f", measure="delayed"
        ),
        "heads-pay-cases": heel.text("held", claim="heads-pay"),
        "heads-pay-open": heel.text("unsure", claim="heads-pay"),
        "doubled-cases": heel.text("held", claim="heads-pay-when-doubled"),
    }
    for log, name in FOUR.items():
        found[f"relaxed-{name.lower()}"] = relaxed.interval("gain, more", log=log, f=1)
    for log, level in ((KTH, 0.15), (SDSC, 0.05), (BLUE, 0.03)):
        point = {"log": log, "way": RELAXED, "level": level}
        found[f"longest-{FOUR[log].lower()}"] = points.text("longest", ".0f", **point)
    return found


def order(records):
    summary, more = (
        records.table(f"studies/causes/order-{name}")
        for name in ("summary", "shorter-minus-longer")
    )
    found = {
        "order-cases": records.table("heel_and_toe.claims").text(
            "held", claim="order-contributes-at-large-f"
        ),
        "slowdown-by-order": more.range(
            "difference", ".1f", measure="mean_bounded_slowdown", f=(3, 10)
        ),
    }
    arms = {"equal": "run times equal", "permuted": "estimates permuted"}
    for (arm, without), (name, f) in product(arms.items(), (("small", SMALL), ("large", LARGE))):
        case = {"without": without, "range": f}
        found[f"{arm}-explained-{name}"] = summary.text("explained", ".0f", **case)
        found[f"{arm}-cases-{name}"] = summary.text("cases", ".0f", **case)
    return found


def machines(records):
    pooled, cases, left_out, wild = (
        records.table(f"studies/other_logs/other_logs-{name}")
        for name in ("pooled", "cases", "left_out", "random-wild")
    )
    case = {"conclusion": "random-wild-backfills"}
    own = pooled.where(id=case["conclusion"], measure="mean_wait")
    recorded, loaded = (cases.where(**case, **{"recorded load": is_own}) for is_own in YES_NO)
    found = {
        "machines-shorter": own.text("for", ".0f"),
        "machines-certain": own.text("certain", ".0f"),
        "could-survive": own.text("could survive", ".0f"),
        "one-more-low": own.text("prediction_low", ".2f"),
        "one-more-high": own.text("prediction_high", ".2f"),
        "inside": left_out.count(**case, measure="mean_wait", inside="True"),
        "left-out": left_out.count(**case, measure="mean_wait"),
        "inside-all": left_out.count(inside="True"),
        "left-out-all": left_out.count(),
        "loaded": loaded.count(),
        "loaded-matched": loaded.count(word=("for", "against", "open")),
        "shorter-loaded": loaded.count(word="for"),
        "longer-loaded": loaded.count(word="against"),
        "loaded-against": loaded.interval("value", ".2f", ".2f", WEEKS, word="against"),
        "weeks-kth": recorded.interval("value", ".2f", ".2f", WEEKS, log="KTH-SP2"),
    }
    for log, load in (
        ("SDSC-SP2", 0.834056245),
        ("LLNL-Atlas", 0.799999979),
        ("RICC", 0.888772186),
    ):
        name = log.rpartition("-")[2].lower() if log != "SDSC-SP2" else "sdsc"
        for way, column in (("random", "wild, random wild"), ("f", "wild, f = 1")):
            found[f"{way}-wild-{name}"] = wild.text(column, ".1f", log=log, load=load)
    return found


def random_exceptions(records):
    """Gains of random exceptions and of f at equal shares of wild backfills."""
    wild = records.table("studies/causes/exceptions-equal-wild")
    rows = [
        [
            f"{name}, *f* = {f}",
            own.text("level", ".0%"),
            own.text("wild", ".1f"),
            own.text("gain of f", ".1f"),
            own.text("gain", ".1f"),
            wild.text("gain", ".1f", log=log, f=f, way=RELAXED),
            own.interval("gain, more", ends=".2f"),
            own.interval("slowdown gain, more", ends=".2f"),
        ]
        for (log, name), f in product(FOUR.items(), F)
        for own in [wild.where(log=log, f=f, way=RANDOM)]
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
    return pd.DataFrame(rows, columns=headings)


def equal_price(records):
    """Largest gains of three ways at equal prices for the heads."""
    price = records.table("studies/causes/exceptions-equal-price")

    def heads(own):
        """Return the change of the heads' wait, in bold if they surely wait longer."""
        text = own.text("heads", "+.1f")
        return f"**{text}**" if own.number("heads low") > 0 else text

    rows = []
    for (log, name), f in product(FOUR.items(), (0, *F)):
        ways = [price.where(log=log, f=f, way=way) for way in WAYS]
        limit = f"*f* = {f}: {ways[0].text('price', '.1f')} %" if f else "0 %"
        more = [own.interval("gain, more") for own in ways[1:]]
        gains = [own.text("gain", ".1f") for own in ways]
        rows.append([f"{name}, {limit}", *gains, *more, *map(heads, ways)])
    headings = [f"{way}, gain" for way in WHO]
    headings += [f"{way} less *f*" for way in WHO[1:]]
    headings += [f"{way}, heads" for way in WHO]
    return pd.DataFrame(rows, columns=["at the price of", *headings])


def slowdown_and_longest(records):
    """Largest gains in slowdown at the prices of `equal_price`, and longest waits at its levels."""
    price, points = (
        records.table(f"studies/causes/exceptions-{name}") for name in ("equal-price", "points")
    )

    def slowdown(log, f, way):
        level = best_level(points.rows, log, f, way, "slowdown gain")
        return points.interval("slowdown gain", ".1f", log=log, way=way, level=level)

    def longest(log, f, way):
        own = price.where(log=log, f=f, way=way)
        chosen = [own.number(f"level, {half}") for half in ("odd", "even")]
        waits = [points.number("longest", log=log, way=way, level=level) for level in chosen]
        return f"{sum(waits) / 2:+,.0f}"

    rows = [
        [
            f"{name}, {f'*f* = {f}' if f else '0 %'}",
            *(slowdown(log, f, way) for way in WAYS),
            *(longest(log, f, way) for way in WAYS),
        ]
        for (log, name), f in product(FOUR.items(), (0, *F))
    ]
    headings = [f"{way}, {what}" for what in ("gain in slowdown", "longest wait") for way in WHO]
    return pd.DataFrame(rows, columns=["at the price of", *headings])


def best_level(points, log, f, way, name):
    """Return the level of a way with the largest gain whose heads pay no more than under f."""
    own = points[points["log"] == log]
    limit = own.loc[(own["way"] == OVERESTIMATES) & (own["level"] == f), "heads"].item()
    allowed = own[(own["way"] == way) & (own["heads"] <= limit)]
    return allowed.loc[allowed[name].astype(float).idxmax(), "level"]


def no_reservation(records):
    """The end of the curve: every job may pass the head."""
    points = records.table("studies/causes/exceptions-points").where(way=RANDOM, level=1)
    changes = {
        "gain in mean wait, %": ("gain", ".0f"),
        "heads' mean wait, %": ("heads", "+,.0f"),
        "longest wait, %": ("longest", "+,.0f"),
    }
    rows = [
        [label, *(points.text(*column, log=log) for log in FOUR)]
        for label, column in changes.items()
    ]
    return pd.DataFrame(rows, columns=["EASY without a reservation", *FOUR.values()])


def other_machines(records):
    """Quotients of mean waits on other machines."""
    pooled, cases = (
        records.table(f"studies/other_logs/other_logs-{name}") for name in ("pooled", "cases")
    )
    compared = {
        "*f* = 1 over *f* = 0": "small-f-helps",
        "*f* = 10 over *f* = 0": "large-f-helps",
        "random exceptions over none": "random-wild-backfills",
    }
    rows = []
    for label, conclusion in compared.items():
        own = pooled.where(id=conclusion, measure="mean_wait")
        recorded = {"conclusion": conclusion, "measure": "mean_wait", "recorded load": "True"}
        usable = own.text("for", ".0f"), own.text("against", ".0f"), own.text("open", ".0f")
        words = cases.values("word", **recorded)
        not_usable = str(sum(word not in ("for", "against", "open") for word in words))
        ends = (own.text(f"prediction_{end}", ".2f") for end in ("low", "high"))
        mean, longer = own.text("pooled", ".2f"), own.text("above_one", ".0%")
        rows.append([label, *usable, not_usable, mean, " to ".join(ends), longer])
    counts = "shorter", "longer", "open", "not usable"
    headings = ["perfect estimates, mean wait of", *counts, "mean", "one more log", "longer wait"]
    return pd.DataFrame(rows, columns=headings)


def wild_by_length(records):
    """Gains in mean wait where only some jobs may be backfilled wildly."""
    gains, more = (
        records.table(f"studies/causes/order-{name}").where(measure="mean_wait")
        for name in ("some-wild", "shorter-minus-longer")
    )
    arms = (
        "all jobs",
        "shorter than the median",
        "longer than the median",
        "half of the jobs, at random",
        "no job",
    )
    rows = [
        [arm, *(gains.text("gain", ".1f", log=log, scheduler=arm, f=1) for log in FOUR)]
        for arm in arms
    ]
    rows += [
        [f"shorter less longer, *f* = {f}"]
        + [more.interval("difference", log=log, f=f) for log in FOUR]
        for f in F
    ]
    return pd.DataFrame(rows, columns=["wild backfills allowed for", *FOUR.values()])


#: Tables by their names.
TABLES = {
    "equal-price": equal_price,
    "no-reservation": no_reservation,
    "other-machines": other_machines,
    "random-exceptions": random_exceptions,
    "slowdown-and-longest": slowdown_and_longest,
    "wild-by-length": wild_by_length,
}
