"""The values and tables that the article ``studies.md`` names."""

from itertools import product

import pandas as pd

WAYS = OVERESTIMATES, RANDOM, RELAXED = "f-model", "random exceptions", "relaxed backfilling"
F = 1, 3, 10
FOUR = {"CTC-SP2": "CTC", "KTH-SP2-2": "KTH", "SDSC-SP2": "SDSC", "SDSC-BLUE": "BLUE"}
CTC, KTH, SDSC, BLUE = FOUR
RANGES = {"small": "small f", "large": "large f"}
RECORDED, OTHER = {"recorded load": "True"}, {"recorded load": "False"}


def values(records) -> dict[str, str]:
    """Return the named values."""
    parts = at_equal_shares, at_equal_prices, order, over_machines
    return {name: text for part in parts for name, text in part(records).items()}


def at_equal_shares(records):
    random = records.table("studies/causes/exceptions-equal-wild").where(way=RANDOM)
    summary = records.table("studies/causes/wild-summary")
    texts = {
        "let-past": random.range("level", ".0%"),
        "random-ahead": random.range("gain, more", ".0f", log=(CTC, BLUE)),
        "random-behind-kth": random.size("gain, more", ".1f", log=KTH, f=1),
        "random-behind-sdsc": random.size("gain, more", ".1f", log=SDSC, f=1),
    }
    for log, f in ((KTH, 1), (KTH, 3), (SDSC, 1)):
        name, cells = f"{FOUR[log].lower()}-{f}", random.where(log=log, f=f)
        texts[f"random-{name}"] = cells.text("gain", ".1f")
        texts[f"f-{name}"] = cells.text("gain of f", ".1f")
    for log, name in FOUR.items():
        texts[f"random-price-{name.lower()}"] = random.text("heads, more", ".0f", log=log, f=1)
    for name, f in RANGES.items():
        texts[f"wild-explained-{name}"] = summary.text("explained", ".0f", range=f)
        texts[f"wild-cases-{name}"] = summary.text("cases", ".0f", range=f)
    return texts


def at_equal_prices(records):
    price = records.table("studies/causes/exceptions-equal-price")
    points = records.table("studies/causes/exceptions-points").where(way=RANDOM, level=1)
    relaxed, claims = price.where(way=RELAXED), records.table("heel_and_toe.claims")
    heads = records.table("studies/causes/who_pays-values").where(jobs="heads")
    delayed = records.table("heel_and_toe/fig10").where(measure="delayed")
    texts = {
        "runs": price.text("runs", ".0f", log=CTC, f=1, way=RANDOM),
        "runs-kth-sdsc": price.text("runs", ".0f", log=KTH, f=1, way=RANDOM),
        "share-of-heads": heads.range("share", ".0f", change="perfect to f = 1"),
        "delayed-heads": delayed.range("f=10", ".1f"),
        "heads-pay-cases": claims.text("held", claim="heads-pay"),
        "heads-pay-open": claims.text("unsure", claim="heads-pay"),
        "doubled-cases": claims.text("held", claim="heads-pay-when-doubled"),
        "f-free": price.range("gain", ".0f", way=OVERESTIMATES, f=0),
        "relaxed-free": relaxed.range("gain", ".0f", f=0),
        "longest-free": relaxed.range("longest", ".0f", f=0),
        "longest-1": relaxed.range("longest", ".0f", f=1),
        "no-reservation-heads": points.text("heads", ".0f", log=CTC),
        "no-reservation-longest": points.range("longest", ",.0f"),
    }
    for log, name in FOUR.items():
        cells = relaxed.where(log=log, f=1)
        texts[f"relaxed-{name.lower()}-1"] = cells.interval("gain, more")
        texts[f"relaxed-slowdown-{name.lower()}-1"] = cells.interval("slowdown gain, more")
    return texts


def order(records):
    summary = records.table("studies/causes/order-summary")
    more = records.table("studies/causes/order-shorter-minus-longer")
    slowdown = more.where(measure="mean_bounded_slowdown", f=(3, 10))
    held = records.table("heel_and_toe.claims").where(claim="order-contributes-at-large-f")
    texts = {
        "order-cases": held.text("held"),
        "slowdown-by-order": slowdown.range("difference", ".1f"),
    }
    for name, f in RANGES.items():
        cells = summary.where(range=f)
        texts[f"equal-cases-{name}"] = cells.text("cases", ".0f", without="run times equal")
        texts[f"equal-explained-{name}"] = cells.text("explained", ".0f", without="run times equal")
        permuted = cells.text("explained", ".0f", without="estimates permuted")
        texts[f"permuted-explained-{name}"] = permuted
    return texts


