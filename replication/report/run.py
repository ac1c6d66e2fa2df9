"""Run the notebooks of tables and figures, each in a kernel of its own."""

import html
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import nbformat
import papermill
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from tqdm import tqdm

from replication.report import record, rerun
from replication.report.parameters import PageError, check, check_known, on_disk
from replication.report.results import notebooks, studies
from replication.simulator import paths, writing
from replication.simulator.choices import did_you_mean
from replication.simulator.logs import registry

SECONDS = 10.0  # of a notebook without a record
DIFFERS = 3  # exit code
WIDGET = "application/vnd.jupyter.widget-view+json"
#: nbconvert's addresses of other sites, which a page without widgets and formulas does not need.
NO_ADDRESSES = {name: "" for name in HTMLExporter.class_trait_names() if name.endswith("_url")}


class NotebookError(RuntimeError):
    """A notebook that failed; the message names the cell and the last line of the exception."""


def choose(only=(), of_studies=False) -> dict[str, Path]:
    """Return the notebooks of some words, each ``paper/item`` or ``paper``; all without a word.

    With `of_studies` they are those of our own studies, each ``study/item`` or ``study``.

    Raises
    ------
    PageError
        If no notebook has the name.
    """
    by_word = {
        name.removeprefix(record.STUDY): name for name in (studies() if of_studies else notebooks())
    }
    command = "studies" if of_studies else "figures"
    requested = " ".join([only] if isinstance(only, str) else only or []).split()
    chosen = []
    for word in (word.removeprefix(record.STUDY) for word in requested):
        several = [name for name in by_word if word in (name, name.split("/")[0])]
        if not several:
            hint = did_you_mean(word, by_word)
            python = _short(sys.executable)
            listing = f"{python} -m replication {command} --list"
            raise PageError(f"no notebook {word!r}{hint}; '{listing}' names all")
        chosen += several
    names = dict.fromkeys(by_word[name] for name in (chosen if requested else by_word))
    return {name: record.source(name) for name in names}


def plan(chosen, scale=None, workers=None, settings=None) -> dict[str, dict]:
    """Return the parameters of each notebook; the scale is ``paper`` by default where all logs are
    available.

    Raises
    ------
    PageError
        If a notebook does not have one of the parameters, or refuses its value.
    """
    scale = scale or (settings or {}).get("scale")
    common = {"scale": "paper", "workers": workers or os.cpu_count() or 1} | (settings or {})
    logs = {}
    for name in chosen:
        defaults = on_disk(name)
        check_known(name, common, defaults)
        check(name, common)
        entries = (defaults | common).get("logs") or []
        logs[name] = (
            [registry.file_and_rules(log)[0] for log in entries]
            if isinstance(entries, list)
            else []
        )
    available = _available({log for several in logs.values() for log in several})
    return {
        name: common | {"scale": scale or ("paper" if available >= set(logs[name]) else "quick")}
        for name in chosen
    }


def _available(logs):
    """Return the logs that are on this machine or can be fetched."""
    available = set()
    for log in sorted(logs):
        try:
            if not Path(log).is_file() and registry.locate(log) is None:
                registry.fetch(log)
            available.add(log)
        except (registry.DownloadError, OSError) as reason:
            # The kernels need not try again.
            os.environ[registry.OFFLINE] = "1"
            missing = ", ".join(sorted(logs - available))
            print(f"synthetic jobs replace {missing}: {reason}; TRACES=folder names real logs")
            break
    return available


def figures(only=(), scale=None, workers=None, settings=None, of_studies=False) -> int:
    """Run notebooks, see `choose`; print where their pictures are, and the time they take.

    The fastest runs first. Those of all papers together read the records of the others, so they run
    last.

    Returns
    -------
    int
        Exit code: 1 if a notebook failed, else `DIFFERS` if a result under the committed parameters
        differs from the last commit.
    """
    chosen = choose(only, of_studies)
    if not chosen:
        raise PageError(f"no notebooks in {record.STUDIES if of_studies else paths.NOTEBOOKS}")
    planned = plan(chosen, scale, workers, settings)
    weights = {name: _seconds(name, planned[name]["scale"]) for name in chosen}
    failed, answers, begun, pages, wrong = [], {}, time.perf_counter(), [], False
    if len(chosen) > 1:
        print(
            f"{len(chosen)} notebooks, {_minutes(sum(weights.values()))} by their last runs",
            flush=True,
        )
    with tqdm(bar_format="{desc}", leave=False, disable=None) as bar:
        ordered = sorted(chosen, key=lambda name: (name.startswith("together/"), weights[name]))
        for done, name in enumerate(ordered, 1):
            started, left = time.perf_counter(), sum(weights.values())
            line = f"{done} of {len(chosen)}, {_minutes(left)} left: {name}"
            bar.set_description_str(line[: shutil.get_terminal_size().columns - 1])
            try:
                kind = execute(chosen[name], planned[name])
                facts = record.read(kind, name)
                answers[name] = said = rerun.answer(facts, record.folder(kind, name))
                wrong |= said.equal is False and facts["provenance"]["kind"] == "paper"
                pages += [page(kind, name, str(said))] if only else []
                pictures = [
                    _short(path) for path in record.outputs(kind, name) if path.suffix == ".png"
                ]
                where = ", ".join(pictures) or f"{_short(record.folder(kind, name))}/"
                line = f"{name} ({kind}): {where}: {said}"
            except NotebookError as error:
                failed.append(name)
                line = f"FAILED {error} (see {_short(record.notebook('failed', name))})"
            except Exception as error:  # whatever stops one, the others run
                failed.append(name)
                line = f"FAILED {name}: {type(error).__name__}: {error}"
            seconds = time.perf_counter() - started
            with bar.external_write_mode():
                print(f"{line} [{done} of {len(chosen)}, {seconds:.1f} s]", flush=True)
            del weights[name]
    for path in pages:
        print(_short(path))
    if len(chosen) > 1:
        minutes = (time.perf_counter() - begun) / 60
        lost = f"; {len(failed)} failed: {', '.join(failed)}" if failed else ""
        said = f"{rerun.totals(answers)}{lost}"
        print(f"{len(chosen)} notebooks in {minutes:.1f} min: {said}", flush=True)
    if wrong:
        folder = _short(paths.FIGURES)
        print(f"all differences: git diff {folder}; to restore: git checkout {folder}", flush=True)
    return 1 if failed else DIFFERS if wrong else 0


