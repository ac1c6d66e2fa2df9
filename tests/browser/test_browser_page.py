"""The page as a file, its curves and shapes, and the build of its kernel."""

import base64
import gzip
import importlib.util
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import workloads

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


def test_shapes_are_those_of_the_paper(node):
    rng, inputs, expected = np.random.default_rng(1), [], []
    for curve in CURVES.values():
        for step, seeds, noise in ((0.5, 20, 0.3), (0.1, 7, 1.5), (1, 2, 0.05)):
            grid = np.round(np.arange(0, 10 + step / 2, step), 6)
            runs = curve(grid)[:, None] + noise * rng.standard_normal((len(grid), seeds))
            rows = [(f, seed + 1, x) for f, wait in zip(grid, runs) for seed, x in enumerate(wait)]
            table = pd.DataFrame(rows, columns=["f", "seed", "wait"])
            expected.append(trends.shape(table, "wait"))
            inputs.append({"fs": grid.tolist(), "runs": runs.tolist(), "none": level("none")})
    shapes = node("shape", inputs)
    names = dict(zip(("fall", "fallLow", "fallHigh"), trends.ends("fall", " [%]"), strict=True))
    names |= dict(zip(("rise", "riseLow", "riseHigh"), trends.ends("rise", " [%]"), strict=True))
    for shape, row in zip(shapes, expected, strict=True):
        assert (shape["shape"], shape["minimumAt"]) == (row["shape"], row["minimum at f"])
        for name, column in names.items():
            assert shape[name] == pytest.approx(row[column], rel=1e-6, abs=1e-9)
    assert {row["shape"] for row in expected} == {*CURVES}


def test_a_verdict_needs_ten_seeds_and_names_all_shapes_that_the_bands_allow(node):
    grid = np.round(np.arange(0, 10.5, 0.5), 6)
    runs = CURVES["V"](grid)[:, None] * (1 + 0.002 * np.random.default_rng(1).standard_normal(20))
    shaky = runs.copy()
    shaky[-1] *= 1 + 1.5 * np.random.default_rng(2).standard_normal(20)
    inputs = [
        {"fs": grid.tolist(), "runs": waits.tolist(), "none": level("none"), "total": 20}
        for waits in (runs, shaky, shaky[:, :9], 0 * runs)
    ]
    sure, unsure, few, zero = node("verdict", inputs)
    assert sure.startswith("A V:") and "not sure" not in sure
    assert unsure.startswith(("A V or an L", "An L or a V")) and "rises by more than 1 %" in unsure
    assert "9 of 20 seeds" in few and " V" not in few
    assert zero.startswith("Flat")


@pytest.mark.parametrize("load", [None, 0.9])
def test_the_lines_of_python_print_the_same_mean_wait_curve_and_shape(node, tmp_path, capsys, load):
    jobs = workloads.random_jobs(700, machine=32, span=90_000, longest=3000, spare=1)
    path = tmp_path / 'my "own" log.swf'
    columns = {"requested_processors": jobs.processors, "requested_time": jobs.estimate}
    workloads.write_log(path, submit=jobs.submit, run_time=jobs.run_time, **columns)
    inputs = {"file": str(path), "options": {"machine": 32}, "none": level("none")}
    answer, scope = node("curve", inputs | {"load": load, "f": 3.7}), {}
    exec(answer["lines"][0], scope)
    assert float(capsys.readouterr().out) == answer["wait"] / 60
    exec(answer["lines"][1], scope)
    assert "..." not in capsys.readouterr().out
    runs = scope["runs"]
    waits = runs.pivot_table(index="f", columns="seed", values="mean_wait")
    assert waits.index.tolist() == answer["grid"]
    assert np.array_equal(waits.to_numpy(), answer["runs"])
    [shape] = trends.shapes(runs, scope["waits"])["shape"]
    assert shape == answer["shape"]["shape"]


def test_submissions_are_scaled_to_a_load_as_by_the_package(node, written):
    jobs = workloads.random_jobs(900, 64, 900_000, 4000, 900)
    loads = [jobs.load / 0.5, 0.37, 0.9, 1.0, 2.0]  # the first gives halves of seconds
    for share, submit in zip(loads, node("load", written(jobs) | {"loads": loads}), strict=True):
        assert jobs.at_load(share).submit.tolist() == submit


def test_an_address_has_part_f_log_load_and_estimates(node):
    addresses = ["#own&log=CTC-SP2&load=0.9&f=3.5", "#month&f=1e9", "", "#five&estimates=9,3,x"]
    own, month, none, five = node("address", addresses)
    assert (own["part"], own["log"], own["load"], own["f"]) == ("own", "CTC-SP2", 0.9, 3.5)
    assert (month["part"], month["f"], none["f"], none["part"]) == ("month", 2, 2, "")
    assert five["estimates"] == [9, 3, None]


def test_the_committed_page_is_that_of_these_sources(tmp_path):
    """Of the logs' columns only where the logs are."""
    place = build_page.build(tmp_path / "page.html")
    assert place.read_bytes() == build_page.PAGE.read_bytes(), "make page builds it again"
    assert place.stat().st_size < 1_500_000
    data = build_page.data_of(place)
    assert [point["f"] for point in data["committed"]] == campaign.badness(10)
    assert base64.b64decode(data["kernel"]) == build_page.KERNEL.read_bytes()


def test_links_of_the_page_lead_to_papers_the_archive_and_files_of_the_repository():
    text = build_page.PAGE.read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]*)"', text)
    files = [link for link in links if not link.startswith(("https://", "#"))]
    assert len(files) >= 3 and all((build_page.PAGE.parent / path).is_file() for path in files)
    papers = {link for link in links if link.startswith("https://doi.org/10.")}
    assert len(papers) == 3 and registry.REGISTRY["archive"]["address"] in links
    assert all(f'id="{link[1:]}"' in text for link in links if link.startswith("#"))


def test_the_page_unpacks_the_jobs_of_its_logs(node):
    jobs = workloads.random_jobs(300, 64, 90_000, 40_000, 9000)
    columns = base64.b64encode(gzip.compress(build_page.stream_of(jobs))).decode()
    answer = node("unpack", {"columns": columns, "count": len(jobs)})
    names = {"submit": "submit", "runTime": "run_time", "size": "processors"}
    for name, values in answer.items():
        assert np.array_equal(values, getattr(jobs, names.get(name, name)))


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
