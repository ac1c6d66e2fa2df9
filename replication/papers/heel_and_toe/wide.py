"""Footnotes 6 and 8: badness up to 10,000, without truncation and with it, load by load."""

from replication.papers.heel_and_toe import campaign, curves, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE

#: What a model is called, and its runs.
MODELS = {
    "vanilla": ("The f-model", campaign.vanilla),
    "truncated": ("The truncated f-model", campaign.truncated),
}
DIGITS = 4


def shown(page, found, load):
    """Save what was found at a load: curves, their shapes, and where they come up to the real estimates.

    Parameters
    ----------
    page : replication.pages.page.Page
    found : replication.papers.heel_and_toe.evidence.Evidence
    load : str
        One of ``campaign.LOADS``.

    Returns
    -------
    list
        Figures and tables for display.
    """
    parts = []
    for model, (title, tasks) in MODELS.items():
        about = f"{title}, {campaign.LOADS[load]}"
        name = model if load == "log" else f"{model}_{load}"
        results = found.wide(tasks, load)
        curve = curves.summary(results, PERFORMANCE)
        page.table(curve, f"{about}: means and intervals", f"{name}_curves")
        meets = curves.rounded(trends.crossovers(results, PERFORMANCE), DIGITS)
        parts += [
            page.figure(
                curves.panels(results, PERFORMANCE, scale="symlog"),
                f"{about}: f up to 10,000",
                name,
            ),
            page.table(
                trends.by_range(results, PERFORMANCE, campaign.RANGES),
                f"{about}: the shape of each curve over each range of f",
                f"{name}_shapes",
            ),
            page.table(
                meets,
                f"{about}: the f at which it comes up to the real estimates",
                f"{name}_crossovers",
            ),
        ]
    return parts
