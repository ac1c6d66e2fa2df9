"""The page of a notebook: its checks, where outputs go, and that they are the same from run to
run.
"""

import io
import math
import re

import numpy as np
import pandas as pd
import pytest
import small_project
from PIL import Image
from small_project import NAME, OURS, PARAMETERS, page, plot

import replication as rp
from replication.drawing import style
from replication.report import assemble, record
from replication.report.page import Page
from replication.report.parameters import PageError, read_cell
from replication.simulator.errors import InputError
from replication.simulator.logs import registry
from replication.simulator.workload import QUICK_JOBS
from replication.verdicts import evidence
from replication.verdicts.rules import Case
from tests.workloads import jobs, write_log

PRINTED = [OURS[0], OURS[2]]


def evidence_of(page, item="fig02"):
    return evidence.read(page.folder / f"{item}.evidence.csv")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "other/fig02"}, "pv_easy, heel_and_toe, top_percent"),
        ({"scale": "small"}, "scale.*paper, quick"),
        ({"seed": True}, "seed True"),
        ({"logs": "CTC-SP2"}, r'such as \["CTC-SP2", "KTH'),
        ({"logs": ["CTC-SP2", "CTC-SP2"]}, "each name once"),
        ({"logs": [{"file": "a.swf", "lines": "skip"}]}, "no rule 'lines'.* file, machine"),
        ({"logs": [{"bad_lines": "skip"}]}, "file None; expected a name or a path"),
        ({"load": -0.5}, "load -0.5; expected a value such as 0.84"),
        ({"factors": [1, -2]}, r"factors \[1, -2\]; expected a value such as \[1, 2\]"),
        ({"kind": "hihg", "allowed": {"kind": ["log", "high"]}}, "kind 'hihg' .*high.*: log, high"),
        ({"predictor": "lsat"}, "lsat.*did you mean last"),
    ],
)
def test_a_wrong_parameter_is_refused_with_the_valid_ones(project, wrong, message):
    with pytest.raises(InputError, match=message):
        page(**wrong)


@pytest.mark.parametrize("value", ["seeds()", "1 +"])
def test_parameters_are_literals(project, value):
    path = small_project.notebook(project, NAME, parameters=f"scale = {value}")
    with pytest.raises(PageError, match="each value a literal"):
        read_cell(path.read_text(), NAME)


def test_quick_scale_takes_fewer_jobs_seeds_and_values(project):
    whole = page().workloads["CTC-SP2"]
    quick = page(scale="quick", logs=["CTC-SP2"])
    part = quick.workloads["CTC-SP2"]
    assert (len(whole), len(part)) == (6000, QUICK_JOBS)
    assert np.array_equal(part.submit, whole.submit[:QUICK_JOBS])
    assert list(quick.seeds(100)) == [1, 2, 3, 4, 5]
    assert list(quick.grid(range(5), 2)) == [0, 2, 4]
    quick_page = page(scale="quick", factors=[1, 2, 3])  # of few values none is left out
    assert list(quick_page.grid(range(5), 2)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 2}, "seed 2 (committed: 1)"),
        ({"logs": ["CTC-SP2"]}, "logs CTC-SP2 (committed: CTC-SP2, KTH-SP2-2)"),
        ({"load": 0.9, "scale": "quick"}, "load 0.9 (committed: 0.84)"),
        ({"percent": 3}, "percent 3 (committed: none)"),
        ({"name": "heel_and_toe/mine"}, "no committed notebook of this name"),
    ],
)
def test_other_parameters_go_to_a_folder_of_their_own_and_prove_nothing(project, changed, message):
    drawn = page(**changed)
    assert (drawn.kind, drawn.undecided) == ("other", "other parameters")
    assert drawn.notice.startswith("**No verdict**: other parameters: ") and message in drawn.notice
    drawn.table(pd.DataFrame({"a": [1]}), "A table", name="own")
    if "name" not in changed:
        reasons = {("mine", "log", "processors"): "an input"}
        shown = drawn.compare([*PRINTED, OURS[0] | {"trace": "mine"}], reasons=reasons)
        assert set(shown.frame["verdict"]) == {"not comparable"}
    before = {path: path.read_bytes() for path in (project / "figures").rglob("*.*")}
    assert small_project.publish(drawn)["provenance"]["kind"] == "other"
    assert any((project / "build/other/heel_and_toe").iterdir())
    assert {path: path.read_bytes() for path in (project / "figures").rglob("*.*")} == before


