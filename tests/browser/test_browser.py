"""The page in Chromium, on a phone and on a laptop: each part does what it says, and no request
leaves the page.

It leaves pictures of the four parts in ``build/page/``. Needs Chromium and the package playwright
(`pip install playwright`; its own browsers are not used).
"""

import gzip
import re
import shutil

import pytest
import workloads

from notebooks.browser import build_page
from replication.simulator import paths
from replication.simulator.logs import swf

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
SIZES = {390: 844, 1280: 900}
#: So that a slider does not cover what a picture shows.
PLAIN = "document.querySelectorAll('.bar').forEach(e => e.style.position = 'static')"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return build_page.build(tmp_path_factory.mktemp("page") / "a page.html")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, page_file):
    """A function that opens the page; afterwards no error and no request may have been seen."""
    seen, pages = [], []

    def open_page(width=1280, scheme="light", address=""):
        size = {"width": width, "height": SIZES.get(width, 900)}
        options = {"color_scheme": scheme, "reduced_motion": "reduce", "has_touch": width < 800}
        page = browser.new_page(viewport=size, **options)
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("console", lambda said: seen.append(said.text))
        page.on("request", lambda request: seen.append(request.url))
        page.goto(page_file.as_uri() + address)
        page.wait_for_selector("html[data-ready]", state="attached")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    local = (page_file.as_uri(), "blob:", "data:")
    assert [address for address in seen if not address.startswith(local)] == []


def until(page, condition):
    """Wait for a condition; the page forbids the function of playwright that is made from text."""
    for _ in range(1200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"not so in two minutes: {condition}")


def text_of(page, selector):
    """Return the text of a part, without line breaks."""
    return re.sub(r"\s+", " ", page.inner_text(selector))


def keep(page, part, name):
    """Leave a picture of a part."""
    folder = paths.ROOT / "build" / "page"
    folder.mkdir(parents=True, exist_ok=True)
    page.evaluate(PLAIN)
    page.locator(part).screenshot(path=folder / f"{name}.png")


