"""The code that the pages show."""

import re

from replication.simulator import paths


def blocks(language, page) -> list[str]:
    """Return the blocks of code of a language in a page."""
    text = (paths.ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
