"""An executed notebook, or a page of Markdown, as plain data for a PDF's template.

A node is a dict with its ``type`` and with text that the template sets as it is: nothing that a log or a
notebook says is ever read as markup. The types are those that ``templates/nodes.typ`` draws, and no other.
"""

import base64
import html

import bs4
import mistune

from replication.pages import page, record, render

HEADINGS = 6
SKIPPED = ("blank_line", "newline")
WIDEST = 12  # columns: a table with more is turned, if it then has fewer
# What text may hold: the fonts that come with typst can draw it, and nothing of it turns lines around.
DRAWN = (
    (0x20, 0x7F),
    (0xA0, 0x250),
    (0x370, 0x460),
    (0x2010, 0x2028),
    (0x2030, 0x205F),
    (0x2070, 0x20D0),
    (0x2100, 0x2150),
    (0x2190, 0x2300),
    (0x2500, 0x2600),
)
DRAWN_TOO = {"\n", "\u2009", "\u202f", *render.SIGNS.values()}
SPACES = {"\u00a0", *DRAWN_TOO}


class Nodes:
    """Turns notebooks and Markdown into nodes, and gathers the pictures in them.

    Parameters
    ----------
    link : callable
        Turns an address into ``{"url": ...}``, ``{"to": place in the report}``, or None for no link.

    Attributes
    ----------
    title : list of dict
        Words of the last heading of the first level, which is left out of the nodes.
    pictures : dict of str to bytes
        File name to PNG.
    """

    def __init__(self, link):
        self._link, self._above, self._level = link, 1, 1
        self.title, self.pictures = [], {}

    def notebook(self, cells, level):
        """The prose and outputs of all cells; code is left to the notebook itself.

        Parameters
        ----------
        cells : list of nbformat.NotebookNode
        level : int
            Of the heading above it.

        Returns
        -------
        list of dict
        """
        self._above, self._level, made = level, level, []
        for cell in cells:
            if cell.cell_type == "markdown":
                made += self._prose(cell.source)
            elif cell.cell_type == "code":
                made += [node for output in cell.outputs for node in self._output(output)]
        return made

    def markdown(self, source, level):
        """Markdown as nodes.

        Parameters
        ----------
        source : str
        level : int
            Of the heading above it, which stands for the text's own title.

        Returns
        -------
        list of dict
        """
        self._above, self._level = level, level
        return self._prose(source)

    def _prose(self, source):
        tokens = mistune.create_markdown(renderer=None, plugins=["table"])(source)
        for token in tokens:
            if token["type"] == "heading" and token["attrs"]["level"] == 1:
                self.title = self._inline(token["children"])
        return self._blocks(
            token for token in tokens if token["type"] != "heading" or token["attrs"]["level"] > 1
        )

    def _blocks(self, tokens):
        return [self._block(token) for token in tokens if token["type"] not in SKIPPED]

    def _output(self, output):
        if output.output_type == "stream":
            return (
                [{"type": "raw", "text": text}]
                if (text := render.printed_text(output.text))
                else []
            )
        if output.output_type == "error":
            return [{"type": "raw", "text": f"{output.ename}: {output.evalue}"}]
        data = output.data
        if page.MIME in data:
            return []
        if "image/png" in data:
            return [self._picture(base64.b64decode(data["image/png"]), data.get("text/plain", ""))]
        if "text/html" in data and (tables := _tables(data["text/html"])):
            return tables
        if "text/markdown" in data:
            return self._prose(data["text/markdown"])
        return [{"type": "raw", "text": data.get("text/plain", "")}]

    def _picture(self, data, caption):
        file = f"{record.sha256(data)[:16]}.png"
        self.pictures[file] = data
        size = [int.from_bytes(data[start : start + 4]) for start in (16, 20)]
        return {
            "type": "picture",
            "file": file,
            "caption": caption,
            "width": size[0],
            "height": size[1],
        }

    def _block(self, token):
        kind, children = token["type"], token.get("children", [])
        if kind == "heading":
            # None skips a level, which a tagged PDF may not.
            self._level = min(self._level + 1, self._above + token["attrs"]["level"] - 1, HEADINGS)
            return {"type": "heading", "level": self._level, "nodes": self._inline(children)}
        if kind in ("paragraph", "block_text"):
            return {"type": kind, "nodes": self._inline(children)}
        if kind == "list":
            items = [self._blocks(item["children"]) for item in children]
            return {"type": "list", "ordered": token["attrs"]["ordered"], "items": items}
        if kind == "block_quote":
            return {"type": "quote", "nodes": self._blocks(children)}
        if kind == "table":
            return self._markdown_table(children)
        if kind == "thematic_break":
            return {"type": "rule"}
        # Code, and HTML in prose, which is shown as the text that it is.
        return {"type": "raw", "text": token["raw"].rstrip("\n")}

    def _markdown_table(self, parts):
        head, *bodies = parts
        rows = [head["children"], *(row["children"] for body in bodies for row in body["children"])]
        cells = [[self._inline(cell["children"]) for cell in row] for row in rows]
        right = [cell["attrs"]["align"] == "right" for cell in head["children"]]
        return table("", cells[0], cells[1:], right)

    def _inline(self, tokens):
        return [node for token in tokens for node in self._words(token)]

    def _words(self, token):
        kind = token["type"]
        if kind in ("emphasis", "strong"):
            return [{"type": kind, "nodes": self._inline(token["children"])}]
        if kind == "link":
            nodes, target = self._inline(token["children"]), self._link(token["attrs"]["url"])
            return [{"type": "link", "nodes": nodes} | target] if target else nodes
        if kind == "image":
            return [_text("["), *self._inline(token["children"]), _text("]")]
        if kind in ("softbreak", "linebreak"):
            return [_text(" ")] if kind == "softbreak" else [{"type": kind}]
        if kind == "codespan":
            return [{"type": "code", "text": html.unescape(token["raw"])}]
        return [_text(html.unescape(token["raw"]) if kind == "text" else token["raw"])]


