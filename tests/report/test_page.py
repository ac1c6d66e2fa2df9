"""The page of a notebook: its checks, where outputs go, and that they are the same from
run to run.
"""

import io
import json
import math
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest
import small_project
from matplotlib.figure import Figure
from PIL import Image

import replication as rp
from replication.drawing import style
from replication.report import record
from replication.report.page import Page
from replication.report.parameters import PageError
from replication.report.render import Table
from replication.simulator.errors import InputError
from replication.simulator.logs import registry
from replication.simulator.workload import QUICK_JOBS
from replication.verdicts import evidence, published
from replication.verdicts.rules import Case
from replication.verdicts.shown import text
from tests.workloads import jobs, write_log

NAME = "heel_and_toe/fig02"
PARAMETERS = """scale = "paper"
logs = ["CTC-SP2", "KTH-SP2-2"]
seed = 1
workers = 1
factors = [1, 2]   # of the estimates
load = 0.84"""
COMMITTED = {"logs": ["CTC-SP2", "KTH-SP2-2"], "factors": [1, 2], "load": 0.84}
OURS = [small_project.OURS[0], small_project.OURS[2]]


@pytest.fixture(params=[True], ids=["real"])
def project(request, tmp_path, monkeypatch):
    small_project.enter(tmp_path, request.param, monkeypatch.setattr)
    for name in (NAME, "heel_and_toe/fig03"):
        small_project.notebook(tmp_path, name, [], parameters=PARAMETERS)
    return tmp_path


def make(name=NAME, **changes):
    """A page under the committed parameters but for some changes."""
    return Page(name, **COMMITTED | changes)


def evidence_of(page, item="fig02"):
    return evidence.read(page.folder / f"{item}.evidence.csv")


def drawing():
    figure = Figure(figsize=(4, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot([1, 2, 3], [1, 4, 2])
    axes.set_title("Wait $f$")
    return figure


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "other/fig02"}, "pv_easy, heel_and_toe, top_percent"),
        ({"scale": "small"}, "scale.*paper, quick"),
        ({"seed": True}, "seed True"),
        ({"logs": "CTC-SP2"}, r'such as \["CTC-SP2", "KTH'),
        ({"logs": ["CTC-SP2", "CTC-SP2"]}, "each name once"),
        ({"logs": [{"file": "a.swf", "lines": "skip"}]}, "no rule 'lines'.* file, machine"),
        ({"logs": [{"bad_lines": "skip"}]}, "file None; expected a name or a path"),
        ({"factors": (1, 2)}, r"factors \(1, 2\); expected a value such as \[1, 2\]"),
        ({"load": "84 %"}, "load '84 %'; expected a value such as 0.84"),
        ({"load": -0.5}, "load -0.5; expected a value such as 0.84"),
        ({"load": 0.0}, "load 0.0; expected a value such as 0.84, above 0"),
        ({"factors": []}, r"factors \[\]; expected a value such as \[1, 2\]"),
        ({"kind": "hihg", "allowed": {"kind": ["log", "high"]}}, "kind 'hihg' .*high.*: log, high"),
        ({"predictor": "lsat"}, "lsat.*did you mean last"),
        ({"factors": [1, -2]}, r"factors \[1, -2\]; expected a value such as \[1, 2\]"),
    ],
)
def test_a_wrong_parameter_is_refused_with_the_valid_ones(project, wrong, words):
    with pytest.raises(InputError, match=words):
        make(**wrong)


def test_nothing_is_loaded_before_it_is_asked_for(project, monkeypatch):
    def load(name, paper):
        loaded.append((name, paper))
        return small_project.workload(name)

    loaded = []
    monkeypatch.setattr(registry, "load", load)
    page = make()
    assert loaded == []
    assert list(page.workloads) == ["CTC-SP2", "KTH-SP2-2"]
    assert page.kind == "paper"
    assert loaded == [("CTC-SP2", "heel_and_toe"), ("KTH-SP2-2", "heel_and_toe")]


