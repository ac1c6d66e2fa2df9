"""Git's filter for notebooks: read one, and write it without outputs, execution counts and settings
of editors.

Git then stores no outputs, whichever editor saved the notebook. `make setup` registers the filter,
.gitattributes names its files. JupyterLab, as `make lab` starts it, saves the same bytes
(.ci/lab_config.py).
"""

import json
import sys


def strip(notebook):
    """Remove from a notebook, a dict, in place everything that Git does not store."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags")
        cell["metadata"] = {"tags": tags} if tags else {}
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None


if __name__ == "__main__":
    read = json.loads(sys.stdin.buffer.read())
    strip(read)
    text = json.dumps(read, indent=1, sort_keys=True, ensure_ascii=False)
    sys.stdout.buffer.write(f"{text}\n".encode())
