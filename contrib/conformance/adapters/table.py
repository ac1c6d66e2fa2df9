"""Run the published simulators of `programs.json`, and write the table of the README.

python3 table.py run FOLDER python2=… python3=… python39=…    writes results.json; FOLDER holds them
python3 table.py                                              writes the table from results.json
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from conformance import cli, report, suite  # noqa: E402
from conformance.rules import Rules  # noqa: E402

RESULTS = HERE / "results.json"


def run(names):
    """Test every program, and write the results."""
    done = []
    for program in json.loads((HERE / "programs.json").read_text()):
        for test in program["tests"]:
            command = test["command"]
            for name, value in names.items():
                command = command.replace("{" + name + "}", value)
            command = command.replace(" run_", f" {HERE}/run_") + " {swf} {out}"
            rules = Rules.parse(test["rules"].split())
            chosen = suite.choose(test["level"], rules)
            results = suite.test(lambda *one, c=command: suite.run_program(c, *one), chosen)
            name = f"{program['program']} {test.get('variant', '')}".strip()
            facts = report.facts(results, name, test["level"], rules)
            for failure in facts["failed"]:
                failure.pop("text")
            done.append({**{k: program[k] for k in ("where", "version", "run")}, **facts})
            print(name, program["version"], test["level"], facts["passed"])
    cli.write(RESULTS, json.dumps(done, indent=1) + "\n")


def named(one):
    """Return the interpretation that gives the schedules of a result, in words."""
    for line in one["diagnosis"]:
        logs, _, words = line.partition(" your program's schedules are those of a scheduler that ")
        words = words.partition(". Or it ")[0].rstrip(".").partition(", as ")[0]
        return words if " all " in logs else f"{words} ({logs[3:]}; the rest is unexplained)"
    return ""


def table():
    """Write the table between its marks in the README."""
    lines = [
        "| simulator | version | how | level and rules on purpose | passes | names the defect |"
    ]
    lines.append("|---|---|---|---|---:|---|")
    for one in json.loads(RESULTS.read_text()):
        words = ", ".join(dict.fromkeys(failure["sentence"] for failure in one["failed"]))
        name = f"[{one['program']}](https://github.com/{one['where']})"
        asked = f"{one['level']} {'`' + one['rules'] + '`' if one['rules'] else ''}".strip()
        passes = f"{one['passed']} of {one['logs']}"
        defect = f"{words}: {named(one)}" if words else ""
        cells = [name, one["version"], one["run"], asked, passes, defect]
        lines.append("| " + " | ".join(cells) + " |")
    write_between(HERE.parent / "README.md", "simulators", lines)


def write_between(path, mark, lines):
    """Write lines between two marks of a file."""
    start, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    text = path.read_text(encoding="utf-8")
    before, after = text.split(start)[0], text.split(end)[1]
    cli.write(path, before + start + "\n" + "\n".join(lines) + "\n" + end + after)


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run({"folder": sys.argv[2], **dict(word.split("=", 1) for word in sys.argv[3:])})
    else:
        table()
