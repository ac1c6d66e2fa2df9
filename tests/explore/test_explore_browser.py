"""The explorer in JupyterLab and Chromium, at the size of a laptop and narrower.

It leaves the picture of README in ``build/explore.png``.

Needs Chromium and the package playwright (`pip install playwright`; its own browsers are not used).
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from replication.simulator import paths

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture
def address(tmp_path):
    """JupyterLab on a copy of the notebook."""
    shutil.copy(paths.NOTEBOOKS / "explore.ipynb", tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "RUNTIME")}
    options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token="]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", str(tmp_path), *options],
        env=os.environ | own | {"PYTHONPATH": str(paths.ROOT)},
        stderr=subprocess.DEVNULL,
    )
    for _ in range(120):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5).close()
            break
        except OSError:
            time.sleep(0.5)
    yield f"http://127.0.0.1:{port}/lab/tree/explore.ipynb?reset"
    server.terminate()
    server.wait()


# anywidget gives a module 2 s to load; a slow page is one with an eighth of it.
SLOW = "const limit = AbortSignal.timeout; AbortSignal.timeout = () => limit.call(AbortSignal, 250)"
TRACES = "e => e.data.filter(trace => trace.x && trace.x.length !== 0).length"


def test_tools_on_a_laptop(address):
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(300_000)  # kernels may be compiled first
        page.add_init_script(SLOW)
        failures = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.keyboard.press("Control+b")  # closes the side bar
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        picture, tab = page.locator(".js-plotly-plot"), ".lm-TabBar-tabLabel:text-is({!r})"
        picture.nth(0).wait_for()
        tool = page.locator(".jp-OutputArea-output > .widget-vbox")
        said = tool.get_by_text
        assert picture.nth(0).evaluate(TRACES) > 5
        assert tool.bounding_box()["height"] < 700  # below JupyterLab's bars
        page.click('button:text-is("A wild backfill")')
        said("When could job 3 then start?").wait_for()
        page.click('button:text-is("later than before")')
        said("Right: later than before").wait_for()
        said("job 4 is backfilled, wildly").wait_for()
        page.wait_for_timeout(1000)
        paths.BUILD.mkdir(exist_ok=True)
        page.add_style_tag(content=".modebar, .shapelayer { visibility: hidden }")
        picture.nth(0).screenshot(path=paths.BUILD / "explore.png")  # that of README
        page.add_style_tag(content=".shapelayer { visibility: visible !important }")
        handle = page.locator(".shapelayer path").first.bounding_box()
        x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 150, y, steps=8)
        page.mouse.up()
        said("At 4: job 6 is backfilled, mildly").wait_for()  # its reservation is earlier
        page.click('button:text-is("PV-EASY kills")')
        page.click('button:text-is("longer waits")')
        said("The mean wait goes from").wait_for()
        picture.nth(1).wait_for()
        page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length >= 3")
        assert picture.nth(1).evaluate(TRACES) > 5
        page.click('button:text-is("Doubled estimates")')
        page.click('button:text-is("longer waits")')
        said("user estimates × 2:").wait_for()
        said("Draw with the mouse").wait_for()
        curve = page.locator(".js-plotly-plot:visible").nth(1)
        curve.evaluate("e => e.scrollIntoView({block: 'end'})")
        page.wait_for_timeout(1000)
        box = curve.locator(".nsewdrag").first.bounding_box()
        page.mouse.move(box["x"] + 9, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 9, box["y"] + 90, steps=20)
        page.mouse.up()
        said("Each point is one run").wait_for()
        assert "drawn by you" in curve.text_content()
        page.locator(".noUi-handle").nth(1).press("ArrowRight")
        said("f = 1 → 1.1").wait_for()
        assert page.locator("[title=null]").count() == 0
        for width in (700, 400, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function(
                "[...document.querySelectorAll('.js-plotly-plot')].every(e => !e.clientWidth ||"
                " e.layout.width <= e.closest('.jp-OutputArea-output').clientWidth)"
            )
        page.set_viewport_size({"width": 1280, "height": 800})
        picture.nth(1).evaluate("e => e.scrollIntoView({block: 'end'})")
        page.wait_for_timeout(1000)
        box = picture.nth(1).bounding_box()
        for share in range(20, 90, 10):  # until there is a job at the mouse
            page.mouse.move(box["x"] + box["width"] * share / 100, box["y"] + 100, steps=3)
            page.wait_for_timeout(2000)
            if said("A · waits").count():
                break
        assert said("A · waits").count()
        page.click(tab.format("Decision by decision"))
        page.locator(".widget-dropdown select:visible").first.select_option(
            label="the window of the two schedules"
        )
        said("Belief: ").wait_for()
        assert not failures
        browser.close()
