"""The committed records: of real logs at paper scale, and without a commit or a path of this
machine.
"""

import base64
import json

import pytest

from replication.simulator import paths
from replication.verdicts import evidence

RECORDS = [
    pytest.param(path, id=f"{path.parent.name}/{path.stem}")
    for path in sorted(paths.FIGURES.glob("*/*.json"))
]


@pytest.mark.parametrize("path", RECORDS)
def test_a_committed_record_is_of_real_logs_and_its_notebook_shows_its_pictures(path):
    text = path.read_text(encoding="utf-8")
    facts = json.loads(text)
    assert facts["provenance"]["kind"] == "paper" and facts["parameters"]["scale"] == "paper"
    assert "commit" not in text.partition('"files"')[0]
    cells = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    pictures = {base64.b64decode(output["image/png"]) for output in data if "image/png" in output}
    files = [name for name, file in facts["files"].items() if file["role"] == "figure"]
    assert pictures == {path.with_name(file).read_bytes() for file in files}


def test_the_committed_verdicts_follow_from_the_committed_evidence(recorded):
    assert not recorded.missing
    for file, content in evidence.files(recorded.every("statements")).items():
        assert file.read_bytes() == content
