/**
 * Tells when somebody has stopped speaking, as `SilenceDetector` in client/recording/level.py does
 * in the terminal: the same numbers, which were chosen there on recorded speech.
 */

const FRAME_SAMPLES = 800; // 50 ms at 16 kHz
const FRAME_S = 0.05;
const FLOOR_DBFS = -120;
const FLOOR_FRAMES = 200; // 10 s
const FLOOR_SHARE = 0.1;
const LOWEST_FLOOR_DBFS = -75;
const MIN_ABOVE_FLOOR_DB = 5;
const SHARE_OF_RANGE = 0.25;
const BEGIN_ABOVE_FLOOR_DB = 9;
const WINDOW_FRAMES = 8;
const LOUD_FRAMES = 3;
const LEVEL_ADAPTATION = 0.03;

export class SilenceDetector {
  /** Somebody has been heard speaking. */
  speechBegun = false;
  /** For how long nobody has spoken since, in seconds. */
  silenceS = 0;
  #floorFrames = [];
  #recentLoud = [];
  #speechDbfs = FLOOR_DBFS;
  #held = [];

  /** @param {Int16Array} samples at 16 kHz, any number of them */
  push(samples) {
    for (const sample of samples) {
      this.#held.push(sample / 32768);
      if (this.#held.length === FRAME_SAMPLES) {
        const power = this.#held.reduce((sum, each) => sum + each * each, 0) / FRAME_SAMPLES;
        this.#held.length = 0;
        this.hear(power > 0 ? Math.max(FLOOR_DBFS, 10 * Math.log10(power)) : FLOOR_DBFS);
      }
    }
  }

  /** @param {number} frameDbfs the level of the next 50 ms */
  hear(frameDbfs) {
    keepLast(this.#floorFrames, Math.max(frameDbfs, LOWEST_FLOOR_DBFS), FLOOR_FRAMES);
    const loud = frameDbfs > this.#thresholdDbfs();
    keepLast(this.#recentLoud, loud, WINDOW_FRAMES);
    if (loud) {
      const weight = this.speechBegun ? LEVEL_ADAPTATION : 1;
      this.#speechDbfs += weight * (frameDbfs - this.#speechDbfs);
    }
    if (loud && this.#recentLoud.filter(Boolean).length >= LOUD_FRAMES) {
      this.speechBegun = true;
      this.silenceS = 0;
    } else if (this.speechBegun) {
      this.silenceS += FRAME_S;
    }
  }

  #thresholdDbfs() {
    const floor = percentile(this.#floorFrames, FLOOR_SHARE);
    if (!this.speechBegun) {
      return floor + BEGIN_ABOVE_FLOOR_DB;
    }
    return (
      floor + Math.max(MIN_ABOVE_FLOOR_DB, SHARE_OF_RANGE * (this.#speechDbfs - floor))
    );
  }
}

function keepLast(list, value, count) {
  list.push(value);
  if (list.length > count) {
    list.shift();
  }
}

/** By linear interpolation, as numpy does. */
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}
