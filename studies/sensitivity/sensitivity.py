"""Whether a paper's headline conclusions survive a change: a table of conclusions against variants.

The headlines are claims in ``data/published/PAPER/claims.toml``. Each is decided by one rule on
every log under every `notebooks.variants.Variant`.
"""

import pandas as pd

from notebooks import variants
from notebooks.variants import NotApplicable, Variant
from replication.simulator.logs import registry
from replication.simulator.sweeps import engines
from replication.verdicts import published, rules
from replication.verdicts.rules import HOLDS, PART, UNDECIDED
from replication.verdicts.tables import case_table, decide

DEFAULT, VARIANT, CLEANING, LOG, LOAD = KINDS = ("default", "variant", "cleaning", "log", "load")
YES, NO, OPEN, ABSENT = ("holds", "against", "not sure", "not applicable")
#: All answers by their words in tables.
ANSWERS = {
    str(answer): answer
    for answer in (rules.Answer(holds, sure) for sure in (True, False) for holds in (True, False))
}
NUMBERS = "case part value low high unit".split()
KEY = "headline word kind change log".split()
HEADINGS = {
    VARIANT: "other interpretations, the paper's logs",
    CLEANING: "other cleanings of the paper's logs",
    LOG: "other logs, default interpretation",
    LOAD: "other loads, the paper's logs",
}
LOADS = (0.7, 0.8, 0.9)


#: A log that no paper uses. The further ones of the registry are the subject of studies/other_logs.
OUT_OF_SAMPLE = "CEA-Curie"


def kind_of(variant):
    """Return one of `KINDS`: a change of scheduler or measure takes precedence over one of
    cleaning, and that over another log.
    """
    if variant.load is not None:
        return LOAD
    if variant.scheduler or variant.easy or variant.predictor or variant.count:
        return VARIANT
    return CLEANING if variant.cleaning or variant.log else LOG if variant.logs else DEFAULT


def other_logs(logs):
    """Return a variant for each log of the other papers and `OUT_OF_SAMPLE`, and for each of
    `LOADS`.

    A second version of one of its logs is another cleaning and not another log.
    """
    stems = {log.removesuffix("-2") for log in logs}
    paper_logs = [
        log for log in registry.names() if registry.info(log).papers or log == OUT_OF_SAMPLE
    ]
    strangers = [log for log in paper_logs if not log.endswith("-2") and log not in stems]
    return [
        *(Variant(log, logs=(log,)) for log in strangers),
        *(Variant(f"load {100 * load:.0f} %", load=load) for load in LOADS),
    ]


def changes_for(logs, variants_of_paper=()):
    """Return the variants of a study: the default, the paper's own that concern one of its logs,
    other logs and loads.
    """
    variants_of_paper = [
        variant for variant in variants_of_paper if not variant.logs or {*variant.logs} & {*logs}
    ]
    return sorted(
        [Variant("default"), *variants_of_paper, *other_logs(logs)],
        key=lambda variant: KINDS.index(kind_of(variant)),
    )


def study(paper, functions, tables, variants_of_paper, workloads, first=None, workers=1):
    """Decide every headline of a paper on every log under every variant.

    Parameters
    ----------
    paper : str
    functions : module or dict
        The functions of the claims, see `replication.verdicts.tables.decide`.
    tables : callable
        ``tables(log, jobs, variant)`` returns the tables that the functions take. It or a function
        raises `NotApplicable` where there is nothing to decide.
    variants_of_paper : list of Variant
        Those of the paper, see `changes_for`.
    workloads : dict
        The paper's logs by name.
    first : int, optional
        Take the first jobs of each log alone.
    workers : int
        Threads.

    Returns
    -------
    pandas.DataFrame
        A row for each number: headline, word, kind, change, log, case, part, value, low, high,
        unit, answer (as in `ANSWERS`, or not applicable), reason (why not applicable).
    """
    headlines = published.headlines_of(paper)

    def decided(task):
        variant, log = task
        rows, log_tables = [], None
        for name, entry in headlines.items():
            about = {"headline": name, "word": entry["word"], "kind": kind_of(variant)}
            about |= {"change": variant.name, "log": log}
            try:
                if log_tables is None:
                    jobs = variants.jobs(paper, workloads, log, variant, first)
                    log_tables = tables(log, jobs, variant)
                decided = decide(paper, functions, log_tables, [name], entries=headlines)
                part = case_table(decided)[[*NUMBERS, "answer"]]
                rows += [about | row | {"reason": ""} for row in part.to_dict("records")]
            except NotApplicable as reason:
                rows.append(about | {"case": "", "answer": ABSENT, "reason": str(reason)})
        return rows

    changes = changes_for(workloads, variants_of_paper)
    tasks = [(variant, log) for variant in changes for log in variant.logs or workloads]
    rows = [row for rows in engines.each(decided, tasks, workers) for row in rows]
    return pd.DataFrame(rows, columns=[*KEY, *NUMBERS, "answer", "reason"])


