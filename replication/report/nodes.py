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


def markdown(source, level, link, pictures=False):
    """Markdown as nodes below a heading of a level: the words of its heading of the first level,
    which stands for the text's own title, and the nodes of all else. `link` turns an address
    into one on the web, ``#`` and a place in the PDF, or None for no link. With `pictures` one that
    is a paragraph of its own becomes a figure.
    """
    tokens = mistune.create_markdown(renderer=None, plugins=["table"])(source)
    words = _Words(level, link, pictures)
    title = [token for token in tokens if _is_title(token)][-1:]
    blocks = words.blocks([token for token in tokens if not _is_title(token)])
    return words.inline(title[0]["children"]) if title else [], blocks


def _is_title(token):
    return token["type"] == "heading" and token["attrs"]["level"] == 1


class _Words:
    """Turns tokens of one text into nodes."""

    def __init__(self, level, link, pictures):
        self._above, self._level, self._link, self._pictures = level, level, link, pictures

    def blocks(self, tokens):
        return [self._block(token) for token in tokens if token["type"] not in SKIPPED]

    def _block(self, token):
        kind, children = token["type"], token.get("children", [])
        if self._pictures and [child["type"] for child in children] == ["image"]:
            caption, address = self.inline(children[0]["children"]), children[0]["attrs"]["url"]
            return {"type": "figure", "file": address, "nodes": caption, "alt": plain(caption)}
        if kind == "heading":
            # None skips a level, which a tagged PDF may not.
            self._level = min(self._level + 1, self._above + token["attrs"]["level"] - 1, HEADINGS)
            return {"type": kind, "level": self._level, "nodes": self.inline(children)}
        if kind in ("paragraph", "block_text"):
            return {"type": kind, "nodes": self.inline(children)}
        if kind == "list":
            items = [self.blocks(item["children"]) for item in children]
            return {"type": kind, "ordered": token["attrs"]["ordered"], "items": items}
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
        kind, within = token["type"], self.inline(token.get("children", ()))
        if kind in ("emphasis", "strong"):
            return [{"type": kind, "nodes": within}]
        if kind == "link":
            target = self._link(token["attrs"]["url"])
            inside = target is not None and target.startswith("#")
            to = {"to": target[1:]} if inside else {"url": target}
            return [{"type": kind, "nodes": within} | to] if target else within
        if kind == "image":
            return [_text("["), *within, _text("]")]
        if kind == "linebreak":
            return [{"type": kind}]
        if kind == "codespan":
            return [{"type": "code", "text": html.unescape(token["raw"])}]
        words = " " if kind == "softbreak" else token["raw"]
        return [_text(html.unescape(words) if kind == "text" else words)]


def plain(nodes):
    """The words of some nodes."""
    return "".join(
        node["text"] if "text" in node else plain(node.get("nodes", ())) for node in nodes
    )


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
