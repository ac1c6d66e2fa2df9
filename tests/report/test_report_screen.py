"""The report in Chromium: its length, its width on a phone, and its search.

Needs Chromium and the package playwright (`pip install playwright`; its own browsers are not used).
"""

import base64
import hashlib
import re
import shutil

import pytest

from replication.report import render
from replication.simulator import paths

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
REPORT = paths.FIGURES / "report.html"
HEIGHT, WIDTH = ("document.documentElement." + name for name in ("scrollHeight", "scrollWidth"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(not REPORT.exists(), reason="there is no report"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The address of the committed report with the present style and script."""
    style, script = (
        (render.TEMPLATES / f"report.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = REPORT.read_text(encoding="utf-8")
    for old, new in (
        ("<style>.*?</style>", f"<style>{style}</style>"),
        ("<script>.*?</script>", f"<script>{script}</script>"),
        ("'sha256-.*?'", f"'sha256-{digest}'"),
    ):
        text, count = re.subn(old, lambda _: new, text, flags=re.DOTALL)
        assert count == 1
    path = tmp_path_factory.mktemp("screen") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as program:
        opened = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


def test_length_on_a_laptop_and_width_on_a_phone(browser, report):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(report)
    assert page.evaluate(HEIGHT) <= 15 * 800
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(WIDTH) == 390
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate(WIDTH) == 390  # wide tables scroll inside


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("faster than EASY with predictions", "… The baseline that the paper does not state: "),
        ("Table 4 PV-EASY", "PV-EASY, Table 4: "),
        ("Table I Top Percent", "Top Percent, Table I: "),
        ("figure 8", "Heel and toe, Fig. 8: "),
        ("fails PV-EASY", "✗ fails PV-EASY"),
        ("Threats", "6 Threats to validity"),
        ("smaller slowdowns", "✗ fails PV-EASY has smaller slowdowns"),
    ],
)
def test_first_hit(browser, report, words, first):
    page = browser.new_page()
    page.goto(report)
    page.fill("#search", words)
    hits = page.locator("#hits a").all_inner_texts()
    assert hits and hits[0].lower().startswith(first.lower()), hits
    page.press("#search", "Enter")
    name = page.locator("#hits a").first.get_attribute("href").removeprefix("#")
    place = page.locator(f'[id="{name}"]')
    place.wait_for(state="visible", timeout=5000)
    assert page.evaluate("e => e.getBoundingClientRect().top < innerHeight", place.element_handle())


def test_no_hit(browser, report):
    page = browser.new_page()
    page.goto(report)
    page.fill("#search", "xyzzy")
    assert "not in the article" in page.inner_text("#counted")
