/** The panel that records what somebody says: an answer in practice and interview, a drill's take. */

import { clock } from "/static/ui/clock.js";
import { ASKING, MUTED } from "./recorder.js";
import { RecorderPanel } from "./recorder_panel.js";
import { keepAwake, letSleep } from "./wake_lock.js";

const MUTED_AFTER_S = 4; // no room is silent that long; a headset with a noise gate is

/**
 * A recording under way.
 * @typedef {object} Take
 * @property {number} recordedS how much is recorded, in seconds
 * @property {() => Promise<void>} stop end it and have it graded or heard
 * @property {() => Promise<void>} [discard] delete it
 * @property {() => void} [pause]
 * @property {() => void} [resume]
 */

/**
 * It enters "opening", "recording", "paused" and "working" by itself; where a recording ends, the
 * page's handlers say what comes next.
 */
export class AnswerPanel extends RecorderPanel {
  /** How long the answer should take, in seconds. */
  targetS = 0;
  /** @type {Take|null} what is being recorded, or was recorded last */
  take = null;
  #handlers;
  #muted = false;

  /**
   * @param {HTMLElement} root
   * @param {Record<string, import("./recorder_panel.js").State>} states
   * @param {import("./answer.js").Handlers} handlers
   * @param {{mayBeLeft?: boolean}} [options] `mayBeLeft`: a take is short, and the page may be left
   *   in the middle of one
   */
  constructor(root, states, handlers, { mayBeLeft = false } = {}) {
    super(root, states);
    this.#handlers = {
      ...handlers,
      onLevel: (level) => this.#hear(level),
      onSwitch: (label) => {
        if (this.isRecording) {
          this.say(`The microphone was disconnected. The recording continues with “${label}”.`);
        }
      },
      onAsking: () => this.say(ASKING),
      onWorking: (working) => {
        letSleep();
        this.enter("working");
        handlers.onWorking?.(working);
      },
      onDiscarded: () => {
        letSleep();
        handlers.onDiscarded?.();
      },
      onProblem: (problem) => {
        letSleep();
        handlers.onProblem(problem);
      },
    };
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.isRecording) {
        keepAwake(); // it ends whenever the page is out of sight
      }
    });
    if (!mayBeLeft) {
      this.#askBeforeLeaving();
    }
  }

  get isRecording() {
    return this.is("recording", "paused");
  }

  get recordedS() {
    return this.take.recordedS;
  }

  /**
   * Open the microphone and record.
   * @param {(handlers: import("./answer.js").Handlers) => Promise<Take|null>} start begins a take;
   *   `null` where it has called `onProblem`
   */
  async record(start) {
    this.take = null;
    this.#muted = false;
    this.enter("opening");
    this.clearWaveform();
    this.showRecorded(0);
    this.take = await start(this.#handlers);
    if (this.take && this.is("opening")) {
      this.enter("recording");
      keepAwake();
    }
  }

  pauseOrGoOn() {
    if (this.is("recording")) {
      this.take.pause();
      this.enter("paused");
    } else if (this.is("paused")) {
      this.take.resume();
      this.enter("recording");
    }
  }

  /** End the answer and have it graded. */
  async stop() {
    this.enter("working", "Stopping");
    await this.take.stop();
  }

  /** Delete what was recorded. */
  async discard() {
    this.enter("opening", "Discarding");
    await this.take.discard();
  }

  showClock(text, unit) {
    this.part("clock").textContent = text;
    this.part("clock-unit").textContent = unit;
  }

  /** Show how much is recorded, against the target. */
  showRecorded(seconds) {
    const over = seconds - this.targetS;
    const target = clock(this.targetS);
    this.showClock(clock(seconds), over < 1 ? `of ${target}` : `${clock(over)} over ${target}`);
    const progress = this.part("progress");
    progress.max = this.targetS;
    progress.value = Math.min(seconds, this.targetS);
    progress.setAttribute("aria-label", "Time against the target");
  }

  /**
   * Show how much of the answer is transcribed.
   * @param {number} share 0 to 1; 0 where that is not known
   */
  showTranscribed(share) {
    const progress = this.part("progress");
    progress.max = 1;
    if (share > 0) {
      progress.value = Math.min(1, share);
    } else {
      progress.removeAttribute("value");
    }
    progress.setAttribute("aria-label", "Transcribing");
  }

  #askBeforeLeaving() {
    window.addEventListener("beforeunload", (event) => {
      if (this.isRecording) {
        event.preventDefault();
      }
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) {
        location.reload(); // brought back from the browser's memory, where its recording has ended
      }
    });
  }

  /** Say that a microphone is muted in the middle of a take, and that it is heard again. */
  #noticeMute(zerosS) {
    const muted = zerosS >= MUTED_AFTER_S;
    if (muted !== this.#muted) {
      this.#muted = muted;
      this.say(muted ? MUTED : "The microphone is heard again.");
    }
  }

  #hear(level) {
    if (this.take && this.isRecording) {
      this.showLevel(level, this.is("recording"));
      this.showRecorded(this.recordedS);
      this.#noticeMute(level.zerosS);
      this.#handlers.onRecorded?.(level);
    }
  }
}