def test_quick_scale_takes_fewer_jobs_seeds_and_values(project):
    whole = make().workloads["CTC-SP2"]
    part = make(scale="quick").workloads["CTC-SP2"]
    assert (len(whole), len(part)) == (6000, QUICK_JOBS)
    assert np.array_equal(part.submit, whole.submit[:QUICK_JOBS])
    assert list(make(scale="quick").seeds(100)) == [1, 2, 3, 4, 5]
    assert list(make(scale="quick").grid(range(5), 2)) == [0, 2, 4]
    assert list(make(scale="quick", logs=["CTC-SP2"]).grid(range(5), 2)) == [0, 2, 4]
    own = make(scale="quick", factors=[1, 2, 3])  # of few values none is left out
    assert list(own.grid(range(5), 2)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 2}, "seed 2 (committed: 1)"),
        ({"logs": ["CTC-SP2"]}, "logs CTC-SP2 (committed: CTC-SP2, KTH-SP2-2)"),
        ({"load": 0.9, "scale": "quick"}, "load 0.9 (committed: 0.84)"),
        ({"percent": 3}, "percent 3 (committed: none)"),
        ({"name": "heel_and_toe/mine"}, "no committed notebook of this name"),
    ],
)
def test_other_parameters_go_to_a_folder_of_their_own_and_prove_nothing(project, changed, words):
    page = make(**changed)
    assert (page.kind, page.undecided) == ("other", "other parameters")
    assert words in page.notice and page._status().count(words) == 1
    assert page.notice.startswith("**No verdict**: other parameters: ")
    shown = [page.figure(drawing(), "A figure"), page.table(pd.DataFrame({"a": [1]}), "A table")]
    if "name" not in changed:
        reasons = {("mine", "log", "processors"): "an input"}
        shown.append(page.compare([*OURS, OURS[0] | {"trace": "mine"}], reasons=reasons))
        assert set(shown[-1].frame["verdict"]) == {"not comparable"}
    assert small_project.publish(page)["provenance"]["kind"] == "other"
    assert any((project / "build/other/heel_and_toe").iterdir())
    assert not any("No verdict" in table._repr_html_() for table in shown[1:])
    assert not (project / "figures").exists()


def test_the_number_of_workers_changes_nothing(project):
    assert make(workers=7).kind == "paper"


def test_an_edited_cell_of_parameters_counts_once_it_is_committed(project):
    edited = PARAMETERS.replace("0.84", "0.9")
    small_project.notebook(project, NAME, [], parameters=edited, committed=False)
    assert (make().kind, make(load=0.9).kind) == ("paper", "other")
    small_project.commit(project)
    assert (make().kind, make(load=0.9).kind) == ("other", "paper")
    other = "heel_and_toe/fig04"
    small_project.notebook(project, other, [], parameters=PARAMETERS, committed=False)
    assert make(other).kind == "other"


def test_a_log_of_ones_own_is_read_as_any_other_and_again_under_other_rules(project, monkeypatch):
    monkeypatch.undo()
    columns = {"run_time": range(591, 641), "requested_time": [600] * 49 + [-1]}
    path = str(write_log(project / "my.swf.gz", submit=range(50), **columns))
    page = Page(NAME, logs=[path, "CTC-SP2"])
    assert (page.logs, page.kind) == (("my", "CTC-SP2"), "other")
    mine = page.load(path)
    assert (len(mine), mine.machine, mine.name) == (50, 8, "my")
    raised = page.workloads["my"]
    assert np.array_equal(raised.estimate, np.maximum(600, raised.run_time))
    recorded = page.reload(["no-estimate"], overrun="as-is")["my"]
    assert recorded.estimate.tolist() == 49 * [600] and recorded.run_time.max() == 639
    with pytest.raises(PageError, match="each name once"):
        _ = Page(NAME, logs=[path, f"{project}/./my.swf.gz"]).logs


def test_a_log_may_name_its_rules(project, monkeypatch):
    monkeypatch.undo()
    path = write_log(project / "mine.swf", "no job", submit=range(50), requested_time=[-1] * 50)
    page = Page(NAME, logs=[{"file": str(path), "bad_lines": "skip"}, "CTC-SP2"])
    assert page.logs == ("mine", "CTC-SP2")
    assert dict(page.workloads["mine"].cleaning)["bad-line-wrong-columns"] == 1
    assert f"logs {path} bad_lines=skip, CTC-SP2 (committed:" in page.notice
    # The picture says that users' estimates are missing.
    assert "Without an estimate, run time instead: mine (100 %)" in page.notice
    assert "WITHOUT" not in make(logs=["CTC-SP2"]).notice


