// Open the page: its parts in order, as its address says.

import { showFiveJobs } from "./five_jobs.js";
import { loadKernel, Machine } from "./kernel.js";
import { inPython, showOwnLog } from "./own_log.js";
import { MOST, showLog } from "./view.js";

const MINUTE = 60, STEPS = 100, SEEDS = 100;
const bytesOf = (base64) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

/** Return a log of the page: columns of whole numbers as differences in base 128. */
export async function unpackLog({ columns, ...facts }) {
  const stream = new Blob([bytesOf(columns)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), jobs = {};
  let at = 0;
  for (const name of ["submit", "runTime", "size", "estimate"]) {
    const column = (jobs[name] = new Float64Array(facts.count));
    for (let k = 0; k < facts.count; k++) {
      let value = 0, unit = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * unit;
        unit *= 128;
      } while (byte & 128);
      column[k] = name === "submit" && k ? column[k - 1] + value : name === "estimate" ? jobs.runTime[k] + value : value;
    }
  }
  return { ...facts, jobs };
}

/** Return part, f, load, log and estimates of an address such as #month&f=2; what it does not have is null. */
export function stateOf(hash) {
  const [part, ...rest] = hash.slice(1).split("&"), values = new URLSearchParams(rest.join("&"));
  const number = (name, least, most) => {
    const value = Number.parseFloat(values.get(name));
    return value >= least && value <= most ? value : null;
  };
  return { part, f: number("f", 0, MOST) ?? 2, load: number("load", 0.01, 2), log: values.get("log"), estimates: values.get("estimates")?.split(",").map(Number) ?? null };
}

export async function open(engineText) {
  const data = JSON.parse(document.getElementById("data").textContent);
  const source = URL.createObjectURL(new Blob([engineText, "\nmodules.runs.serve(self);"], { type: "text/javascript" }));
  const engine = { start: () => new Worker(source), kernel: bytesOf(data.kernel), none: data.none };
  const find = (name) => document.querySelector(name), begin = stateOf(location.hash), kept = history.state;
  let timer = 0, ready = false;
  /** Keep part and values in the address, and a file of the reader's until this tab is closed. */
  const keep = (part, values, state = history.state) => {
    if (!ready || !part) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const words = Object.entries(values).map(([name, value]) => `&${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("");
      try {
        history.replaceState(state, "", `#${part}${words}`);
      } catch {
        history.replaceState(null, "", `#${part}${words}`); // too large a file for the browser to keep
      }
    }, 200);
  };
  showFiveJobs(find("#five"), Machine, await loadKernel(engine.kernel), begin.estimates, (estimates) => keep("five", estimates ? { estimates } : {}));
  performance.mark("first picture");
  const [log, second] = await Promise.all(data.logs.map(unpackLog));
  await showLog(find("#month .month-place"), find("#payers .paying-place"), log, {
    engine, f: begin.part === "own" ? 2 : begin.f, steps: STEPS, seeds: Array.from({ length: SEEDS }, (_, k) => k + 1),
    committed: data.committed.map(({ f, ...waits }) => Object.fromEntries(Object.entries(waits).map(([name, minutes]) => [name, minutes * MINUTE]))),
    lines: (f, wait) => `${inPython(f, log.source, { paper: log.paper })} # ${(wait / MINUTE).toFixed(2)}`,
    moved: (part, f) => keep(part, { log: log.name, f }),
  });
  const own = showOwnLog(find("#own"), engine, data.names, data.kinds, second, (state, values) => keep("own", values, state));
  const state = begin.part === "own" ? begin : {};
  if (kept?.file) own.open(kept.file, kept.options, state);
  else if (begin.log === second.name) own.show(state);
  ready = true;
  document.getElementById(begin.part)?.scrollIntoView();
  addEventListener("hashchange", () => document.getElementById(stateOf(location.hash).part)?.matches("main > section") && location.reload());
  document.documentElement.dataset.ready = "yes";
}
