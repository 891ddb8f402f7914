/** A recording on a page: it plays from any of its words, which light up in step, and by pieces. */

import { SpokenWords } from "/static/ui/spoken_words.js";
import { stop as stopOther } from "./listen.js";

const all = [];

/** One recording with its transcript. Of several on a page one sounds at a time. */
export class Recording {
  #audio;
  #status;
  #words;
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
    this.#words = [...root.querySelectorAll(".word[data-start]")];
    this.#spoken = new SpokenWords(this.#words);
    all.push(this);
    audio.addEventListener("play", () => {
      for (const other of all) if (other !== this) other.pause();
      requestAnimationFrame(() => this.#follow());
    });
    audio.addEventListener("pause", () => {
      this.#spoken.light(null);
      this.#release();
      this.#endS = Infinity;
    });
    audio.addEventListener("error", () => {
      status.textContent = "The recording could not be read.";
    });
    const transcript = root.querySelector("[data-words]");
    if (transcript) this.#listenTo(transcript);
  }

  /**
   * Plays the recording, or a piece of it.
   * @param {number} fromS
   * @param {number} [toS]
   */
  async playFrom(fromS, toS = Infinity) {
    stopOther();
    this.#release();
    this.#endS = toS;
    this.#audio.currentTime = fromS;
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

  pause() {
    this.#audio.pause();
  }

  /** Goes on, or pauses. */
  toggle() {
    if (this.#audio.paused) this.playFrom(this.#audio.currentTime);
    else this.pause();
  }

  #release() {
    this.#pressed?.removeAttribute("aria-pressed");
    this.#pressed = null;
  }

  /** Many times a second: an audio element itself tells the time only four times. */
  #follow() {
    if (this.#audio.currentTime >= this.#endS) this.pause();
    if (this.#audio.paused) {
      this.#spoken.light(null);
      return;
    }
    this.#spoken.light(this.#spoken.at(this.#audio.currentTime));
    requestAnimationFrame(() => this.#follow());
  }

  #listenTo(transcript) {
    transcript.setAttribute("aria-describedby", "words-hint");
    transcript.addEventListener("keydown", (event) => this.#walk(event));
    transcript.addEventListener("click", (event) => {
      const word = event.target.closest(".word[data-start]");
      if (!word || !getSelection().isCollapsed) return; // words are being selected, not chosen
      this.#enter(word);
      this.playFrom(Number(word.dataset.start));
    });
  }

  #enter(word) {
    for (const each of this.#words) each.tabIndex = each === word ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const at = this.#words.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#words.length - 1;
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    if (event.key === "Enter") {
      this.playFrom(Number(this.#words[at].dataset.start));
    } else if (event.key in steps) {
      const next = this.#words[Math.min(Math.max(steps[event.key], 0), last)];
      this.#enter(next);
      next.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}

/**
 * Buttons that play a piece: <button data-play-from="1.5" data-play-to="2">. Another sound of the
 * page ends the recording.
 * @param {(button: HTMLButtonElement) => Recording|undefined} ofButton whose piece it is
 */
export function listenToPieces(ofButton) {
  document.addEventListener("click", (event) => {
    const piece = event.target.closest("button[data-play-from]");
    if (piece) ofButton(piece)?.playPiece(piece);
    else if (event.target.closest("button[data-sound]")) for (const each of all) each.pause();
  });
}
