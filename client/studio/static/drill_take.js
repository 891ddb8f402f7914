/** One take of a drill item: microphone → pieces that the studio keeps → verdict. */

import { Microphone, SAMPLE_RATE_HZ, zerosError } from "./recorder.js";
import { request } from "./request.js";
import { ShortTake } from "./short_take.js";

const SEND_LIMIT_MS = 60_000;
const KEEP_EVERY_S = 0.25; // what has been said is sent this often, so that a crash loses no more

/** @type {Microphone|null} it stays open between takes, so that the next one begins at once */
let microphone = null;
/** @type {DrillTake|null} the take that gets the microphone's sound */
let current = null;

/** Give the microphone back; the next take opens it again. */
export function closeMicrophone() {
  microphone?.close();
  microphone = null;
}

/**
 * Ask for something about an open drill.
 * @param {string} drillId
 * @param {string} what
 * @param {Record<string, string|number>} query
 * @param {object} options for `request`
 */
export function requestDrill(drillId, what, query, options) {
  const address = `/drills/open/${drillId}/${what}?${new URLSearchParams(query)}`;
  return request(address, { withinMs: SEND_LIMIT_MS, ...options });
}

/** A take that `AnswerPanel` records, as it records an `Answer`. It ends by itself at a silence. */
export class DrillTake {
  /** The sound of its item, said by the app's voice. */
  modelSound;
  /** @type {Int16Array|null} all that was said, once it has been stopped */
  samples = null;
  #id = crypto.randomUUID();
  #drillId;
  #card;
  #handlers;
  #recording = new ShortTake();
  #zeros = false;
  #sent = 0;
  #sending = Promise.resolve();

  /**
   * Open the microphone and begin to record.
   * @param {string} drillId
   * @param {{item_id: string, sound: string, silence_stop_s: number, time_limit_s: number}} card
   * @param {import("./answer.js").Handlers} handlers `onDone` takes what the studio answers; in
   *   `onProblem`, `kept` says that the take can be sent again
   * @returns {Promise<DrillTake|null>} once it is recording; `null` where `onProblem` was called
   */
  static async start(drillId, card, handlers) {
    const take = new DrillTake(drillId, card, handlers);
    current = take;
    if (microphone) {
      microphone.resume();
      return take;
    }
    try {
      microphone = await Microphone.open({
        onSamples: (samples) => current?.#take(samples),
        onLevel: (level) => current?.#hear(level),
        onSwitch: (label) => current?.#handlers.onSwitch?.(label),
        onAsking: () => current?.#handlers.onAsking?.(),
        onEnd: (error) => {
          microphone = null;
          current?.#fail(error);
        },
      });
    } catch (error) {
      take.#fail(error);
      return null;
    }
    return take;
  }

  /** Use `DrillTake.start`. */
  constructor(drillId, card, handlers) {
    this.#drillId = drillId;
    this.#card = card;
    this.modelSound = card.sound;
    this.#handlers = handlers;
  }

  get recordedS() {
    return this.#recording.durationS;
  }

  /** End the recording and have it heard. */
  async stop() {
    if (current !== this) {
      return; // it has ended by itself
    }
    current = null;
    microphone.pause();
    this.samples = this.#recording.samples();
    if (this.#zeros || this.samples.length === 0) {
      this.#forget();
      this.#fail(zerosError());
      return;
    }
    await this.send();
  }

  /** Have it heard, again where that has failed. */
  async send() {
    this.#handlers.onWorking?.({});
    await this.#sending;
    let answer;
    try {
      const query = { item: this.#card.item_id, take: this.#id };
      answer = await requestDrill(this.#drillId, "takes", query, { samples: this.samples });
    } catch (error) {
      // without an answer, or while the server is away, the same take can be sent again
      error.kept = error.status === 0 || error.status >= 500;
      this.#handlers.onProblem?.(error);
      return;
    }
    this.#handlers.onDone?.(answer);
  }

  #hear(level) {
    this.#zeros = level.zeros;
    this.#handlers.onLevel?.(level);
  }

  #take(samples) {
    this.#recording.push(samples);
    if (this.recordedS - this.#sent / SAMPLE_RATE_HZ >= KEEP_EVERY_S) {
      this.#keep();
    }
    const { silence_stop_s: silenceS, time_limit_s: limitS } = this.#card;
    if (this.#recording.silenceS >= silenceS - 1e-6 || this.recordedS >= limitS) {
      this.stop();
    }
  }

  /** Send what was said since the last piece; the whole take follows when it is over. */
  #keep() {
    const piece = this.#recording.samples().subarray(this.#sent);
    const query = {
      item: this.#card.item_id,
      take: this.#id,
      at: this.#sent * piece.BYTES_PER_ELEMENT,
    };
    this.#sent += piece.length;
    this.#sending = this.#sending
      .then(() => requestDrill(this.#drillId, "sound", query, { samples: piece }))
      .catch(() => null);
  }

  #forget() {
    this.#sending.then(() =>
      requestDrill(this.#drillId, "drop", { take: this.#id }, { post: true }).catch(() => null),
    );
  }

  /** @param {import("./recorder.js").MicrophoneError} error */
  #fail(error) {
    current = null;
    closeMicrophone();
    this.#handlers.onProblem?.(error);
  }
}
