"""Files of other programs, where they are at hand beside the checkout."""

import pytest
from click.testing import CliRunner

from replication.simulator import paths
from replication_exchange import cli

CASES = paths.ROOT.parent / "shared" / "cases" / "files"


@pytest.mark.skipif(not CASES.exists(), reason=f"no {CASES}")
@pytest.mark.parametrize(
    ("words", "code", "found"),
    [
        ("audit audit-overlap-blanks/jobs.csv --processors 32", 1, "16 from 111 s to 161 s"),
        ("audit audit-set-too-small/out_jobs.csv --processors 4", 1, "1 jobs hold fewer"),
        ("compare {two} {two}", 0, "4 jobs in both: the same schedule"),
        ("audit latency-cycle/jobs.csv --processors 8", 0, "0 jobs of these delayed by later"),
        ("audit latency-one-job/jobs.csv --processors 8", 0, "0 jobs of these delayed by later"),
        ("audit swf-fractions/log.swf", 0, "counted in milliseconds"),
    ],
)  # fmt: skip
def test_handed_files(monkeypatch, words, code, found):
    monkeypatch.chdir(CASES)
    words = words.format(two="batsim-two-workloads-compare/a.csv").split()
    done = CliRunner().invoke(cli.main, words)
    assert (done.exit_code, found in done.output) == (code, True)
