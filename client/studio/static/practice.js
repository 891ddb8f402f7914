/** The practice page: the question is asked, the answer recorded, the report opened. */

import { Answer } from "./answer.js";
import { AnswerPanel } from "./answer_panel.js";
import { clock } from "/static/ui/clock.js";
import { confirm } from "./confirm.js";
import { onKeys } from "./keys.js";
import { Player } from "./player.js";
import { request } from "./request.js";
import { remember, remembered } from "./remembered.js";
import { refreshTakes } from "./takes_notice.js";

const CONFIRM_OVER_S = 5;
const ZEROS_HINT_S = 1.5;
const NO_SOUND = "The microphone gives no sound at all. Is it muted, or blocked by the system?";

const IDLE = { idle: true, shows: ["hear", "next"] };
const LISTENING = { listens: true, primary: "Stop", shows: ["pause", "discard"] };
const STATES = {
  ready: { status: "Ready when you are", primary: "Record", ...IDLE },
  asking: { status: "Listen to the question", ...IDLE },
  preparing: { status: "Time to think; recording starts by itself", ...IDLE },
  opening: { status: "Opening the microphone" },
  recording: { status: "Recording", ...LISTENING },
  paused: { status: "Paused", ...LISTENING },
  working: { status: "Transcribing the rest" },
  done: { status: "Done: opening the report" },
  problem: { status: "Not recording", ...IDLE, primary: "Record again" },
};

class PracticePanel extends AnswerPanel {
  enter(next, status) {
    super.enter(next, status);
    this.part("pause-label").textContent = next === "paused" ? "Resume" : "Pause";
    preparation.disabled = !this.isIdle;
  }
}

const root = document.querySelector(".recorder");
const limitS = Number(root.dataset.limitS);
const preparation = document.getElementById("preparation");
const panel = new PracticePanel(root, STATES, {
  onAsked,
  onCaption,
  onDiscarded,
  onDone,
  onProblem,
  onRecorded,
  onWorking,
});
panel.targetS = Number(root.dataset.targetS);
const part = (name) => panel.part(name);
const player = new Player();
let countdown = null;
let retrying = false;
/** @type {import("./answer.js").FollowUp|null} what is asked after the answer */
let followUp = null;
const FOLLOW_UPS_KEY = "aloud.followUps";
const wantsFollowUps = document.getElementById("follow-ups");
wantsFollowUps.checked = remembered(FOLLOW_UPS_KEY) === "yes";
wantsFollowUps.addEventListener("change", () =>
  remember(FOLLOW_UPS_KEY, wantsFollowUps.checked ? "yes" : "no"),
);

/* ---- asking and preparing */

async function askQuestion() {
  endPreparing();
  panel.enter("asking");
  hint("");
  const audible = await player.canPlay();
  if (!panel.is("asking")) {
    return; // recording has begun
  }
  if (!audible) {
    panel.enter("ready");
    hint("The browser plays no sound until you click or press a key: hear the question, or just record.");
    return;
  }
  try {
    const heard = await player.play(
      followUp
        ? `/sound/text?text=${encodeURIComponent(followUp.asked.ask)}`
        : `/sound/question/${encodeURIComponent(root.dataset.question)}`,
    );
    if (!heard) {
      return; // stopped: something else is under way
    }
  } catch (error) {
    if (!panel.is("asking")) {
      return;
    }
    hint(`The question cannot be spoken (${error.message}). Read it above.`);
  }
  if (followUp) {
    panel.enter("ready", "Answer the follow-up, or go to the report");
    return;
  }
  prepare();
}

function prepare() {
  const seconds = Number(preparation.value);
  if (seconds < 0) {
    panel.enter("ready");
    return;
  }
  panel.enter("preparing");
  let left = seconds;
  const tick = () => {
    if (left <= 0) {
      begin();
      return;
    }
    panel.showClock(clock(left), "to think");
    if (document.visibilityState === "visible") {
      left -= 1; // nobody who looked away is recorded by surprise
    }
    countdown = setTimeout(tick, 1000);
  };
  tick();
}

function endPreparing() {
  player.stop();
  clearTimeout(countdown);
}

/* ---- recording */

async function begin() {
  if (!panel.isIdle) {
    return;
  }
  endPreparing();
  hint("");
  part("captions").replaceChildren();
  part("captions").hidden = true;
  const { question: questionId } = root.dataset;
  const asks = wantsFollowUps.checked;
  await panel.record((handlers) => Answer.start({ questionId, followUp, asks, handlers }));
}

