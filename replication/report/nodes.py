"""Markdown as plain data for a PDF's template.

A node is a dict with its ``type`` and with text that the template sets as it is. The types are those that
``templates/nodes.typ`` draws, and no other.
"""

import html
import re

import mistune

from replication.report import render

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
    blocks = words.nodes(token for token in tokens if not _is_title(token))
    return words.nodes(title[0]["children"]) if title else [], blocks


def _is_title(token):
    return token["type"] == "heading" and token["attrs"]["level"] == 1


class _Words:
    """Turns tokens of one text into nodes."""

    def __init__(self, level, link, pictures):
        self._above, self._level, self._link, self._pictures = level, level, link, pictures

    def nodes(self, tokens):
        return [node for token in tokens for node in self._made(token)]

    def _made(self, token):
        """The nodes of a token; none of what is only there for the source."""
        kind, attrs, children = token["type"], token.get("attrs"), token.get("children", ())
        if kind in SKIPPED:
            return []
        if kind == "table":
            return [self._table(children)]
        if self._pictures and [child["type"] for child in children] == ["image"]:
            caption, address = self.nodes(children[0]["children"]), children[0]["attrs"]["url"]
            return [{"type": "figure", "file": address, "nodes": caption, "alt": plain(caption)}]
        made = {"type": kind, "nodes": self.nodes(children)}
        if kind == "heading":
            # None skips a level, which a tagged PDF may not.
            self._level = min(self._level + 1, self._above + attrs["level"] - 1, HEADINGS)
            return [made | {"level": self._level}]
        if kind == "list":
            return [made | {"ordered": attrs["ordered"]}]
        if kind == "link":
            target = self._link(attrs["url"])
            inside = target is not None and target.startswith("#")
            to = {"to": target[1:]} if inside else {"url": target}
            return [made | to] if target else made["nodes"]
        if kind == "image":
            return [_text("["), *made["nodes"], _text("]")]
        if kind == "softbreak":
            return [_text(" ")]
        if kind in ("text", "codespan"):
            return [{"type": kind, "text": html.unescape(token["raw"])}]
        if kind in ("block_code", "block_html"):
            return [{"type": "block_code", "text": token["raw"].rstrip("\n")}]
        return [_text(token["raw"]) if "raw" in token else made]

    def _table(self, parts):
        head, *bodies = parts
        rows = [head["children"], *(row["children"] for body in bodies for row in body["children"])]
        cells = [[self.nodes(cell["children"]) for cell in row] for row in rows]
        right = [cell["attrs"]["align"] == "right" for cell in head["children"]]
        made = {"type": "table", "caption": "", "head": cells[0], "rows": cells[1:], "right": right}
        return made | {"total": len(rows) - 1, "where": ""}


def plain(nodes):
    """The words of some nodes."""
    return "".join(
        node["text"] if "text" in node else plain(node.get("nodes", ())) for node in nodes
    )


def safe(data):
    """JSON types in which each character that cannot be drawn is spelt as its code."""
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
