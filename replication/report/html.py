"""The report as one page, which opens without a network, on a phone and in the dark.

Each item is a notebook again, its outputs those of the tree; an exporter of nbconvert turns it into a part of the
page by ``templates/notebook.html.j2``. Nothing active and nothing from elsewhere gets through: raw HTML in prose
is shown as text, and formulas become MathML, which browsers draw by themselves.
"""

import html
import io
from pathlib import Path
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element
from markupsafe import Markup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import v4
from PIL import Image
from pygments.formatters import HtmlFormatter

from replication.report import record, render, texts
from replication.report.tree import RULES
from replication.simulator import paths

MIME = "application/vnd.replication.part+json"
TEMPLATES = Path(__file__).parent / "templates"
THUMBNAIL = 480
#: The picture of the article that stands beside its findings, also in the README.
FIRST = "heel_and_toe/fig02.png"


def build(data, pictures, article=None):
    """Make the page, as bytes, of what `replication.report.tree.tree` and, where there is one, `article.build` give."""
    items = [item for paper in data["papers"] for item in paper["items"]]
    names = [item["name"] for item in items]
    exporter = Notebooks(pictures)
    bodies, faces = {}, {item["id"]: _face(item, pictures) for item in items}
    for item in items:
        link = texts.links((paths.NOTEBOOKS / item["name"]).parent, names)
        opening = {"type": "prose", "source": item["opening"]}
        bodies[item["id"]] = exporter.body([opening] * bool(item["opening"]) + item["parts"], link)
    decisions = [
        text | {"body": _wide(markdown(text["source"], texts.links(Path(text["folder"]), names)))}
        for text in data["decisions"]
    ]
    made = {"decisions": decisions, "names": _wide(markdown(data["names"], lambda _: None))}
    made |= {"bodies": bodies, "faces": faces, "css": _css(items)}
    made["article"] = _article(article) if article else None
    template = render.environment(TEMPLATES).get_template("report.html.j2")
    return template.render(data | made).encode()


def page(title, notices, parts, pictures):
    """A page of its own, as bytes: notices, and parts as in `replication.report.tree`; `pictures` are paths by name."""
    body = Notebooks(pictures).body(parts, str)
    made = render.environment(TEMPLATES).get_template("page.html.j2")
    return made.render(title=title, notices=notices, body=body, css=_css([])).encode()


def _article(article):
    """The article with its Markdown as HTML and its pictures in their places."""
    template = render.environment(TEMPLATES).get_template("figure.html.j2")
    drawn = {}

    def picture(caption, file):
        png, number = (record.folder("paper") / file).read_bytes(), len(drawn) + 1
        drawn[file] = template.render(number=number, uri=render.uri(png), caption=Markup(caption))
        return drawn[file]

    body = _wide(markdown(article["text"], str, above=1, picture=picture))
    abstract = Markup(markdown(article["abstract"], str))
    return article | {"abstract": abstract, "first": Markup(drawn.get(FIRST, "")), "body": body}


class Notebooks(TemplateExporter):
    """Turns the parts of an item into HTML."""

    def __init__(self, pictures):
        super().__init__(extra_loaders=[render.environment(TEMPLATES).loader])
        self.template_file, self._pictures = "notebook.html.j2", pictures

    def body(self, parts, link):
        """Parts as a notebook, in which what follows code is its output; `link` is from `replication.report.texts.links`."""
        cells = []
        for part in parts:
            if part["type"] == "prose":
                prose = _wide(markdown(part["source"], link, above=3))
                cells.append(v4.new_markdown_cell(prose))
            elif part["type"] == "code":
                cells.append(v4.new_code_cell(part["source"]))
            else:
                if not cells or cells[-1].cell_type != "code":
                    cells.append(v4.new_code_cell())
                cells[-1].outputs.append(v4.new_output("display_data", {MIME: part}))
        return Markup(self.from_notebook_node(v4.new_notebook(cells=cells))[0])

    def _create_environment(self):
        made = super()._create_environment()
        made.autoescape = True
        made.globals |= {"signs": render.SIGNS, "mime": MIME}
        made.filters |= {
            "slug": render.slug,
            "python": lambda source: Markup(Highlight2HTML(pygments_lexer="python")(source)),
            "uri": lambda name: render.uri(self._pictures[name].read_bytes()),
            "shown_width": lambda width: round(width * render.SHRINK),
        }
        return made


