"""The code of docs/extending.md: its files, which can be imported once this module has been, and
its other code.
"""

import importlib
import sys
import tempfile
from pathlib import Path

from tests.pages import blocks

FOLDER = tempfile.TemporaryDirectory()
BLOCKS = blocks("python", "docs/extending.md")
for block in BLOCKS:
    if block.startswith("# "):
        (Path(FOLDER.name) / block.split()[1]).write_text(block)
sys.path.append(FOLDER.name)

CODE = "\n".join(block for block in BLOCKS if not block.startswith("# "))
Backfilling = importlib.import_module("backfilling").Backfilling
Halved = importlib.import_module("halved").Halved
Rounded = importlib.import_module("rounded").Rounded
