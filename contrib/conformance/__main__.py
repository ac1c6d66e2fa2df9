"""Run the command from this folder or from a zip of it: ``python3 conformance test --help``."""

import sys

from conformance.cli import main

sys.exit(main())
