"""An executed notebook as a part of the report: prose, formulas, folded code, pictures and tables.

Nothing active and nothing from elsewhere gets through. HTML that a notebook made is cleaned, raw HTML in
prose is shown as text, and formulas become MathML, which browsers draw by themselves.
"""

import base64
import html
from xml.etree import ElementTree

import bs4
from latex2mathml.converter import convert_to_element
from markupsafe import Markup
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors.sanitize import SanitizeHTML

from replication.pages import page, render

_TAGS = (
    "a abbr b br caption code dd div dl dt em figcaption figure h3 h4 h5 h6 hr i li ol p pre s small "
    "span strong sub sup table tbody td tfoot th thead tr u ul"
).split()
_ATTRIBUTES = {
    "*": ["class", "title", "lang", "dir"],
    "a": ["href"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope"],
}
_IMAGES = ("image/png", "image/svg+xml", "image/jpeg")


def body(notebook, link=lambda address: address):
    """All cells of an executed notebook but its title.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    link : callable
        Turns an address as seen from the notebook into one as seen from the report.

    Returns
    -------
    markupsafe.Markup
    """
    parts, code = [], []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts += [_code(code), markdown(_without_title(cell.source), link)]
            code = []
        elif cell.cell_type == "code":
            code.append(cell.source.strip())
            shown = [part for part in (_output(output, link) for output in cell.outputs) if part]
            if shown:
                parts += [_code(code), *shown]
                code = []
    return Markup("\n".join(filter(None, [*parts, _code(code)])))


def _without_title(source):
    return "\n".join(line for line in source.splitlines() if not line.startswith("# "))


def _code(cells):
    """Successive cells of code, folded into one line."""
    cells = [cell for cell in cells if cell]
    if not cells:
        return ""
    first = html.escape(cells[0].splitlines()[0])
    coloured = "".join(map(Highlight2HTML(pygments_lexer="python"), cells))
    return (
        f'<details class="code"><summary>Code: <code>{first}</code></summary>{coloured}</details>'
    )


def _output(output, link):
    """One output of a cell; the page's own status line is left out, the report says it elsewhere."""
    if output.output_type == "stream":
        return _stream(output)
    if output.output_type == "error":
        return f"<pre>{html.escape(output.ename)}: {html.escape(output.evalue)}</pre>"
    data = output.data
    if page.MIME in data:
        return ""
    for mime in _IMAGES:
        if mime in data:
            return _picture(mime, data)
    if "text/html" in data:
        return f'<div class="wide">{clean(data["text/html"])}</div>'
    if "text/markdown" in data:
        return markdown(data["text/markdown"], link)
    return f'<pre class="output">{html.escape(data.get("text/plain", ""))}</pre>'


def _stream(output):
    text = render.printed_text(output.text)
    return (
        f'<pre class="output {html.escape(output.name)}">{html.escape(text)}</pre>' if text else ""
    )


def _picture(mime, data):
    content = data[mime].encode() if mime.endswith("xml") else base64.b64decode(data[mime])
    caption = html.escape(data.get("text/plain", ""))
    width = f' width="{render.shown_width(content)}"' if mime == "image/png" else ""
    return (
        f'<figure class="picture"><img src="{render.data_uri(mime, content)}"{width} alt="{caption}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def mathml(latex, display="inline"):
    """A formula in the markup that browsers draw by themselves.

    Parameters
    ----------
    latex : str
    display : str
        ``inline`` or ``block``.

    Returns
    -------
    str
        MathML; the LaTeX itself as code where it cannot be read.
    """
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


def clean(markup):
    """HTML that a notebook made, without anything active, and without the page's own looks.

    Parameters
    ----------
    markup : str

    Returns
    -------
    str
    """
    soup = bs4.BeautifulSoup(markup, "html.parser")
    for tag in soup(["style", "script", "svg", "iframe", "template"]):
        tag.decompose()
    return SanitizeHTML(tags=_TAGS, attributes=_ATTRIBUTES, strip=True).sanitize_html_tags(
        str(soup)
    )


def markdown(source, link=lambda address: address):
    """Prose of a notebook as HTML: formulas as MathML, no raw HTML, no pictures from elsewhere.

    Parameters
    ----------
    source : str
    link : callable
        Turns an address as seen from the notebook into one as seen from the report.

    Returns
    -------
    str
        Headings start at the third level.
    """
    return MarkdownWithMath(renderer=_Renderer(link)).render(source)


class _Renderer(IPythonRenderer):
    """Markdown for one part of a larger page."""

    def __init__(self, link):
        super().__init__(escape=True, allow_harmful_protocols=False)
        self._link = link

    def heading(self, text, level, **attrs):
        level = min(6, level + 2)
        return f"<h{level}>{text}</h{level}>\n"

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
        return super().link(text, self._link(url), title)

    def image(self, text, url, title=None):
        return f"[{text}]"