def table(caption, head, rows, right=None, notice=""):
    """A table as a node.

    Parameters
    ----------
    caption : str
        Empty for none.
    head : list of (str or list of dict)
    rows : list of list of (str or list of dict)
    right : list of bool, optional
        Columns of numbers.
    notice : str
        Words that mark a table that proves nothing.

    Returns
    -------
    dict
        ``longest`` is the length of each column's longest text.
    """
    columns = [[_plain(row[place]) for row in (head, *rows)] for place in range(len(head))]
    return {
        "type": "table",
        "caption": caption,
        "notice": notice,
        "head": head,
        "rows": rows,
        "right": right or [False] * len(head),
        "longest": [max(map(len, column)) for column in columns],
    }


def safe(data):
    """JSON types with all text fit to be drawn.

    Parameters
    ----------
    data : object

    Returns
    -------
    object
        A character that the fonts lack or that turns lines around is spelt as its code.
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
    return c in SPACES or c.isprintable() and any(low <= ord(c) < high for low, high in DRAWN)


def _text(words):
    return {"type": "text", "text": words}


def _plain(cell):
    if isinstance(cell, str):
        return cell
    return "".join(
        node["text"] if "text" in node else _plain(node.get("nodes", [])) for node in cell
    )


def _tables(markup):
    """The tables that an output of `replication.pages.render.Table` holds."""
    made = []
    for figure in bs4.BeautifulSoup(markup, "html.parser")("table"):
        heads = figure("th")
        if not heads:
            continue
        head = [cell.get_text().strip() for cell in heads]
        rows = [
            cells
            for row in figure("tr")
            if len(cells := [cell.get_text().strip() for cell in row("td")]) == len(head)
        ]
        caption = figure.caption.get_text() if figure.caption else ""
        notice = figure.find_previous_sibling("p", class_="notice")
        right = ["number" in cell.get("class", ()) for cell in heads]
        if len(head) > WIDEST > len(rows):
            head, *rows = map(list, zip(head, *rows))
            right = [False, *[True] * (len(head) - 1)]
        made.append(table(caption, head, rows, right, notice.get_text() if notice else ""))
    return made
