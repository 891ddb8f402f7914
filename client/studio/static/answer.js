/** One answer: microphone → WebSocket → report. */

import { Microphone, SAMPLE_RATE_HZ, zerosError } from "./recorder.js";

const ZEROS_LIMIT_S = 8;
const CONNECT_WITHIN_MS = 10_000;

/**
 * @typedef {object} Problem
 * @property {string} code what kind: microphone, busy, lost, no-speech, engine …
 * @property {string} detail what is wrong
 * @property {string} remedy what to do about it; may be empty
 * @property {boolean} kept whether a recording is left to finish or discard
 */

/**
 * @typedef {object} FollowUp what is asked after an answer
 * @property {{ask: string}} asked
 * @property {string} question_id
 * @property {number|null} follows the answer's number in the history
 * @property {string} after the answer's name, while its report is still being made
 * @property {number} limit_s
 */

/**
 * @typedef {object} Handlers what a page does when something happens; all optional
 * @property {(level: {peakDbfs: number, rmsDbfs: number, zeros: boolean}) => void} [onLevel]
 * @property {() => void} [onAsking] nobody has answered the browser's question yet
 * @property {(label: string) => void} [onSwitch] the microphone was gone; this one continues
 * @property {(caption: {text: string, start_s: number, end_s: number}) => void} [onCaption]
 * @property {(working: {stopped_by: string, share: number}) => void} [onWorking] recording
 *   has ended; the rest is being transcribed
 * @property {(asked: {follow_up: FollowUp}) => void} [onAsked] what is asked next, while the report is
 *   still being made
 * @property {() => void} [onGiven] an interview has taken the answer and continues; nothing follows
 * @property {(done: {url: string|null, attempt_id: number|null, submission_id: string,
 *   waiting: string, notice: string, follow_up: FollowUp|null}) => void} [onDone]
 * @property {() => void} [onDiscarded]
 * @property {(problem: Problem) => void} [onProblem] it ended without a report
 */

export class Answer {
  #socket;
  #microphone;
  #handlers;
  #early = []; // sound from before the server was ready
  #ready = false;
  #samples = 0;
  #heardSound = false;
  #ended = false;

  /**
   * Open the microphone and begin to record.
   *
   * @param {{questionId: string, interview?: string, followUp?: FollowUp|null, asks?: boolean,
   *   handlers: Handlers}} options `followUp`: what is answered, instead of the question; `asks`: a
   *   follow-up is wanted
   * @returns {Promise<Answer|null>} once it is recording; `null` where `onProblem` was called
   */
  static async start({ questionId, interview = "", followUp = null, asks = false, handlers }) {
    const answer = new Answer(handlers);
    try {
      answer.#microphone = await Microphone.open({
        onSamples: (samples) => answer.#take(samples),
        onLevel: (level) => handlers.onLevel?.(level),
        onSwitch: (label) => handlers.onSwitch?.(label),
        onAsking: () => handlers.onAsking?.(),
        onEnd: (error) => answer.#fail(microphoneProblem(error, answer.#samples > 0)),
      });
    } catch (error) {
      answer.#fail(microphoneProblem(error, false));
      return null;
    }
    const { asked = null, follows = null, after = "", probes = false } = followUp ?? {};
    const start = { type: "start", question_id: questionId, interview };
    const said = followUp ? { follow_up: asked, follows, after, probes } : { asks };
    await answer.#connect({ ...start, ...said });
    return answer.#ended ? null : answer;
  }

  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** How much has been recorded, pauses left out. */
  get recordedS() {
    return this.#samples / SAMPLE_RATE_HZ;
  }

  pause() {
    this.#microphone.pause();
    this.#command("pause");
  }

  resume() {
    this.#command("resume");
    this.#microphone.resume();
  }

  /** End the recording and have it graded. */
  async stop() {
    await this.#microphone.close();
    this.#command("stop");
  }

  /** Delete what was recorded. */
  async discard() {
    this.#command("discard");
    await this.#microphone.close();
  }

  #connect(start) {
    this.#socket = new WebSocket(`ws://${location.host}/ws/answer`);
    this.#socket.binaryType = "arraybuffer";
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#socket.close(), CONNECT_WITHIN_MS);
      this.#socket.onopen = () => this.#socket.send(JSON.stringify(start));
      this.#socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        this.#hear(message);
        if (message.type === "recording" || this.#ended) {
          clearTimeout(late);
          resolve();
        }
      };
      this.#socket.onclose = () => {
        clearTimeout(late);
        this.#fail(lostProblem(this.#samples > 0));
        resolve();
      };
    });
  }

  #hear(message) {
    switch (message.type) {
      case "recording":
        this.#ready = true;
        this.#early.forEach((samples) => this.#send(samples));
        this.#early = [];
        break;
      case "caption":
        this.#handlers.onCaption?.(message);
        break;
      case "working":
        this.#microphone.close();
        this.#handlers.onWorking?.(message);
        break;
      case "asked":
        this.#handlers.onAsked?.(message);
        break;
      case "given":
        this.#end();
        this.#handlers.onGiven?.();
        break;
      case "done":
        this.#end();
        this.#handlers.onDone?.(message);
        break;
      case "discarded":
        this.#end();
        this.#handlers.onDiscarded?.();
        break;
      case "problem":
        this.#fail(message);
        break;
    }
  }

  #take(samples) {
    if (this.#ended) {
      return;
    }
    if (!this.#ready) {
      this.#early.push(samples);
      return;
    }
    this.#send(samples);
  }

  #send(samples) {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      return; // onclose says so
    }
    this.#socket.send(samples.buffer);
    this.#samples += samples.length;
    this.#heardSound ||= samples.some((sample) => sample !== 0);
    if (!this.#heardSound && this.recordedS > ZEROS_LIMIT_S) {
      this.#command("discard");
      this.#fail(microphoneProblem(zerosError(), false));
    }
  }

  #command(type) {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ type }));
    }
  }

  #fail(problem) {
    if (!this.#ended) {
      this.#end();
      this.#handlers.onProblem?.(problem);
    }
  }

  #end() {
    this.#ended = true;
    this.#microphone?.close();
    if (this.#socket && this.#socket.readyState < WebSocket.CLOSING) {
      this.#socket.close();
    }
  }
}

/** @param {import("./recorder.js").MicrophoneError} error */
function microphoneProblem(error, kept) {
  return { code: "microphone", detail: error.message, remedy: error.remedy, kept };
}

function lostProblem(kept) {
  return {
    code: "lost",
    detail: "The connection to Aloud was lost.",
    remedy: "If Aloud was closed, start it again in the terminal (aloud). This page continues by itself.",
    kept,
  };
}
