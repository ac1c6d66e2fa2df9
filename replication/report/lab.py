"""What JupyterLab keeps of a notebook of the checkout: what was written, nothing of what was run.

``make lab`` hands `clean` to the server, which calls it before every save; so *Run All* and autosave leave
nothing to commit. What was drawn stays on the screen, and in the files of the page.
"""

from pathlib import Path

from replication.simulator import paths

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def clean(model, path, contents_manager, **_):
    """Leave out of a notebook under ``notebooks/`` what running it has added; other files stay as
    they are. `model` is what is about to be saved, changed in place; `path` is as the server
    calls the file.
    """
    if model["type"] != "notebook":
        return
    place = (Path(contents_manager.root_dir) / path.strip("/")).resolve()
    if not place.is_relative_to(paths.NOTEBOOKS.resolve()):
        return
    notebook = model["content"]
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags")
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
