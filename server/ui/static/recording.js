/** A recording on a page: it plays as a whole or by pieces, and its words light up in step. */

import { SpokenWords } from "./spoken_words.js";

const all = [];

/** One recording with its words. Of several on a page one sounds at a time. */
export class Recording {
  /** Its words that have times, as elements. */
  words;
  #audio;
  #status;
  #spoken;
  /** Where the piece being played ends; Infinity: at the end of the recording. */
  #endS = Infinity;
  #pressed = null;

  /**
   * @param {HTMLAudioElement} audio
   * @param {ParentNode} root holds its words
   * @param {HTMLElement} status says what goes wrong
   */
  constructor(audio, root, status) {
    this.#audio = audio;
    this.#status = status;
    this.words = [...root.querySelectorAll(".word[data-start]")];
    this.#spoken = new SpokenWords(this.words);
    all.push(this);
    audio.addEventListener("play", () => {
      for (const other of all) if (other !== this) other.pause();
      requestAnimationFrame(() => this.#follow());
    });
    audio.addEventListener("pause", () => {
      if (audio.paused) this.#rest(); // not where it plays again already
    });
    audio.addEventListener("error", () => {
      status.textContent = "The recording could not be read.";
    });
    document.addEventListener("click", (event) => this.#playQuote(event));
  }

  /** Where it is, in seconds. */
  get atS() {
    return this.#audio.currentTime;
  }

  /** Goes there without a sound. */
  seek(atS) {
    this.#audio.currentTime = atS;
  }

  /**
   * Plays the recording, or a piece of it.
   * @param {number} fromS
   * @param {number} [toS]
   */
  async playFrom(fromS, toS = Infinity) {
    this.#release();
    this.#endS = toS;
    this.seek(fromS);
    try {
      await this.#audio.play();
    } catch (error) {
      if (error.name !== "AbortError") {
        this.#status.textContent = "The recording could not be played.";
      }
    }
  }

  /** Plays the piece that a button names, or ends it where it is being played. */
  playPiece(button) {
    if (this.#pressed === button) {
      this.pause();
      return;
    }
    const { playFrom: from, playTo: to } = button.dataset;
    this.playFrom(Number(from), to === undefined ? Infinity : Number(to));
    this.#pressed = button;
    button.setAttribute("aria-pressed", "true");
  }

  /** The page shows it at once: the element's own event comes later. */
  pause() {
    this.#audio.pause();
    this.#rest();
  }

  /** Goes on, or pauses. */
  toggle() {
    if (this.#audio.paused) this.playFrom(this.atS);
    else this.pause();
  }

  /** A quote is a link to its first word: it plays from there too. */
  #playQuote(event) {
    const quote = event.target.closest('a.said[href^="#"]');
    if (!quote || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const word = this.words.find((each) => each.id === quote.hash.slice(1));
    if (word) this.playFrom(Number(word.dataset.start));
  }

  #rest() {
    this.#spoken.light(null);
    this.#release();
    this.#endS = Infinity;
  }

  #release() {
    this.#pressed?.removeAttribute("aria-pressed");
    this.#pressed = null;
  }

  /** Many times a second: an audio element itself tells the time only four times. */
  #follow() {
    if (this.atS >= this.#endS) this.pause();
    if (this.#audio.paused) return;
    this.#spoken.light(this.#spoken.at(this.atS));
    requestAnimationFrame(() => this.#follow());
  }
}

/**
 * Buttons that play a piece: <button data-play-from="1.5" data-play-to="2">.
 * @param {(button: HTMLButtonElement) => Recording|null|undefined} ofButton whose piece it is; none: it is silent
 */
export function listenToPieces(ofButton) {
  document.addEventListener("click", (event) => {
    const piece = event.target.closest("button[data-play-from]");
    if (piece) ofButton(piece)?.playPiece(piece);
  });
}
