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

  /**
   * Plays it from any of its words: by a click, or by the arrow keys and Enter.
   * @param {HTMLElement|null} transcript holds them; null: there are none
   */
  listenToWords(transcript) {
    if (!transcript) return;
    transcript.setAttribute("aria-describedby", "words-hint");
    transcript.addEventListener("keydown", (event) => this.#walk(event));
    transcript.addEventListener("click", (event) => {
      const word = event.target.closest(".word[data-start]");
      if (!word || !getSelection().isCollapsed) return; // words are being selected, not chosen
      this.#enter(word);
      this.playFrom(Number(word.dataset.start));
    });
  }

  /** A quote is a link to its first word: it plays from there too. */
  #playQuote(event) {
    const quote = event.target.closest('a.said[href^="#"]');
    if (!quote || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const word = this.words.find((each) => each.id === quote.hash.slice(1));
    if (word) this.playFrom(Number(word.dataset.start));
  }

  #enter(word) {
    for (const each of this.words) each.tabIndex = each === word ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const at = this.words.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.words.length - 1;
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    if (event.key === "Enter") {
      this.playFrom(Number(this.words[at].dataset.start));
    } else if (event.key in steps) {
      const next = this.words[Math.min(Math.max(steps[event.key], 0), last)];
      this.#enter(next);
      next.focus();
    } else {
      return;
    }
    event.preventDefault();
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