def slide(page, x, y, to_x, to_y, touch=False):
    """Move the mouse, or a finger, from a place to another with the button down."""
    if not touch:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(to_x, to_y, steps=12)
        page.mouse.up()
        return
    session = page.context.new_cdp_session(page)
    places = [(x + (to_x - x) * k / 12, y + (to_y - y) * k / 12) for k in range(13)]
    for kind, *place in [("touchStart", *places[0]), *(("touchMove", *p) for p in places)]:
        points = [dict(zip("xy", place, strict=True))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def box_of(element):
    """Return left, top, width and height of an element that is brought into sight."""
    element.scroll_into_view_if_needed()
    return [element.bounding_box()[side] for side in ("x", "y", "width", "height")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", SIZES)
def test_the_four_parts(opened, width, scheme):
    page, touch = opened(width, scheme), width < 800
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    handle, number = page.locator("#five .handle").first, page.locator("#five .supposed")
    assert handle.get_attribute("aria-valuenow") == "6" and number.inner_text() == "9"
    page.click("#five button[value=longer]")
    assert "Not so: the mean wait is shorter, 1 h 12 min in place of 1 h 48 min" in text_of(
        page, "#five .said"
    )
    assert "a wild backfill" in text_of(page, "#five .said")
    handle.press("Home")
    assert "Mean wait: 1 h 48 min" in text_of(page, "#five .said")
    left, top, wide, high = box_of(handle)
    hour = page.evaluate("document.querySelector('#five .machine').getBBox().width") / 16
    slide(page, left + wide / 2, top + high / 2, left + wide / 2 + 3 * hour, top, touch)
    assert handle.get_attribute("aria-valuenow") == "9" == number.inner_text()
    assert "Mean wait: 1 h 12 min" in text_of(page, "#five .said")
    left, top, *_ = box_of(number)
    slide(page, left + 9, top + 9, left - 23, top + 9, touch)
    assert handle.get_attribute("aria-valuenow") == "7" == number.inner_text()
    keep(page, "#five", f"part1-{width}-{scheme}")

    slider = page.locator("#month input[type=range]")
    slider.press("End")
    until(page, "document.querySelector('#month .run').textContent.includes('f = 10:')")
    assert page.locator("#payers input[type=range]").input_value() == "10"
    until(page, "document.querySelector('#payers .said').textContent.startsWith('At f = 10,')")
    slider.press("Home")
    until(page, "document.querySelector('#payers .said').textContent.includes('nobody')")
    slider.fill("2")
    until(page, "document.querySelector('#month .run').textContent.includes('f = 2:')")
    assert text_of(page, "#month .wait") == "mean wait 1 h 33 min"
    assert "# 93.17" in page.inner_text("#month pre")
    curve, drawn = page.locator("#month .curve"), page.locator("#month .curve .drawn")
    left, top, wide, high = box_of(curve)
    slide(page, left + wide / 5, top + 90, left + wide * 0.9, top + 120, touch)
    assert len(drawn.get_attribute("points").split()) > 40
    page.click("#month .erase")
    curve.press("ArrowDown")
    assert len(drawn.get_attribute("points").split()) == 21  # from f = 0 to 2
    left, top, wide, high = box_of(curve)
    (page.touchscreen.tap if touch else page.mouse.click)(left + wide * 0.7, top + high / 2)
    until(page, "document.querySelector('#month .f').textContent > '6'")
    page.click("#month .begin")
    until(page, "document.querySelector('#month progress').value > 0.021")
    page.click("#month .stop")
    done = text_of(page, "#month .progress")
    assert re.match(r"[\d,]+ of 10,100 runs of 28,489 jobs in", done)
    page.wait_for_timeout(300)
    assert text_of(page, "#month .progress") == done
    assert "of 100 seeds complete" in text_of(page, "#month .verdict")
    assert page.locator("#month .committed-mean").count() == 1
    keep(page, "#month", f"part2-{width}-{scheme}")
    slider.fill("2")
    until(page, "document.querySelector('#payers .said').textContent.startsWith('At f = 2,')")
    keep(page, "#payers", f"part3-{width}-{scheme}")

    page.click("#own .sample button")
    page.click("#own .begin")
    until(page, "document.querySelector('#own progress').value > 0.15")
    page.click("#own .stop")
    assert "mean wait, users’ estimates 21 min" in text_of(page, "#own .facts")
    assert 'paper="heel_and_toe"' in page.inner_text("#own pre")
    until(page, "document.querySelector('#own .said').textContent.startsWith('At f = 2,')")
    keep(page, "#own", f"part4-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_address_opens_its_picture_and_a_change_is_kept_in_it(opened):
    page = opened(address="#own&log=CTC-SP2&load=0.9&f=3.5")
    until(page, "document.querySelector('#own .run')?.textContent.includes('f = 3.5:')")
    assert text_of(page, "#own .name") == "CTC-SP2 at 90 % load"
    assert ".at_load(0.9)" in page.inner_text("#own pre")
    page.locator("#payers input[type=range]").fill("7")
    until(page, "location.hash === '#payers&log=KTH-SP2-2&f=7'")


@pytest.mark.parametrize("width", [390, 1600])
def test_every_control_has_a_name_and_room_for_a_finger(opened, width):
    page = opened(width)
    page.click("#five button[value='the same']")
    for control in page.locator("button:visible, input:visible, [role=slider]").all():
        name = control.evaluate("e => e.ariaLabel || e.labels?.[0]?.textContent || e.textContent")
        assert name.strip()
        box = control.bounding_box()
        assert box["height"] >= 30 and box["width"] >= 30
    pictures = page.locator("svg[role=img], canvas").all()
    assert len(pictures) >= 3
    assert all(len(picture.get_attribute("aria-label")) > 20 for picture in pictures)


@pytest.fixture
def dropped(opened, tmp_path):
    """A function that drops a file of some content on part 4 and returns the page."""
    page = opened(390)

    def drop(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        page.set_input_files("#own input[type=file]", path)
        until(
            page,
            "document.querySelector('#own .state').textContent === '' &&"
            " (document.querySelector('#own .refusal').textContent ||"
            " !document.querySelector('#own .result').hidden)",
        )
        return page

    return drop


def log_of(jobs, header=True):
    """Return the bytes of a log of a workload."""
    trace = workloads.trace(
        submit=jobs.submit,
        run_time=jobs.run_time,
        requested_processors=jobs.processors,
        requested_time=jobs.estimate,
    )
    lines = [f"; MaxProcs: {jobs.machine}\n"] if header else []
    names = swf.FIELDS
    columns = [getattr(trace, name).astype("i8").tolist() for name in names]
    lines += (" ".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
    return "".join(lines).encode()


def test_a_dropped_file_of_each_kind(dropped):
    content = log_of(workloads.random_jobs(700, 32, 90_000, 3000, 900))
    for name, data in (("own.swf", content), ("own.swf.gz", gzip.compress(content))):
        page = dropped(name, data)
        page.click("#own .begin")
        page.wait_for_selector("#own .verdict p")
        assert text_of(page, "#own .facts").startswith("jobs 700 processors 32 load as logged")
        assert f'rp.load("{name}")' in page.inner_text("#own pre")
    page.reload()
    page.wait_for_selector("#own .run:not(:empty)")
    assert text_of(page, "#own .name") == "own" and page.evaluate("location.hash") == "#own"
    page = dropped("empty.swf", b"")
    assert text_of(page, "#own .refusal").startswith("empty.swf: no jobs, an empty file")
    assert page.locator("#own .result").is_hidden()
    page = dropped("table.csv", b"submit_time,nodes,end\n5,4,9\n")
    assert "not SWF, but a table" in text_of(page, "#own .refusal")
    page = dropped("picture.png", bytes(range(256)) * 99)
    assert "\n" not in page.inner_text("#own .refusal") and "picture.png" in text_of(
        page, "#own .refusal"
    )
    page = dropped("cut.swf.gz", gzip.compress(content)[:900])
    assert text_of(page, "#own .refusal") == "cut.swf.gz: the gzip is truncated"
    page = dropped("bad.swf", content + b"1 2 3\n")
    page.click("#own .remedy")
    page.wait_for_selector("#own .run:not(:empty)")
    assert "bad line wrong columns 1" in text_of(page, "#own .facts")


def test_a_quiet_log_says_so_and_is_simulated_at_a_higher_load(dropped):
    page = dropped("quiet.swf", log_of(workloads.random_jobs(700, 32, 90_000_000, 3000, 900)))
    page.wait_for_selector("#own .quiet:not(:empty)")
    assert page.locator("#own .paying").is_hidden()
    page.click("#own .busy")
    page.wait_for_selector("#own .said:not(:empty)")
    assert text_of(page, "#own .quiet") == "" and text_of(page, "#own .load output") == "90 %"


def test_a_log_without_a_header_asks_for_the_machine(dropped):
    page = dropped(
        "bare.swf", log_of(workloads.random_jobs(700, 32, 90_000, 3000, 900), header=False)
    )
    assert "names no MaxProcs" in text_of(page, "#own .refusal")
    page.fill("#own .ask input", "16")
    page.click("#own .ask button")
    page.wait_for_selector("#own .remedy:not([hidden])")  # jobs are larger
    assert page.locator("#own .ask").is_hidden()
    page.click("#own .remedy")
    page.wait_for_selector("#own .run:not(:empty)")
    assert "machine=16" in page.inner_text("#own pre") and "larger-than-machine" in page.inner_text(
        "#own pre"
    )
