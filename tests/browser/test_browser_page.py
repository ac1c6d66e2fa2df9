"""The page as a file, its curves and shapes, and the build of its kernel."""

import base64
import importlib.util
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import workloads

import replication as rp
from notebooks.browser import build_page
from notebooks.heel_and_toe import campaign, trends
from replication.simulator.logs import registry
from replication.verdicts.rules import level

CURVES = {
    "V": lambda f: 10 - 3 * np.minimum(f, 2) + f / 2,
    "L": lambda f: 5 + 5 * np.exp(-f),
    "rising": lambda f: 5 + f / 3,
    "flat": lambda f: 5 + f / 500,
}


def data_of(page):
    """Return the data of a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def test_shapes_are_those_of_the_paper(node):
    rng, given, expected = np.random.default_rng(1), [], []
    for curve in CURVES.values():
        for step, seeds, noise in ((0.5, 20, 0.3), (0.1, 7, 1.5), (1, 2, 0.05)):
            grid = np.round(np.arange(0, 10 + step / 2, step), 6)
            runs = curve(grid)[:, None] + noise * rng.standard_normal((len(grid), seeds))
            rows = [(f, seed + 1, x) for f, own in zip(grid, runs) for seed, x in enumerate(own)]
            table = pd.DataFrame(rows, columns=["f", "seed", "wait"])
            expected.append(trends.shape(table, "wait"))
            given.append({"fs": grid.tolist(), "runs": runs.tolist(), "none": level("none")})
    found = node("shape", given)
    names = dict(zip(("fall", "fallLow", "fallHigh"), trends.ends("fall", " [%]"), strict=True))
    names |= dict(zip(("rise", "riseLow", "riseHigh"), trends.ends("rise", " [%]"), strict=True))
    for one, row in zip(found, expected, strict=True):
        assert (one["shape"], one["minimumAt"]) == (row["shape"], row["minimum at f"])
        for name, column in names.items():
            assert one[name] == pytest.approx(row[column], rel=1e-6, abs=1e-9)
    assert {row["shape"] for row in expected} == {*CURVES}


def test_the_lines_of_python_give_the_same_curve_and_shape(node, tmp_path, monkeypatch):
    jobs = workloads.random_jobs(700, machine=32, span=90_000, longest=3000, spare=1)
    path = tmp_path / 'my "own" log.swf'
    trace = workloads.trace(
        submit=jobs.submit,
        run_time=jobs.run_time,
        requested_processors=jobs.processors,
        requested_time=jobs.estimate,
    )
    rp.simulator.logs.swf.write(path, trace)
    given = {"file": str(path), "options": {"machine": 32}, "none": level("none")}
    found, scope = node("curve", given), {}
    exec(found["lines"], scope)
    runs = scope["runs"]
    waits = runs.pivot_table(index="f", columns="seed", values="mean_wait")
    assert waits.index.tolist() == found["grid"]
    assert np.array_equal(waits.to_numpy(), found["runs"])
    [shape] = trends.shapes(runs, scope["waits"])["shape"]
    assert shape == found["shape"]["shape"]


def test_a_page_without_logs_is_built_of_synthetic_jobs(node, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "locate", lambda name: registry.info(name) and None)
    monkeypatch.setattr(registry, "like", workloads_like)
    page = build_page.build(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Synthetic jobs stand in for" in page and "(synthetic)" in page
    data = data_of(page)
    assert data["committed"] is None
    jobs = workloads_like("KTH-SP2-2")
    columns = {"submit": "submit", "runTime": "run_time", "size": "processors"}
    columns["estimate"] = "estimate"
    for name, values in node("unpack", data["logs"][0]).items():
        assert np.array_equal(values, getattr(jobs, columns[name]))


def workloads_like(name, machine=None):
    """Return some jobs in place of a log's."""
    return workloads.random_jobs(300, 64, 90_000, 40_000, 9000, name).replace(stand_in=True)


def test_a_page_of_logs_is_small_and_has_the_curve_of_the_figure(real_log, tmp_path):
    for name in build_page.LOGS:
        real_log(name)
    place = build_page.build(tmp_path / "page.html")
    assert place.stat().st_size < 1_500_000
    data = data_of(place.read_text(encoding="utf-8"))
    assert [point["f"] for point in data["committed"]] == campaign.badness(10)
    kernel = base64.b64decode(data["kernel"])
    assert kernel == build_page.KERNEL.read_bytes()


@pytest.mark.slow
def test_the_kernel_is_built_from_the_sources(tmp_path):
    """Whatever the version of Python, the same functions, which `test_kernel` compares; with that
    of the committed module the same bytes.
    """
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("the linker is not installed: make wasm installs it in a folder of its own")
    place = tmp_path / "kernel.wasm"
    command = [sys.executable, "-m", "notebooks.browser.compile_kernel", place]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if sys.version_info[:2] == (3, 11):
        assert place.read_bytes() == build_page.KERNEL.read_bytes()
