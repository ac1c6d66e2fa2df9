"""The README's table lists every notebook and links to what is there."""

import re

from replication import notebook, paths, readme


def test_every_notebook_is_listed_and_every_link_leads_somewhere():
    text = readme.README.read_text(encoding="utf-8")
    listed = re.findall(r"\]\(notebooks/(\S+?)\.ipynb\)", readme.BLOCK.search(text).group())
    assert listed == list(notebook.found())
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith("http")]
    assert links
    missing = [link for link in links if not (paths.ROOT / link).exists()]
    assert not missing


def test_times_that_are_not_known_here_are_kept(monkeypatch):
    monkeypatch.setattr(readme, "seconds", lambda name: None)
    block = readme.BLOCK.search(readme.README.read_text(encoding="utf-8")).group()
    assert readme.table(block) == block
