/** The practice page: the question is asked, the answer recorded, the report opened. */

import { Answer } from "./answer.js";
import { ask } from "./ask.js";
import { clock } from "/static/ui/clock.js";
import { onKeys } from "./keys.js";
import { refreshTakes } from "./takes_notice.js";
import { keepAwake, letSleep } from "./wake_lock.js";
import { Waveform } from "./waveform.js";

const PREPARATION_KEY = "aloud.preparation_s";
const DEFAULT_PREPARATION_S = 30;
const CONFIRM_OVER_S = 5;
const TOO_LOUD_DBFS = -1;
const TOO_LOUD_SHOWN_MS = 1500;
const ZEROS_HINT_S = 1.5;

const panel = document.querySelector(".recorder");
const part = (name) => panel.querySelector(`[data-${name}]`);
const targetS = Number(panel.dataset.targetS);
const limitS = Number(panel.dataset.limitS);
const waveform = new Waveform(part("wave"));
const preparation = document.getElementById("preparation");
const sound = new Audio(`/sound/question/${encodeURIComponent(panel.dataset.question)}`);

/** @type {Answer|null} */
let answer = null;
let countdown = null;
let loudUntilMs = 0;
let retrying = false;

const TEXTS = {
  ready: "Ready when you are",
  asking: "The question is being asked",
  preparing: "Time to think; recording begins by itself",
  opening: "Opening the microphone",
  recording: "Recording",
  paused: "Paused",
  working: "Transcribing what is left",
  done: "Done: opening the report",
  problem: "Not recording",
};
const PRIMARY = { recording: "Stop", paused: "Stop", problem: "Record again" };
const state = () => panel.dataset.state;
const isRecording = () => state() === "recording" || state() === "paused";
const isIdle = () => ["ready", "asking", "preparing", "problem"].includes(state());

function enter(next, text = TEXTS[next]) {
  const focusLost = () => document.activeElement?.closest("[hidden], :disabled");
  panel.dataset.state = next;
  part("status").textContent = text;
  part("primary-label").textContent = PRIMARY[next] ?? "Record";
  part("primary").disabled = !(isIdle() || isRecording());
  part("pause").hidden = part("discard").hidden = !isRecording();
  if (!isRecording()) {
    part("level").value = -60;
    part("level-word").textContent = "";
  }
  part("pause-label").textContent = next === "paused" ? "Go on" : "Pause";
  part("hear").hidden = !isIdle();
  part("next").hidden = !isIdle();
  preparation.disabled = !isIdle();
  if (next !== "problem") {
    part("problem").hidden = true;
  }
  if (focusLost()) {
    part("primary").focus();
  }
}

/* ---- asking and preparing */

async function askQuestion() {
  enter("asking");
  hint("");
  try {
    sound.currentTime = 0;
    await sound.play();
  } catch (error) {
    if (state() !== "asking") {
      return;
    }
    if (error.name === "NotAllowedError") {
      enter("ready");
      hint("The browser plays no sound before a key or a click: hear the question, or record at once.");
    } else {
      await tellNoVoice();
      prepare();
    }
  }
}

async function tellNoVoice() {
  const said = await fetch(sound.src).catch(() => null);
  const problem = said && !said.ok ? await said.json().catch(() => null) : null;
  hint(`The question cannot be spoken${problem ? ` (${problem.detail})` : ""}; it is shown above.`);
}

function prepare() {
  const seconds = Number(preparation.value);
  if (seconds < 0) {
    enter("ready");
    return;
  }
  enter("preparing");
  let left = seconds;
  const tick = () => {
    if (left <= 0) {
      begin();
      return;
    }
    showClock(clock(left), "to think");
    if (document.visibilityState === "visible") {
      left -= 1; // nobody who looked away is recorded by surprise
    }
    countdown = setTimeout(tick, 1000);
  };
  tick();
}

function endPreparing() {
  sound.pause();
  clearTimeout(countdown);
}

/* ---- recording */

async function begin() {
  if (!isIdle()) {
    return;
  }
  endPreparing();
  hint("");
  enter("opening");
  showRecorded(0);
  waveform.clear();
  part("captions").replaceChildren();
  part("captions").hidden = true;
  answer = await Answer.start({
    questionId: panel.dataset.question,
    handlers: { onLevel, onCaption, onWorking, onDone, onDiscarded, onProblem },
  });
  if (answer && state() === "opening") {
    enter("recording");
    keepAwake();
  }
}

function onLevel(level) {
  const now = performance.now();
  if (level.peakDbfs > TOO_LOUD_DBFS) {
    loudUntilMs = now + TOO_LOUD_SHOWN_MS;
  }
  part("level").value = Math.max(-60, level.peakDbfs);
  part("level-word").textContent = now < loudUntilMs ? "too loud" : "";
  if (!answer || !isRecording()) {
    return;
  }
  waveform.add(level.peakDbfs, state() === "recording");
  showRecorded(answer.recordedS);
  if (level.zeros && answer.recordedS > ZEROS_HINT_S) {
    hint("The microphone gives no sound at all. Is it muted, or not allowed by the system?");
  } else if (!level.zeros && part("hint").textContent.startsWith("The microphone gives")) {
    hint("");
  }
}

