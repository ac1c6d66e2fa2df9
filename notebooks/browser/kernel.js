// The package's kernel of EASY in WebAssembly: jobs in its memory, and runs of them.

/** Return the functions of the compiled module. */
export async function loadKernel(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes);
  return instance.exports;
}

/** Jobs on a machine. `jobs` has columns of whole numbers: submit, runTime, size and estimate. */
export class Machine {
  constructor(kernel, jobs, processors) {
    this.kernel = kernel;
    this.n = jobs.submit.length;
    this.processors = processors;
    kernel.release(0);
    this.at = { results: this.take(128) };
    for (const name of ["submit", "runTime", "size", "estimate"]) {
      this.at[name] = this.take(8 * this.n);
      this.numbers(name).set(BigInt64Array.from(jobs[name], BigInt));
    }
    for (const name of ["own", "start", "order", "delay"]) this.at[name] = this.take(8 * this.n);
    for (const name of ["backfilled", "kept", "wild"]) this.at[name] = this.take(this.n);
    this.mark = this.take(0);
    kernel.release(this.mark);
  }

  take(bytes) {
    const place = this.kernel.take(BigInt(bytes)) >>> 0; // an address, without a sign
    if (!place) throw new Error("not enough memory for so many jobs");
    return place;
  }

  /** Return a column as it is in memory now; memory moves when it grows. */
  numbers(name) {
    return new BigInt64Array(this.kernel.memory.buffer, this.at[name], this.n);
  }

  flags(name) {
    return new Uint8Array(this.kernel.memory.buffer, this.at[name], this.n);
  }

  call(name, ...given) {
    this.kernel.release(this.mark);
    const { results } = this.at;
    if (this.kernel[name](results, results + 8, ...given)) throw new Error("not enough memory for so many jobs");
  }

  /** Draw the estimates of the f-model with the state of a generator, four words. */
  draw(f, state) {
    const words = this.at.results + 16;
    new BigUint64Array(this.kernel.memory.buffer, words, 4).set(state);
    this.call("draw", this.at.runTime, this.at.own, words, BigInt(this.n), f);
  }

  /** Simulate with the column of estimates `estimate` (the users'), `own` (drawn) or `runTime`. */
  simulate(estimates, backfilling = true) {
    const { submit, runTime, size, start, backfilled, order } = this.at;
    this.flags("backfilled").fill(0);
    this.call(
      "simulate", submit, runTime, this.at[estimates], size, start, backfilled, order,
      BigInt(this.n), BigInt(this.processors), Number(backfilling),
    );
  }

  /** Return number of jobs, mean wait (s) and mean bounded slowdown of the last run. */
  measure(trim = true) {
    const { submit, runTime, size, start, kept, results } = this.at;
    const means = results + 64;
    this.call("measure", submit, runTime, size, start, kept, means, BigInt(this.n), Number(trim));
    return new Float64Array(this.kernel.memory.buffer, means, 5).slice();
  }

  /** Find wild backfills and delays of heads in the last run of EASY. */
  observe() {
    const { submit, runTime, size, start, backfilled, order, wild, delay } = this.at;
    this.call(
      "observe", submit, runTime, size, start, backfilled, order, wild, delay,
      BigInt(this.n), BigInt(this.processors),
    );
  }

  /** Return the reservation of a head while `before` jobs have started: planned and real, and extra processors. */
  reserve(head, now, before) {
    const { runTime, estimate, size, start, order, results } = this.at;
    const found = results + 64;
    const numbers = [this.n, this.processors, head, now, before].map(BigInt);
    this.call("reserve", runTime, estimate, size, start, order, found, ...numbers);
    const [planned, extra, real] = new BigInt64Array(this.kernel.memory.buffer, found, 3);
    return { planned: Number(planned), extra: Number(extra), real: Number(real) };
  }
}
