/** The settings page: hear a voice before it is chosen, and choose among the microphones. */

import "./listen.js";
import { microphones } from "./recorder.js";

const voice = document.getElementById("voice");
const speed = document.getElementById("speed");
const trial = document.querySelector("[data-try]");

function showTrial() {
  trial.dataset.sound = `/sound/voice?${new URLSearchParams({ name: voice.value, speed: speed.value })}`;
  trial.disabled = !speed.validity.valid;
}

voice.addEventListener("change", showTrial);
speed.addEventListener("input", showTrial);
showTrial();

const list = document.getElementById("microphone");
const namesWanted = document.querySelector("[data-name-microphones]");

/** Add the microphones to the list; a browser names them once it was allowed to use one. */
async function showMicrophones() {
  const named = (await microphones()).filter(({ label }) => label);
  const known = new Set([...list.options].map(({ value }) => value));
  list.append(...named.filter(({ label }) => !known.has(label)).map(({ label }) => new Option(label)));
  namesWanted.hidden = named.length > 0 || list.disabled;
}

namesWanted.addEventListener("click", async () => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
  stream?.getTracks().forEach((track) => track.stop());
  await showMicrophones();
});
await showMicrophones();
