"""Settings of JupyterLab: save the notebooks of the checkout without outputs, so that `git status`
stays clean.

The outputs stay on the screen. Other notebooks, such as those in build/, keep them in the file.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from strip_outputs import strip


def strip_tracked(model, path, **_):
    """Strip a notebook whose folder is that of committed ones, before JupyterLab saves it."""
    if model["type"] == "notebook" and path.strip("/").split("/")[0] in ("notebooks", "studies"):
        strip(model["content"])


# JupyterLab reads this file twice, and warns that the second hook replaces the first.
warnings.filterwarnings("ignore", "Overriding existing pre_save_hook")
c.FileContentsManager.pre_save_hook = strip_tracked  # noqa: F821
