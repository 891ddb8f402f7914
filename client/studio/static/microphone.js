/** The microphone check: choose it, read a sentence, hear yourself, know what to do. */

import { onKeys } from "./keys.js";
import { ASKING, Microphone, SAMPLE_RATE_HZ, microphones, rememberDevice } from "./recorder.js";
import { RecorderPanel } from "./recorder_panel.js";
import { request } from "./request.js";
import { ShortTake } from "./short_take.js";
import { wavBlob } from "./wav.js";

const END_AFTER_SILENCE_S = 1.5;
const SPEAK_WITHIN_S = 4; // where nothing is heard, the check says so and does not wait on
const SIGNS = { good: "✓", warn: "△", bad: "✕" };

const STATES = {
  ready: { status: "Not listening", primary: "Allow the microphone", idle: true },
  preparing: {
    status: "Listening",
    primary: "Read aloud",
    idle: true,
    listens: true,
    shows: ["devices", "reading"],
  },
  recording: {
    status: "Recording",
    primary: "Stop",
    listens: true,
    shows: ["devices", "reading"],
  },
  working: { status: "Measuring", primary: "Measuring", shows: ["devices"] },
};

const root = document.querySelector(".recorder");
const panel = new RecorderPanel(root, STATES);
const part = (name) => panel.part(name);
const maxS = Number(root.dataset.maxS);

/** @type {Microphone|null} */
let microphone = null;
let sentence = null;
let setupWorks = false;
let passed = false;

/* ---- the device */

async function open(deviceId) {
  part("problem").hidden = true;
  await microphone?.close();
  microphone = null;
  try {
    microphone = await Microphone.open({
      deviceId,
      onSamples: take,
      onLevel: (level) => panel.showLevel(level, panel.is("recording")),
      onEnd: fail,
      onAsking: () => panel.say(ASKING),
    });
  } catch (error) {
    fail(error);
    return;
  }
  await listDevices();
  panel.enter("preparing", `Listening to ${microphone.label}`);
}

async function listDevices() {
  const select = document.getElementById("device");
  const devices = await microphones();
  select.replaceChildren(
    ...devices.map(({ deviceId, label }) => new Option(label || "microphone", deviceId)),
  );
  select.value = microphone.deviceId;
}

document.getElementById("device").addEventListener("change", (event) => {
  const { value: deviceId, selectedOptions } = event.target;
  rememberDevice({ deviceId, label: selectedOptions[0].text });
  open(event.target.value);
});

function fail(error) {
  microphone = null;
  panel.enter("ready");
  // another one may work
  part("devices").hidden = document.getElementById("device").options.length === 0;
  panel.showProblem(error);
}

/* ---- the sentence */

function begin() {
  sentence = new ShortTake();
  part("result").hidden = true;
  panel.enter("recording");
}

function take(samples) {
  if (!panel.is("recording")) {
    return;
  }
  sentence.push(samples);
  const limitS = sentence.speechBegun ? maxS - 1 : SPEAK_WITHIN_S;
  if (sentence.silenceS > END_AFTER_SILENCE_S || sentence.durationS > limitS) {
    measure();
  }
}

async function measure() {
  if (!panel.is("recording")) {
    return;
  }
  panel.enter("working");
  const samples = sentence.samples();
  let found;
  try {
    found = await request("/microphone/check", { samples });
  } catch (error) {
    panel.enter("preparing", "That could not be measured");
    part("end").textContent = `${error.message} ${error.remedy}`;
    part("result").hidden = false;
    return;
  }
  panel.enter("preparing", "Measured; you can read the sentence again");
  showResult(found, samples);
}

function showResult(found, samples) {
  const kind = found.works ? "good" : found.state === "noise" ? "warn" : "bad";
  part("verdict").className = `verdict ${kind}`;
  part("verdict").querySelector(".sign").textContent = SIGNS[kind];
  part("verdict-text").textContent = found.detail;
  part("remedy").textContent = found.remedy;
  part("remedy").hidden = !found.remedy;
  const level = (value) => (value === null ? "–" : `${Math.round(value)} dBFS`.replace("-", "−"));
  part("speech").textContent =
    found.speech_dbfs === null ? "–" : `${level(found.speech_dbfs)}, ${found.speech_s.toFixed(1)} s`;
  part("noise").textContent = level(found.noise_dbfs);
  part("understood").textContent = found.understood || found.not_understood || "nothing";
  part("yours").hidden = !["works", "noise", "quiet", "clipping"].includes(found.state);
  part("yes").disabled = !found.works && found.state !== "noise";
  part("playback").src = URL.createObjectURL(wavBlob(samples, SAMPLE_RATE_HZ));
  part("end").textContent = "";
  part("result").hidden = false;
  part("result-title").focus();
}

/* ---- is this you */

part("yes").addEventListener("click", async () => {
  try {
    await request("/microphone/passed", { post: true });
    passed = true;
    part("end").textContent = "Good: Aloud uses this microphone from now on.";
  } catch (error) {
    passed = false;
    part("end").textContent = `${error.message} ${error.remedy}`;
  }
  if (passed && microphone) {
    rememberDevice(microphone);
  }
  showReady();
  part("ready-text").focus();
});

part("no").addEventListener("click", async () => {
  passed = false;
  await request("/microphone/failed", { post: true }).catch(() => null); // asked again anyway
  showReady();
  part("end").textContent =
    "Choose another microphone above: the one on your desk or headset, not the one in a camera " +
    "or a screen. If it is the right one, move closer, and check that nothing covers it.";
  document.getElementById("device").focus();
});

/* ---- everything else */

async function lookAtSetup() {
  const list = part("setup");
  let checks;
  try {
    checks = await request("/microphone/setup");
  } catch (error) {
    list.firstElementChild.textContent = `${error.message} ${error.remedy}`;
    return;
  }
  list.replaceChildren(...checks.map(makeCheck));
  list.setAttribute("aria-busy", "false");
  setupWorks = checks.every((check) => check.ok);
  showReady();
}

function makeCheck(check) {
  const item = document.createElement("li");
  item.className = "list-row";
  const main = document.createElement("div");
  main.className = "list-main";
  const verdict = document.createElement("p");
  verdict.className = `verdict ${check.ok ? "good" : "warn"}`;
  const sign = document.createElement("span");
  sign.className = "sign";
  sign.setAttribute("aria-hidden", "true");
  sign.textContent = check.ok ? SIGNS.good : SIGNS.warn;
  const name = document.createElement("span");
  name.textContent = `${check.name[0].toUpperCase()}${check.name.slice(1)}`;
  verdict.append(sign, " ", name);
  const detail = document.createElement("p");
  detail.className = "muted small";
  detail.textContent = check.ok ? check.detail : `${check.detail}. To do: ${check.remedy}.`;
  main.append(verdict, detail);
  item.append(main);
  return item;
}

function showReady() {
  part("ready").hidden = !passed;
  part("ready-text").textContent = setupWorks
    ? "You are set up. Everything works."
    : "The microphone is set up. See above for what is left to do; you can practice already.";
}

/* ---- wiring */

function primary() {
  if (panel.is("ready")) {
    open();
  } else if (panel.is("preparing")) {
    begin();
  } else if (panel.is("recording")) {
    measure();
  }
}

part("primary").addEventListener("click", primary);
onKeys({ " ": () => !part("primary").disabled && primary() });
window.addEventListener("pagehide", () => microphone?.close());
lookAtSetup();
