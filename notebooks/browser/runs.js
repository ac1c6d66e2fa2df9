// Runs of a log, in workers: the schedule at one f, the waits of groups of jobs, and the runs of a curve.

import { groups, heads, waits } from "./groups.js";
import { loadKernel, Machine } from "./kernel.js";
import { stateOf } from "./random.js";
import { LogError, readLog, unpack } from "./swf.js";

/** Return `steps + 1` values of f from 0 to the largest, rounded as those of the package. */
export function badness(largest, steps) {
  return Array.from({ length: steps + 1 }, (_, k) => Number(((largest * k) / steps).toFixed(10)));
}

/** Return the offered load of a log, a share; NaN if all jobs are submitted at once. */
export function offeredLoad({ jobs, machine }) {
  const work = jobs.runTime.reduce((sum, run, k) => sum + run * jobs.size[k], 0), span = jobs.submit.at(-1) - jobs.submit[0];
  return span ? work / (machine * span) : NaN;
}

/** Return a log whose submissions are scaled to a load, as `Workload.at_load` does. */
export function atLoad(log, share) {
  const factor = offeredLoad(log) / share;
  const submit = log.jobs.submit.map((second) => {
    const exact = second * factor, near = Math.round(exact);
    return exact % 1 === 0.5 && near % 2 ? near - 1 : near; // halves to the even number
  });
  return { ...log, jobs: { ...log.jobs, submit } };
}

/** Return mean wait (s), mean bounded slowdown and number of measured jobs at f with a seed; with the users' estimates if f is null. */
export function runAt(machine, log, f, seed) {
  if (f > 0) machine.draw(f, stateOf(log.drawKey, machine.n, f, seed));
  machine.simulate(f === null ? "estimate" : f > 0 ? "own" : "runTime");
  const [jobs, wait, slowdown] = machine.measure();
  return { jobs, wait, slowdown };
}

/** Answer the messages of a page: {file, names, kinds, options} is read; {kernel, log} is kept; and for
 * the kept log {want: "schedule", "wait" or "groups", f, seed} is one run, and {fs, seeds} all of a curve. */
export function serve(scope) {
  let machine = null, log = null, members = null;
  const answers = {
    wait: (run) => run,
    schedule(run) {
      machine.observe();
      return { ...run, start: Float64Array.from(machine.numbers("start"), Number), backfilled: machine.flags("backfilled").slice(), wild: machine.flags("wild").slice() };
    },
    groups: () => ({ names: members.map(([name]) => name), counts: members.map(([, jobs]) => jobs.length), waits: waits(log, machine, members) }),
  };
  async function answer({ file, names, kinds, options, kernel, log: given, want, f, fs, seed, seeds }) {
    if (file) {
      const bytes = await unpack(new Uint8Array(await file.arrayBuffer()), file.name);
      scope.postMessage({ read: await readLog(bytes, file.name, names, options, kinds) });
    }
    if (given) {
      log = given;
      machine = new Machine(await loadKernel(kernel), log.jobs, log.machine);
    }
    if (want === "groups" && !members) {
      runAt(machine, log, log.hasEstimates ? null : 0, 1);
      members = groups(log, heads(log.jobs.submit, Float64Array.from(machine.numbers("start"), Number)));
    }
    if (want) {
      const clock = performance.now(), run = runAt(machine, log, f, seed);
      const took = performance.now() - clock;
      scope.postMessage({ ...answers[want](run), took });
    }
    for (const one of seeds ?? []) fs.forEach((value, k) => scope.postMessage({ seed: one, k, ...runAt(machine, log, value, one) }));
  }
  let before = Promise.resolve(); // one message after another
  scope.onmessage = ({ data }) => {
    before = before.then(() => answer(data)).catch((error) => {
      const message = data.file && !(error instanceof LogError) ? `${data.file.name}: the browser cannot read it (${error.message})` : error.message;
      scope.postMessage({ refused: message, remedy: error.remedy ?? "", value: error.value ?? "" });
    });
  };
}

/** A worker that has a log and makes single runs, in the order in which they are asked for. */
export class Runner {
  constructor(start, kernel, log) {
    this.asked = [];
    this.worker = start();
    this.worker.postMessage({ kernel, log });
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.asked.shift() ?? {};
      if (data.refused) reject?.(new Error(data.refused));
      else resolve?.(data);
    };
  }

  ask(want, f, seed = 1) {
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.worker.postMessage({ want, f, seed });
    });
  }

  stop() {
    this.worker.terminate();
  }
}

/** The runs of a curve as workers return them, seed by seed. */
export class Campaign {
  /** `start` makes a worker; `report` is called after each message. */
  constructor(start, kernel, log, fs, seeds, report) {
    this.fs = fs;
    this.seeds = seeds;
    this.waits = fs.map(() => new Map());
    this.done = 0;
    this.total = fs.length * seeds.length;
    this.problem = "";
    const workers = Math.max(1, Math.min(4, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1, seeds.length));
    this.workers = Array.from({ length: workers }, (_, number) => {
      const worker = start();
      worker.onmessage = ({ data }) => {
        if (data.refused) this.problem = data.refused, this.stop();
        if (data.wait !== undefined) this.waits[data.k].set(data.seed, data.wait), this.done++;
        if (this.finished) this.stop();
        report(this);
      };
      worker.postMessage({ kernel, log, fs, seeds: seeds.filter((_, k) => k % workers === number) });
      return worker;
    });
  }

  get finished() {
    return this.done === this.total;
  }

  /** End all workers; what is computed stays. */
  stop() {
    this.stopped = true;
    for (const worker of this.workers) worker.terminate();
  }

  /** Return the waits of the seeds that are complete at all f, a list for each f. */
  complete() {
    const seeds = this.seeds.filter((seed) => this.waits.every((waits) => waits.has(seed)));
    return { seeds, runs: this.waits.map((waits) => seeds.map((seed) => waits.get(seed))) };
  }
}