def test_run_times_stand_in_for_missing_estimates_on_demand(project, monkeypatch):
    monkeypatch.undo()
    path = str(write_log(project / "mine.swf", submit=range(50), requested_time=[-1] * 50))
    with pytest.raises(InputError, match="logs = .*'missing': 'run-time'"):
        rp.simulate(Page(NAME, logs=[path]).workloads["mine"])
    page = Page(NAME, logs=[{"file": path, "missing": "run-time"}])
    schedule = rp.simulate(page.workloads["mine"])
    assert np.array_equal(schedule.estimate, schedule.workload.run_time)
    assert "Without an estimate, run time instead: mine (100 %)" in page.notice
    with pytest.raises(InputError, match="missing 'longest'.*run-time"):
        _ = Page(NAME, logs=[{"file": path, "missing": "longest"}]).workloads


def test_a_log_without_a_queue_says_so(project, monkeypatch):
    workloads = iter([jobs(4, (0, 10, 4), (10, 10, 4)), jobs(4, (0, 10, 4), (9, 10, 1))])
    monkeypatch.setattr(registry, "load", lambda log, paper: next(workloads))
    shown = []
    monkeypatch.setattr(Page, "_show", lambda page: shown.append(page._status()))
    _ = make(logs=["CTC-SP2", "SDSC-SP2"]).workloads
    assert "No job of CTC-SP2 ever waits" in shown[-1]


def test_a_run_leaves_nothing_of_the_run_before(project):
    page = make()
    page.table(pd.DataFrame({"a": [1]}), "First", name="old")
    again = make()
    again.table(pd.DataFrame({"a": [1]}), "First", name="new")
    names = {path.name for path in again.folder.iterdir()}
    assert "fig02-new.csv" in names and "fig02-old.csv" not in names


def test_a_log_that_the_paper_does_not_use_has_the_default_rules(project, monkeypatch):
    asked = []

    def load(log, paper, **rules):
        asked.append((log, paper, rules))
        return jobs(4, (0, 10, 1, 10))

    monkeypatch.setattr(registry, "load", load)
    make().load("CTC-SP2")
    make().load("RICC", machine=8)
    assert asked == [("CTC-SP2", "heel_and_toe", {}), ("RICC", None, {"machine": 8})]


def test_the_summary_and_its_numbers_are_in_the_record(project):
    page = make()
    sentence = "The paper finds {theirs} min, we {ours:.1f} min, from {ends}."
    page.opening(sentence, {"ours": "min"}, theirs=21.3712, ours=2 / 3, ends=(1, math.nan))
    facts = small_project.publish(page)
    assert facts["summary"] == "The paper finds 21.37 min, we 0.7 min, from 1 to –."
    _, ours, ends = evidence_of(page)["opening"]
    assert ours == {"case": "ours", "value": 0.666666667, "unit": "min"}
    assert ends == {"case": "ends", "low": 1, "high": None}


@pytest.mark.parametrize(
    ("project", "scale", "kind"),
    [(False, "paper", "stand-in"), (False, "quick", "stand-in"), (True, "quick", "quick")],
    indirect=["project"],
)
def test_quick_scale_and_stand_ins_get_no_verdict_and_never_reach_figures(project, scale, kind):
    page = make(scale=scale)
    page.figure(drawing(), "A figure")
    page.table(pd.DataFrame({"a": [1]}), "A table")
    shown = page.compare(OURS)
    assert set(shown.frame["verdict"]) == {"not comparable"}
    assert all(shown.frame["remark"]) and page.notice in page._status()
    assert small_project.publish(page)["provenance"]["kind"] == kind
    assert (project / "build" / kind / "heel_and_toe/fig02.png").exists()
    assert not (project / "figures").exists()


