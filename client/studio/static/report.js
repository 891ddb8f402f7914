/** The report: its recording, deletion, and keys that work all over the page. */

import { onKeys } from "./keys.js";
import { listenToPieces, Recording } from "./recording.js";

const audio = document.querySelector("audio[data-recording]");
const status = document.querySelector("[data-sound-status]");

const dialog = document.querySelector("#delete-dialog");
document.querySelector("[data-delete]").addEventListener("click", () => dialog.showModal());
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());

const model = document.querySelector("#model-answer");
const actions = {
  r: () => document.querySelector("[data-retry]")?.click(),
  n: () => document.querySelector("[data-next]").click(),
  m: () => {
    model.open = !model.open;
    if (model.open) model.querySelector("summary").focus();
  },
};
if (audio) {
  const recording = new Recording(audio, document, status);
  listenToPieces(() => recording);
  actions[" "] = () => recording.toggle();
}
onKeys(actions);
