"""Jupyter's settings for this checkout: notebooks are saved without outputs, so that running one changes no file.

JupyterLab reads this file if it is started in this folder, as ``make lab`` does.
"""


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


c.FileContentsManager.pre_save_hook = strip_outputs  # noqa: F821
c.LabApp.news_url = None  # noqa: F821
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"  # noqa: F821
