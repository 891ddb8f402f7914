/** The candidate's own recording, beside the app's voice. */

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
    this.listenToWords(root.querySelector("[data-words]"));
  }

  async playFrom(fromS, toS = Infinity) {
    stopOther();
    await super.playFrom(fromS, toS);
  }
}
