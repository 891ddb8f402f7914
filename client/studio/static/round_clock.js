/** How much of a round is left. The page counts, and the studio keeps the count. */

const WARN_S = [300, 60];
const WARNED_FOR_S = 20; // after that it would contradict the clock

export class RoundClock {
  /** Seconds that are left. */
  leftS;
  /** Seconds that ran since the studio last took them in. */
  ranS = 0;
  #runs = false;
  #tickedAtMs = performance.now();

  /** @param {number} leftS */
  constructor(leftS) {
    this.leftS = leftS;
  }

  get runs() {
    return this.#runs;
  }

  get isOver() {
    return this.leftS <= 0;
  }

  /**
   * Count what has passed.
   * @param {boolean} runs whether the clock runs now
   * @returns {boolean} whether it has just started or stopped
   */
  tick(runs) {
    const now = performance.now();
    const goneS = this.#runs && runs ? (now - this.#tickedAtMs) / 1000 : 0;
    this.ranS += goneS;
    this.leftS = Math.max(0, this.leftS - goneS);
    this.#tickedAtMs = now;
    const changed = runs !== this.#runs;
    this.#runs = runs;
    return changed;
  }

  /** @param {number} leftS what the studio has counted up to now */
  set(leftS) {
    this.leftS = leftS;
    this.#tickedAtMs = performance.now();
  }

  /** @returns {string} "1 minute left." and the like, for a while; empty at other times */
  get warning() {
    const near = WARN_S.find((each) => this.leftS <= each && this.leftS > each - WARNED_FOR_S);
    if (!near || this.isOver) {
      return "";
    }
    return near === 60 ? "1 minute left." : `${near / 60} minutes left.`;
  }
}
