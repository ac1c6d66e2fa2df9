"""What stands in ``figures/`` as a research object: ``ro-crate-metadata.json``, made from the records beside each item.

A Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5): the Makefile is the workflow, each notebook a tool,
each record a run of it, with the logs and the parameters that went in and the files that came out.
"""

from replication.basics import paths
from replication.report import metadata

NAME = "ro-crate-metadata.json"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    "https://w3id.org/ro/terms/workflow-run/context",
    {"sha256": "http://schema.org/sha256"},
]
ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload/"
FORMATS = {"csv": "text/csv", "png": "image/png", "json": "application/json"}
PYTHON, MAKE, AUTHORS = "https://www.python.org/", "https://www.gnu.org/software/make/", "#authors"


def crate(items):
    """The research object of some `replication.report.results.Item`, as JSON types, its root the checkout's."""
    cited, entities = metadata.citation(), {}

    def add(identifier, kind, **facts):
        entities.setdefault(identifier, {"@id": identifier, "@type": kind} | facts)
        return {"@id": identifier}

    for address, (name, version) in PROFILES.items():
        add(address, "CreativeWork", name=name, version=version)
    license_ = add(f"{metadata.LICENSES}{cited['license']}", "CreativeWork", name=cited["license"])
    add(AUTHORS, "Organization", name=cited["authors"][0]["name"])
    add(PYTHON, ["ComputerLanguage", "SoftwareApplication"], name="Python", url=PYTHON)
    add(MAKE, ["ComputerLanguage", "SoftwareApplication"], name="GNU Make", url=MAKE)
    add(ARCHIVE, "CreativeWork", name="Parallel Workloads Archive", url=ARCHIVE)
    add("README.md", "File", name="README", encodingFormat="text/markdown", about=_to("./"))
    runs = [_run(item, add) for item in items]
    outputs = [output for run in runs for output in entities[run["@id"]]["result"]]
    logs = _unique(
        log for run in runs for log in entities[run["@id"]]["object"] if "#log" in log["@id"]
    )
    add(
        "Makefile",
        ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        name="make figures",
        description="Runs every notebook and assembles the article and its supplement.",
        programmingLanguage=_to(MAKE),
        author=_to(AUTHORS),
        license=license_,
        version=cited["version"],
        hasPart=_unique(entities[run["@id"]]["instrument"] for run in runs),
    )
    whole = add(
        "#make-figures",
        "CreateAction",
        name="make figures",
        description="The runs of all notebooks; each has an action of its own.",
        instrument=_to("Makefile"),
        agent=_to(AUTHORS),
        object=logs,
        result=outputs,
    )
    files = [_to(name) for name, entity in entities.items() if "File" in entity["@type"]]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": cited["title"],
        "description": cited["abstract"],
        "datePublished": str(cited["date-released"]),
        "license": license_,
        "author": _to(AUTHORS),
        "conformsTo": [_to(address) for address in PROFILES],
        "mainEntity": _to("Makefile"),
        "hasPart": files,
        "mentions": [whole, *runs],
    }
    about = {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": [
            _to("https://w3id.org/ro/crate/1.1"),
            _to("https://w3id.org/workflowhub/workflow-ro-crate/1.0"),
        ],
    }
    return {"@context": CONTEXT, "@graph": [about, root, *entities.values()]}


def _run(item, add):
    """An item's record as an action: its notebook ran with these logs and parameters, and these files came out."""
    facts = item.facts
    notebook = add(
        f"notebooks/{item.name}.ipynb",
        ["File", "SoftwareSourceCode"],
        name=item.title,
        encodingFormat="application/x-ipynb+json",
        programmingLanguage=_to(PYTHON),
    )
    logs = [
        add(
            f"#log-{name}-{log['sha256'][:12]}",
            "CreativeWork",
            name=name,
            alternateName=log["file"],
            sha256=log["sha256"],
            isPartOf=_to(ARCHIVE),
        )
        for name, log in facts["logs"].items()
    ]
    given = {"scale": facts["scale"], "seed": facts["seed"]} | facts["settings"]
    parameters = [
        add(f"#{item.id}-{name}", "PropertyValue", name=name, value=str(value))
        for name, value in given.items()
    ]
    folder = item.folder.relative_to(paths.FIGURES).as_posix()
    made = [
        add(
            f"figures/{folder}/{file}",
            "File",
            name=file,
            description=about["caption"],
            encodingFormat=FORMATS[file.rpartition(".")[2]],
            sha256=about["sha256"],
        )
        for file, about in facts["files"].items()
    ]
    return add(
        f"#run-{item.id}",
        "CreateAction",
        name=item.title,
        description=f"commit {facts['run']['commit']}, kernels {facts['kernels']}, "
        f"Python {facts['run']['python']}, {facts['run']['seconds']:g} s",
        instrument=notebook,
        agent=_to(AUTHORS),
        object=[*logs, *parameters],
        result=made,
    )


def text(items):
    """The file's content."""
    return metadata.text(crate(items))


def path():
    """Where it stands: at the root of what it describes."""
    return paths.FIGURES.parent / NAME


def _to(name):
    return {"@id": name}


def _unique(entities):
    return [*{entity["@id"]: entity for entity in entities}.values()]
