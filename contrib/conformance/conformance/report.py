"""What a test found: lines for the terminal, a page as HTML or Markdown, a badge, and JSON."""

import json
from html import escape

from conformance import charts, explain, suite


def label(level, rules):
    """Return the name of a test: the level, and the rules that the program states."""
    return f"{level} {rules}" if rules.chosen else level


def headline(results):
    """Return the number of logs whose schedules are as expected, in words."""
    passed = sum(result.passed for result in results)
    return f"{passed} of {len(results)} schedules are as expected"


def diagnosis(results):
    """Return what the program does on all logs, a list of sentences; empty if it is unknown."""
    explanations = explain.of_all(results)
    if not explanations:
        return []
    count = explain.explained(explanations[0], results)
    logs = f"On all {count} logs" if count == len(results) else f"On {count} of {len(results)} logs"
    predicate = explain.sentence(explanations[0])
    lines = [f"{logs} your program's schedules are those of a scheduler that {predicate}."]
    if explanations[1:]:
        others = "; or ".join(map(explain.sentence, explanations[1:4]))
        lines.append(f"These logs cannot tell it from one that {others}.")
    if all(change.is_convention for change in explanations[0]):
        values = [pair for change in explanations[0] for pair in change.values.items()]
        options = " ".join(f"--rule {name}={value}" for name, value in values)
        lines.append(f"This is a convention, not a defect: state it with {options}")
    return lines


def failure(result):
    """Return the facts about a log whose schedule differs, a dict; times are in s."""
    job, log = result.first, result.log
    return {
        "log": log.name,
        "job": job,
        "start": result.given.get(job),
        "expected": result.expected[job],
        "sentence": log.sentence,
        "text": suite.sentences()[log.sentence],
        "rules": str(result.rules),
        "other": log.other,
        "explained": [explain.sentence([change]) for change in explain.by_log(result)],
    }


def lines_of(fact):
    """Return a failure in words, a list of lines."""
    start = "never starts" if fact["start"] is None else f"starts at {fact['start']:g} s"
    lines = [
        f"{fact['log']}: job {fact['job']} {start}; expected {fact['expected']:g} s",
        f"  {fact['sentence']}: {fact['text']}",
        f"  The log tells it from: {fact['other']}.",
    ]
    if fact["explained"]:
        nearest, *others = fact["explained"]
        lines.append(f"  Here your program does what a scheduler does that {nearest}.")
        if others:
            lines.append(f"  This log cannot tell it from one that {', or '.join(others[:3])}.")
    return lines


def runs(log, starts, rules):
    """Return number, start, end and size of each job of a log that starts."""
    kills = rules["kills"] == "yes"
    return [
        (
            job.number,
            starts[job.number],
            starts[job.number] + (min(job.run_time, job.estimate) if kills else job.run_time),
            job.size,
        )
        for job in log.jobs()[0]
        if job.number in starts
    ]


def table(log):
    """Return the jobs of a log as lines of text."""
    lines = ["  job  submitted  processors  estimate  run time"]
    for job in log.jobs()[0]:
        lines.append(
            f"{job.number:>5}{job.submit:>11}{job.size:>12}{job.estimate:>10}{job.run_time:>10}"
        )
    return lines


def pictures(result):
    """Return a log, the expected and the given schedule as text."""
    log, machine = result.log, result.log.jobs()[1]
    lines = table(log)
    if result.rules["scheduler"] == "pv-easy":
        return lines  # a preempted job runs more than once
    lines += ["  expected:", charts.text(runs(log, result.expected, result.rules), machine)]
    pieces = runs(log, result.given, result.rules)
    if pieces:
        lines += ["  your program:", charts.text(pieces, machine)]
    return lines


def text(results, shown=3):
    """Return the result for a terminal; the first failures have pictures."""
    failed = [result for result in results if not result.passed]
    lines = [headline(results)]
    lines += diagnosis(results)
    for number, result in enumerate(failed):
        lines += ["", *lines_of(failure(result))]
        if number < shown:
            lines += pictures(result)
    if len(failed) > shown:
        lines += [
            "",
            f"Charts of all failures: --html FILE. Of one log: show {failed[-1].log.name}",
        ]
    return "\n".join(lines)


