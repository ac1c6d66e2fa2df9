"""Notebooks are saved and committed without outputs, so that running one changes no file.

JupyterLab and Jupyter Notebook read this file as their settings if they are started in this folder, as ``make lab`` does.
Git runs it on each notebook that it stores, whichever editor saved it; ``make setup`` sets that up.
"""

import json
import sys


def strip_outputs(model, path="", **_):
    """Leave outputs and execution counts out of a notebook that is about to be saved, except in ``figures/``."""
    if model["type"] != "notebook" or model["content"]["nbformat"] != 4:
        return
    if path.startswith("figures/"):
        return
    model["content"]["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in model["content"]["cells"]:
        tags = cell["metadata"].get("tags")
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None


if __name__ == "__main__":  # run by git
    notebook = json.loads(sys.stdin.buffer.read())
    strip_outputs({"type": "notebook", "content": notebook})
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False)
    sys.stdout.buffer.write(f"{text}\n".encode())
else:
    c.FileContentsManager.pre_save_hook = strip_outputs  # noqa: F821
    c.LabApp.news_url = None  # noqa: F821
    c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"  # noqa: F821
