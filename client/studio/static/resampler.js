/**
 * From the browser's sample rate to 16 kHz, in pieces as they come.
 *
 * A browser offers no way to do this to a live stream: Firefox refuses a 16 kHz AudioContext on a
 * microphone that runs at 48 kHz. A windowed sinc is applied at the output's positions only, from
 * a table of its phases (Kaiser, "Nonrecursive digital filter design using the I0-sinh window",
 * ISCAS 1974; the band is cut half a transition below half of the lower rate, so nothing folds).
 */

const ATTENUATION_DB = 80;
const KAISER_BETA = 0.1102 * (ATTENUATION_DB - 8.7);
const TRANSITION_SHARE = 1 / 8; // of half the lower rate: 7 to 8 kHz at 16 kHz
const MAX_PHASES = 1024; // only odd rates have more; the nearest phase is within -60 dB there

function bessel0(x) {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > 1e-12 * sum; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

export class Resampler {
  /**
   * @param {number} fromHz a whole number, the rate of what comes in
   * @param {number} toHz a whole number, the rate of what goes out
   */
  constructor(fromHz, toHz) {
    this.step = fromHz / toHz;
    this.phases = Math.min(toHz / greatestCommonDivisor(fromHz, toHz), MAX_PHASES);
    const lowHz = Math.min(fromHz, toHz) / 2;
    const widthHz = lowHz * TRANSITION_SHARE;
    const order = (ATTENUATION_DB - 8) / (2.285 * 2 * Math.PI * (widthHz / fromHz));
    this.half = Math.ceil(order / 2);
    this.taps = 2 * this.half + 1;
    this.table = this.#makeTable((lowHz - widthHz / 2) / fromHz);
    this.reset();
  }

  /** Forget what came before, e.g. after a pause. */
  reset() {
    this.held = new Float32Array(this.half); // silence before the first sample
    this.heldFrom = -this.half; // the index of held[0] in the stream
    this.made = 0;
  }

  /**
   * @param {Float32Array} samples the next ones
   * @returns {Float32Array} as many output samples as they complete
   */
  push(samples) {
    const all = new Float32Array(this.held.length + samples.length);
    all.set(this.held);
    all.set(samples, this.held.length);
    const end = this.heldFrom + all.length;
    const last = Math.floor((end - 1 - this.half - 1) / this.step);
    const out = new Float32Array(Math.max(0, last - this.made + 1));
    for (let n = 0; n < out.length; n += 1) {
      out[n] = this.#at(all, (this.made + n) * this.step);
    }
    this.made += out.length;
    const keepFrom = Math.max(this.heldFrom, Math.floor(this.made * this.step) - this.half);
    this.held = all.slice(keepFrom - this.heldFrom);
    this.heldFrom = keepFrom;
    return out;
  }

  /** @returns {Float32Array} what the filter still holds; afterwards it is as new */
  flush() {
    const rest = this.push(new Float32Array(this.half + 1));
    this.reset();
    return rest;
  }

  #at(all, position) {
    let whole = Math.floor(position);
    let phase = Math.round((position - whole) * this.phases);
    if (phase === this.phases) {
      phase = 0;
      whole += 1;
    }
    const from = whole - this.half - this.heldFrom;
    const row = phase * this.taps;
    let sum = 0;
    for (let k = 0; k < this.taps; k += 1) {
      sum += all[from + k] * this.table[row + k];
    }
    return sum;
  }

  #makeTable(cutoff) {
    const table = new Float32Array(this.phases * this.taps);
    for (let phase = 0; phase < this.phases; phase += 1) {
      const row = phase * this.taps;
      let sum = 0;
      for (let k = 0; k < this.taps; k += 1) {
        const t = k - this.half - phase / this.phases;
        const x = 2 * cutoff * t;
        const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
        const within = Math.max(0, 1 - (t / (this.half + 1)) ** 2);
        table[row + k] = sinc * bessel0(KAISER_BETA * Math.sqrt(within));
        sum += table[row + k];
      }
      for (let k = 0; k < this.taps; k += 1) {
        table[row + k] /= sum; // the same loudness in every phase
      }
    }
    return table;
  }
}
