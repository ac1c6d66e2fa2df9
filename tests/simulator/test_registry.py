"""The registry of logs, the cleaning rules, and downloads."""

import gzip
import hashlib
import json
import os
import re
import types
from pathlib import Path

import pooch
import pytest
import requests

import replication as rp
from replication import cli
from replication.simulator import paths
from replication.simulator.logs import cleaning, registry, swf
from replication.simulator.logs.cleaning import CleaningError
from replication.simulator.logs.swf import SWFError
from tests.workloads import trace, write_log

KTH = "KTH-SP2"
LOG = paths.ROOT / "contrib/conformance/logs/E2a.swf"


def in_any_words(message):
    """Return a pattern for a message that leaves the words before the allowed values open."""
    return ".*".join(map(re.escape, message.split("; allowed: ")))


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """Never the real network."""
    monkeypatch.setenv(registry.OFFLINE, "1")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No folder holds any log."""
    monkeypatch.delenv("REPLICATION_TRACES", raising=False)
    monkeypatch.setattr(paths, "TRACES", tmp_path / "traces")
    return tmp_path / "traces"


# The registry.


def test_the_registry_is_complete_and_consistent():
    logs = [registry.info(name) for name in registry.names()]
    assert len({log.file for log in logs}) == len({log.sha256 for log in logs}) == len(logs)
    for log in logs:
        assert re.fullmatch(f"https://.*/{re.escape(log.file)}", log.address)
        assert re.fullmatch(r"[0-9a-f]{64}", log.sha256) and log.acknowledge
        assert log.papers == tuple(p for p in registry.papers() if log.name in registry.names(p))
    papers = {"pv_easy": 430, "heel_and_toe": 512, "top_percent": 338}
    assert {p: registry.cleaning_of("CTC-SP2", p).machine for p in registry.papers()} == papers
    rules = registry.cleaning_of("CTC-SP2")
    assert (rules.machine, rules.size, rules.overrun) == (338, "requested", "raise-estimate")


NAMES = "CTC-SP2, KTH-SP2, "


@pytest.mark.parametrize(
    "source, options, message",
    [
        ("CTC", {}, f"log 'CTC' is not known (did you mean CTC-SP2?); allowed: {NAMES}"),
        ("CEA-Curie", {"paper": "pv_easy"}, "pv_easy does not use 'CEA-Curie'; allowed: CTC-SP2, "),
        ("CTC-SP2", {"paper": "pv"}, "no paper 'pv' (did you mean pv_easy?); allowed: pv_easy, "),
        ("none.swf", {}, f"none.swf: no such file in {os.getcwd()}"),
        (os.getcwd(), {}, f"{os.getcwd()}: a folder; allowed: a file"),
        ([1], {}, "source is a list; allowed: a name, a path"),
        (LOG, {"paper": "pv_easy"}, "; allowed: only for CTC-SP2"),
        (LOG, {"size": "peak"}, "size 'peak'; allowed: requested, allocated"),
        (LOG, {"drop": ["short"]}, "drop rule 'short'; allowed: no-run-time, zero-run-time"),
        (LOG, {"drop": 5}, "drop 5; allowed: names of no-run-time"),
        (LOG, dict.fromkeys(["drop", "keep"], "no-estimate"), "drop and keep both name no-estim"),
        (LOG, {"machine": 0}, "machine 0; allowed: a whole number from 1 to 1000000000000"),
    ],
)
def test_a_wrong_name_or_rule_is_refused_with_the_right_ones(source, options, message):
    with pytest.raises(ValueError, match=in_any_words(message)):
        registry.load(source, **options)


# From a log to jobs.


def test_sizes_fall_back_on_the_other_field():
    log = trace(requested_processors=[4, -1, 3, 0], allocated_processors=[2, 5, -1, 6])
    requested = cleaning.workload(log)
    assert requested.processors.tolist() == [4, 5, 3, 6]
    assert dict(requested.cleaning)["size-from-allocated"] == 2
    allocated = cleaning.workload(log, size="allocated")
    assert allocated.processors.tolist() == [2, 5, 3, 6]
    assert dict(allocated.cleaning)["size-from-requested"] == 1


def test_the_header_says_which_size_the_machine_counts_or_a_warning_does():
    sizes = {"requested_processors": [1, 2], "allocated_processors": [2, 2]}
    with pytest.warns(cleaning.UnitWarning, match="33% more processor time.*size='allocated'"):
        assert cleaning.workload(trace(**sizes)).processors.tolist() == [1, 2]
    for text, processors in (("allocated nodes", [2, 2]), ("requested", [1, 2])):
        log = trace((" MaxProcs: 8", f" Sizes: {text}"), **sizes)
        assert cleaning.workload(log).processors.tolist() == processors
        assert cleaning.workload(log, size="requested").processors.tolist() == [1, 2]


@pytest.mark.parametrize(
    "header, partition, count", [((), [1, 2, -1], 2), ((" MaxPartitions: 170",), [-1] * 3, 170)]
)
def test_partitions_are_simulated_as_one_machine_with_a_warning(header, partition, count):
    log = trace((" MaxProcs: 8", *header), partition=partition)
    with pytest.warns(cleaning.UnitWarning, match=f"{count} partitions .* 8 processors"):
        assert cleaning.workload(log).machine == 8


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("held, options", [(21, {}), (40, {"size": "requested"})])
def test_nearly_equal_or_chosen_sizes_on_one_partition_need_no_warning(held, options):
    sizes = {"requested_processors": [20, 20], "allocated_processors": [held, held]}
    log = trace((" MaxPartitions: 1",), partition=[4, -1], **sizes)
    cleaning.workload(log, machine=64, **options)


def test_estimates_that_become_the_run_time_by_more_than_a_tenth_count_as_missing():
    log = trace(run_time=[100, 110, 111, 50], requested_time=[100, 100, 100, -1])
    jobs = cleaning.workload(log)
    assert jobs.without_estimate == 0.5 and jobs.estimate.tolist() == [100, 110, 111, 50]
    assert dict(jobs.cleaning)["estimate-far-below-run-time"] == 1
    assert cleaning.workload(log, overrun="raise-estimate").without_estimate == 0.25


def test_estimates_in_minutes_are_named_and_not_simulated():
    log = trace(submit=range(4), run_time=[600] * 4, requested_time=[20, 20, 20, 6000])
    with pytest.warns(cleaning.UnitWarning, match="3 of 4 estimates .* in minutes"):
        jobs = cleaning.workload(log)
    with pytest.raises(ValueError, match="75 % of the jobs have no estimate"):
        rp.simulate(jobs)


@pytest.mark.parametrize(
    "overrun, run_time, estimate, rule",
    [
        ("raise-estimate", [10, 50, 30], [20, 50, 30], "estimate-raised"),
        ("cut-run", [10, 40, 30], [20, 40, 30], "run-cut"),
        ("as-is", [10, 50, 30], [20, 40, 30], "overrun-kept"),
    ],
)
def test_a_run_past_its_estimate(overrun, run_time, estimate, rule):
    log = trace(run_time=[10, 50, 30], requested_time=[20, 40, -1])
    jobs = cleaning.workload(log, overrun=overrun)
    assert (jobs.run_time.tolist(), jobs.estimate.tolist()) == (run_time, estimate)
    assert dict(jobs.cleaning)[rule] == 1
    assert dict(jobs.cleaning)["estimate-from-run-time"] == 1


@pytest.mark.parametrize(
    "rule, columns",
    [
        ("no-run-time", {"run_time": [5, -1, 5]}),
        ("zero-run-time", {"run_time": [5, 0, 5]}),
        ("no-processors", {"requested_processors": [1, -1, -1], "allocated_processors": [1, 0, 2]}),
        ("not-allocated", {"allocated_processors": [1, -1, 1]}),
        ("cancelled-before-start", {"status": [5, 5, 1], "run_time": [5, 0, 0]}),
        ("cancelled-before-start", {"status": [5, 5, 0], "allocated_processors": [1, -1, -1]}),
        ("no-estimate", {"requested_time": [10, -1, 10]}),
        ("larger-than-machine", {"requested_processors": [8, 9, 1]}),
    ],
)
def test_each_rule_leaves_out_its_jobs_and_counts_them(rule, columns):
    jobs = cleaning.workload(trace(**columns), rules=[rule])
    assert jobs.job_id.tolist() == [1, 3]
    assert jobs.cleaning[0] == (rule, 1)
    assert jobs.provenance["drop"] == [rule]


@pytest.mark.parametrize(
    ("choice", "hint", "zeros"),
    [
        ({}, "drop='{0}' (--drop {0})", 0),
        ({"keep": "zero-run-time"}, "drop='{0}', keep='zero-run-time'", 1),
        ({"drop": ""}, "drop='{0}', keep='no-run-time,zero-run-time,no-processors'", 1),
        ({"drop": "no-estimate"}, "drop='no-estimate,{0}'", 0),
    ],
)
def test_a_hint_followed_word_for_word_adds_a_rule_to_those_that_were_chosen(choice, hint, zeros):
    """The log has a job that is larger than the machine, and one of run time 0."""
    size, run_time, larger = [9, 1, 1], [5, 5, 0], "larger-than-machine"
    sizes = {"requested_processors": size, "allocated_processors": size}
    log = trace(run_time=run_time, requested_time=[9, 9, 9], **sizes)
    with pytest.raises(SWFError) as refused:
        registry.load(log, **choice)
    assert hint.format(larger) in str(refused.value)
    jobs = registry.load(log, **dict(re.findall(r"(drop|keep)='([^']*)'", str(refused.value))))
    assert jobs.provenance["drop"][-1] == larger
    assert dict(jobs.cleaning).get(cleaning.ZERO_SIMULATED, 0) == zeros


def test_a_job_is_counted_by_the_first_rule_that_leaves_it_out():
    log = trace(run_time=[5, -1, -1], allocated_processors=[1, -1, 1])
    rules = ["no-run-time", "not-allocated"]
    for order, counts in ((rules, [2, 0]), (rules[::-1], [1, 1])):
        jobs = cleaning.workload(log, rules=order)
        assert [count for _, count in jobs.cleaning[:2]] == counts


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"run_time": [5, -1]}, "line 2, field 4 (run_time): -1; allowed: a known run time"),
        (
            {"requested_processors": [-1] * 7, "allocated_processors": [9] * 7},
            "line 1, field 5 (allocated_processors): 9; allowed: at most the machine's 8 "
            "(7 such jobs, numbers 1, 2, 3, 4, 5, ...); drop='larger-than-machine', keep='no-run-t",
        ),
    ],
)
def test_a_job_that_cannot_run_is_an_error_unless_a_rule_leaves_it_out(columns, message):
    with pytest.raises(SWFError, match=in_any_words(message)):
        cleaning.workload(trace(**columns), rules=())


def test_a_log_of_which_no_job_is_left_is_refused():
    message = "^some.swf: no jobs left .* zero-run-time 2; keep='zero-run-time'"
    with pytest.raises(SWFError, match=message):
        cleaning.workload(trace(submit=[0, 1], run_time=[0, 0]), name="other")


def test_the_machine_is_the_headers_unless_given():
    assert cleaning.workload(trace(submit=[0])).machine == 8
    assert cleaning.workload(trace(submit=[0]), machine=20).machine == 20
    for comments, message in (
        ([], "the header names no MaxProcs; give the machine's"),
        ([" MaxNodes: 16"], r"MaxNodes: 16.*machine=16 \(--processors 16; .*largest.* 3"),
        ([" MaxProcs: 0"], "header field MaxProcs: '0'.*a whole number from 1 to "),
    ):
        log = swf.Trace.from_columns([0], comments=comments, requested_processors=[3])
        with pytest.raises(SWFError, match=f"^columns: .*{message}"):
            cleaning.workload(log)


# Jobs of the real logs, as counted in them by other means.


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names())
def test_the_registry_has_the_load_of_a_log(real_log, name):
    assert round(real_log(name).load, 4) == registry.info(name).load


@pytest.mark.parametrize(
    "paper, name, jobs, changed",
    [
        (None, "CTC-SP2", 77205, {"estimate-raised": 7174, "size-from-allocated": 77205}),
        ("pv_easy", "SDSC-BLUE", 223663, {"no-run-time": 10744, "not-allocated": 19516 - 10617}),
        ("heel_and_toe", "KTH-SP2-2", 28489, {"no-run-time": 0}),
        ("top_percent", "KTH-SP2", 28467, {"zero-run-time": 8, "no-processors": 1, "run-cut": 475}),
    ],
)
def test_jobs_of_the_papers(real_log, paper, name, jobs, changed):
    workload = real_log(name, paper=paper)
    assert len(workload) == jobs
    assert dict(workload.cleaning).items() >= changed.items()
    left_out = sum(count for rule, count in workload.cleaning if rule in cleaning.DROP_RULES)
    assert jobs + left_out == registry.info(name).jobs
    assert workload.machine == registry.cleaning_of(name, paper).machine
    assert workload.provenance["paper"] == paper
    assert workload.provenance["sha256"] == registry.info(name).sha256


# Where logs come from.


def hold(folder, name=KTH, content=b"", packed=True):
    """Put a file where the log of this name belongs."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / registry.info(name).file
    path = path if packed else path.with_suffix("")
    path.write_bytes(gzip.compress(content) if packed else content)
    return path


