/** Plays sounds from and to an exact moment, one at a time; an audio element is less exact. */

import { noAnswer } from "./request.js";

/** A sound that cannot be fetched or played; `message` says why. */
export class SoundError extends Error {}

/** The loudspeaker. The sound of an address is fetched and decoded once. */
export class Player {
  #context = null;
  #source = null;
  #turn = 0;
  #buffers = new Map();

  /**
   * Whether a sound would be heard. Browsers keep pages silent until a key or click.
   * @returns {Promise<boolean>}
   */
  async canPlay() {
    const context = this.#contextNow();
    if (context.state === "suspended") {
      await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 150))]);
    }
    return context.state === "running";
  }

  /**
   * Plays the sound of an address; returns when it has ended or was stopped.
   * @param {string} address
   * @returns {Promise<boolean>} whether it was heard to its end
   * @throws {SoundError}
   */
  async play(address) {
    const turn = this.stop();
    const buffer = await this.#load(address);
    await this.#run(turn, buffer, 0, buffer.duration);
    return turn === this.#turn;
  }

  /**
   * Plays samples; returns when they have ended or were stopped.
   * @param {Int16Array} samples mono
   * @param {number} sampleRateHz
   * @param {{fromS?: number|null, toS?: number|null}} [piece]
   */
  async playSamples(samples, sampleRateHz, { fromS = null, toS = null } = {}) {
    const turn = this.stop();
    if (samples.length === 0) {
      return;
    }
    const buffer = this.#contextNow().createBuffer(1, samples.length, sampleRateHz);
    buffer.copyToChannel(Float32Array.from(samples, (each) => each / 32768), 0);
    await this.#run(turn, buffer, fromS ?? 0, toS ?? buffer.duration);
  }

  /**
   * Ends what is being played, and what is still being fetched to be played.
   * @returns {number} the turn from now on
   */
  stop() {
    this.#source?.stop();
    this.#source = null;
    this.#turn += 1;
    return this.#turn;
  }

  async #run(turn, buffer, fromS, toS) {
    const context = this.#contextNow();
    await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 500))]);
    if (turn !== this.#turn) {
      return; // stopped, or another sound was asked for, while this one was fetched
    }
    if (context.state !== "running") {
      throw new SoundError("The browser plays no sound until you click or press a key.");
    }
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    this.#source = source;
    await new Promise((ended) => {
      source.onended = ended;
      const start = Math.min(Math.max(fromS, 0), buffer.duration);
      source.start(0, start, Math.max(Math.min(toS, buffer.duration) - start, 0));
    });
    if (this.#source === source) {
      this.#source = null;
    }
  }

  async #load(address) {
    const known = this.#buffers.get(address);
    if (known) {
      return known;
    }
    const answer = await fetch(address, { headers: { Accept: "audio/wav" } }).catch(() => null);
    if (!answer) {
      const { message, remedy } = noAnswer();
      throw new SoundError(`${message} ${remedy}`);
    }
    if (!answer.ok) {
      const problem = await answer.json().catch(() => null);
      throw new SoundError(problem?.detail ?? "The sound could not be made.");
    }
    const buffer = await this.#contextNow().decodeAudioData(await answer.arrayBuffer());
    this.#buffers.set(address, buffer);
    return buffer;
  }

  #contextNow() {
    this.#context ??= new AudioContext();
    return this.#context;
  }
}
