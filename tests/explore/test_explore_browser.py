"""The explorer in JupyterLab and Chromium, at the size of a laptop and narrower.

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
    for name in ("explore.ipynb", "explore.png"):
        shutil.copy(paths.NOTEBOOKS / name, tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "RUNTIME")}
    options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token="]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", str(tmp_path), *options],
        env=os.environ | folders | {"PYTHONPATH": str(paths.ROOT)},
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


WIDE = "e => e.naturalWidth > 600 && e.clientWidth <= e.closest('.jp-Cell').clientWidth"


def test_the_explorer_on_a_laptop(address):
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(300_000)  # kernels may be compiled first
        failures = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        opening = page.locator(".jp-RenderedMarkdown img")  # before anything is run
        opening.wait_for()
        assert opening.evaluate(WIDE) and opening.bounding_box()["y"] < 400
        page.keyboard.press("Control+b")  # closes the side bar
        page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
        tool = page.locator(".jp-OutputArea-output > .widget-vbox")
        said = tool.get_by_text
        said("A · EASY").wait_for()
        picture = tool.locator("img")
        page.locator(".jp-RenderedImage img").nth(1).wait_for()  # the curve, and who gains
        page.click('button:text-is("Doubled estimates")')
        said("now every estimate is doubled").wait_for()
        page.click('button:text-is("shorter waits")')
        said("on this log:").wait_for()
        said("users' estimates × 2: mean wait").wait_for()
        page.locator(".noUi-handle").nth(0).press("ArrowRight")
        said("users' estimates × 2.1: mean wait").wait_for()
        assert said("on this log:").count() == 0
        for width in (1280, 700, 400):
            page.set_viewport_size({"width": width, "height": 800})
            picture.scroll_into_view_if_needed()
            assert picture.evaluate(WIDE)
        assert page.locator("[title=null]").count() == 0 and not failures
        browser.close()
