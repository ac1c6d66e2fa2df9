"""Draw tables and figures from their notebooks, and assemble the report.

Without --only, all of them. What real logs gave at paper scale goes to figures/; the rest goes
below build/. A notebook that fails does not stop the others; the exit code is then 1.

Examples:
  replication figures
  replication figures --only heel_and_toe/fig02 pv_easy --scale quick
"""

from replication.commands import UsageError


def add_arguments(parser):
    """Say which notebooks, at what scale, with how many workers."""
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="ITEM",
        help="a notebook (heel_and_toe/fig02) or a paper (pv_easy)",
    )
    parser.add_argument(
        "--scale",
        metavar="NAME",
        help="paper, or quick for fewer runs (default: paper on real logs, else quick)",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="threads that simulate (default: all processors)"
    )


def main(args):
    """Run the notebooks; what cannot be run is refused before any of them starts."""
    from replication.pages import run

    try:
        return run.figures(args.only, args.scale, args.workers)
    except run.RunError as error:
        raise UsageError(error) from error