def test_an_edited_cell_of_parameters_counts_once_it_is_committed(project):
    small_project.notebook(project, NAME, parameters=PARAMETERS.replace("0.84", "0.9"))
    assert (page(workers=7).kind, page(load=0.9).kind) == ("paper", "other")
    small_project.commit(project)
    assert (page().kind, page(load=0.9).kind) == ("other", "paper")


@pytest.fixture
def own_log(project, monkeypatch):
    """A function from columns to the path of a log of 50 jobs, among the real logs."""
    monkeypatch.undo()
    monkeypatch.setenv(record.RUNNING, str(project / "running"))

    def write(name, *lines, **columns):
        return str(write_log(project / name, *lines, submit=range(50), **columns))

    return write


def test_a_log_of_ones_own_is_read_as_any_other_and_again_under_other_rules(own_log):
    path = own_log("my.swf.gz", run_time=range(591, 641), requested_time=[600] * 49 + [-1])
    assert Page(NAME, logs=[path, "CTC-SP2"]).logs == ("my", "CTC-SP2")
    drawn = Page(NAME, logs=[path])
    mine = drawn.load(path)
    assert (len(mine), mine.machine, mine.name) == (50, 8, "my")
    raised = drawn.workloads["my"]
    assert np.array_equal(raised.estimate, np.maximum(600, raised.run_time))
    recorded = drawn.reload(["no-estimate"], overrun="as-is")["my"]
    assert recorded.estimate.tolist() == 49 * [600] and recorded.run_time.max() == 639


def test_a_log_may_name_its_rules_and_what_stands_in_for_estimates(own_log):
    path = own_log("mine.swf", "no job", requested_time=[-1] * 50)
    drawn = Page(NAME, logs=[{"file": path, "bad_lines": "skip"}])
    assert dict(drawn.workloads["mine"].cleaning)["bad-line-wrong-columns"] == 1
    assert f"logs {path} bad_lines=skip (committed:" in drawn.notice
    with pytest.raises(InputError, match="logs = .*'missing': 'run-time'"):
        rp.simulate(drawn.workloads["mine"])
    rules = {"file": path, "bad_lines": "skip"}
    drawn = Page(NAME, logs=[rules | {"missing": "run-time"}])
    schedule = rp.simulate(drawn.workloads["mine"])
    assert np.array_equal(schedule.estimate, schedule.workload.run_time)
    assert "Without an estimate, run time instead: mine (100 %)" in drawn.notice
    with pytest.raises(InputError, match="missing 'longest'.*run-time"):
        _ = Page(NAME, logs=[rules | {"missing": "longest"}]).workloads


def test_a_log_that_the_paper_does_not_use_has_the_default_rules(project, monkeypatch):
    asked = []

    def load(log, paper, **rules):
        asked.append((log, paper, rules))
        return jobs(4, (0, 10, 1, 10))

    monkeypatch.setattr(registry, "load", load)
    page().load("CTC-SP2")
    page().load("RICC", machine=8)
    assert asked == [("CTC-SP2", "heel_and_toe", {}), ("RICC", None, {"machine": 8})]


def test_the_summary_and_its_numbers_are_in_the_record(project):
    drawn = page()
    sentence = "The paper finds {theirs} min, we {ours:.1f} min, from {ends}."
    drawn.opening(sentence, {"ours": "min"}, theirs=21.3712, ours=2 / 3, ends=(1, math.nan))
    facts = small_project.publish(drawn)
    assert facts["summary"] == "The paper finds 21.37 min, we 0.7 min, from 1 to –."
    _, ours, ends = evidence_of(drawn)["opening"]
    assert ours == {"case": "ours", "value": 0.666666667, "unit": "min"}
    assert ends == {"case": "ends", "low": 1, "high": None}


