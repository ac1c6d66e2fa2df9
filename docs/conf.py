"""Configuration of the documentation site (Sphinx)."""

import inspect
import sys
from pathlib import Path

import nbformat

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import gallery  # noqa: E402

from replication.simulator.choices import Choice  # noqa: E402
from replication.simulator.logs import registry  # noqa: E402

project = "replication"
author = "Backfilling Replication Project"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["_build", "articles"]
html_theme = "furo"
html_title = "replication"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_extra_path = ["../build/report/standalone/report.html"]
html_extra_path += ["../figures/replication.pdf", "../figures/studies.pdf"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3
nb_execution_mode = "force" if registry.locate("KTH-SP2-2") else "off"  # for the tutorial
nb_execution_excludepatterns = ["gallery/*"]
nb_execution_timeout = 300
nb_ipywidgets_js = {}  # no scripts from other sites
nb_execution_raise_on_error = True
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"

# The calls in the tutorial that draw a picture, and its alternative text.
PICTURES = {
    "run.gantt(": "Two days of jobs on the processors of KTH-SP2 under EASY; backfilled ones are "
    "hatched",
    "sns.lineplot(": "Mean wait against the badness factor f, with 95 % intervals over five seeds",
}


def setup(app):
    """Write the gallery and copy the tutorial before Sphinx reads the sources; show options in
    signatures.
    """
    app.connect("builder-inited", prepare)
    app.connect("source-read", name_pages_outside)
    app.connect("build-finished", copy_page)
    app.connect("autodoc-process-signature", options_in_signature)


def prepare(app):
    gallery.write(HERE / "gallery", Path(app.outdir) / "gallery")
    tutorial = nbformat.read(HERE.parent / "notebooks" / "tutorial.ipynb", as_version=4)
    for cell in tutorial.cells:
        for call, alt in PICTURES.items():
            if call in cell.source:
                cell.metadata["mystnb"] = {"image": {"alt": alt}}
        if cell.cell_type == "markdown":  # the links of the notebook are those of the repository
            for place, page in (("../docs/", ""), ("../figures/report.html", "gallery/index.md")):
                cell.source = cell.source.replace(f"]({place}", f"]({page}")
    nbformat.write(tutorial, HERE / "tutorial.ipynb")


def name_pages_outside(app, docname, source):
    """Write the path in the repository in place of a link to a page outside the site. Other files
    are downloads.
    """
    folder = Path(app.env.doc2path(docname)).parent

    def linked(match):
        path = match[2].partition("#")[0]
        if not path.endswith(".md") or gallery.is_on_site(path, folder):
            return match[0]
        return f"{match[1]} (`{(folder / path).resolve().relative_to(HERE.parent)}`)"

    source[0] = gallery.LINK.sub(linked, source[0])


def copy_page(app, error):
    """Copy the page that needs no installation, whose links are those of the repository."""
    page = (HERE.parent / "figures" / "page.html").read_text(encoding="utf-8")
    for path, place in (("../docs/verdicts.md", "verdicts.html"), ("../figures/", "")):
        page = page.replace(f'href="{path}', f'href="{place}')
    (Path(app.outdir) / "page.html").write_text(page, encoding="utf-8")


def options_in_signature(app, what, name, thing, options, signature, returns):
    """Return the signature of a choice, whose ``__new__`` would hide its options."""
    if what != "class" or not issubclass(thing, Choice) or "__init__" not in vars(thing):
        return None
    parameters = inspect.signature(thing.__init__).parameters.values()
    plain = [arg.replace(annotation=arg.empty) for arg in parameters if arg.name != "self"]
    return str(inspect.Signature(plain)), returns
