"""Reading logs in the page: the same jobs as the package reads, or the same refusal."""

import functools
import gzip
import lzma
import operator
import re
import shutil

import numpy as np
import pytest

import replication as rp
from notebooks.browser import build_page
from replication.simulator.errors import InputError
from replication.simulator.logs import registry
from tests import odd_logs
from tests.odd_logs import ACCEPTED, HEADER

SKIP = {"badLines": "skip"}
#: The arguments of the package for the options of the page.
IN_PYTHON = {
    "machine": lambda size: {"machine": size},
    "badLines": lambda word: {"bad_lines": word},
    "larger": lambda _: {"drop": "larger-than-machine"},
    "times": lambda word: {"times": word},
    "smaller": lambda _: {"smaller_machine": True},
}
#: Where a refusal points to: the line, the field and the value; or what a header lacks.
PLACE = re.compile(
    r", line \d+(?:, field \d+ \(\w+\))?: [^;]*|no jobs, [^;]*|header [^;]*|gzip is \w+"
    r"|machine \d[^;]*"
)
#: What the page says of a log beside its jobs; the package's counts of rules.
COUNTS = re.compile(
    r"bad-line-|unreadable-|size-from-|estimate-|submit-|preceding-|no-|zero-run-time$|larger-|"
    "seconds-"
)


def line(*values, **fields):
    return odd_logs.line(*values, **fields) + "\n"


PLAIN = line(1) + line(2, 5)
CASES = {
    **{name: HEADER + "\n".join(lines) for name, (lines, *_) in ACCEPTED.items()},
    "blanks and tabs": HEADER + "  " + line(1).replace(" ", " \t ") + " \n\n" + line(2, 3),
    "CRLF and a late comment": (
        HEADER + line(1) + "; Note: late\n" + line(2, wait="12.00", queue="-1.0")
    ).replace("\n", "\r\n"),
    "no line break at the end": HEADER + PLAIN.rstrip(),
    "large numbers": HEADER
    + line(10**17, 1, user=10**18 - 1, group=2**53 + 1)
    + line(10**17 + 1, 1),
    "sizes by allocation": "; MaxProcs: 8\n; Sizes: allocated processors\n"
    + line(1, allocated_processors=3),
    "more held than asked": HEADER
    + line(1, run_time=50, allocated_processors=9, requested_time=60),
    "indented labels": ";       MaxJobs: 1\n;       MaxProcs: 8\n; Note: a\n;   b: c\n" + line(),
    "a total in words": "; MaxProcs: 1664 (72, 1368, 224)\n" + line(),
    "several partitions": HEADER + line(1, partition=4) + line(2, 5, partition=0),
    "partitions in the header": HEADER + "; MaxPartitions: 170\n" + PLAIN,
    "parts of a job": HEADER + line(1) + line(1, 0, status=2) + line(2, 4, status=3),
    "all estimates in minutes": HEADER
    + "".join(line(k, k, run_time=600, requested_time=20) for k in range(1, 9)),
}
REFUSED = {
    "no jobs": HEADER,
    "empty": "",
    "no header": PLAIN,
    "nodes in place of processors": "; MaxNodes: 16\n" + PLAIN,
    "a machine with a comma": "; MaxProcs: 1,024\n" + PLAIN,
    "a machine in words": "; MaxProcs: many\n" + PLAIN,
    "text": HEADER + PLAIN + line(3, 9, run_time="abc"),
    "a fraction of a second": HEADER + line(1) + line(2, wait="1.5"),
    "a fraction of a processor": HEADER + line(1) + line(2, requested_processors="1.5"),
    "too large": HEADER + line(1) + line(2, 1, run_time="9" * 19),
    "a plus sign": HEADER + line(1) + line(2, 1, wait="+5"),
    "a control character": HEADER + line(1) + line(2, 1, wait="1\r2"),
    "an unknown number": HEADER + line(1) + line(-1),
    "an unknown submission": HEADER + line(1) + line(2, -7),
    "a number twice": HEADER + line(1) + line(1, 9),
    "17 columns": HEADER + line(1) + "7 " * 17 + "\n",
    "19 columns later": HEADER + line(1) + line(2)[:-1] + " 1\n",
    "larger than the machine": HEADER + line(1) + line(7, 2, requested_processors=200),
    "nothing remains": HEADER + line(1, run_time=0) + line(2, run_time=-1),
    "words": HEADER + "some words\n" * 3,
    "a table": "submit_time,nodes\n5,4\n",
    "JSON": '{"jobs": []}',
    "sacct": "JobID|User|State\n1|a|COMPLETED\n",
    "PBS": "02/02/2026 08:00:00;E;1.host;user=a\n",
    "zstd": b"\x28\xb5\x2f\xfd\x04\x00\nrow\n",
    "HTML": "\n<!doctype html>\n<p>moved</p>\n",
    "UTF-16": (HEADER + line()).encode("utf-16"),
    "binary": bytes(range(256)) * 40,
}


