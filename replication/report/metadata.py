"""What archives, indexes and journals want to know, made from ``CITATION.cff``: codemeta.json and .zenodo.json, and
metadata.yaml for ReScience C, which is made with the article.

``python -m replication.report.metadata`` writes both anew; a test holds them to it.
"""

import json
import re
from pathlib import Path

import yaml

from replication.basics import paths, writing

CODEMETA, ZENODO = "codemeta.json", ".zenodo.json"
RESCIENCE = Path(__file__).parent / "templates" / "rescience.yaml"
LICENSES = "https://spdx.org/licenses/"


def citation():
    """What CITATION.cff says."""
    return yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def codemeta():
    """CodeMeta 3.0, as Software Heritage and package indexes read it."""
    cited = citation()
    public = {"codeRepository": cited["repository-code"]} if "repository-code" in cited else {}
    return public | {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": cited["title"],
        "description": cited["abstract"],
        "author": [{"type": "Organization", "name": who["name"]} for who in cited["authors"]],
        "version": cited["version"],
        "datePublished": str(cited["date-released"]),
        "license": f"{LICENSES}{cited['license']}",
        "programmingLanguage": "Python",
        "runtimePlatform": "CPython 3.11 to 3.13",
        "operatingSystem": "POSIX",
        "keywords": cited["keywords"],
        "referencePublication": [
            {
                "type": "ScholarlyArticle",
                "name": one["title"],
                "author": [
                    {
                        "type": "Person",
                        "givenName": who["given-names"],
                        "familyName": who["family-names"],
                    }
                    for who in one["authors"]
                ],
                "datePublished": str(one["year"]),
            }
            for one in cited["references"]
        ],
    }


def zenodo():
    """The deposit's metadata as Zenodo reads it from a repository."""
    cited = citation()
    return {
        "title": cited["title"],
        "description": cited["abstract"],
        "upload_type": "software",
        "creators": [{"name": who["name"]} for who in cited["authors"]],
        "version": cited["version"],
        "publication_date": str(cited["date-released"]),
        "license": cited["license"],
        "access_right": "open",
        "language": "eng",
        "keywords": cited["keywords"],
        "references": [
            f"{', '.join(who['family-names'] for who in one['authors'])}: {one['title']}. "
            f"{one['conference']['name']}, {one['year']}"
            for one in cited["references"]
        ],
    }


def rescience(made):
    """metadata.yaml of a submission to ReScience C for what `replication.report.article.build` gives."""
    facts, cited = yaml.safe_load(RESCIENCE.read_text(encoding="utf-8")), citation()
    later = facts["review"][0]["url"]
    who = dict.fromkeys(("orcid", "email", "affiliations"), later)
    replicated = {one["title"] for one in cited["references"]}
    plain = re.sub(r" ?(\[\[\d+\]\]\([^)]*\))+|\]\(#[^)]*\)|[*\[]", "", made["abstract"])
    facts |= {
        "title": made["title"],
        "authors": [{"name": one["name"]} | who for one in cited["authors"]],
        "keywords": ", ".join([*cited["keywords"], "Python", "rescience c"]),
        "code": [{"url": cited.get("repository-code", later)}, {"doi": later}]
        + [{"swh": one} for one in made["identifiers"][-1:]],
        "replication": [
            {"cite": entry["text"], "bib": entry["key"], "url": later, "doi": later}
            for entry in made["references"]
            if entry["text"].split(". ")[1] in replicated
        ],
        "abstract": " ".join(plain.split()),
    }
    return yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=110)


def text(facts):
    """JSON as it stands in the files."""
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def main():
    """Write both files."""
    for name, facts in ((CODEMETA, codemeta()), (ZENODO, zenodo())):
        writing.write(paths.ROOT / name, text(facts).encode())


if __name__ == "__main__":
    main()
