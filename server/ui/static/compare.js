/** Two answers side by side, for a coach: each plays its own pieces, and one sounds at a time. */

import { allLanguageFollows } from "./follows.js";
import { listenToPieces, Recording } from "./recording.js";

const status = document.querySelector("[data-status]");
const recordings = new Map();
for (const side of document.querySelectorAll("[data-answer]")) {
  const audio = side.querySelector("audio[data-recording]");
  if (!audio) continue;
  const recording = new Recording(audio, side, status);
  recording.listenToWords(side.querySelector("[data-words]"));
  recordings.set(side.dataset.answer, recording);
}
listenToPieces((button) => {
  const side = button.closest("[data-answer], [data-piece-of]");
  return recordings.get(side?.dataset.answer ?? side?.dataset.pieceOf);
});
allLanguageFollows();