def test_folders_are_searched_in_order(nowhere, tmp_path, monkeypatch):
    assert registry.locate(KTH) is None
    assert hold(nowhere) == registry.locate(KTH)
    monkeypatch.setenv("REPLICATION_TRACES", f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    assert hold(tmp_path / "second", packed=False) == registry.locate(KTH)
    assert hold(tmp_path / "first") == registry.locate(KTH)


def test_a_log_with_another_content_is_refused(nowhere):
    content = b"; MaxProcs: 100\n1 0 0 5 1 5 -1 1 9 -1 1 1 1 -1 1 -1 -1 -1\n"
    path = hold(nowhere, content=content)
    hashes = f"{hashlib.sha256(content).hexdigest()}, expected {registry.info(KTH).sha256}"
    with pytest.raises(SWFError, match=f"^{path}: sha256 of the decompressed file is {hashes}"):
        registry.load(KTH)


def test_a_missing_log_is_an_error_with_three_ways_out(nowhere):
    with pytest.raises(registry.Missing) as error:
        registry.load(KTH)
    message = str(error.value)
    assert message.startswith(f"{KTH}: no {registry.info(KTH).file} in {nowhere}")
    assert "Give the path" in message and "REPLICATION_TRACES" in message
    assert "registry.fetch('KTH-SP2')" in message and "synthetic=True" in message
    jobs = registry.load("CTC-SP2", paper="pv_easy", synthetic=True)
    assert (jobs.name, jobs.machine, len(jobs), jobs.stand_in) == ("CTC-SP2", 430, 77222, True)


def test_a_path_is_read_with_the_headers_machine(tmp_path, monkeypatch):
    path = write_log(tmp_path / "my.swf.gz", submit=[3, 4], requested_processors=[1, 9])
    jobs = registry.load(path, drop="larger-than-machine")
    assert (jobs.name, jobs.machine, len(jobs)) == ("my", 8, 1)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert len(registry.load("~/my.swf.gz", machine=9)) == 2
    assert registry.file_of("~/my.swf.gz") == path


def test_a_machine_smaller_than_what_the_log_had_in_use(tmp_path):
    """Ten jobs of 4 processors, all at once."""
    columns = {"wait": [10] * 10, "run_time": [100] * 10, "requested_processors": [4] * 10}
    path = write_log(tmp_path / "my.swf", comments=[], **columns)
    with pytest.raises(CleaningError, match="at 19 s 40 processors were in use; .*--processors 40"):
        registry.load(path, machine=20)
    assert registry.load(path, machine=40).machine == 40
    assert registry.load(path, machine=20, smaller_machine=True).machine == 20
    stated = write_log(tmp_path / "stated.swf", comments=[" MaxProcs: 30"], **columns)
    assert registry.load(stated).machine == registry.load(stated, machine=30).machine == 30
    with pytest.raises(CleaningError, match="machine 29"):
        registry.load(stated, machine=29)


# Fetching, from a server that is not there.


CONTENT = gzip.compress(b"the log", mtime=0)


@pytest.fixture
def serve(monkeypatch, nowhere):
    """A function that puts a server with some content in the archive's place;
    it returns the addresses asked for.
    """
    monkeypatch.setenv(registry.OFFLINE, "0")
    facts = vars(registry.info(KTH)) | {"sha256": hashlib.sha256(b"the log").hexdigest()}
    monkeypatch.setattr(registry, "info", lambda name: types.SimpleNamespace(**facts))
    addresses = []

    def put(content=CONTENT, failure=None):
        def download(self, url, output, pooch):
            addresses.append(url)
            Path(output).write_bytes(content)
            if failure:
                raise failure

        monkeypatch.setattr(pooch.HTTPDownloader, "__call__", download)
        return addresses

    return put


def files(folder):
    """Return the names of the files of a folder."""
    return sorted(p.name for p in folder.iterdir())


def test_a_log_is_fetched_once_and_checked(serve, nowhere, capsys, monkeypatch):
    addresses, path = serve(), nowhere / registry.info(KTH).file
    for _ in range(2):
        assert cli.main(["logs", "fetch", KTH]) == 0
        assert capsys.readouterr().out == f"{KTH}: {path}, checked\n"
        assert path.read_bytes() == CONTENT and registry.locate(KTH) == path
    assert addresses == [registry.info(KTH).address]
    assert files(nowhere) == [path.name]
    hold(nowhere, content=b"spoilt")
    assert cli.main(["logs", "fetch", KTH]) == 1
    assert "sha256 of the decompressed file is" in capsys.readouterr().out
    path.unlink()
    monkeypatch.setenv(registry.OFFLINE, "1")
    with pytest.raises(registry.DownloadError, match="REPLICATION_OFFLINE is set"):
        registry.fetch(KTH)
    assert len(addresses) == 1


@pytest.mark.parametrize(
    ("content", "failure", "reason"),
    [
        (CONTENT, requests.ConnectionError("no answer"), f"^{KTH}: https://.*: no answer"),
        (gzip.compress(b"another log", mtime=0), None, "sha256 of the decompressed file is"),
        (CONTENT[:-3], None, "gzip is truncated"),
        (b"<html>", None, "sha256 of the decompressed file is"),
    ],
    ids=["interrupted", "changed", "truncated", "page"],
)
def test_a_failed_download_leaves_nothing(serve, nowhere, content, failure, reason):
    serve(content, failure)
    with pytest.raises(registry.DownloadError, match=reason):
        registry.fetch(KTH)
    assert files(nowhere) == []
    serve()
    assert registry.fetch(KTH).name in files(nowhere)


# The command.


def test_the_command_lists_the_logs(capsys, nowhere):
    path = hold(nowhere)
    assert cli.main(["logs", "list", "--json"]) == 0
    logs = json.loads(capsys.readouterr().out)
    assert list(dict.fromkeys(log["name"] for log in logs)) == registry.names()
    assert {log["path"] for log in logs if log["path"]} == {str(path)}
    ctc = {log["processors"]: log["load"] for log in logs if log["name"] == "CTC-SP2"}
    assert ctc == {338: 0.84, 430: 0.66, 512: 0.56}


def test_fractions_in_the_shell_are_rounded_by_the_option_that_the_error_names(tmp_path, capsys):
    rest = "0.25 60.75 4 -1 -1 4 100.0 -1 1 1 -1 -1 1 -1 -1 -1"
    lines = [f"{k} {k * 10}.5 {rest}" for k in range(1, 21)]
    (tmp_path / "log.swf").write_text("\n".join(["; MaxProcs: 80", *lines, ""]))
    command = ["simulate", str(tmp_path / "log.swf"), "--trim", "none"]
    assert cli.main(command) == 2
    option = re.search(r"\((--times round)\)", capsys.readouterr().err)[1]
    assert cli.main([*command, *option.split()]) == 0
    printed = capsys.readouterr().out
    assert "60  seconds-rounded" in printed
