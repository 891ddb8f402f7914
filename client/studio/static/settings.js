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
const named = (await microphones()).filter(({ label }) => label); // named once one was allowed
const known = new Set([...list.options].map(({ value }) => value));
list.append(...named.filter(({ label }) => !known.has(label)).map(({ label }) => new Option(label)));
