"""The records that are committed: each names a commit of this repository, and no changes that are not in it."""

import pytest

from replication.papers import git
from replication.report import record
from replication.simulator import paths

RECORDS = [
    pytest.param(path, id=f"{path.parent.name}/{path.stem}")
    for path in sorted(paths.FIGURES.glob("*/*.json"))
]
# A copy without its history knows no commits.
WHOLE = git.is_checkout(paths.ROOT) and git.git("rev-parse", "--is-shallow-repository") == "false"


@pytest.mark.parametrize("path", RECORDS)
def test_what_is_committed_was_drawn_from_a_commit_of_this_repository(path):
    facts = record.read(path)
    assert (facts["kind"], facts["run"]["dirty"]) == ("paper", False)
    if WHOLE:
        assert git.git("cat-file", "-t", facts["run"]["commit"]) == "commit"


def test_a_damaged_record_counts_as_not_drawn_and_is_named(tmp_path, capsys):
    (tmp_path / "fig02.json").write_text('{"item": "heel_and_to')
    assert record.read(tmp_path / "fig02.json") is None
    said = capsys.readouterr().err
    assert str(tmp_path / "fig02.json") in said and said.count("\n") == 1
