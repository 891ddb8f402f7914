/** The microphone check: choose it, read a sentence, hear oneself, know what to do. */

import { onKeys } from "./keys.js";
import {
  Microphone,
  MicrophoneError,
  SAMPLE_RATE_HZ,
  microphones,
  rememberDevice,
} from "./recorder.js";
import { SilenceDetector } from "./silence.js";
import { wavBlob } from "./wav.js";
import { Waveform } from "./waveform.js";

const END_AFTER_SILENCE_S = 1.5;
const TOO_LOUD_DBFS = -1;
const SIGNS = { good: "✓", warn: "△", bad: "✕" };

const panel = document.querySelector(".recorder");
const part = (name) => document.querySelector(`[data-${name}]`);
const maxS = Number(panel.dataset.maxS);
const waveform = new Waveform(part("wave"));

/** @type {Microphone|null} */
let microphone = null;
let blocks = [];
let silence = null;
let setupWorks = false;
let passed = false;

const LABELS = {
  ready: "Allow the microphone",
  preparing: "Read aloud",
  recording: "Stop",
  working: "Measuring",
};

function enter(state, text) {
  panel.dataset.state = state;
  part("status").textContent = text;
  part("primary-label").textContent = LABELS[state];
  part("primary").disabled = state === "working";
  part("devices").hidden = document.getElementById("device").options.length === 0;
  part("reading").hidden = state === "ready" || state === "working";
}

const state = () => panel.dataset.state;

/* ---- the device */

async function open(deviceId) {
  hideProblem();
  await microphone?.close();
  microphone = null;
  try {
    microphone = await Microphone.open({
      deviceId,
      onSamples: take,
      onLevel: show,
      onEnd: fail,
    });
  } catch (error) {
    fail(error);
    return;
  }
  await listDevices();
  enter("preparing", `Listening to ${microphone.label}`);
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
  rememberDevice(event.target.value);
  open(event.target.value);
});

function fail(error) {
  microphone = null;
  enter("ready", "Not listening");
  const known = error instanceof MicrophoneError;
  part("problem-detail").textContent = known ? error.message : "The microphone cannot be used.";
  part("problem-remedy").textContent = known ? error.remedy : String(error);
  part("problem").hidden = false;
  part("problem").focus();
}

function hideProblem() {
  part("problem").hidden = true;
}

function show(level) {
  part("level").value = Math.max(-60, level.peakDbfs);
  part("level-word").textContent = level.peakDbfs > TOO_LOUD_DBFS ? "too loud" : "";
  waveform.add(level.peakDbfs, state() === "recording");
}

/* ---- the sentence */

function begin() {
  blocks = [];
  silence = new SilenceDetector();
  part("result").hidden = true;
  enter("recording", "Recording");
}

function take(samples) {
  if (state() !== "recording") {
    return;
  }
  blocks.push(samples);
  silence.push(samples);
  const recordedS = blocks.reduce((sum, block) => sum + block.length, 0) / SAMPLE_RATE_HZ;
  const spoken = silence.speechBegun && silence.silenceS > END_AFTER_SILENCE_S;
  if (spoken || recordedS > maxS - 1) {
    measure();
  }
}

async function measure() {
  if (state() !== "recording") {
    return;
  }
  enter("working", "Measuring");
  const samples = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  blocks.reduce((at, block) => (samples.set(block, at), at + block.length), 0);
  let found;
  try {
    const answer = await fetch("/microphone/check", {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: samples,
    });
    found = await answer.json();
    if (!answer.ok) {
      throw new Error(found.detail);
    }
  } catch (error) {
    enter("preparing", "That could not be measured");
    part("end").textContent = `${error.message}. Does Aloud still run in the terminal?`;
    part("result").hidden = false;
    return;
  }
  enter("preparing", "Measured; you can read the sentence again");
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

async function note(what) {
  try {
    return (await fetch(`/microphone/${what}`, { method: "POST" })).ok;
  } catch {
    return false;
  }
}

part("yes").addEventListener("click", async () => {
  passed = await note("passed");
  part("end").textContent = passed
    ? "Good: this microphone is used from now on."
    : "That could not be noted: does Aloud still run in the terminal?";
  if (passed && microphone) {
    rememberDevice(microphone.deviceId);
  }
  showReady();
  part("ready-text").focus();
});

part("no").addEventListener("click", async () => {
  passed = false;
  await note("failed");
  showReady();
  part("end").textContent =
    "Choose another microphone above: the one on your desk or headset, not a camera's or a " +
    "screen's. If it is the right one, move closer, and check that nothing covers it.";
  document.getElementById("device").focus();
});

/* ---- everything else */

async function lookAtSetup() {
  const list = part("setup");
  let checks;
  try {
    checks = await (await fetch("/microphone/setup")).json();
  } catch {
    list.firstElementChild.textContent = "Aloud does not answer: was it ended in the terminal?";
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
    ? "Set up. Everything you need works."
    : "The microphone is set up. What is left to do is said above; you can practise already.";
}

/* ---- wiring */

function primary() {
  if (state() === "ready") {
    open();
  } else if (state() === "preparing") {
    begin();
  } else if (state() === "recording") {
    measure();
  }
}

part("primary").addEventListener("click", primary);
onKeys({ " ": () => !part("primary").disabled && primary() });
window.addEventListener("pagehide", () => microphone?.close());
lookAtSetup();