def over_machines(records):
    case = {"conclusion": "random-wild-backfills"}
    pooled = records.table("studies/other_logs/other_logs-pooled")
    random = pooled.where(id=case["conclusion"], measure="mean_wait")
    certain = random.number("certain")
    cases = records.table("studies/other_logs/other_logs-cases").where(**case)
    inside = records.table("studies/other_logs/other_logs-left_out").where(**case)
    loaded = cases.where(**OTHER)
    means = records.table("studies/causes/machines-means").where(way=RELAXED)
    prices = records.table("studies/causes/machines-equal-price")
    runs = prices.where(way=RELAXED, f=1)
    texts = {
        "machines-shorter": random.text("for", ".0f"),
        "machines-certain": random.link(f"{certain:.0f}" if certain else "none"),
        "machines-open": random.text("open", ".0f"),
        "machines-interval": random.link(
            f"{sum(map(random.number, ('for', 'against', 'open'))):.0f}"
        ),
        "could-survive": random.text("could survive", ".0f"),
        "quotient": random.text("pooled", ".2f"),
        "one-more-low": random.text("prediction_low", ".2f"),
        "one-more-high": random.text("prediction_high", ".2f"),
        "inside": inside.count(inside="True"),
        "left-out": inside.count(),
        "loaded": loaded.count(word=("for", "against", "open")),
        "loaded-shorter": loaded.count(word="for"),
        "loaded-longer": loaded.count(word="against"),
        "weeks-kth": cases.interval(
            "value", ".2f", ".2f", ("low", "high"), log="KTH-SP2", **RECORDED
        ),
        "machines": means.text("machines", ".0f", f=1),
        "runs-machines": runs.text("runs", ".0f", machine="KTH-SP2"),
        "runs-curie": runs.text("runs", ".0f", machine="CEA-Curie"),
        "runs-ricc": runs.text("runs", ".0f", machine="RICC"),
    }
    for name, f in (("", 1), ("free-", 0)):
        cells = means.where(f=f)
        texts[f"{name}ahead-seeds"] = cells.text("ahead by seeds", ".0f")
        texts[f"{name}behind-seeds"] = cells.text("behind by seeds", ".0f")
    for name, machine, way in (("ricc", "RICC", RELAXED), ("curie", "CEA-Curie", OVERESTIMATES)):
        cells = prices.where(machine=machine, way=way, f=1)
        over = cells.number("heads") - cells.number("price")
        texts[f"over-{name}"] = cells.link(f"{over:.1f}")
    cells = means.where(f=1)
    ends = (cells.text(f"one more {end}", ".0f") for end in ("low", "high"))
    return texts | {
        "ahead-weeks": cells.text("ahead by weeks", ".0f"),
        "behind-weeks": cells.text("behind by weeks", ".0f"),
        "lead": cells.interval("mean", ".1f", ".1f", ("low", "high")),
        "lead-of-one-more": " and ".join(ends),
    }


def random_exceptions(records):
    """Gains of random exceptions and of f at equal shares of wild backfills."""
    wild = records.table("studies/causes/exceptions-equal-wild")
    rows = [
        [
            f"{name}, *f* = {f}",
            cells.text("level", ".0%"),
            cells.text("wild", ".1f"),
            cells.text("gain of f", ".1f"),
            cells.text("gain", ".1f"),
            wild.text("gain", ".1f", log=log, f=f, way=RELAXED),
            cells.interval("gain, more", ends=".2f"),
            cells.interval("slowdown gain, more", ends=".2f"),
        ]
        for (log, name), f in product(FOUR.items(), F)
        for cells in [wild.where(log=log, f=f, way=RANDOM)]
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


def machines(records):
    """Gains at equal prices on all machines."""
    price = records.table("studies/causes/machines-equal-price")
    rows = []
    for machine in dict.fromkeys(price.values("machine")):
        (free_f, _, free), (f, random, relaxed) = (
            [price.where(machine=machine, f=f, way=way) for way in WAYS] for f in (0, 1)
        )
        gains = (cells.text("gain", ".1f") for cells in (free_f, free))
        more = (cells.text("gain", ".1f") for cells in (f, random, relaxed))
        weeks = " to ".join(relaxed.text(f"weeks {end}", ".0f") for end in ("low", "high"))
        difference = relaxed.interval("gain, more")
        rows.append([machine, *gains, relaxed.text("price", ".1f"), *more, difference, weeks])
    headings = ["*f*, free", "relaxed, free", "price", "*f*", "random", "relaxed"]
    headings += ["relaxed less *f*, seeds", "weeks"]
    return pd.DataFrame(rows, columns=["gain, %", *headings])


def wild_by_length(records):
    """Gains in mean wait where only some jobs may be backfilled wildly."""
    gains = records.table("studies/causes/order-some-wild").where(measure="mean_wait", f=1)
    arms = (
        "all jobs",
        "shorter than the median",
        "longer than the median",
        "half of the jobs, at random",
        "no job",
    )
    rows = [
        [arm, *(gains.text("gain", ".1f", log=log, scheduler=arm) for log in FOUR)] for arm in arms
    ]
    return pd.DataFrame(rows, columns=["wild backfills allowed for", *FOUR.values()])


#: Tables by their names.
TABLES = {
    "machines": machines,
    "random-exceptions": random_exceptions,
    "wild-by-length": wild_by_length,
}
