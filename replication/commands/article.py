"""Build the article from its source and the recorded results, as figures/article.pdf.

Its source is article/article.md. Every number and verdict in it is a reference into what stands in
figures/. A reference that leads nowhere, a sentence whose verdict is another one now, and a number
that somebody typed are listed, all at once, each with its line; then nothing is written.

Exit codes: 0 written; 1 the article and the results do not agree; 2 the command line was refused.

Examples:
  replication article
  replication article --json
"""

from replication.commands import _options as shared
from replication.report import assemble


@shared.as_json("Print where it is and how long it is")
def command(as_json):
    """Build it, and say how long it is."""
    facts = assemble.write_article()
    told = (
        f"article: {facts['pdf']}: {facts['pages']} pages, {facts['words']:,} words, "
        f"{facts['references']} references into the results, {facts['cited']} works cited"
    )
    shared.say(facts, [told], as_json)
