/** Two answers side by side, each with its own recording; one sounds at a time. */

import { allLanguageFollows } from "/static/ui/follows.js";
import { listenToPieces } from "/static/ui/recording.js";
import { OwnRecording } from "./own_recording.js";

const status = document.querySelector("[data-sound-status]");
const recordings = new Map();
for (const side of document.querySelectorAll("[data-answer]")) {
  const audio = side.querySelector("audio[data-recording]");
  if (audio) recordings.set(side.dataset.answer, new OwnRecording(audio, side, status));
}

listenToPieces((button) => {
  const side = button.closest("[data-answer]") ?? button.closest("[data-piece-of]");
  return recordings.get(side?.dataset.answer ?? side?.dataset.pieceOf);
});
allLanguageFollows();