def test_a_figure_has_the_same_bytes_from_run_to_run(project):
    for _ in range(2):
        page = make()
        page.figure(drawing(), "A figure", name="again")
        drawn = (page.folder / "fig02-again.png").read_bytes()
        (project / f"{len(list(project.glob('*.png')))}.png").write_bytes(drawn)
    assert (project / "0.png").read_bytes() == (project / "1.png").read_bytes()
    facts = Image.open(io.BytesIO(drawn)).text
    assert facts["Title"] == NAME
    assert registry.info("CTC-SP2").sha256[:12] in facts["Source"]


@pytest.mark.parametrize("project", [False], indirect=True, ids=["stand-in"])
def test_the_stand_in_banner_adds_to_a_figure_and_covers_nothing(project):
    page = make()
    plain, marked = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int)
        for png in (style.png(drawing()), page.figure(drawing(), "A figure").data)
    )
    extra = marked.shape[0] - plain.shape[0]
    assert extra > 20
    differ = np.abs(marked[extra:] - plain)  # their palettes do, a little
    assert differ.max() <= 64 and differ.mean() < 0.5
    assert len(np.unique(marked[:extra].reshape(-1, 3), axis=0)) > 10  # words, not an empty strip


def test_a_footnote_stands_below_a_figure():
    plain, noted = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), int)
        for png in (style.png(drawing()), style.png(drawing(), footnote="Run times instead."))
    )
    above, below = np.split(noted, [len(plain)])
    assert np.abs(above - plain).max() <= 64  # their palettes differ a little
    assert below.min() < 128  # words, not an empty strip


def test_a_user_style_does_not_change_figures(project):
    before = style.png(_styled())
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):
        assert style.png(_styled()) == before


def _styled():
    style.apply()
    return drawing()


def test_a_scheduler_looks_the_same_in_every_picture():
    alone = style.series(["PV-EASY"])["PV-EASY"]
    assert style.series(["SJF-EASY", "another", "PV-EASY", "EASY"])["PV-EASY"] == alone
    assert style.bars(["EASY-Last", "PV-EASY"])["PV-EASY"]["facecolor"] == alone["color"]


def test_others_take_the_looks_that_are_left():
    looks = style.series(["new", "EASY", "newer"])
    assert len({look["color"] for look in looks.values()}) == 3


def test_a_table_has_nine_digits_and_whole_numbers_exactly(project):
    waits = [1 / 3, 1e-17, 123_456_789_012.0, -123_456_789_012.3, np.nan]
    frame = pd.DataFrame({"log": ["a", "b,c", "d", "e", "f"], "wait": waits, "jobs": 2**60 + 1})
    page = make()
    page.table(frame, "A table")
    data = (page.folder / "fig02.csv").read_bytes()
    assert b"\r" not in data
    written = [0.333333333, 0, 123_456_789_012, -123_456_789_000, np.nan]
    assert pd.read_csv(io.BytesIO(data)).equals(frame.assign(wait=written))


def test_a_named_index_is_kept_and_column_levels_are_joined():
    frame = pd.DataFrame(
        [[1.0, 2.0]],
        index=pd.Index(["CTC"], name="log"),
        columns=pd.MultiIndex.from_product([["wait"], ["real", "perfect"]]),
    )
    assert Table(frame, "A table").csv() == b"log,wait real,wait perfect\nCTC,1.0,2.0\n"


def test_a_table_escapes_what_comes_from_a_log():
    markup = Table(pd.DataFrame({"<i>": [small_project.HOSTILE]}), "<b>")._repr_html_()
    assert "<script>" not in markup and "<i>" not in markup and "<b>" not in markup
    assert "&lt;script&gt;" in markup and "&lt;i&gt;" in markup and "&lt;b&gt;" in markup


def test_shares_are_shown_in_per_cent_once():
    fraction, per_cent = (Table(pd.DataFrame({"share": [x]}), "") for x in (0.251, 25.1))
    assert "25.1%" in fraction._repr_html_()
    assert "25.1" in per_cent._repr_html_() and "%" not in per_cent._repr_html_()


