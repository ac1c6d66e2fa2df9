"""A defect of a scheduler is named: by a log, its sentence, and the interpretation that it is."""

import sys
from functools import partial
from pathlib import Path

import pytest
from defects import DEFECTS

from conformance import explain, report, suite
from conformance.easy import Easy
from conformance.rules import Rules, simulate

SOURCE = Path(__file__).with_name("my_easy.py")


def results(path, *rules, level="easy"):
    """Return the results of a program in Python."""
    command = f"'{sys.executable}' '{path}' {{swf}} {{out}}"
    run = partial(suite.run_program, command)
    return suite.test(run, suite.choose(level, Rules.parse(rules)))


def test_a_right_scheduler_passes():
    assert all(result.passed for result in results(SOURCE))


def test_the_standard_gives_the_schedules_of_easy():
    for log, rules in suite.choose("easy"):
        jobs, processors = log.jobs()
        Easy(jobs, processors).simulate()
        assert {job.number: job.start for job in jobs} == log.expected(rules), log.name


def test_a_difference_by_conventions_alone_is_called_one():
    outcomes = suite.test(by_rules(zero="a-second-later", kills="yes"), suite.choose("easy"))
    assert "--rule zero=a-second-later" in report.diagnosis(outcomes)[1]
    assert len(report.diagnosis(suite.test(by_rules(strict="yes"), suite.choose("easy")))) == 1


@pytest.mark.parametrize("name", DEFECTS)
def test_each_of_ten_defects_is_named(tmp_path, name):
    old, new, sentence = DEFECTS[name]
    source = SOURCE.read_text(encoding="utf-8")
    assert source.count(old) == 1
    (tmp_path / "defect.py").write_text(source.replace(old, new), encoding="utf-8")
    outcomes = results(tmp_path / "defect.py")
    assert sentence in {result.log.sentence for result in outcomes if not result.passed}
    others = explain.of_all(outcomes)
    # "first" and "first-started" differ from the defect where a job is past its estimate.
    assert explain.explained(others[0], outcomes) >= len(outcomes) - (sentence == "E9")
    assert len(others[0]) == 1 and sentence in {changes[0].sentence for changes in others}


def by_rules(**values):
    """Return a program with these rules beside those it is asked for."""

    def run(log, rules):
        return simulate(*log.jobs(), rules | Rules.of(values))

    return run


def test_several_defects_are_found_together():
    program = by_rules(events="by-plan", kills="yes", zero="dropped", strict="yes")
    outcomes = suite.test(program, suite.choose("easy"))
    others = explain.of_all(outcomes)[0]
    assert explain.explained(others, outcomes) == len(outcomes)
    assert {"E2", "E3", "E11", "E15"} == {change.sentence.replace("P21", "E2") for change in others}


def test_rules_on_purpose_are_no_defects():
    program = by_rules(events="one-by-one", kills="yes", **{"candidate-length": "run-time"})
    asked = suite.choose("easy", Rules.parse(["events=one-by-one", "kills=yes"]))
    outcomes = suite.test(program, asked)
    assert [result.log.name for result in outcomes if not result.passed] == ["E14"]
    named = [explain.sentence(others) for others in explain.of_all(outcomes)]
    assert "plans candidates with their true run times" in named


def test_every_other_interpretation_with_rules_fails_its_log():
    for log in suite.logs():
        rules = log.other_rules
        if rules and "pv-easy" not in (rules["scheduler"], log.rules["scheduler"]):
            assert simulate(*log.jobs(), rules) != log.expected(), log.name


def test_a_chart_shows_both_schedules():
    outcomes = suite.test(by_rules(strict="yes"), suite.choose("easy"))
    result = next(result for result in outcomes if result.log.name == "E11a")
    lines = "\n".join(report.pictures(result)).splitlines()
    expected, actual = lines.index("  expected:"), lines.index("  your program:")
    assert lines[expected + 2 : expected + 6][0].split() == ["4", "......5544."]
    assert lines[actual + 2].split() == ["4", "........44..."]


def test_pages_name_the_failure_and_escape_the_program(tmp_path):
    outcomes = suite.test(by_rules(strict="yes"), suite.choose("easy"))
    about = "<b>mine</b>", "easy", Rules()
    page = report.html(outcomes, *about)
    assert "<b>mine" not in page and "&lt;b&gt;mine" in page
    assert page.count("<svg") == 2 * sum(not result.passed for result in outcomes)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    page = report.markdown(outcomes, *about)
    assert "## E11a" in page and "<b>" not in page
    svg, facts = report.badge(outcomes, "easy", Rules())
    assert "23 of 27" in svg and '"message": "23 of 27"' in facts