def _wide(markup):
    """Prose whose tables can be scrolled where they are wider than the page, also by keys."""
    return Markup(
        markup.replace(
            "<table", '<div class="wide" role="region" aria-label="Table" tabindex="0"><table'
        ).replace("</table>", "</table></div>")
    )


def _face(item, pictures):
    """What stands for an item in the overview: its first figure, small, or the corner of its first table."""
    for part in item["parts"]:
        if part["type"] == "picture":
            return {"picture": _small(pictures[part["file"]]), "rows": []}
    tables = [part for part in item["parts"] if part["type"] == "table"]
    rows = [[row[:5] for row in (part["head"], *part["rows"][:4])] for part in tables[:1]]
    return {"picture": None, "rows": rows[0] if rows else []}


def _small(path):
    buffer = io.BytesIO()
    with Image.open(path) as picture:
        size = THUMBNAIL, max(1, round(picture.height * THUMBNAIL / picture.width))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(64).save(buffer, "png", optimize=True)
    return render.uri(buffer.getvalue())


def _css(items):
    own = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    light = HtmlFormatter(style="default", nobackground=True).get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark", nobackground=True).get_style_defs(".highlight")
    return Markup(
        f"{own}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
        f"@media screen {{\n{_narrowing(items)}\n}}\n"
    )


def _narrowing(items):
    """Rules without which a listing shows all its rows: led to a verdict or an item, it shows that one's."""
    marks = [(f".filter .{slug}:target", f"is-{slug}") for slug in map(render.slug, RULES)]
    marks += [
        (f"#{what}-of-{item['id']}:target", f"of-{item['id']}")
        for what in ("numbers", "claims")
        for item in items
    ]
    return "\n".join(
        f".listing:has({place}) :is(.row:not(.{mark}), tbody:not(:has(.{mark}))) "
        "{ display: none; }"
        for place, mark in marks
    )


def mathml(latex, display="inline"):
    """A formula in the markup that browsers draw by themselves, or as code where it cannot be read."""
    try:
        root = convert_to_element(latex, display=display)
    # The library has no common class for what it refuses.
    except Exception:
        return f'<code class="latex">{html.escape(latex)}</code>'
    for node in root.iter():
        # The library keeps its symbols as entities, and leaves what the author wrote unescaped.
        node.text, node.tail = (part and html.unescape(part) for part in (node.text, node.tail))
        node.attrib.pop("href", None)
    return ElementTree.tostring(root, encoding="unicode")


def markdown(source, link, above=2, picture=None):
    """Prose as HTML: formulas as MathML, no raw HTML. Its first heading is of the level below `above`,
    and none skips one. A picture is what ``picture(caption, address)`` gives, or else its caption.
    """
    return MarkdownWithMath(renderer=_Renderer(link, above, picture)).render(source)


class _Renderer(IPythonRenderer):
    """Markdown for one part of a larger page."""

    def __init__(self, link, above, picture):
        super().__init__(escape=True, allow_harmful_protocols=False)
        self._link, self._above, self._level, self._first = link, above, above, None
        self._picture = picture or (lambda caption, address: f"[{caption}]")

    def paragraph(self, text):
        return f"{text}\n" if text.startswith("<figure") else super().paragraph(text)

    def heading(self, text, level, **attrs):
        self._first = self._first or level
        below = max(level - self._first, 0)
        self._level = min(self._level + 1, self._above + 1 + below, 6)
        return f"<h{self._level}>{text}</h{self._level}>\n"

    def inline_math(self, body):
        return mathml(body)

    def block_math(self, body):
        return mathml(body, "block")

    def latex_environment(self, name, body):
        # latex2mathml knows align*, but neither aligned nor equation.
        if name in ("equation", "equation*"):
            return mathml(body, "block")
        name = "align*" if name == "aligned" else name
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")

    def link(self, text, url, title=None):
        target = self._link(url)
        return super().link(text, target, title) if target else text

    def image(self, text, url, title=None):
        return self._picture(text, url)