@pytest.mark.parametrize(
    ("real", "scale", "kind"),
    [(False, "paper", "stand-in"), (False, "quick", "stand-in"), (True, "quick", "quick")],
)
def test_quick_scale_and_stand_ins_decide_nothing_and_never_reach_figures(
    tmp_path, monkeypatch, real, scale, kind
):
    small_project.enter(tmp_path, real, monkeypatch.setattr)
    small_project.notebook(tmp_path, NAME)
    small_project.commit(tmp_path)
    drawn = page(scale=scale)
    figure = drawn.figure(plot(), "A figure")
    assert len(pixels(figure.data)) > len(pixels(style.png(plot())))  # a notice above it
    shown = drawn.compare(PRINTED)
    assert set(shown.frame["verdict"]) == {"not comparable"} and all(shown.frame["remark"])
    decided = drawn.claims({"doubling_helps": lambda change: [Case("CTC-SP2", change)]}, change=1)
    markup = decided._repr_html_()
    assert "CTC-SP2 1 %: for" in markup and "verdict" not in markup.partition("</caption>")[2]
    case = {"unit": "%", "case": "CTC-SP2", "value": 1.0}
    assert evidence_of(drawn)["doubling-helps"] == (case,)
    assert small_project.publish(drawn)["provenance"]["kind"] == kind
    assert (tmp_path / "build" / kind / "heel_and_toe/fig02.png").exists()
    report = assemble.build()
    assert report == tmp_path / f"build/report/{kind}/report.html"
    why = {"quick": "quick scale", "stand-in": "where jobs are synthetic"}[kind]
    assert re.search(f"No verdict:? {why}", report.read_text())
    assert not (tmp_path / "figures").exists()


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int)


def test_words_above_and_below_a_figure_cover_nothing():
    plain = pixels(style.png(plot()))
    marked = pixels(style.png(plot(), banner="No verdict", footnote="Run times instead."))
    top = len(pixels(style.png(plot(), banner="No verdict"))) - len(plain)
    above, same, below = np.split(marked, [top, top + len(plain)])
    assert np.abs(same - plain).max() <= 64  # their palettes differ a little
    for label in (above, below):
        assert len(np.unique(label.reshape(-1, 3), axis=0)) > 10


def test_real_logs_at_paper_scale_get_verdicts(project):
    drawn = page()
    shown = drawn.compare([*PRINTED, OURS[0] | {"policy": "aging", "value": 17.25}], extra=True)
    rows = shown.frame.set_index(["trace", "policy"])
    assert rows["verdict"].to_dict() == {
        ("CTC-SP2", "real"): "match",
        ("CTC-SP2", "perfect"): "not comparable",
        ("KTH-SP2-2", "real"): "differs",
        ("KTH-SP2-2", "perfect"): "not comparable",
        ("CTC-SP2", "aging"): "",
    }
    assert rows.loc[("CTC-SP2", "aging"), "remark"] == "not in the paper"
    assert all(text in shown._repr_html_() for text in ("21.37", "+0.1 %", "17.25"))
    recorded = evidence_of(drawn)
    assert recorded["fig02 CTC-SP2 real wait"] == ({"value": 21.4, "unit": "min"},)
    assert recorded["fig02 KTH-SP2-2 perfect wait"] == ({"value": None, "unit": "min"},)
    assert not any("aging" in name for name in recorded)


def test_the_end_of_a_range_is_words_and_a_part_leaves_out_what_others_draw(project):
    text, drawn = "none up to 30 min", page()
    shown = drawn.compare([OURS[0] | {"value": 30.0, "words": text}], item="fig02", part=True)
    ((row,),) = evidence_of(drawn).values()
    assert row == {"value": 30.0, "unit": "min", "part": text}
    assert text in shown._repr_html_() and "+" not in shown._repr_html_()