def test_numbers_have_no_exponents_and_measures_have_names():
    frame = pd.DataFrame({"measure": ["mean_wait"], "jobs": [10412.0], "low": [-1e-12]})
    markup = Table(frame, "", formats={"jobs": "{:,.4g}"})._repr_html_()
    assert all(f">{cell}</td>" in markup for cell in ("Mean wait", "10,412", "0"))


def test_a_long_table_shows_its_first_rows():
    table = Table(pd.DataFrame({"a": range(100)}), "Numbers", file="a.csv")
    assert "Numbers (the first 10 of 100 rows of a.csv)" in table._repr_html_()
    assert table._repr_html_().count("<td") == 10 and table.csv().count(b"\n") == 101


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12345, "12,345"),
        (5.0, "5"),
        (0.0, "0"),
        (21.3712, "21.37"),
        (12345.6, "12,346"),
        (0.012345, "0.01235"),
        (float("nan"), "–"),
        (None, "–"),
        (float("-inf"), "-∞"),
        (np.int64(7), "7"),
        (np.bool_(True), "yes"),
        ("x", "x"),
    ],
)
def test_numbers_as_a_reader_wants_them(value, shown):
    assert text(value) == shown


def test_real_logs_at_paper_scale_get_verdicts(project):
    page = make()
    shown = page.compare(OURS)
    by_policy = shown.frame.set_index(["trace", "policy"])["verdict"]
    assert by_policy["CTC-SP2", "real"] == "match"
    assert by_policy["KTH-SP2-2", "real"] == "differs"
    assert by_policy["CTC-SP2", "perfect"] == "not comparable"
    rows = evidence_of(page)
    assert rows["fig02 CTC-SP2 real wait"] == ({"value": 21.4, "unit": "min"},)
    assert rows["fig02 KTH-SP2-2 perfect wait"] == ({"value": None, "unit": "min"},)
    assert "21.37" in shown._repr_html_() and "+0.1 %" in shown._repr_html_()


def test_a_part_of_an_item_leaves_out_what_other_notebooks_draw(project):
    page = make("heel_and_toe/fig03")
    assert len(page.compare(OURS, item="fig02", part=True).frame) == 2
    assert list(small_project.publish(page)["files"]) == ["fig03.evidence.csv"]


@pytest.mark.parametrize("scale", ["paper", "quick"])
def test_more_policies_than_the_paper_prints_are_shown_and_not_recorded(project, scale):
    page = make(scale=scale)
    shown = page.compare([*OURS, OURS[0] | {"policy": "aging", "value": 17.25}], extra=True)
    last = shown.frame.iloc[-1]
    assert (last["policy"], last["verdict"], last["remark"]) == ("aging", "", "not in the paper")
    assert "17.25" in shown._repr_html_() and "not in the paper" in shown._repr_html_()
    assert (rows := evidence_of(page)) and not any("aging" in name for name in rows)


def test_the_record_says_where_it_comes_from_and_names_no_place_of_this_machine(project):
    page = make()
    page.table(pd.DataFrame({"a": [1]}), "A table")
    written = (page.folder / "fig02.json").read_text()
    facts = json.loads(written)
    assert facts["parameters"] == {
        "scale": "paper",
        "logs": ["CTC-SP2", "KTH-SP2-2"],
        "seed": 1,
        "factors": [1, 2],
        "load": 0.84,
    }
    provenance = facts["provenance"]
    assert provenance["kind"] == "paper"
    log = provenance["logs"]["CTC-SP2"]
    assert log["sha256"] == registry.info("CTC-SP2").sha256 and log["jobs"] == 6000
    assert log["cleaning"]["zero-run-time"] == registry.info("CTC-SP2").jobs - 6000
    assert {"version", "python", "packages", "seconds"} <= facts["run"].keys()
    assert "somewhere" not in written and str(project) not in written


def test_a_second_run_with_the_same_results_leaves_the_record_alone(project, monkeypatch):
    def run(python, value=1):
        monkeypatch.setattr(record, "environment", lambda: {"python": python, "packages": {}})
        page = make()
        page.figure(drawing(), "A figure")
        page.table(pd.DataFrame({"a": [value]}), "A table")
        small_project.publish(page)
        return (project / "figures/heel_and_toe/fig02.json").read_bytes()

    first = run("3.11")
    assert run("3.12") == first
    assert json.loads(run("3.13", value=2))["run"]["python"] == "3.13"


