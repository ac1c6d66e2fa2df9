"""Assemble the report from what was drawn: one HTML page that needs no network, and the same as PDF."""

import time

from replication import record


def add_arguments(parser):
    """Say from which outputs."""
    parser.add_argument("--kind", choices=record.KINDS,
                        help="what it is made from (default: the first of these of which anything was drawn)")


def main(args):
    """Write the page and the PDF beside it, and say where the page is and how long it took."""
    from replication import report

    started = time.perf_counter()
    page = report.build(args.kind)
    print(f"report: {page} [{time.perf_counter() - started:.1f} s]")
    return 0