def test_the_record_says_where_it_comes_from_and_names_no_place_of_this_machine(project):
    facts = record.read("paper", NAME)
    assert facts["parameters"] == {"scale": "paper", "seed": 1} | small_project.COMMITTED
    provenance = facts["provenance"]
    assert provenance["kind"] == "paper"
    log = provenance["logs"]["CTC-SP2"]
    assert log["sha256"] == registry.info("CTC-SP2").sha256 and log["jobs"] == 6000
    assert log["cleaning"]["zero-run-time"] == registry.info("CTC-SP2").jobs - 6000
    assert {"version", "python", "packages", "seconds"} <= facts["run"].keys()
    written = (project / "figures/heel_and_toe/fig02.json").read_text()
    assert "somewhere" not in written and str(project) not in written
    about = Image.open(project / "figures/heel_and_toe/fig02.png").text
    assert about["Title"] == NAME and log["sha256"][:12] in about["Source"]


def test_a_run_with_the_same_results_changes_no_byte_and_another_leaves_nothing(
    project, monkeypatch
):
    monkeypatch.setattr(record, "environment", lambda: {"python": "4.0", "packages": {}})
    before = {path: path.read_bytes() for path in (project / "figures").rglob("*.*")}
    small_project.publish(small_project.draw())
    assert {path: path.read_bytes() for path in (project / "figures").rglob("*.*")} == before
    victim = project / "victim.csv"
    victim.write_text("a")
    facts = record.read("paper", NAME)
    facts["files"]["../../victim.csv"] = facts["files"]["fig02.csv"]  # edited by hand
    record.save(project / "figures/heel_and_toe", NAME, facts)
    drawn = page()
    drawn.table(pd.DataFrame({"a": [1]}), "First", name="new")
    facts = small_project.publish(drawn)
    assert facts["run"]["python"] == "4.0"
    assert list(facts["files"]) == ["fig02-new.csv", "fig02.ipynb"]
    left = {path.name for path in (project / "figures/heel_and_toe").glob("fig02*")}
    assert left == {"fig02.json", *facts["files"]} and victim.exists()


def test_two_outputs_may_not_take_one_name(project):
    drawn = page()
    drawn.figure(plot(), "A figure")
    drawn.figure(plot(), "A figure")  # the cell was run again
    with pytest.raises(PageError, match="name="):
        drawn.figure(plot(), "Another figure")


def test_of_a_claim_that_other_parameters_cannot_decide_its_statement_is_said(project, monkeypatch):
    said = []
    monkeypatch.setattr(Page, "say", lambda page, text: said.append(text))
    drawn = page(load=0.9)
    decided = drawn.claims({}, ["doubling-helps"])
    assert "It helps." in said[0] and "doubling-helps" not in said[0]
    assert decided["doubling-helps"].count == "0 of 0"
    drawn.opening("It helps in {helps} cases.", helps=decided["doubling-helps"].count)
    assert "0 of 0" not in small_project.publish(drawn)["summary"]
    # A case may need a value that the parameters leave out; any other error is one of its function.
    functions = {"doubling_helps": lambda change: [Case("a", change[2])]}
    arguments = functions, ["doubling-helps"]
    assert page(factors=[1]).decide(*arguments, change={1: 0.5}) == {}
    assert page(factors=[1]).decide(*arguments, change=None) == {}  # a table not made
    with pytest.raises(KeyError):
        page(factors=[1, 2], load=0.9).decide(*arguments, change={1: 0.5})


@pytest.mark.parametrize("share", [float("nan"), (1.0, np.nan), "2, nan"])
def test_an_opening_without_a_number_says_so_under_other_parameters(project, share):
    summary = []
    for changes in ({}, {"load": 0.9}):
        drawn = page(**changes)
        drawn.opening("It is {share} %.", share=share)
        summary.append(small_project.publish(drawn)["summary"])
    assert summary[0].startswith("It is ") and "few cases" in summary[1]
