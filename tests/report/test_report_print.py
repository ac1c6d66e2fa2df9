"""The report printed on A4 by Chromium: no page is empty, no column is cut off, no number is
broken.

Needs Chromium and pdftotext (package poppler-utils).
"""

import re
import shutil
import subprocess
from statistics import median

import pytest

from replication.report import render
from replication.simulator import paths

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MARGIN = 1.5 * 72 / 2.54
REPORT = paths.FIGURES / "report.html"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed"),
    pytest.mark.skipif(not REPORT.exists(), reason="there is no report"),
]


@pytest.fixture(scope="module")
def markup():
    """The committed report with the present style."""
    style = (render.TEMPLATES / "report.css").read_text(encoding="utf-8")
    text = REPORT.read_text(encoding="utf-8")
    return re.sub("<style>.*?</style>", lambda _: f"<style>{style}</style>", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def pages(markup, tmp_path_factory):
    """The words of each page: (left, top, right, bottom, word), pt."""
    folder = tmp_path_factory.mktemp("print")
    (folder / "report.html").write_text(markup, encoding="utf-8")
    output = ["--no-pdf-header-footer", f"--print-to-pdf={folder / 'report.pdf'}"]
    browser = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *output]
    subprocess.run([*browser, (folder / "report.html").as_uri()], check=True, capture_output=True)
    command = ["pdftotext", "-bbox", folder / "report.pdf", "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sizes = set(re.findall(r'<page width="(\d+)\S+ height="(\d+)', text))
    assert sizes <= {("594", "841"), ("595", "842")}  # A4
    word = re.compile(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>')
    return [
        [(*map(float, found[:4]), found[4]) for found in word.findall(page)]
        for page in text.split("<page ")[1:]
    ]


def test_no_page_is_empty(pages):
    # A page of pictures has the words of their captions; pdftotext does not see letters in
    # pictures.
    assert [number for number, words in enumerate(pages, 1) if len(words) < 5] == []


def test_no_column_is_cut_off(pages, markup):
    right = [max(word[2] for word in words) for words in pages]
    assert max(right) <= 595.3 - MARGIN + 1
    # Chromium shrinks a page that is too wide.
    assert median(word[3] - word[1] for words in pages for word in words) > 8
    rows = re.findall(r'<tr class="row number".*?</tr>', markup, re.DOTALL)
    verdicts = [re.sub("<.*?>", "", row.rpartition("<td>")[2]).split() for row in rows]
    printed = [word for words in pages for *_, word in words]
    for word in {verdict[-1] for verdict in verdicts}:
        assert printed.count(word) >= sum(verdict[-1] == word for verdict in verdicts)
    assert len(verdicts) > 20


def test_no_number_of_a_table_is_broken(pages, markup):
    cells = re.findall(r'<td class="right(?: paper)?"(?: data-label="paper")?>(\S+?)</td>', markup)
    printed = {word for words in pages for *_, word in words}
    assert len(cells) > 300
    assert [cell for cell in cells if cell not in printed] == []