def file(folder, name, content):
    path = folder / (re.sub("[^a-z0-9]", "-", name) + ".swf")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(path, options):
    """Return the workload as the package loads it, or its refusal."""
    rules = [IN_PYTHON[name](value) for name, value in options.items()]
    try:
        return rp.load(path, **functools.reduce(operator.or_, rules, {}))
    except InputError as refusal:
        return str(refusal)


@pytest.fixture
def agree(node):
    """A function that compares what the page and the package make of files, with options each."""
    names = {registry.info(name).sha256: name for name in registry.names()}

    def compare(files):
        tables = {"names": names, "kinds": build_page.kinds()}
        inputs = [{"file": str(f), "options": o} | tables for f, o in files]
        answers = node("read", inputs)
        for (path, options), answer in zip(files, answers, strict=True):
            expected = load(path, options)
            if isinstance(expected, str):
                assert "refused" in answer, path
                assert answer["refused"].startswith(path.name) and answer["refused"].isprintable()
                if "not SWF, but" in expected:
                    assert answer["refused"].partition(": ")[2] == expected.partition(": ")[2]
                elif "this is not SWF" not in answer["refused"]:
                    assert PLACE.findall(answer["refused"]) == PLACE.findall(expected)
                continue
            assert "refused" not in answer, answer
            jobs = answer["jobs"]
            for name, column in zip(
                jobs, ("submit", "run_time", "processors", "estimate"), strict=True
            ):
                assert np.array_equal(jobs[name], getattr(expected, column)), name
            assert (answer["name"], answer["machine"]) == (expected.name, expected.machine)
            assert answer["drawKey"] == expected.draw_key
            assert answer["withoutEstimate"] == pytest.approx(expected.without_estimate)
            counts = {rule: n for rule, n in expected.cleaning if n and COUNTS.match(rule)}
            assert {rule: n for rule, n in answer["cleaning"] if n} == counts
        return answers

    return compare


@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
def test_files_that_are_read(agree, tmp_path):
    files = [file(tmp_path, name, text) for name, text in CASES.items()]
    answers = dict(zip(CASES, agree([(path, {}) for path in files]), strict=True))
    assert "processor time" in answers["more held than asked"]["warnings"][0]
    assert "another unit" in answers["all estimates in minutes"]["warnings"][0]
    assert "2 partitions" in answers["several partitions"]["warnings"][0]
    assert "170 partitions" in answers["partitions in the header"]["warnings"][0]


@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
def test_files_that_are_refused_and_what_helps(agree, tmp_path):
    files = [file(tmp_path, name, text) for name, text in REFUSED.items()]
    answers = dict(zip(REFUSED, agree([(path, {}) for path in files]), strict=True))
    options = {"machine": {"machine": 16}, "larger": {"larger": "skip"}, "badLines": SKIP}
    options["times"] = {"times": "round"}
    helped = {name: options[reply["remedy"]] for name, reply in answers.items() if reply["remedy"]}
    again = agree([(file(tmp_path, name, REFUSED[name]), fix) for name, fix in helped.items()])
    assert len(again) >= 14 and all("jobs" in answer for answer in again)
    assert answers["nodes in place of processors"]["value"] == "16"