function onRecorded({ zeros }) {
  if (zeros && panel.recordedS > ZEROS_HINT_S) {
    hint(NO_SOUND);
  } else if (!zeros && part("hint").textContent === NO_SOUND) {
    hint("");
  }
}

function onCaption(caption) {
  const captions = part("captions");
  captions.hidden = false;
  captions.append(captions.childNodes.length ? ` ${caption.text}` : caption.text);
  captions.scrollTop = captions.scrollHeight;
  if (panel.is("working")) {
    panel.showTranscribed(caption.end_s / panel.recordedS);
  }
}

function onWorking({ stopped_by: stoppedBy, share }) {
  if (stoppedBy === "time_limit") {
    panel.say(`The limit of ${clock(limitS)} is reached. ${STATES.working.status}`);
  }
  panel.showTranscribed(share);
}

function onDone({ url, waiting, notice, follow_up: next }) {
  if (url) {
    part("report").href = url;
    part("to-report").hidden = false;
  }
  if (followUp?.after && (panel.isRecording || followUp.asked.ask === next?.asked.ask)) {
    return; // it is being asked already
  }
  if (url && next && wantsFollowUps.checked) {
    showFollowUp(next);
    return;
  }
  if (url) {
    panel.enter("done");
    location.assign(url);
    return;
  }
  panel.enter("ready", "Your answer is saved");
  panel.showRecorded(0);
  hint([waiting, notice].filter(Boolean).join(" "));
}

/** What is asked next is known, and the report is still being made. */
function onAsked({ follow_up: next }) {
  if (wantsFollowUps.checked) {
    showFollowUp(next);
  }
}

function showFollowUp(next) {
  followUp = next;
  document.querySelector("h1").textContent = next.asked.ask;
  part("follow-up").hidden = false;
  panel.targetS = next.limit_s;
  panel.showRecorded(0);
  panel.clearWaveform();
  part("captions").hidden = true;
  askQuestion();
}

async function discard() {
  const sure =
    panel.recordedS <= CONFIRM_OVER_S ||
    (await confirm({
      title: `Discard this answer of ${clock(panel.recordedS)}?`,
      detail: "It is deleted for good. The recording continues until you decide.",
      yes: "Discard",
      no: "Keep recording",
    }));
  if (sure && panel.isRecording) {
    await panel.discard();
  }
  return sure;
}

async function retry() {
  if (panel.isRecording) {
    retrying = true;
    retrying = await discard();
  } else if (panel.isIdle) {
    await begin();
  }
}

function onDiscarded() {
  panel.enter("ready", "Discarded");
  panel.showRecorded(0);
  panel.clearWaveform();
  part("captions").hidden = true;
  if (retrying) {
    retrying = false;
    begin();
  }
}

/** @param {import("./answer.js").Problem} problem */
function onProblem(problem) {
  retrying = false;
  panel.enter("problem");
  panel.showRecorded(0);
  part("problem-kept").textContent = problem.kept
    ? "The recording is kept: listen to it, finish it or discard it here."
    : "Nothing was recorded.";
  panel.showProblem(problem);
  // the server releases the file a moment after the connection ends
  setTimeout(refreshTakes, 300, problem.kept);
}

function hint(text) {
  part("hint").textContent = text;
  part("hint").hidden = !text;
}

/* ---- wiring */

function primary() {
  if (panel.isRecording) {
    panel.stop();
  } else {
    begin();
  }
}

preparation.addEventListener("change", () => {
  const value = Number(preparation.value) < 0 ? "" : preparation.value;
  request("/settings/thinking_s", { json: { value } }).catch((error) => hint(error.message));
  if (panel.is("preparing")) {
    clearTimeout(countdown);
    prepare();
  }
});

part("primary").addEventListener("click", primary);
part("pause").addEventListener("click", () => panel.pauseOrGoOn());
part("discard").addEventListener("click", discard);
part("hear").addEventListener("click", askQuestion);
onKeys({
  " ": () => !part("primary").disabled && primary(),
  p: () => panel.pauseOrGoOn(),
  escape: () => panel.isRecording && discard(),
  r: retry,
  n: () => panel.isIdle && location.assign(part("next").href),
});

askQuestion();