def summary(cases, decided=True):
    """Return the number of cases that hold by headline and change.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `study`.
    decided : bool
        False where the data prove nothing: every verdict is *undecided*.

    Returns
    -------
    pandas.DataFrame
        headline, word, kind, change, holds, against, not sure (of either), cases, share (nan where
        none is applicable), verdict (of a claim with these cases), reason.
    """
    key, rows = ["headline", "word", "kind", "change"], []
    # The rows of several numbers that make one case have its answer.
    cases = cases.drop_duplicates([*key, "log", "case"])
    for names, part in cases.groupby(key, sort=False):
        answers = [ANSWERS[word] for word in part["answer"] if word != ABSENT]
        held, unsure = (
            sum(answer.holds for answer in answers),
            sum(not answer.sure for answer in answers),
        )
        share = held / len(answers) if answers else float("nan")
        word = (
            ABSENT
            if not answers
            else rules.claim_verdict(answers, names[1])
            if decided
            else UNDECIDED
        )
        reasons = "; ".join(dict.fromkeys(part.loc[part["answer"] == ABSENT, "reason"]))
        counts = held, len(answers) - held, unsure, len(answers)
        rows.append((*names, *counts, share, word, reasons))
    columns = [*key, YES, NO, OPEN, "cases", "share", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def headlines(entries):
    """Return the headlines as a table: short name, statement, section, statistic and rule."""
    columns = ["short", "statement", "section", "statistic", "rule"]
    rows = [entry | {"rule": rules.in_words(entry)} for entry in entries.values()]
    return pd.DataFrame(rows)[columns]


def table(results, entries):
    """Return the `summary` as a table to read: changes down, headlines across, in a cell the cases
    that hold in `words`; empty where a conclusion was not tried.
    """
    cells = results.assign(cell=[words(row) for row in results.to_dict("records")])
    wide = cells.set_index(["kind", "change", "headline"])["cell"]
    wide = wide.unstack(sort=False, fill_value="").reindex(columns=list(entries), fill_value="")
    wide = wide.rename_axis(None, axis=1).reset_index()
    wide["change"] = wide["change"].map(variants.in_words)
    wide["kind"] = wide["kind"].replace(HEADINGS)
    return wide.rename(columns={name: entry["short"] for name, entry in entries.items()})


def words(row):
    """Return a cell in words: cases that hold of how many, and how many of these are not sure."""
    if not row["cases"]:
        return "–"
    return f"{row[YES]}/{row['cases']}" + (f" ?{row[OPEN]}" if row[OPEN] else "")


def totals(results):
    """Return how many conclusions there are, how many hold by default, and how many changes were
    tried.
    """
    default = results[results["kind"] == DEFAULT]
    return {
        "conclusions": default["headline"].nunique(),
        "held": int(default["verdict"].isin([HOLDS, PART]).sum()),
        "changes": results.loc[results["kind"] != DEFAULT, "change"].nunique(),
    }


def sentences(results, entries, decided=True):
    """Return for each headline its state by default and the changes that alter it, and the empty
    cells, in Markdown.
    """
    if not decided:
        return "Nothing is decided here: the results are not of the real logs at paper scale."
    lines = []
    for name, entry in entries.items():
        part = results[(results["headline"] == name) & (results["cases"] > 0)]
        default = part[part["kind"] == DEFAULT].to_dict("records")
        rest = part[part["kind"] != DEFAULT].to_dict("records")
        if default:
            state, others = _state(default[0]), {}
            for row in rest:
                if _state(row) != state:
                    others.setdefault(_state(row), []).append(
                        f"{variants.in_words(row['change'])} ({words(row)})"
                    )
            same = len(rest) - sum(map(len, others.values()))
            but = "".join(f"; it {outcome} under {', '.join(on)}" for outcome, on in others.items())
            lines.append(
                f"- **{entry['short']}**: by default it {state} ({words(default[0])}). "
                f"{same} of {len(rest)} changes do not alter this{but}."
            )
    gone = results[results["cases"] == 0].drop_duplicates(["reason", "change"])
    for reason, part in gone.groupby("reason", sort=False):
        lines.append(
            f"- Not applicable to {', '.join(map(variants.in_words, part['change']))}: {reason}."
        )
    return "\n".join(lines)


def _state(row):
    """Return the state of a headline: with more than half of its cases it holds, whether with all
    of them or not.
    """
    return {HOLDS: HOLDS, PART: HOLDS, UNDECIDED: "stays open"}.get(row["verdict"], row["verdict"])