@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
def test_a_machine_smaller_than_what_was_in_use(agree, tmp_path):
    both = line(1, 0, run_time=100, requested_processors=4, requested_time=100)
    both += line(2, 1, wait=9, run_time=50, requested_processors=3, requested_time=50)
    log = file(tmp_path, "in use", "; MaxProcs: 7\n" + both)
    machines = [{"machine": 6}, {"machine": 7}, {"machine": 30}]
    refused, same, large = agree([(log, options) for options in machines])
    assert refused["remedy"] == "smaller" and "at 10 s 7 processors" in refused["refused"]
    assert not same["warnings"] and "23.3 % of the machine" in large["warnings"][0]
    [accepted] = agree([(log, {"machine": 6, "smaller": "accept"})])
    assert accepted["machine"] == 6
    [by_header] = agree([(file(tmp_path, "header", "; MaxProcs: 6\n" + both), {})])
    assert "the header names 6" in by_header["warnings"][0]


@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
def test_fractions_of_seconds_are_rounded_alike(agree, tmp_path):
    rng, text = np.random.default_rng(2), HEADER
    forms = ["{:.1f}", "{:.2f}", "{:.0f}", "{:.3e}", "{:.0f}.50", "{:.0f}.", ".5", "-1", "-0.0"]
    for k in range(1, 400):
        names = ["submit", "wait", "run_time", "requested_time", "think_time"]
        times = {name: str(rng.choice(forms)).format(rng.integers(0, 5000) / 7) for name in names}
        text += line(k, **{name: times[name] for name in names if rng.random() < 0.8})
    fractions = file(tmp_path, "fractions", text)
    [answer] = agree([(fractions, {"times": "round", **SKIP})])
    assert dict(answer["cleaning"])["seconds-rounded"] > 500


def test_compressed_files(agree, node, tmp_path):
    text = (HEADER + "".join(line(k, k * k, wait=k * 7919 % 1000) for k in range(1, 900))).encode()
    packed = gzip.compress(text)
    contents = {"whole": packed, "cut": packed[: len(packed) // 2], "short": packed[:9]}
    contents["damaged"] = packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:]
    paths_of = {name: tmp_path / f"{name}.swf.gz" for name in contents}
    for name, content in contents.items():
        paths_of[name].write_bytes(content)
    agree([(path, {}) for path in paths_of.values()])
    path = tmp_path / "log.swf.xz"
    path.write_bytes(lzma.compress((HEADER + PLAIN).encode()))
    [answer] = node("read", [{"file": str(path), "options": {}, "names": {}, "kinds": []}])
    assert answer["refused"].startswith("log.swf.xz: compressed by xz; decompress it")


@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
def test_random_files(agree, tmp_path):
    """Unknown values, parts of jobs, numbers twice, words, and characters at any place."""
    rng, files = np.random.default_rng(1), []
    for case in range(150):
        n = int(rng.integers(1, 9))
        values = rng.integers(0, 6, (n, 18))
        values[:, 0] = rng.permutation(n) if case % 4 else rng.integers(-1, n, n)
        places = rng.random((n, 18)) < 0.08
        values[places] = rng.integers(-3, 0, places.sum())
        text = "; MaxProcs: 8\n" + "".join(" ".join(map(str, row)) + "\n" for row in values)
        if case % 3 == 0:
            k = int(rng.integers(15, len(text)))
            text = text[:k] + str(rng.choice([*"x.-e;\t 9"])) + text[k:]
        files.append((file(tmp_path, f"random{case}", text), SKIP if case % 2 else {}))
    answers = agree(files)
    assert 30 < sum("jobs" in answer for answer in answers) < 140


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", registry.names())
def test_real_logs_as_files(agree, tmp_path, name):
    place = registry.locate(name)
    if place is None:
        pytest.skip(f"real log {name} is not on this machine (set TRACES=folder)")
    copy = shutil.copy(place, tmp_path)
    agree([(copy, SKIP)])