def test_two_outputs_may_not_take_one_name(project):
    page = make()
    page.figure(drawing(), "A figure")
    page.figure(drawing(), "A figure")  # the cell was run again
    with pytest.raises(PageError, match="name="):
        page.figure(drawing(), "Another figure")


@pytest.mark.parametrize("real, scale", [(True, "quick"), (False, "paper")])
def test_what_proves_nothing_decides_no_claim(tmp_path, monkeypatch, real, scale):
    small_project.enter(tmp_path, real, monkeypatch.setattr)
    small_project.claims(tmp_path)
    small_project.notebook(tmp_path, "heel_and_toe/claims", [])
    page = Page("heel_and_toe/claims", scale=scale, logs=["CTC-SP2"])
    decided = page.claims({"doubling_helps": lambda change: [Case("CTC-SP2", change)]}, change=1)
    markup = decided._repr_html_()
    assert "CTC-SP2 1 %: for" in markup and "verdict" not in markup.partition("</caption>")[2]
    rows = {"doubling-helps": ({"unit": "%", "case": "CTC-SP2", "value": 1.0},)}
    assert evidence_of(page, "claims") == rows


def test_a_claim_that_other_parameters_cannot_decide_has_no_case_and_no_other_id(project):
    small_project.claims(project)
    decided = make(load=0.9).claims({}, ["doubling-helps"])
    assert decided["doubling-helps"].count == "0 of 0"
    with pytest.raises(KeyError):
        decided["doubling-helped"]


def test_other_parameters_name_claims_by_their_statements(project, monkeypatch):
    said = []
    monkeypatch.setattr(Page, "say", lambda page, words: said.append(words))
    small_project.claims(project)
    page = make(load=0.9)
    decided = page.claims({}, ["doubling-helps"])
    statement = published.claims_of("heel_and_toe")["doubling-helps"]["statement"]
    assert statement in said[0] and "doubling-helps" not in said[0]
    page.opening("It helps in {helps} cases.", helps=decided["doubling-helps"].count)
    assert "0 of 0" not in json.loads((page.folder / "fig02.json").read_text())["summary"]


@pytest.mark.parametrize("share", [float("nan"), (1.0, np.nan), "2, nan"])
def test_an_opening_without_a_number_says_so_under_other_parameters(project, share):
    summary = []
    for changes in ({}, {"load": 0.9}):
        page = make(**changes)
        page.opening("It is {share} %.", share=share)
        summary.append(json.loads((page.folder / "fig02.json").read_text())["summary"])
    assert summary[0].startswith("It is ") and "few cases" in summary[1]


def test_a_claim_that_needs_a_left_out_value_of_a_list_has_no_case(project):
    small_project.claims(project)
    functions = {"doubling_helps": lambda change: [Case("a", change[2])]}
    known = ["doubling-helps"]
    assert make(factors=[1]).decide(functions, known, change={1: 0.5}) == {}
    with pytest.raises(KeyError):
        make(factors=[1, 2], load=0.9).decide(functions, known, change={1: 0.5})


def test_a_heading_names_the_unit_of_its_numbers():
    columns = {"measure": ["delay"], "mean_wait": [90.0], "gain": [2.5], "jobs": [7], "rank": [1]}
    units = {"gain": "%", "jobs": "jobs", "rank": "rank", "delay": "min"}
    markup = Table(pd.DataFrame(columns), "", units=units)._repr_html_()
    headings = re.findall("<th [^>]*>(.*?)</th>", markup)
    assert headings == ["Measure", "Mean wait [s]", "Gain [%]", "Jobs", "Rank"]
    assert ">Delay [min]</td>" in markup


def test_the_end_of_a_range_is_words_and_has_no_difference(project):
    words = "none up to 30 min"
    page = make()
    shown = page.compare([OURS[0] | {"value": 30.0, "words": words}], item="fig02", part=True)
    ((row,),) = evidence_of(page).values()
    assert row == {"value": 30.0, "unit": "min", "part": words}
    assert words in shown._repr_html_() and "+" not in shown._repr_html_()
