// Part 4: a log of the reader's own.

import { duration, tag } from "./drawing.js";
import { atLoad, offeredLoad } from "./runs.js";
import { thousands } from "./swf.js";
import { hardlyWaits, MOST, showLog } from "./view.js";

export const STEPS = 20, SEEDS = 20;
const BUSY = 0.9, HIGHEST = 2; // loads; `Workload.at_load` allows the highest

/** What helps with a log that is refused, by the option of the reader: its value, the words of the button, and Python's. */
const REMEDIES = {
  badLines: ["skip", "Leave out these lines", 'bad_lines="skip"'],
  larger: ["skip", "Leave out the jobs that are larger", 'drop="larger-than-machine"'],
  times: ["round", "Round to seconds", 'times="round"'],
  smaller: ["accept", "Take the smaller machine", "smaller_machine=True"],
};

/** Return the lines of Python that load a log, and print its mean wait (min) at f. */
export function inPython(f, file, { options = {}, paper = "", load = null } = {}) {
  const text = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;
  const rules = [text(file)];
  if (paper) rules.push(`paper=${text(paper)}`);
  if (options.machine) rules.push(`machine=${options.machine}`);
  for (const [option, [, , inCall]] of Object.entries(REMEDIES)) if (options[option]) rules.push(inCall);
  return [
    "import replication as rp",
    "",
    `jobs = rp.load(${rules.join(", ")})${load === null ? "" : `.at_load(${load})`}`,
    `run = rp.simulate(jobs, "easy", rp.FModel(${f}), seed=1)`,
    'print(run.measures["mean_wait"] / 60)',
  ].join("\n");
}

/** Return the lines of Python that print the curve of these `jobs`, and its shape. */
export function curveInPython() {
  return [
    "",
    "from notebooks.heel_and_toe import campaign, curves, trends",
    "",
    `runs = rp.sweep([jobs], ["easy"], rp.FModel.grid(0, ${MOST}, ${MOST / STEPS}), seeds=range(1, ${SEEDS + 1}))`,
    "runs = campaign.on_axis(runs)",
    'waits = {"mean_wait": curves.PERFORMANCE["mean_wait"]}',
    "print(curves.summary(runs, waits).to_string())",
    "print(trends.shapes(runs, waits).to_string())",
  ].join("\n");
}

