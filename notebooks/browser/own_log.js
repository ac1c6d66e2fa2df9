// Part 4: a log of the reader's own.

import { curvePicture } from "./axes.js";
import { badness, Campaign } from "./curve.js";
import { legendEntry, redraw, signed, tag } from "./drawing.js";
import { shapeOf, summary } from "./shapes.js";
import { thousands } from "./swf.js";

export const MOST = 10, STEPS = 20, SEEDS = 20;
const MINUTE = 60, WORDS = {
  V: "the curve falls by more than 1 %, and rises again by more than 1 %",
  L: "the curve falls by more than 1 %, and does not rise again",
  rising: "the curve does not fall, and rises by more than 1 %",
  flat: "the curve neither falls nor rises by more than 1 %",
};

/** What helps with a log that is refused, by the option of the reader: its value, the words of the button, and Python's. */
const REMEDIES = {
  badLines: ["skip", "Leave out these lines", 'bad_lines="skip"'],
  larger: ["skip", "Leave out the jobs that are larger", 'drop="larger-than-machine"'],
  times: ["round", "Round to seconds", 'times="round"'],
  smaller: ["accept", "Take the smaller machine", "smaller_machine=True"],
};

/** Return the lines of Python that give the same curve and shape. */
export function inPython(file, options, paper = "") {
  const text = (words) => `"${words.replace(/[\\"]/g, "\\$&")}"`;
  const rules = [text(file)];
  if (paper) rules.push(`paper=${text(paper)}`);
  if (options.machine) rules.push(`machine=${options.machine}`);
  for (const [option, [, , inCall]] of Object.entries(REMEDIES)) if (options[option]) rules.push(inCall);
  return [
    "import replication as rp",
    "from notebooks.heel_and_toe import campaign, curves, trends",
    "",
    `jobs = rp.load(${rules.join(", ")})`,
    `runs = rp.sweep([jobs], ["easy"], rp.FModel.grid(0, ${MOST}, ${MOST / STEPS}), seeds=range(1, ${SEEDS + 1}))`,
    "runs = campaign.on_axis(runs)",
    'waits = {"mean_wait": curves.PERFORMANCE["mean_wait"]}',
    "print(curves.summary(runs, waits), trends.shapes(runs, waits))",
  ].join("\n");
}

