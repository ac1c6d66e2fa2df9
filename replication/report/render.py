"""Results as a reader of a notebook sees them: tables and pictures.

Every text goes through autoescape: a trace may hold anything.
"""

import base64
import html
import re
from pathlib import Path

import jinja2
import nbformat
import pandas as pd
from IPython.display import display
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from replication.drawing import style
from replication.simulator import writing
from replication.simulator.paths import toml
from replication.verdicts import shown

TEMPLATES = Path(__file__).parent / "templates"
# Pixels of a page for a pixel of a figure: 105 to the inch.
SHRINK = 105 / style.DPI
# A table of more than LONGEST rows shows its first HEAD rows.
LONGEST, HEAD = 60, 10
#: Names for readers: of columns, where they are not the column's words, and of words with a
#: spelling of their own; and units of columns that have the same one in all tables.
NAMES = toml(TEMPLATES / "names.toml")
COLUMNS, WORDS, UNITS = NAMES["columns"], NAMES["words"], NAMES["units"]
#: Columns of fractions, which are shown in per cent; a column with larger values is in per cent
#: already.
PERCENT = {"difference": "{:+.1%}", "share": "{:.1%}"}
#: Columns of numbers as text, beside one another.
NUMERIC = ("published", "ours", "difference")
#: Units that a heading does not repeat: of plain numbers, and of dates and names.
WITHOUT = ("", "1", "yyyymm", "rank", "job number")
#: The words of verdicts, each with its sign and its rule.
VERDICTS = toml(TEMPLATES / "verdicts.toml")
SIGNS = {word: verdict["sign"] for word, verdict in VERDICTS.items()}


def slug(name) -> str:
    """Return a name as a class of the page's style."""
    return re.sub(r"\W+", "-", str(name)).lower()


def name_of(column) -> str:
    """Return the name of a column or a measure for readers: words instead of underscores."""
    words = [
        WORDS.get(word, word) for word in re.sub(r"(?<![a-z])e_max", "E_max", column).split("_")
    ]
    name = " ".join(words).replace("E max", "E_max")
    if column in WORDS or column.startswith("f="):
        return name
    return COLUMNS.get(column, name[:1].upper() + name[1:])


def with_unit(column, units) -> str:
    """Return the name of a column or a measure with its unit; a number without one has none."""
    name, unit = name_of(column), units.get(column, "")
    plain = unit in WITHOUT or unit == column or name.endswith("]")
    return name if plain else f"{name} [{unit}]"


JINJA = jinja2.Environment(
    loader=jinja2.FileSystemLoader(TEMPLATES),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
JINJA.globals["signs"] = SIGNS
JINJA.filters |= {"slug": slug, "name_of": name_of}


class Table:
    """A table as a notebook shows it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Its data.
    caption : str
    formats : dict of str to str, optional
        Formats of the numbers of columns.
    units : dict of str to str, optional
        Units of columns, and of measures that the cells of a column ``measure`` name.
    file : str
        Name of the file that holds all rows.
    """

    def __init__(self, frame, caption, formats=None, units=None, file=""):
        keep_index = not isinstance(frame.index, pd.RangeIndex) or frame.index.name is not None
        self.frame, self.caption, self.file = frame, caption, file
        self._flat = frame.reset_index() if keep_index else frame.copy()
        self._flat.columns = [
            " ".join(map(str, part)).strip() if isinstance(part, tuple) else str(part)
            for part in self._flat.columns
        ]
        numbers = [name for name, kind in self._flat.dtypes.items() if kind in (float, object)]
        for name in numbers:
            self._flat[name] = self._flat[name].map(writing.rounded)
        self._formats, self._units = formats or {}, units or {}

    def csv(self) -> bytes:
        """Return the whole table as CSV with plain line ends."""
        return writing.frame_csv(self._flat)

    def _repr_html_(self):
        rows, total, caption = self._flat, len(self._flat), self.caption
        if total > LONGEST:
            rows = rows.head(HEAD)
            caption += f" (the first {HEAD} of {total:,} rows of {self.file})"
        kinds = {name: self._flat[name].dtype.kind for name in self._flat}
        formats = {
            name: form
            for name, form in PERCENT.items()
            if kinds.get(name) == "f" and not (name == "share" and self._flat[name].max() > 1)
        }
        formats |= self._formats
        cells = [
            {name: (row[name], self._cell(name, row[name], formats.get(name))) for name in rows}
            for row in rows.to_dict("records")
        ]
        return JINJA.get_template("table.html.j2").render(
            columns={name: with_unit(name, UNITS | self._units) for name in rows},
            numeric={name for name in rows if kinds[name] in "iuf" or name in NUMERIC},
            rows=cells,
            caption=caption,
        )

    def _cell(self, column, value, form):
        """Return the text of a cell; measures have names for readers."""
        return (
            with_unit(str(value), self._units) if column == "measure" else shown.text(value, form)
        )

    def __repr__(self):
        rows = self._flat.to_string(index=False, max_rows=LONGEST, min_rows=HEAD)
        return "\n".join(filter(None, [self.caption, rows]))


class Picture:
    """A saved PNG as a notebook shows it, with its caption below."""

    def __init__(self, data, caption):
        self.data, self.caption = data, caption

    def _ipython_display_(self):
        look = {"width": shown_width(self.data), "alt": self.caption}
        picture = {"image/png": base64.b64encode(self.data).decode(), "text/plain": self.caption}
        display(picture, metadata={"image/png": look}, raw=True)
        caption = f"<p><em>{html.escape(self.caption)}</em></p>"
        display({"text/html": caption, "text/plain": self.caption}, raw=True)

    def __repr__(self):
        return self.caption


def shown_width(png) -> int:
    """Return the width, in pixels of the page, at which text in a PNG is about as large as that
    around it.
    """
    return round(int.from_bytes(png[16:20]) * SHRINK)


def uri(png) -> str:
    """Return a picture as an address that needs no network."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


EXPORTER = HTMLExporter(
    template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True
)


class Prose(IPythonRenderer):
    """Markdown as a part of the report: raw HTML stays text, headings are two levels lower, the
    title is left out, and of the links only those remain for which `place` returns an address.
    """

    def __init__(self, place):
        super().__init__(escape=True, exclude_anchor_links=True)
        self._place = place

    def html(self, source) -> str:
        """Return Markdown as HTML."""
        return MarkdownWithMath(renderer=self).render(source)

    def heading(self, text, level, **_):
        """Return a heading as HTML, and nothing for the title."""
        return f"<h{level + 2}>{text}</h{level + 2}>\n" if level > 1 else ""

    def link(self, text, url, title=None):
        """Return a link as HTML, or its text."""
        address = self._place(url)
        return f'<a href="{html.escape(address)}">{text}</a>' if address else text

    def image(self, text, url, title=None):
        """Return the words of a picture."""
        return f"[{html.escape(text)}]"


def notebook(path, prose) -> str:
    """Return an executed notebook as a part of a page, without its pictures and its status."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                output for output in cell.outputs if not _is_elsewhere(output.get("data", {}))
            ]
    EXPORTER.register_filter("markdown2html", prose.html)
    EXPORTER.register_filter("highlight_code", lambda code, **_: f"<pre>{html.escape(code)}</pre>")
    return EXPORTER.from_notebook_node(notebook)[0]


def _is_elsewhere(data):
    return "image/png" in data or "text/markdown" in data and "·" in data["text/markdown"]