def facts(results, name, level, rules):
    """Return the result as a value for JSON."""
    return {
        "program": name,
        "level": level,
        "rules": str(rules) if rules.chosen else "",
        "sentences": suite.version(),
        "logs": len(results),
        "passed": sum(result.passed for result in results),
        "diagnosis": diagnosis(results),
        "failed": [failure(result) for result in results if not result.passed],
    }


def markdown(results, name, level, rules):
    """Return the result as a page of Markdown."""
    lines = [
        f"# {escape(name)}: {escape(label(level, rules))}",
        "",
        f"{headline(results)} (sentences {suite.version()}).",
        "",
    ]
    lines += [line + "\n" for line in diagnosis(results)]
    lines += ["| log | sentence | result |", "|---|---|---|"]
    for result in results:
        outcome = "as expected"
        if not result.passed:
            fact = failure(result)
            start = "never" if fact["start"] is None else f"at {fact['start']:g} s"
            outcome = f"job {fact['job']} starts {start}; expected {fact['expected']:g} s"
        lines.append(f"| {result.log.name} | {result.log.sentence} | {outcome} |")
    for result in results:
        if not result.passed:
            lines += ["", f"## {result.log.name}", "", "```text", *lines_of(failure(result))]
            lines += [*pictures(result), "```"]
    return "\n".join(lines) + "\n"


def html(results, name, level, rules):
    """Return the result as a page of HTML that needs no other file."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        f"<title>{escape(name)}: {escape(label(level, rules))}</title>",
        "<style>body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em}"
        "td,th{padding:.1em .8em;text-align:left}h2{margin-top:2em}"
        "table.jobs td,table.jobs th{text-align:right}</style>",
        f"<h1>{escape(name)}: {escape(label(level, rules))}</h1>",
        f"<p>{headline(results)} (sentences {escape(suite.version())}).</p>",
    ]
    parts += [f"<p>{escape(line)}</p>" for line in diagnosis(results)]
    parts.append("<table><tr><th>log<th>sentence<th>result</tr>")
    for result in results:
        mark = "as expected" if result.passed else f"<a href='#{result.log.name}'>differs</a>"
        parts.append(f"<tr><td>{result.log.name}<td>{result.log.sentence}<td>{mark}</tr>")
    parts.append("</table>")
    for result in results:
        if result.passed:
            continue
        log, machine = result.log, result.log.jobs()[1]
        parts.append(f"<h2 id='{log.name}'>{log.name}</h2>")
        parts += [f"<p>{escape(line.strip())}</p>" for line in lines_of(failure(result))]
        parts.append(
            "<table class='jobs'><tr><th>job<th>submitted<th>processors<th>estimate<th>run time"
        )
        parts += [
            f"<tr><td>{j.number}<td>{j.submit}<td>{j.size}<td>{j.estimate}<td>{j.run_time}</tr>"
            for j in log.jobs()[0]
        ]
        parts.append("</table>")
        if result.rules["scheduler"] == "pv-easy":
            continue
        both = [runs(log, starts, result.rules) for starts in (result.expected, result.given)]
        until = max(end for chosen in both for _, _, end, _ in chosen)
        for caption, chosen in zip(("expected", "your program"), both):
            if chosen:
                chart = charts.svg(chosen, machine, [result.first], until)
                parts.append(f"<p>{caption}:</p>{chart}")
    return "\n".join(parts) + "</html>\n"


def badge(results, level, rules):
    """Return a badge as SVG, and as JSON in the form that shields.io reads."""
    passed = sum(result.passed for result in results)
    share = passed / len(results)
    colour = "#2e7d32" if share == 1 else "#b26a00" if share > 0.8 else "#b00020"
    message = f"{passed} of {len(results)}"
    name = f"conformance: {label(level, rules)}"
    facts = {"schemaVersion": 1, "label": name, "message": message, "color": colour[1:]}
    return charts.badge(name, message, colour), json.dumps(facts) + "\n"