/** Show part 4 in its section; `example` is a log that the page has, or null. */
export function showOwnLog(section, kernelBytes, startWorker, names, none, example) {
  const find = (name) => section.querySelector(name);
  const fs = badness(MOST, STEPS), seeds = Array.from({ length: SEEDS }, (_, k) => k + 1);
  let file = null, options = {}, campaign = null, reader = null, log = null, points = [], started = 0, shownAt = 0;
  find(".legend").append(...[["mean", `mean of ${SEEDS} seeds`], ["band", "5th to 95th percentile"]].map((entry) => legendEntry(...entry)));

  function clear() {
    campaign?.stop();
    reader?.terminate();
    log = campaign = reader = null;
    points = [];
    for (const name of [".result", ".ask", ".remedy"]) find(name).hidden = true;
    find(".refusal").textContent = "";
  }

  function read() {
    clear();
    find(".state").textContent = `Reading ${file.name} …`;
    reader = startWorker();
    reader.onmessage = ({ data }) => {
      reader.terminate();
      find(".state").textContent = "";
      if (data.read) return simulate(data.read, file.name);
      find(".refusal").textContent = data.refused;
      find(".ask").hidden = data.remedy !== "machine";
      const button = find(".remedy"), [value, words] = REMEDIES[data.remedy] ?? ["", ""];
      button.hidden = !value;
      button.textContent = words;
      button.onclick = () => (Object.assign(options, { [data.remedy]: value }), read());
      if (data.remedy === "machine") find(".ask input").focus();
    };
    reader.onerror = () => (find(".refusal").textContent = `${file.name}: the browser cannot read it`);
    reader.postMessage({ file, names, options });
  }

  function open(one) {
    [file, options] = [one, {}];
    read();
  }

  function simulate(found, source, paper = "") {
    log = found;
    find(".result").hidden = false;
    find(".verdict").textContent = "";
    const load = log.jobs.runTime.reduce((sum, run, k) => sum + run * log.jobs.size[k], 0) / (log.machine * (log.jobs.submit.at(-1) - log.jobs.submit[0]));
    const facts = [["jobs", thousands(log.jobs.submit.length)], ["processors", thousands(log.machine)], ["load", Number.isFinite(load) ? `${(100 * load).toFixed(1)} %` : "all submitted at once"]];
    facts.push(...log.cleaning.filter(([, count]) => count).map(([rule, count]) => [rule.replaceAll("-", " "), thousands(count)]));
    find(".facts").replaceChildren(...facts.map(([name, value]) => tag("div", {}, tag("dt", {}, name), tag("dd", {}, value))));
    find(".warnings").replaceChildren(...log.warnings.map((words) => tag("p", { class: "warning" }, words)));
    find(".name").textContent = log.name;
    find("pre").textContent = inPython(source, options, paper);
    started = performance.now();
    campaign = new Campaign(startWorker, kernelBytes, log, fs, seeds, () => update());
    update(true);
  }

  function update(force = false) {
    if (!log || (!force && performance.now() - shownAt < 60 && !campaign.finished)) return;
    shownAt = performance.now();
    points = campaign.waits.map((waits) => {
      if (!waits.size) return null;
      const { mean, p5, p95 } = summary([...waits.values()]);
      return { mean: mean / MINUTE, p5: p5 / MINUTE, p95: p95 / MINUTE };
    });
    const ended = campaign.finished || campaign.stopped;
    find("progress").value = campaign.done / campaign.total;
    find(".progress").textContent = `${thousands(campaign.done)} of ${thousands(campaign.total)} runs of ${thousands(log.jobs.submit.length)} jobs in ${((performance.now() - started) / 1000).toFixed(1)} s`;
    find(".stop").hidden = ended;
    if (campaign.problem) find(".refusal").textContent = campaign.problem;
    if (campaign.measured === 0) {
      campaign.stop();
      points = [];
      find(".verdict").textContent = "No curve: every job ends after the last submission, so none is measured.";
      find(".stop").hidden = true;
    } else if (ended) {
      verdict();
    }
    draw();
  }

  function verdict() {
    const { seeds: complete, runs } = campaign.complete();
    if (complete.length < 2) {
      find(".verdict").textContent = "Stopped before two seeds were complete: no verdict.";
      return;
    }
    if (runs.every((values) => values.every((wait) => wait === 0))) {
      find(".verdict").textContent = "Flat: no job waits, whatever the estimates.";
      return;
    }
    const found = shapeOf(fs, runs, none), percent = (value) => `${signed(value).replace("+", "")} %`;
    const name = { V: "A V", L: "An L", rising: "Rising", flat: "Flat" }[found.shape];
    const part = complete.length < SEEDS ? ` This is of ${complete.length} of ${SEEDS} seeds.` : "";
    const open = ["fall", "rise"].filter((one) => found[`${one}Low`] <= none && found[`${one}High`] > none);
    const sure = open.length ? `By the bands the ${open.join(" and the ")} ${open.length > 1 ? "are" : "is"} not sure, since the band holds ${none} %.` : "By the bands both are sure.";
    const turns = ["fall", "rise"].map((one) => `${one} ${percent(found[one])} (band ${percent(found[`${one}Low`])} to ${percent(found[`${one}High`])})`);
    find(".verdict").textContent = `${name}: ${WORDS[found.shape]}. The lowest mean is at f = ${found.minimumAt}; ${turns.join(", ")}. ${sure}${part}`;
  }

  function draw() {
    const place = find(".curve"), width = place.clientWidth;
    if (!log || !width) return;
    const title = `Mean wait of ${log.name} over badness f. ${find(".verdict").textContent}`;
    place.replaceChildren(curvePicture({ width, height: width < 560 ? 260 : 300, fs, points, title }));
  }

  const drop = find(".drop"), input = drop.querySelector("input");
  input.addEventListener("change", () => input.files.length && open(input.files[0]));
  for (const name of ["dragover", "dragenter"]) drop.addEventListener(name, (event) => (event.preventDefault(), drop.classList.add("over")));
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault()); // a file beside the field opens nothing
  drop.addEventListener("drop", (event) => event.dataTransfer.files.length && open(event.dataTransfer.files[0]));
  find(".ask").addEventListener("submit", (event) => {
    event.preventDefault();
    options.machine = Number(find(".ask input").value);
    read();
  });
  find(".stop").addEventListener("click", () => (campaign.stop(), update(true)));
  find(".copy").addEventListener("click", async () => {
    const words = find("pre").textContent;
    try {
      await navigator.clipboard.writeText(words);
      find(".copy").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(find("pre"));
      find(".copy").textContent = "Selected: press Ctrl+C";
    }
  });
  const sample = find(".sample");
  sample.hidden = !example;
  if (example) {
    sample.querySelector("button").textContent = `Take ${example.name}`;
    sample.querySelector("button").addEventListener("click", () => (clear(), (options = {}), simulate(example, example.source, example.paper)));
  }
  redraw(find(".curve"), draw);
}