function onCaption(caption) {
  const captions = part("captions");
  captions.hidden = false;
  captions.append(captions.childNodes.length ? ` ${caption.text}` : caption.text);
  captions.scrollTop = captions.scrollHeight;
  if (state() === "working" && answer) {
    part("progress").value = Math.min(1, caption.end_s / answer.recordedS);
  }
}

async function stop() {
  enter("working", "Stopping");
  await answer.stop();
}

function onWorking({ stopped_by: stoppedBy, share }) {
  const ended = stoppedBy === "time_limit" ? `The limit of ${clock(limitS)} is reached. ` : "";
  enter("working", `${ended}${TEXTS.working}`);
  part("progress").max = 1;
  if (share > 0) {
    part("progress").value = share;
  } else {
    part("progress").removeAttribute("value"); // at work, nobody knows for how long
  }
  part("progress").setAttribute("aria-label", "Transcribing");
  letSleep();
}

function onDone({ url, waiting, notice }) {
  enter("done");
  if (url) {
    location.assign(url);
    return;
  }
  enter("ready", "Your answer is kept");
  resetProgress();
  hint([waiting, notice].filter(Boolean).join(" "));
}

async function discard() {
  const long = answer.recordedS > CONFIRM_OVER_S;
  const sure =
    !long ||
    (await ask({
      title: `Discard this answer of ${clock(answer.recordedS)}?`,
      detail: "It is deleted for good. The recording goes on until you decide.",
      yes: "Discard",
      no: "Keep recording",
    }));
  if (sure && isRecording()) {
    enter("opening", "Discarding");
    await answer.discard();
  }
  return sure;
}

async function retry() {
  if (isRecording()) {
    retrying = true;
    retrying = await discard();
  } else if (isIdle()) {
    await begin();
  }
}

function onDiscarded() {
  letSleep();
  enter("ready", "Discarded");
  showRecorded(0);
  waveform.clear();
  part("captions").hidden = true;
  if (retrying) {
    retrying = false;
    begin();
  }
}

/** @param {import("./answer.js").Problem} problem */
function onProblem(problem) {
  letSleep();
  retrying = false;
  enter("problem");
  resetProgress();
  const detail = problem.detail;
  part("problem-detail").textContent = `${detail[0].toUpperCase()}${detail.slice(1)}`;
  part("problem-remedy").textContent = problem.remedy;
  part("problem-remedy").hidden = !problem.remedy;
  part("problem-kept").textContent = problem.kept
    ? "The recording is kept: listen to it, finish or discard it above."
    : "Nothing was recorded.";
  part("problem").hidden = false;
  part("problem").focus();
  // the server lets go of the file a moment after the connection ends
  setTimeout(refreshTakes, 300);
}

async function pauseOrGoOn() {
  if (state() === "recording") {
    answer.pause();
    enter("paused");
  } else if (state() === "paused") {
    answer.resume();
    enter("recording");
  }
}

/* ---- what is shown */

function showClock(text, unit) {
  part("clock").textContent = text;
  part("clock-unit").textContent = unit;
}

function showRecorded(seconds) {
  const over = seconds - targetS;
  showClock(clock(seconds), over < 1 ? `of ${clock(targetS)}` : `${clock(over)} over ${clock(targetS)}`);
  part("progress").value = Math.min(seconds, targetS);
}

function resetProgress() {
  part("progress").max = targetS;
  part("progress").value = 0;
  part("progress").setAttribute("aria-label", "Time against the target");
}

function hint(text) {
  part("hint").textContent = text;
  part("hint").hidden = !text;
}

/* ---- wiring */

function primary() {
  if (isRecording()) {
    stop();
  } else {
    begin();
  }
}

part("primary").addEventListener("click", primary);
part("pause").addEventListener("click", pauseOrGoOn);
part("discard").addEventListener("click", discard);
part("hear").addEventListener("click", () => {
  endPreparing();
  askQuestion();
});
sound.addEventListener("ended", () => state() === "asking" && prepare());

preparation.value = remembered() ?? String(DEFAULT_PREPARATION_S);
preparation.addEventListener("change", () => {
  try {
    localStorage.setItem(PREPARATION_KEY, preparation.value);
  } catch {
    // storage is switched off: it holds for this page
  }
  if (state() === "preparing") {
    clearTimeout(countdown);
    prepare();
  }
});

function remembered() {
  let value = null;
  try {
    value = localStorage.getItem(PREPARATION_KEY);
  } catch {
    // storage is switched off
  }
  return [...preparation.options].some((option) => option.value === value) ? value : null;
}

onKeys({
  " ": () => !part("primary").disabled && primary(),
  p: pauseOrGoOn,
  escape: () => isRecording() && discard(),
  r: retry,
  n: () => isIdle() && location.assign(part("next").href),
});

window.addEventListener("beforeunload", (event) => {
  if (isRecording()) {
    event.preventDefault();
  }
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && isRecording()) {
    keepAwake(); // it ends whenever the page is out of sight
  }
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) {
    location.reload(); // brought back from the browser's memory, where its recording has ended
  }
});

askQuestion();
