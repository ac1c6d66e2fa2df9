"""A new paper takes published values, a file of claims and a notebook: a copy of
``data/new_paper``.

No paper of the project may have the name that the test uses. The name is an unlikely one, so that a
real paper can be called toy.
"""

import shutil

import small_project

from replication.__main__ import main
from replication.report import assemble, record, results
from replication.simulator import paths
from replication.verdicts import published, rules
from tests.in_process import in_process


def test_the_folder_to_copy_is_a_paper_that_runs(tmp_path, monkeypatch, capsys):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    values, notebooks = tmp_path / "published/test_paper", tmp_path / "notebooks/test_paper"
    for example in (paths.DATA / "new_paper").iterdir():
        folder = notebooks if example.suffix == ".ipynb" else values
        folder.mkdir(parents=True, exist_ok=True)
        text = example.read_text(encoding="utf-8").replace("PAPER", "test_paper")
        (folder / example.name).write_text(text, encoding="utf-8")
    with open(tmp_path / "published/papers.toml", "a", encoding="utf-8") as file:
        file.write('\n[test_paper]\nname = "Toy"\ntitle = "A toy paper"\n')
    titles = {name: paper["title"] for name, paper in published.registered().items()}
    monkeypatch.setattr(record, "CHAPTERS", titles)
    small_project.commit(tmp_path)
    page = in_process(notebooks / "table1.ipynb")["page"]
    shutil.copy(notebooks / "table1.ipynb", page.folder)  # in a kernel: the executed notebook
    assert record.publish("test_paper/table1", page.folder) == "paper"

    rows = published.entries("test_paper", "rows.toml")
    assert len(published.rows("test_paper", "table1")) == rows["table1"]
    recorded = results.collect("paper")
    (claim,) = [claim for claim in recorded.every("claims") if claim.paper == "test_paper"]
    assert claim.verdict in ("holds", "fails")
    numbers = [row.verdict for row in recorded.every("numbers") if row.paper == "test_paper"]
    assert {*numbers} <= {*rules.NUMBER_VERDICTS}
    markup = assemble.build().read_text(encoding="utf-8")
    assert "A toy paper" in markup and claim.entry["statement"] in markup
    assert main(["check"]) == 0
    assert "verdicts, all as in the file" in capsys.readouterr().out
