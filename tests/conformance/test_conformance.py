"""The conformance logs: kernels and twins give every schedule, and no other reading or changed kernel does."""

import subprocess
import sys
import tomllib

import numpy as np
import pytest

from replication.simulator import paths
from replication.simulator.simulation import simulate
from tests.conformance import search
from tests.conformance.rules import RULES

MANIFEST = tomllib.loads((search.FOLDER / "manifest.toml").read_text(encoding="utf-8"))["log"]


def test_the_manifest_says_what_the_rules_and_the_documents_say():
    assert [log["name"] for log in MANIFEST] == [rule.name for rule in RULES]
    for log, rule in zip(MANIFEST, RULES, strict=True):
        page, said = search.sentence(rule.name)
        assert (log["page"], log["rule"]) == (f"docs/{page}", said)
        assert (log["other"], log["scheduler"]) == (rule.other, rule.scheduler)
    for folder in ("logs", "schedules"):
        found = {path.stem for path in (search.FOLDER / folder).iterdir()}
        assert found == {rule.name for rule in RULES}


@pytest.mark.parametrize(
    ("log", "rule"), zip(search.logs(), RULES, strict=True), ids=[rule.name for rule in RULES]
)
def test_kernel_and_twin_follow_the_rule_and_the_other_reading_does_not(log, rule):
    _, workload, scheduler, (start, end) = log
    done = simulate(workload, scheduler).validate()
    assert np.array_equal(done.start, start)
    assert np.array_equal(done.end, end)
    right = start.tolist(), (end - start).tolist()
    follow, instead = search.twins(rule)
    assert follow(workload) == right
    assert instead(workload) != right


def test_every_changed_kernel_fails_a_log():
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance.mutations"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
