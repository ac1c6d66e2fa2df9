"""The explorer's notebook in a real JupyterLab in a real browser, where both are to be had.

Needs Chromium and the package playwright, which is not in the lock (`pip install playwright`; its own
browsers are not used); skips loudly otherwise.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from replication.simulator import paths

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# Answers, in the page, how long a key takes until the pictures are drawn with it.
CLOCK = """() => {
  window.clock = { pressed: 0, drawn: [] };
  document.addEventListener("keydown", () => { clock.pressed = performance.now(); }, true);
  for (const picture of document.querySelectorAll(".replication-picture")) {
    new MutationObserver(() => clock.drawn.push(performance.now() - clock.pressed))
      .observe(picture, { attributeFilter: ["data-drawn"] });
  }
}"""
COLOURS = """() => [...document.querySelectorAll("canvas.replication-canvas")].map((canvas) => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] === 255) {
    seen.add(pixels[i] * 65536 + pixels[i + 1] * 256 + pixels[i + 2]);
  }
  return [...seen];
})"""


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api",
        reason="playwright is not installed: the explorer is not tested in a browser",
    )
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: the explorer is not tested in a browser")
    with playwright.sync_playwright() as program:
        opened = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A JupyterLab of its own on a copy of the notebook."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copy(paths.NOTEBOOKS / "explore.ipynb", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{what}_DIR": str(folder / what.lower()) for what in ("CONFIG", "RUNTIME")}
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            str(folder),
            "--no-browser",
            "--allow-root",
            f"--port={port}",
            "--IdentityProvider.token=",
            "--LabApp.news_url=None",
        ],
        env=os.environ | own | {"PYTHONPATH": str(paths.ROOT)},
        stderr=subprocess.DEVNULL,
    )
    for _ in range(120):
        try:
            json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5))
            break
        except OSError:
            time.sleep(0.5)
    yield f"http://127.0.0.1:{port}/lab/tree/explore.ipynb?reset"
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def page(browser, address):
    """The notebook after all its cells have run; high enough that JupyterLab renders all of them."""
    opened = browser.new_page(viewport={"width": 1400, "height": 3200})
    opened.failures = []
    opened.on("pageerror", lambda error: opened.failures.append(str(error)))
    opened.on(
        "request",
        lambda request: (
            None
            if "//127.0.0.1:" in request.url or request.url.startswith(("data:", "blob:"))
            else opened.failures.append(request.url)
        ),
    )
    opened.goto(address)
    # Without a kernel, running asks for one in a dialogue.
    opened.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
    opened.click('.lm-MenuBar-itemLabel:text-is("Run")')
    opened.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    opened.wait_for_selector(".replication-picture[data-drawn] >> nth=1", timeout=60_000)
    opened.evaluate(CLOCK)
    return opened


def picture(page, number):
    return page.locator("canvas.replication-canvas").nth(number)


def tip(page, number):
    return page.locator(".replication-tip").nth(number).inner_text()


def press(page, control, key):
    """Press a key on a control; milliseconds until the pictures were drawn."""
    page.evaluate("() => { clock.drawn = []; }")
    control.focus()
    page.keyboard.press(key)
    page.wait_for_function("() => clock.drawn.length", timeout=30_000)
    return page.evaluate("() => clock.drawn[0]")


def control(page, name, number=0):
    return page.locator(f'.widget-label:text-is("{name}") >> xpath=.. >> css=select,input').nth(
        number
    )


def test_it_opens_with_the_papers_example(page):
    assert "Step 4 of 18" in tip(page, 0)
    assert "job 3 is the head" in tip(page, 0)
    assert "can start at 12 (reservation)" in picture(page, 0).get_attribute("aria-label")
    assert page.failures == []


def test_the_arrow_keys_walk_through_it(page):
    for number in (5, 6, 7):
        press(page, picture(page, 0), "ArrowRight")
        assert f"Step {number} of 18" in tip(page, 0)
    assert "job 4 is backfilled, wildly: the real shadow time moves from 6 to 8" in tip(page, 0)
    press(page, page.get_by_text("← back"), "Enter")
    assert "Step 6 of 18" in tip(page, 0)


@pytest.mark.parametrize(
    "name, key",
    [
        ("right", "ArrowUp"),
        ("estimates", "ArrowDown"),
        ("show", "ArrowDown"),
        ("seed", "ArrowUp"),
        ("load %", "ArrowDown"),
    ],
)
def test_a_control_answers_to_the_keyboard(page, name, key):
    before = (
        picture(page, 1).get_attribute("aria-label"),
        page.evaluate("() => document.activeElement.tagName"),
    )
    press(page, control(page, name), key)
    assert page.evaluate("() => document.activeElement.tagName") in ("SELECT", "INPUT"), before
    assert page.failures == []


def test_a_change_is_drawn_soon(page):
    """The limit is wide: how long it takes on an idle machine is in docs/explorer.md."""
    taken = sorted(press(page, picture(page, 1), "ArrowRight") for _ in range(7))
    print(f"from key to drawing, ms: {[round(ms) for ms in taken]}")
    assert taken[3] < 1000


def test_the_mouse_tells_of_a_job(page):
    press(page, picture(page, 1), "Home")
    box = picture(page, 1).bounding_box()
    for share in range(20, 80, 3):
        page.mouse.move(box["x"] + box["width"] * share / 200, box["y"] + 200)
        page.wait_for_timeout(150)
        if "submitted" in tip(page, 1):
            break
    assert tip(page, 1).count("submitted") == 2


def test_light_and_dark_have_their_own_colours(page):
    light = page.evaluate(COLOURS)
    page.click('.lm-MenuBar-itemLabel:text-is("Settings")')
    page.hover('.lm-Menu-itemLabel:text-is("Theme")')
    page.click('.lm-Menu-itemLabel:text-is("JupyterLab Dark")')
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(1000)
    dark = page.evaluate(COLOURS)
    for before, after in zip(light, dark, strict=True):
        assert 0xFFFFFF in after
        assert len(set(before) & set(after)) < 0.9 * len(before)
    assert page.failures == []
