/** The candidate's own recording: it also plays from any of its words. */

import { Recording } from "/static/ui/recording.js";
import { stop as stopOther } from "./listen.js";

/** A recording that shares the page with other sounds: one sounds at a time. */
export class OwnRecording extends Recording {
  /**
   * @param {HTMLAudioElement} audio
   * @param {ParentNode} root holds its words
   * @param {HTMLElement} status says what goes wrong
   */
  constructor(audio, root, status) {
    super(audio, root, status);
    document.addEventListener("click", (event) => {
      if (event.target.closest("button[data-sound]")) this.pause();
    });
    const transcript = root.querySelector("[data-words]");
    if (transcript) this.#listenTo(transcript);
  }

  async playFrom(fromS, toS = Infinity) {
    stopOther();
    await super.playFrom(fromS, toS);
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
}
