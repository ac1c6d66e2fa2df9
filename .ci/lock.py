"""Update the locks in requirements/ from pyproject.toml: python .ci/lock.py UV."""

import subprocess
import sys

COMPILE = (
    "pip compile --universal --python-version 3.11 --fork-strategy fewest --generate-hashes "
    "--no-annotate --no-header --upgrade --quiet"
)
MAIN = "requirements/main.lock"
LOCKS = {
    MAIN: "pyproject.toml --extra figures --extra lab --extra parquet --extra test --group build",
    "requirements/docs.lock": f"pyproject.toml --extra docs --constraint {MAIN}",
    "requirements/linker.lock": "--group linker",
    "requirements/tools.lock": "--group tools",
}

for lock, options in LOCKS.items():
    words = [sys.argv[1], *COMPILE.split(), *options.split(), "--output-file", lock]
    subprocess.run(words, check=True)
