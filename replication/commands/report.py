"""Assemble the report from what was drawn, as one HTML page and as PDF.

The page needs no network. If everything is of real logs at paper scale it goes to figures/,
else below build/.

Examples:
  replication report
  replication report --kind quick --json
"""

import json
import time

from replication.pages import record


def add_arguments(parser):
    """Say from which outputs."""
    parser.add_argument(
        "--kind",
        choices=record.KINDS,
        help="what it is made from (default: the first of these of which anything was drawn)",
    )
    parser.add_argument("--json", action="store_true", help="print where the two are, as JSON")


def main(args):
    """Write the page and the PDF beside it, and say where the page is and how long it took."""
    from replication.report import assemble as report

    started = time.perf_counter()
    page = report.build(args.kind)
    seconds = time.perf_counter() - started
    if args.json:
        print(
            json.dumps(
                {
                    "page": str(page),
                    "pdf": str(page.with_suffix(".pdf")),
                    "seconds": round(seconds, 1),
                }
            )
        )
    else:
        print(f"report: {page} [{seconds:.1f} s]")
    return 0
