"""What stands in ``figures/`` as a research object: ``ro-crate-metadata.json``, made from the records beside each item.

A Workflow Run Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5): the Makefile is the workflow, each notebook a tool,
each record a run of it, with the logs and the parameters that went in and the files that came out.
"""

from replication.report import metadata
from replication.simulator import paths

NAME = "ro-crate-metadata.json"
ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload/"
FORMATS = {"csv": "text/csv", "png": "image/png", "json": "application/json"}
PYTHON, AUTHORS = "https://www.python.org/", "#authors"


def crate(items):
    """The research object of some `replication.report.results.Item`, as JSON types, its root the checkout's."""
    made = metadata.filled("crate.yaml")
    entities = {entity["@id"]: entity for entity in made["entities"]}

    def add(identifier, kind, **facts):
        entities.setdefault(identifier, {"@id": identifier, "@type": kind} | facts)
        return _to(identifier)

    runs = [_run(item, add) for item in items]
    actions = [entities[run["@id"]] for run in runs]
    given = dict.fromkeys(one["@id"] for action in actions for one in action["object"])
    workflow, whole, root = (made[name] for name in ("workflow", "whole", "root"))
    workflow["hasPart"] = [action["instrument"] for action in actions]
    whole["object"] = [_to(name) for name in given if name.startswith("#log")]
    whole["result"] = [output for action in actions for output in action["result"]]
    entities |= {one["@id"]: one for one in (workflow, whole)}
    root["hasPart"] = [_to(name) for name, one in entities.items() if "File" in one["@type"]]
    root["mentions"] = [_to(whole["@id"]), *runs]
    return {"@context": made["context"], "@graph": [made["about"], root, *entities.values()]}


def _run(item, add):
    """An item's record as an action: its notebook ran with these logs and parameters, and these files came out."""
    facts = item.facts
    notebook = add(
        f"notebooks/{item.name}.ipynb",
        ["File", "SoftwareSourceCode"],
        name=facts["title"],
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
        name=facts["title"],
        description=f"kernels {facts['kernels']}, "
        f"Python {facts['run']['python']}, {facts['run']['seconds']:g} s",
        instrument=notebook,
        agent=_to(AUTHORS),
        object=[*logs, *parameters],
        result=made,
    )


def text(items):
    """The file's content; it stands at the root of what it describes."""
    return metadata.text(crate(items))


def _to(name):
    return {"@id": name}