def _minutes(seconds):
    return f"about {seconds / 60:.0f} min" if seconds >= 60 else "< 1 min"


def _seconds(name, scale):
    """Return the recorded duration of a notebook, as far as there is one."""
    facts = record.read("paper", name) if scale == "paper" else None
    return facts["run"]["seconds"] + 4 if facts else SECONDS


def execute(path, parameters) -> str:
    """Run one notebook and save it, executed, next to its outputs.

    Returns
    -------
    str
        The kind of its outputs.

    Raises
    ------
    NotebookError
    """
    name = record.name_of(path)
    running = paths.BUILD / "running"
    running.mkdir(parents=True, exist_ok=True)
    # papermill warns of parameters such as "top-percent=3", which are checked above.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", "The specified file .* does not end in")
    _clear(running)
    # Two runs of a notebook at once have a folder each.
    with tempfile.TemporaryDirectory(prefix=f"{path.stem}-{os.getpid()}-", dir=running) as folder:
        target = Path(folder) / path.name
        os.environ[record.RUNNING] = folder  # the kernel inherits it
        try:
            executed = _papermill(path, target, name, parameters)
            written = Path(folder) / f"{path.stem}.json"
            parts = json.loads(written.read_text(encoding="utf-8")) if written.exists() else {}
            if not parts:
                raise NotebookError(f"{name}: no Page of this name saved an output")
            notebook = stable(executed, with_parameters=parts["provenance"]["kind"] != "paper")
            writing.write(target, nbformat.writes(notebook).encode())
            kind = record.publish(name, Path(folder))
            if kind is None:
                raise NotebookError(f"{name}: its record is refused, see above")
            return kind
        except NotebookError:
            if target.exists():  # not if the kernel died
                writing.write(record.notebook("failed", name), target.read_bytes())
            raise
        finally:
            del os.environ[record.RUNNING]


def _clear(running):
    """Delete the folders of runs that were killed: their processes are gone."""
    for folder in running.iterdir():
        process = re.fullmatch(r".*-(\d+)-\w+", folder.name)
        if process:
            try:
                os.kill(int(process[1]), 0)
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                continue  # a process of somebody else


def _papermill(path, target, name, parameters):
    """Run a notebook in a kernel of its own and return it executed; NotebookError if it fails."""
    try:
        return papermill.execute_notebook(
            str(path),
            str(target),
            parameters,
            progress_bar=False,
            request_save_on_cell_execute=False,
            resources={"metadata": {"path": str(path.parent)}},
            kernel_manager_class=AsyncKernelManager,
            # No warning of TCP without encryption, and no error of an interrupt at shutdown.
            extra_arguments=["--IPKernelApp.log_level=50"],
        )
    except DeadKernelError:
        raise NotebookError(f"{name}: the kernel died; it may need more memory") from None
    except papermill.PapermillExecutionError as error:
        # papermill adds a cell with the parameters behind the first, so that its count from 0 is
        # ours from 1.
        where = name, error.cell_index, error.source
        raise NotebookError(failure(*where, error.ename, error.evalue)) from error
    except RuntimeError as error:
        raise NotebookError(f"{name}: the kernel did not start: {error}") from error


def page(kind, name, answer="") -> Path:
    """Write an executed notebook as one HTML file beside it, complete without a network, with the
    answer of its run at the top and at the end, and return the path.
    """
    path = record.notebook(kind, name)
    text, _ = HTMLExporter(**NO_ADDRESSES).from_filename(str(path))
    target = path.with_suffix(".html")
    said = f"<p><strong>Re-run</strong>: {html.escape(answer)}.</p>" if answer else ""
    top = re.search("<main[^>]*>", text).end()
    text = f"{text[:top]}{said}{text[top:].replace('</main>', f'{said}</main>')}"
    writing.write(target, text.encode())
    return target


def stable(notebook, with_parameters=True) -> nbformat.NotebookNode:
    """Remove from an executed notebook everything that differs between two runs with the same
    results.

    These are times, versions, random ids, warnings and progress bars; without `with_parameters`
    also the cell that papermill adds.
    """
    notebook.nbformat_minor = 4  # without ids of cells
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    count = 0
    kept = []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "injected-parameters" in tags and not with_parameters:
            continue
        cell.pop("id", None)
        cell.metadata = {"tags": tags} if tags else {}
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = [
                output
                for output in cell.outputs
                if output.get("name") != "stderr" and WIDGET not in output.get("data", ())
            ]
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
        kept.append(cell)
    notebook.cells = kept
    return notebook


def failure(name, number, source, kind, message) -> str:
    """Return one line about a failed cell, given by its number from 1 and its source."""
    code, error = source.strip().partition("\n")[0], message.strip().rpartition("\n")[2]
    return f"{name}: cell {number} ({code.strip()}): {kind}: {error}"


def _short(path):
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else str(path)
