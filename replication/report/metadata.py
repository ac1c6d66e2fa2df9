"""What archives, indexes and journals want to know, made from ``CITATION.cff``: codemeta.json and .zenodo.json, and
metadata.yaml for ReScience C, which is made with the article.

``python -m replication.report.metadata`` writes both anew; a test holds them to it.
"""

import json
import re
from pathlib import Path

import yaml

from replication.report import render
from replication.simulator import paths, writing

FILES = {"codemeta.json": "codemeta.json.j2", ".zenodo.json": "zenodo.json.j2"}
TEMPLATES = Path(__file__).parent / "templates"
LICENSES = "https://spdx.org/licenses/"


def citation():
    """What CITATION.cff says."""
    return yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def filled(template, **more):
    """What a template says, in JSON or YAML, once it is filled in from CITATION.cff and from what else it takes."""
    template = render.environment(TEMPLATES).get_template(template)
    return yaml.safe_load(template.render(cited=citation(), licenses=LICENSES, **more))


def made(name):
    """The content of one of `FILES`: CodeMeta 3.0, as Software Heritage and package indexes read it, or the
    deposit's metadata as Zenodo reads it from a repository.
    """
    return text(filled(FILES[name]))


def rescience(article):
    """metadata.yaml of a submission to ReScience C for what `replication.report.article.build` gives."""
    plain = re.sub(r" ?(\[\[\d+\]\]\([^)]*\))+|\]\(#[^)]*\)|[*\[]", "", article["abstract"])
    facts = filled("rescience.yaml", article=article, abstract=" ".join(plain.split()))
    return yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=110)


def text(facts):
    """JSON as it stands in the files."""
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def main():
    """Write both files."""
    for name in FILES:
        writing.write(paths.ROOT / name, made(name).encode())


if __name__ == "__main__":
    main()
