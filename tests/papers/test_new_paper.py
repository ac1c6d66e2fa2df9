"""A new paper takes three things: published values, a claims file and a notebook.

No paper of the project may have the name that the tests use. The name is an unlikely one, so that a
real paper can be called toy.
"""

import shutil

import small_project

from replication.__main__ import main
from replication.report import assemble, record, results
from replication.simulator import paths
from replication.verdicts import evidence, published, rules
from tests.in_process import in_process

VALUES = """trace,policy,measure,value,unit,source
CTC-SP2,EASY,backfilled,5990,jobs,Toy paper Table 1
"""
CLAIMS = """[many-are-backfilled]
section = "Table 1"
statement = "Most jobs are backfilled."
statistic = "share of backfilled jobs, per cent"
operator = ">"
threshold = 50
word_of_size = "large_part"
unit = "%"
"""
FUNCTIONS = """from replication.verdicts.rules import Case


def many_are_backfilled(schedules):
    return [Case(log, 100 * schedule.backfilled.mean()) for log, schedule in schedules.items()]
"""
CELLS = [
    """import replication as rp
import claims_of_a_test as claims
page = rp.Page("test_paper/table1", scale=scale, logs=logs, seed=seed, workers=workers)
schedules = {log: rp.simulate(jobs) for log, jobs in page.workloads.items()}""",
    """key = {"policy": "EASY", "measure": "backfilled", "unit": "jobs"}
ours = [key | {"trace": log, "value": int(one.backfilled.sum())} for log, one in schedules.items()]
page.compare(ours)
decided = page.claims(claims, schedules=schedules)
share = decided["many-are-backfilled"].rows[0]["value"]
page.opening("Here {share:.0f} %.", {"share": "%"}, share=share)""",
]


def test_a_new_paper_is_values_a_claims_file_and_a_notebook(tmp_path, monkeypatch, capsys):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    folder = tmp_path / "published/test_paper"
    folder.mkdir()
    (folder / "table1.csv").write_text(VALUES)
    (folder / "claims.toml").write_text(CLAIMS)
    with open(tmp_path / "published/papers.toml", "a", encoding="utf-8") as file:
        file.write('\n[test_paper]\nname = "Toy"\ntitle = "A toy paper"\n')
    (tmp_path / "claims_of_a_test.py").write_text(FUNCTIONS)
    monkeypatch.syspath_prepend(tmp_path)
    titles = {name: one["title"] for name, one in published.registered().items()}
    monkeypatch.setattr(record, "CHAPTERS", titles)
    path = small_project.notebook(tmp_path, "test_paper/table1", CELLS, enter_cell=False)
    page = in_process(path)["page"]
    shutil.copy(path, page.folder)  # in a kernel it would be the executed notebook
    facts = small_project.publish(page)

    found = results.Item("test_paper/table1", "paper", facts).evidence
    number, decided = found["table1 CTC-SP2 EASY backfilled"], found["many-are-backfilled"]
    assert isinstance(number[0]["value"], int | float)
    (claim,) = results.collect("paper").every("claims")
    assert claim.verdict == ("holds" if decided[0]["value"] > 50 else "fails")
    markup = assemble.build().read_text(encoding="utf-8")
    assert "A toy paper" in markup and "Most jobs are backfilled." in markup
    assert main(["check"]) == 0
    assert "verdicts, all as in the file" in capsys.readouterr().out


def test_the_folder_to_copy_is_a_paper_that_runs(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    values, notebooks = tmp_path / "published/test_paper", tmp_path / "notebooks/test_paper"
    for example in (paths.DATA / "new_paper").iterdir():
        folder = notebooks if example.suffix == ".ipynb" else values
        folder.mkdir(parents=True, exist_ok=True)
        text = example.read_text(encoding="utf-8").replace("PAPER", "test_paper")
        (folder / example.name).write_text(text, encoding="utf-8")
    with open(tmp_path / "published/papers.toml", "a", encoding="utf-8") as file:
        file.write('\n[test_paper]\nname = "Toy"\ntitle = "A toy paper"\n')
    titles = {name: one["title"] for name, one in published.registered().items()}
    monkeypatch.setattr(record, "CHAPTERS", titles)
    small_project.commit(tmp_path)
    page = in_process(notebooks / "table1.ipynb")["page"]
    facts = small_project.publish(page)
    item = results.Item("test_paper/table1", "paper", facts)
    found = {one.id: one.verdict for one in evidence.statements("test_paper", [item])}
    assert found.pop("some-are-backfilled") in ("holds", "fails")
    assert {*found.values()} <= {*rules.NUMBER_VERDICTS}
    rows = published.entries("test_paper", "rows.toml")
    assert len(published.rows("test_paper", "table1")) == rows["table1"]
