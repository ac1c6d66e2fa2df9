"""Markdown as plain data for a PDF's template.

A node is a dict with its ``type`` and with text that the template sets as it is. The types are those that
``templates/nodes.typ`` draws, and no other.
"""

import html
import re

import mistune

from replication.pages import render

HEADINGS = 6
SKIPPED = ("blank_line", "newline")
# What text may hold: the fonts that come with typst can draw it, and nothing of it turns lines around.
DRAWN = re.compile(
    "[ -~\xa0-\u024f\u0370-\u045f\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u214f\u2190-\u22ff\u2500-\u25ff]"
)
DRAWN_TOO = {"\n", "\u2009", "\u202f", *render.SIGNS.values()}
SPACES = {"\u00a0", *DRAWN_TOO}


def markdown(source, level, link):
    """Markdown as nodes below a heading of a level: the words of its heading of the first level,
    which stands for the text's own title, and the nodes of all else. `link` turns an address
    into ``{"url": ...}``, ``{"to": place in the report}``, or None for no link.
    """
    tokens = mistune.create_markdown(renderer=None, plugins=["table"])(source)
    words = _Words(level, link)
    title, rest = [], []
    for token in tokens:
        if token["type"] == "heading" and token["attrs"]["level"] == 1:
            title = words.inline(token["children"])
        else:
            rest.append(token)
    return title, words.blocks(rest)


class _Words:
    """Turns tokens of one text into nodes."""

    def __init__(self, level, link):
        self._above, self._level, self._link = level, level, link

    def blocks(self, tokens):
        return [self._block(token) for token in tokens if token["type"] not in SKIPPED]

    def _block(self, token):
        kind, children = token["type"], token.get("children", [])
        if kind == "heading":
            # None skips a level, which a tagged PDF may not.
            self._level = min(self._level + 1, self._above + token["attrs"]["level"] - 1, HEADINGS)
            return {"type": "heading", "level": self._level, "nodes": self.inline(children)}
        if kind in ("paragraph", "block_text"):
            return {"type": kind, "nodes": self.inline(children)}
        if kind == "list":
            items = [self.blocks(item["children"]) for item in children]
            return {"type": "list", "ordered": token["attrs"]["ordered"], "items": items}
        if kind == "block_quote":
            return {"type": "quote", "nodes": self.blocks(children)}
        if kind == "table":
            return self._table(children)
        if kind == "thematic_break":
            return {"type": "rule"}
        # Code, and HTML in prose, which is shown as the text that it is.
        return {"type": "raw", "text": token["raw"].rstrip("\n")}

    def _table(self, parts):
        head, *bodies = parts
        rows = [head["children"], *(row["children"] for body in bodies for row in body["children"])]
        cells = [[self.inline(cell["children"]) for cell in row] for row in rows]
        right = [cell["attrs"]["align"] == "right" for cell in head["children"]]
        made = {"type": "table", "caption": "", "head": cells[0], "rows": cells[1:], "right": right}
        return made | {"total": len(rows) - 1, "where": ""}

    def inline(self, tokens):
        return [node for token in tokens for node in self._words(token)]

    def _words(self, token):
        kind = token["type"]
        if kind in ("emphasis", "strong"):
            return [{"type": kind, "nodes": self.inline(token["children"])}]
        if kind == "link":
            nodes, target = self.inline(token["children"]), self._link(token["attrs"]["url"])
            return [{"type": "link", "nodes": nodes} | target] if target else nodes
        if kind == "image":
            return [_text("["), *self.inline(token["children"]), _text("]")]
        if kind in ("softbreak", "linebreak"):
            return [_text(" ")] if kind == "softbreak" else [{"type": kind}]
        if kind == "codespan":
            return [{"type": "code", "text": html.unescape(token["raw"])}]
        return [_text(html.unescape(token["raw"]) if kind == "text" else token["raw"])]


def safe(data):
    """JSON types with all text fit to be drawn: a character that the fonts lack or that turns lines
    around is spelt as its code.
    """
    if isinstance(data, str):
        return "".join(c if drawn(c) else f"\\u{{{ord(c):x}}}" for c in data)
    if isinstance(data, dict):
        return {safe(key): safe(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [safe(value) for value in data]
    return data


def drawn(c):
    """Whether a character is left as it is."""
    return c in SPACES or c.isprintable() and DRAWN.match(c) is not None


def _text(words):
    return {"type": "text", "text": words}
