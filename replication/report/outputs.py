"""What a notebook leaves: its files, its evidence, and its record."""

import shutil
import time

from replication.report import record
from replication.report.parameters import PageError
from replication.simulator import writing
from replication.verdicts import evidence

#: Role and caption of the table of evidence.
EVIDENCE = "evidence", "Values of the summary, of printed numbers, and of cases of claims"


class Outputs:
    """The files, the evidence and the record of a run in its folder, which is emptied first.

    `inputs` are the `replication.report.inputs.Inputs` of the run.
    """

    def __init__(self, inputs):
        self.summary, self.files, self.evidence = "", {}, {}  # evidence: rows by statement
        self._inputs, self._started = inputs, time.perf_counter()
        shutil.rmtree(inputs.folder, ignore_errors=True)
        inputs.folder.mkdir(parents=True)  # papermill saves the notebook there while it runs

    def file(self, name, ending) -> str:
        """Return the name of an output of the item, which may have a name of its own."""
        return f"{self._inputs.item}{f'-{name}' if name else ''}{ending}"

    def save(self, name, ending, data, role, caption) -> None:
        """Save bytes; PageError if another output has the name."""
        file = self.file(name, ending)
        earlier = self.files.get(file, {}).get("caption", caption)
        if earlier != caption:
            raise PageError(
                f"{self._inputs.name}: {file} was saved with the caption {earlier!r} before; "
                "give one of the two a name=, or create the page again"
            )
        writing.write(self._inputs.folder / file, data)
        self.files[file] = {"role": role, "caption": caption}

    def keep(self, rows) -> None:
        """Save rows of evidence, given by statement."""
        self.evidence |= rows
        ordered = sorted(self.evidence.items(), key=lambda pair: pair[0] == evidence.OPENING)
        every = [
            {"statement": name} | row for name, statement_rows in ordered for row in statement_rows
        ]
        self.save("", ".evidence.csv", evidence.table(every), *EVIDENCE)

    def write(self) -> dict:
        """Write the record, and return it."""
        inputs, seconds = self._inputs, round(time.perf_counter() - self._started, 1)
        parameters = dict(inputs.parameters)
        run = record.environment() | {"workers": parameters.pop("workers"), "seconds": seconds}
        facts = {
            "format": record.FORMAT,
            "item": inputs.name,
            **({"paper": inputs.paper} if inputs.name.startswith(record.STUDY) else {}),
            "summary": self.summary,
            "parameters": parameters,
            "provenance": {"kind": inputs.kind, "logs": inputs.log_facts()},
            "files": self.files,
            "run": run,
        }
        record.save(inputs.folder, inputs.name, facts)
        return facts
