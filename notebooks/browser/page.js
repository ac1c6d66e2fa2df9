// Open the page: its parts in order, each as soon as it can be shown.

import { loadKernel, Machine } from "./kernel.js";
import { showFiveJobs } from "./five_jobs.js";
import { showMonth } from "./month.js";
import { showOwnLog } from "./own_log.js";
import { showPayers } from "./payers.js";

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

/** A value of f that several parts share, with their sliders. */
function shared(sliders) {
  const watchers = [];
  const f = {
    value: Number(sliders[0].value),
    watch: (call) => watchers.push(call),
    set(value) {
      f.value = value;
      for (const slider of sliders) {
        slider.value = value;
        slider.setAttribute("aria-valuetext", `f = ${value}`);
        slider.parentElement.querySelector("output").textContent = value.toFixed(1);
      }
      for (const call of watchers) call();
    },
  };
  let asked = false;
  for (const slider of sliders) {
    slider.addEventListener("input", () => {
      if (!asked) requestAnimationFrame(() => (asked = false, f.set(Number(slider.value))));
      asked = true;
    });
  }
  return f;
}

export async function open(engine) {
  const data = JSON.parse(document.getElementById("data").textContent);
  const kernelBytes = bytesOf(data.kernel);
  const address = URL.createObjectURL(new Blob([engine, "\nmodules.curve.serve(self);"], { type: "text/javascript" }));
  const startWorker = () => new Worker(address);
  const find = (name) => document.querySelector(name);
  showFiveJobs(find("#five"), Machine, await loadKernel(kernelBytes));
  performance.mark("first picture");
  const [log, second] = await Promise.all(data.logs.map(unpackLog));
  const machine = new Machine(await loadKernel(kernelBytes), log.jobs, log.machine);
  const f = shared([...document.querySelectorAll("input[type=range]")]);
  showMonth(find("#month"), log, machine, kernelBytes, startWorker, f, data.committed);
  showPayers(find("#payers"), log, machine, f);
  showOwnLog(find("#own"), kernelBytes, startWorker, data.names, data.none, second ?? null);
  document.documentElement.dataset.ready = "yes";
}
