/** The report: its recording, deletion, and keys that work all over the page. */

import { languageFollows } from "/static/ui/follows.js";
import { listenToPieces } from "/static/ui/recording.js";
import { onKeys } from "./keys.js";
import { answerInPlace } from "./meant.js";
import { OwnRecording } from "./own_recording.js";

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
  const recording = new OwnRecording(audio, document, status);
  listenToPieces(() => recording);
  actions[" "] = () => recording.toggle();
}
onKeys(actions);
answerInPlace(document.querySelector("[data-meant-status]"));
languageFollows(document.querySelector("[data-meant-status]"));
