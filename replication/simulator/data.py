"""Files of data in TOML, each read once."""

import functools
import tomllib


@functools.cache
def toml(path):
    """What a file holds."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
