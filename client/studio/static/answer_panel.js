/** The panel that records an answer to a question, in practice and in an interview. */

import { Answer } from "./answer.js";
import { clock } from "/static/ui/clock.js";
import { RecorderPanel } from "./recorder_panel.js";
import { keepAwake, letSleep } from "./wake_lock.js";

/**
 * It enters "opening", "recording", "paused" and "working" by itself; where a recording ends, the
 * page's handlers say what comes next.
 */
export class AnswerPanel extends RecorderPanel {
  /** How long the answer should take, in seconds. */
  targetS = 0;
  /** @type {Answer|null} */
  #answer = null;
  #handlers;

  /**
   * @param {HTMLElement} root
   * @param {Record<string, import("./recorder_panel.js").State>} states
   * @param {import("./answer.js").Handlers} handlers
   */
  constructor(root, states, handlers) {
    super(root, states);
    this.#handlers = {
      ...handlers,
      onLevel: (level) => this.#hear(level),
      onSwitch: (label) => {
        if (this.isRecording) {
          this.say(`The microphone was disconnected. The recording continues with “${label}”.`);
        }
      },
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
    window.addEventListener("beforeunload", (event) => {
      if (this.isRecording) {
        event.preventDefault();
      }
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.isRecording) {
        keepAwake(); // it ends whenever the page is out of sight
      }
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) {
        location.reload(); // brought back from the browser's memory, where its recording has ended
      }
    });
  }

  get isRecording() {
    return this.is("recording", "paused");
  }

  get recordedS() {
    return this.#answer.recordedS;
  }

  /**
   * Open the microphone and record.
   * @param {{questionId: string, interview?: string}} question
   */
  async record(question) {
    this.#answer = null;
    this.enter("opening");
    this.clearWaveform();
    this.showRecorded(0);
    this.#answer = await Answer.start({ ...question, handlers: this.#handlers });
    if (this.#answer && this.is("opening")) {
      this.enter("recording");
      keepAwake();
    }
  }

  pauseOrGoOn() {
    if (this.is("recording")) {
      this.#answer.pause();
      this.enter("paused");
    } else if (this.is("paused")) {
      this.#answer.resume();
      this.enter("recording");
    }
  }

  /** End the answer and have it graded. */
  async stop() {
    this.enter("working", "Stopping");
    await this.#answer.stop();
  }

  /** Delete what was recorded. */
  async discard() {
    this.enter("opening", "Discarding");
    await this.#answer.discard();
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

  #hear(level) {
    if (this.#answer && this.isRecording) {
      this.showLevel(level, this.is("recording"));
      this.showRecorded(this.recordedS);
      this.#handlers.onRecorded?.(level);
    }
  }
}
