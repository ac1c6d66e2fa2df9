"""Run the command line by ``python -m replication``."""

import sys

from replication.cli import main

if __name__ == "__main__":
    sys.exit(main())
