"""The report in Chromium, on a laptop and on a phone: its search, and the way from a claim to the
cell that decides it.

Needs Chromium and the package playwright (`pip install playwright`; its own browsers are not used).
"""

import shutil

import pandas as pd
import pytest

from replication.report import assemble
from replication.simulator import paths

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
SHOWN = """() => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const {top, bottom, height} = place.getBoundingClientRect();
    return height > 0 && top < innerHeight && bottom > 0;
}"""


@pytest.fixture(params=[(1280, 800), (390, 844)], ids=["laptop", "phone"])
def browser(request):
    """A page of a browser, and the width of its window."""
    playwright = pytest.importorskip("playwright.sync_api")
    width, height = request.param
    with playwright.sync_playwright() as program:
        chromium = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium.new_page(viewport={"width": width, "height": height}), width
        chromium.close()


@pytest.fixture(scope="module", params=[False, True], ids=["beside its files", "alone"])
def report(request, recorded, tmp_path_factory):
    """The address of the report of the committed records."""
    folder = paths.FIGURES if not request.param else None
    table = pd.DataFrame({"threshold": ["always"]})
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(assemble.page(recorded, table, {}, folder))
    return path.as_uri()


def test_search_leads_to_a_place_that_is_seen(browser, report):
    page, width = browser
    page.goto(report)
    for query in ("easy-last", "wild", "CTC", "Table 4", "violations-100-minutes"):
        if width < 960:
            page.locator("label[for=menu]").click()
        page.fill("#search", query)
        page.locator("#hits a").first.click()
        assert page.evaluate(SHOWN), query


def test_a_claim_leads_to_its_cell_and_nothing_is_wider_than_the_window(browser, report):
    page, width = browser
    page.goto(report)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    links = page.locator('#all-claims details p a[href^="#"]')
    for k in (0, links.count() // 2, links.count() - 1):
        links.nth(k).click()
        assert page.evaluate(SHOWN), k
