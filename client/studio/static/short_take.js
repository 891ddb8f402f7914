/** A few seconds of sound that the page keeps: a term of a drill, a sentence of the check. */

import { SAMPLE_RATE_HZ } from "./recorder.js";
import { SilenceDetector } from "./silence.js";

export class ShortTake {
  #blocks = [];
  #count = 0;
  #silence = new SilenceDetector();

  /** @param {Int16Array} samples mono, 16 kHz */
  push(samples) {
    this.#blocks.push(samples);
    this.#count += samples.length;
    this.#silence.push(samples);
  }

  get durationS() {
    return this.#count / SAMPLE_RATE_HZ;
  }

  /** Somebody has been heard speaking. */
  get speechBegun() {
    return this.#silence.speechBegun;
  }

  /** For how long nobody has spoken after the first word; 0 before it. */
  get silenceS() {
    return this.#silence.silenceS;
  }

  /** @returns {Int16Array} everything taken so far */
  samples() {
    const joined = new Int16Array(this.#count);
    let at = 0;
    for (const block of this.#blocks) {
      joined.set(block, at);
      at += block.length;
    }
    return joined;
  }
}