/** Show part 4 in its section; `example` is a log that the page has, `moved` hears of file, options, log, load and f. Return the functions that open a file and the example. */
export function showOwnLog(section, engine, names, kinds, example, moved) {
  const find = (name) => section.querySelector(name);
  let options = {}, reader = null, stop = null, turn = 0;

  function clear() {
    turn++;
    stop?.();
    reader?.terminate();
    reader = stop = null;
    for (const name of [".result", ".ask", ".remedy"]) find(name).hidden = true;
    find(".refusal").textContent = "";
  }

  function open(file, rules = {}, state = {}) {
    clear();
    options = rules;
    moved({ file, options }, {});
    find(".state").textContent = `Reading ${file.name} …`;
    reader = engine.start();
    reader.onmessage = ({ data }) => {
      reader.terminate();
      find(".state").textContent = "";
      if (data.read) return show({ ...data.read, source: file.name, file }, { ...state, kept: true });
      refuse(data.refused);
      find(".ask").hidden = data.remedy !== "machine";
      const button = find(".remedy"), [value, words] = REMEDIES[data.remedy] ?? ["", ""];
      button.hidden = !value;
      button.textContent = words;
      button.onclick = () => open(file, { ...options, [data.remedy]: value });
      find(".ask").onsubmit = (event) => {
        event.preventDefault();
        open(file, { ...options, machine: Number(find(".ask input").value) });
      };
      if (data.remedy === "machine") find(".ask input").value = data.value, find(".ask input").focus({ preventScroll: true });
    };
    reader.onerror = () => refuse(`${file.name}: the browser cannot read it`);
    reader.postMessage({ file, names, kinds, options });
  }

  function refuse(words) {
    find(".refusal").textContent = words;
  }

  /** Show a log at a load, null as logged. */
  async function show(log, { load = null, f = 2, kept = false } = {}) {
    clear();
    const own = turn, jobs = load === null ? log : atLoad(log, load), logged = offeredLoad(log);
    const at = load === null ? {} : { load };
    const note = (value) => (log.file ? moved({ file: log.file, options }, { ...at, f: value }) : moved(null, { log: log.name, ...at, f: value }));
    if (!kept) note(f);
    find(".result").hidden = false;
    find(".name").textContent = load === null ? log.name : `${log.name} at ${(100 * load).toFixed(0)} % load`;
    const facts = [["jobs", thousands(jobs.jobs.submit.length)], ["processors", thousands(log.machine)], ["load as logged", Number.isFinite(logged) ? `${(100 * logged).toFixed(1)} %` : "all submitted at once"]];
    facts.push(...log.cleaning.filter(([, count]) => count).map(([rule, count]) => [rule.replaceAll("-", " "), thousands(count)]));
    const list = (entries) => entries.map(([name, value]) => tag("div", {}, tag("dt", {}, name), tag("dd", {}, value)));
    const warn = (...warnings) => find(".warnings").append(...warnings.map((words) => tag("p", { class: "warning" }, words)));
    find(".facts").replaceChildren(...list(facts));
    find(".warnings").replaceChildren();
    warn(...log.warnings);
    for (const name of [".month-place", ".paying-place"]) find(name).replaceChildren();
    find(".estimates").textContent = log.hasEstimates ? "" : "The log has no users’ estimates; the curve does not need them.";
    find(".load").hidden = !Number.isFinite(logged);
    const slider = find(".load input"), percent = Math.round(100 * (load ?? logged));
    Object.assign(slider, { min: Math.min(10, percent), max: Math.min(Math.max(100, Math.round(100 * logged)), 100 * HIGHEST), value: percent });
    find(".load output").textContent = `${percent} %`;
    find(".load button").hidden = load === null;
    slider.onchange = (event) => show(log, { load: Number(event.target.value) / 100, f });
    find(".load button").onclick = () => show(log, { f });
    find(".busy").hidden = true;
    find(".quiet").textContent = "";
    find(".state").textContent = "Simulating …";
    try {
      const ended = await showLog(find(".month-place"), find(".paying-place"), jobs, {
        engine, f, steps: STEPS, seeds: Array.from({ length: SEEDS }, (_, k) => k + 1),
        lines: (value) => [inPython(value, log.source, { options: log.file ? options : {}, paper: log.paper ?? "", load }), curveInPython()].join("\n"),
        moved: (part, value) => ((f = value), part && note(value)),
        known(first) {
          if (own !== turn) return false;
          const means = [["mean wait, users’ estimates", first.users], ["mean wait, perfect estimates", first.exact.wait]].filter(([, wait]) => wait !== null);
          find(".facts").children[2].after(...list(means.map(([name, wait]) => [name, duration(wait)])));
          const { jobs: measured } = first.exact, all = jobs.jobs.submit.length;
          if (2 * measured < all) warn(`${thousands(measured)} of ${thousands(all)} jobs are measured, fewer than half: the others are among the first to end, or end after the last submission.`);
          find(".paying").hidden = first.hardly;
          if (first.hardly) find(".quiet").textContent = hardlyWaits(first, jobs);
          find(".busy").hidden = !(first.hardly && offeredLoad(jobs) < BUSY - 0.005);
          find(".busy").onclick = () => show(log, { load: BUSY, f });
          return true;
        },
      });
      if (own !== turn) return ended();
      stop = ended;
    } catch (error) {
      if (own !== turn) return;
      refuse(error.message);
      find(".month-place").replaceChildren();
      find(".paying").hidden = true;
    }
    find(".state").textContent = "";
  }

  const drop = find(".drop"), input = drop.querySelector("input");
  input.addEventListener("change", () => input.files.length && open(input.files[0]));
  for (const name of ["dragover", "dragenter"]) drop.addEventListener(name, (event) => (event.preventDefault(), drop.classList.add("over")));
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault()); // a file beside the field opens nothing
  drop.addEventListener("drop", (event) => event.dataTransfer.files.length && open(event.dataTransfer.files[0]));
  find(".load input").addEventListener("input", (event) => (find(".load output").textContent = `${event.target.value} %`));
  find(".sample button").textContent = `Take ${example.name}`;
  find(".sample button").addEventListener("click", () => show(example));
  return { open, show: (state) => show(example, { ...state, kept: true }) };
}
