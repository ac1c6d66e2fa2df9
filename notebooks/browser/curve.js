// Curves over badness: the runs of some seeds at each f, in workers.

import { loadKernel, Machine } from "./kernel.js";
import { stateOf } from "./random.js";
import { LogError, readLog, unpack } from "./swf.js";

/** Return `steps + 1` values of f from 0 to the largest, rounded as those of the package. */
export function badness(largest, steps) {
  return Array.from({ length: steps + 1 }, (_, k) => Number(((largest * k) / steps).toFixed(10)));
}

/** Return mean wait (s), mean bounded slowdown and number of measured jobs at f with a seed. */
export function runAt(machine, log, f, seed) {
  if (f > 0) machine.draw(f, stateOf(log.drawKey, machine.n, f, seed));
  machine.simulate(f > 0 ? "own" : "runTime");
  const [jobs, wait, slowdown] = machine.measure();
  return { jobs, wait, slowdown };
}

/** Answer a page's messages: {kernel, log} once, then {fs, seeds}, or {file} to be read. */
export function serve(scope) {
  let machine = null, log = null, turn = 0;
  scope.onmessage = async ({ data }) => {
    if (data.file) {
      try {
        const bytes = await unpack(new Uint8Array(await data.file.arrayBuffer()), data.file.name);
        scope.postMessage({ read: await readLog(bytes, data.file.name, data.names, data.options) });
      } catch (error) {
        const known = error instanceof LogError;
        scope.postMessage({ refused: known ? error.message : `${data.file.name}: the browser cannot read it (${error.message})`, remedy: error.remedy ?? "" });
      }
    }
    if (data.stop) turn++;
    if (!data.fs) return;
    const own = ++turn;
    try {
      if (data.log) {
        log = data.log;
        machine = new Machine(await loadKernel(data.kernel), log.jobs, log.machine);
      }
      for (const seed of data.seeds) {
        for (let k = 0; k < data.fs.length; k++) {
          if (machine.n > 100_000 || k === 0) await new Promise((go) => setTimeout(go)); // hear a stop
          if (own !== turn) return;
          const { wait, slowdown, jobs } = runAt(machine, log, data.fs[k], seed);
          scope.postMessage({ seed, k, wait, slowdown, jobs });
        }
      }
      scope.postMessage({ done: true });
    } catch (error) {
      scope.postMessage({ refused: error.message, remedy: "" });
    }
  };
}

/** The runs of a curve as workers return them, seed by seed. */
export class Campaign {
  /** `start` makes a worker; `report` is called after each message. */
  constructor(start, kernel, log, fs, seeds, report) {
    this.fs = fs;
    this.seeds = seeds;
    this.log = log;
    this.waits = fs.map(() => new Map());
    this.measured = Infinity;
    this.done = 0;
    this.total = fs.length * seeds.length;
    this.problem = "";
    const workers = Math.max(1, Math.min(4, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1, seeds.length));
    this.workers = Array.from({ length: workers }, (_, number) => {
      const worker = start();
      worker.onmessage = ({ data }) => {
        if (data.refused) this.problem = data.refused, this.stop();
        if (data.wait !== undefined) {
          this.waits[data.k].set(data.seed, data.wait);
          this.measured = Math.min(this.measured, data.jobs);
          this.done++;
        }
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
