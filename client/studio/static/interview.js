/** A mock interview: question after question against the clock, without a report in between. */

import { Answer } from "./answer.js";
import { ask } from "./ask.js";
import { clock } from "/static/ui/clock.js";
import { onKeys } from "./keys.js";
import { Player } from "./player.js";
import { keepAwake, letSleep } from "./wake_lock.js";
import { Waveform } from "./waveform.js";

const TICK_MS = 500;
const POLL_MS = 500;
const FREED_AFTER_TRIES = 6; // a page that was just reloaded still counts as recording
const WARN_S = [300, 60];
const TOO_LOUD_DBFS = -1;
const TOO_LOUD_SHOWN_MS = 1500;
const GONE = "The studio does not answer: was it ended in the terminal? Start it with “aloud”, then reload this page.";

const asking = document.querySelector("[data-asking]");
const over = document.querySelector("[data-over]");
const recorder = document.querySelector("[data-recorder]");
const part = (name) => document.querySelector(`[data-${name}]`);
const end = part("end");
const waveform = new Waveform(part("wave"));
const player = new Player();

let interview = JSON.parse(document.getElementById("state").textContent);
let endsAtMs = performance.now() + interview.left_s * 1000;
/** @type {Answer|null} */
let answer = null;
let interrupted = null;
let endWhenDone = false;
let warned = WARN_S.filter((each) => interview.left_s <= each);
let loudUntilMs = 0;

const TEXTS = {
  loading: "Getting ready",
  ready: "Answer when you are ready",
  asking: "The question is being asked",
  opening: "Opening the microphone",
  recording: "Recording",
  working: "Noting your answer",
  interrupted: "Your answer was interrupted",
  problem: "Not recording",
};
const state = () => recorder.dataset.state;
const isIdle = () => ["ready", "asking", "problem"].includes(state());

function enter(next, text = TEXTS[next]) {
  recorder.dataset.state = next;
  part("status").textContent = text;
  part("primary-label").textContent =
    next === "recording" ? "That is my answer" : next === "problem" ? "Answer again" : "Answer";
  part("primary").disabled = !(isIdle() || next === "recording");
  part("hear").hidden = !isIdle();
  part("skip").hidden = !isIdle() && next !== "interrupted";
  if (!["problem", "interrupted"].includes(next)) {
    part("problem").hidden = true;
  }
  part("interrupted").hidden = next !== "interrupted";
  if (document.activeElement?.closest("[hidden], :disabled")) {
    part("primary").focus();
  }
}

/* ---- the question */

async function showQuestion() {
  const { question } = interview;
  if (!question) {
    location.assign(`/interview/${interview.id}/report`);
    return;
  }
  part("number").textContent = `Question ${question.number} of about ${Math.max(interview.about, question.number)}`;
  document.getElementById("prompt").textContent = question.prompt;
  part("aim").textContent = `aim for ${clock(question.answer_seconds)}`;
  part("other-role").textContent = `asked for: ${question.other_role}`;
  part("other-role").hidden = !question.other_role;
  waveform.clear();
  showRecorded(0);
  enter("loading");
  await findInterrupted();
  if (interrupted) {
    return;
  }
  if (isOver()) {
    showOver();
    return;
  }
  enter("ready");
  await speak({ byItself: true });
}

async function speak({ byItself = false } = {}) {
  if (byItself) {
    const audible = await player.canPlay();
    if (state() !== "ready") {
      return; // whoever has begun to answer is not talked over
    }
    if (!audible) {
      enter("ready", "Hear the question, or read it, then answer");
      return;
    }
  }
  const asked = interview.question?.question_id;
  enter("asking");
  let failed = "";
  try {
    await player.play(interview.question.sound);
  } catch (error) {
    failed = `${error.message} Read the question, then answer.`;
  }
  if (state() === "asking" && interview.question?.question_id === asked) {
    enter("ready", failed || TEXTS.ready);
  }
}

/* ---- the answer */

async function begin() {
  player.stop();
  enter("opening");
  answer = await Answer.start({
    questionId: interview.question.question_id,
    interview: interview.id,
    handlers: { onLevel, onWorking, onDone, onProblem },
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
  if (answer && state() === "recording") {
    waveform.add(level.peakDbfs, true);
    showRecorded(answer.recordedS);
  }
}

async function stop() {
  enter("working");
  await answer.stop();
}

function onWorking() {
  enter("working");
  letSleep();
}

async function onDone(done) {
  if (endWhenDone) {
    end.submit();
    return;
  }
  const { question_id: questionId } = interview.question;
  const next = await request("state");
  if (next?.question?.question_id === questionId) {
    // the studio could not note it when it came in
    const noted = { question_id: questionId, submission_id: done.submission_id };
    take(await request("answers", { ...noted, attempt_id: done.attempt_id }));
    return;
  }
  take(next);
}

/** @param {import("./answer.js").Problem} problem */
async function onProblem(problem) {
  letSleep();
  endWhenDone = false;
  enter("problem");
  complain(problem.detail, problem.remedy);
  showRecorded(0);
  if (problem.kept) {
    await findInterrupted();
  }
}

async function pass() {
  player.stop();
  const sure = await ask({
    title: "Pass this question?",
    detail: "It stays without an answer, and the next one is asked.",
    yes: "Pass",
    no: "Answer it",
  });
  if (sure && (isIdle() || state() === "interrupted")) {
    take(await request("skip", { question_id: interview.question.question_id }));
  }
}

/** Goes on from a new state of the interview; `null`: it could not be had, which is shown. */
function take(next) {
  if (!next) {
    return;
  }
  interview = next;
  endsAtMs = performance.now() + next.left_s * 1000;
  interrupted = null;
  showQuestion();
  document.getElementById("prompt").focus();
}

/* ---- an answer that was interrupted */

/** Looks for a recording of this question that nobody finished: the page was reloaded, or lost. */
async function findInterrupted() {
  interrupted = null;
  for (let tries = 0; tries < FREED_AFTER_TRIES; tries += 1) {
    const found = await getJson(`/interview/${interview.id}/interrupted`);
    interrupted = found?.take ?? null;
    if (interrupted || !found?.recording) {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS)); // it is just being let go
  }
  if (interrupted) {
    part("interrupted-text").textContent =
      `Your answer of ${interrupted.length} from ${interrupted.started} was interrupted; it is kept.`;
    enter("interrupted");
  }
}

async function use() {
  const address = `/takes/${encodeURIComponent(interrupted.name)}`;
  enter("working");
  const claimed = await request("claim", { question_id: interview.question.question_id });
  if (claimed === null) {
    return;
  }
  let progress = await getJson(`${address}/finish`, { method: "POST" });
  while (progress?.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    progress = await getJson(address);
  }
  if (progress?.state === "done") {
    take(await request("state"));
    return;
  }
  enter("problem");
  complain(progress?.problem ?? GONE, "The recording is kept.");
  await findInterrupted();
}

async function drop() {
  const sure = await ask({
    title: `Discard this answer of ${interrupted.length}?`,
    detail: "It is deleted for good.",
    yes: "Discard",
    no: "Keep it",
  });
  if (!sure) {
    return;
  }
  await getJson(`/takes/${encodeURIComponent(interrupted.name)}/discard`, { method: "POST" });
  interrupted = null;
  if (isOver()) {
    showOver();
  } else {
    enter("ready");
  }
}

/* ---- the clock */

const leftS = () => Math.max(0, (endsAtMs - performance.now()) / 1000);
const isOver = () => leftS() <= 0;

function tick() {
  const left = leftS();
  part("left").textContent = clock(Math.ceil(left));
  part("spent").value = interview.minutes * 60 - left;
  for (const each of WARN_S) {
    if (left <= each && !warned.includes(each)) {
      warned.push(each);
      const minutes = each / 60;
      part("time-status").textContent = `${minutes} ${minutes === 1 ? "minute" : "minutes"} left.`;
    }
  }
  if (left > 0) {
    return;
  }
  if (["recording", "opening", "working"].includes(state())) {
    part("time-status").textContent = "The time is over. Finish this answer; it is the last one.";
  } else if (!["interrupted", "loading"].includes(state()) && over.hidden) {
    showOver();
  }
}

function showOver() {
  player.stop();
  asking.hidden = true;
  end.hidden = true;
  part("time-status").textContent = "";
  over.hidden = false;
  document.getElementById("over").focus();
}

/* ---- what is shown */

function showRecorded(seconds) {
  const targetS = interview.question.answer_seconds;
  const past = seconds - targetS;
  part("clock").textContent = clock(seconds);
  part("clock-unit").textContent =
    past < 1 ? `of ${clock(targetS)}` : `${clock(past)} over ${clock(targetS)}`;
  part("progress").max = targetS;
  part("progress").value = Math.min(seconds, targetS);
}

function complain(detail, remedy = "") {
  part("problem-detail").textContent = `${detail[0].toUpperCase()}${detail.slice(1)}`;
  part("problem-remedy").textContent = remedy;
  part("problem").hidden = false;
}

async function getJson(address, options = {}) {
  try {
    const got = await fetch(address, { headers: { Accept: "application/json" }, ...options });
    if (got.status === 204) {
      return {};
    }
    const told = await got.json();
    return got.ok ? told : { state: "failed", problem: told.detail, failed: told.detail };
  } catch {
    return null;
  }
}

/** Asks the studio about this interview; `null` where it failed, which is then shown. */
async function request(what, body) {
  const told = await getJson(
    `/interview/${interview.id}/${what}`,
    body && {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    },
  );
  if (told && !told.failed) {
    return told;
  }
  enter("problem");
  complain(told?.failed ?? GONE);
  return null;
}

/* ---- wiring */

function primary() {
  if (state() === "recording") {
    stop();
  } else if (isIdle() && !isOver()) {
    begin();
  }
}

function hear() {
  if (["ready", "problem"].includes(state())) {
    speak();
  } else if (state() === "asking") {
    player.stop();
  }
}

part("primary").addEventListener("click", primary);
part("hear").addEventListener("click", hear);
part("skip").addEventListener("click", pass);
part("use").addEventListener("click", use);
part("drop").addEventListener("click", drop);
onKeys({
  " ": primary,
  h: hear,
  s: () => (isIdle() || state() === "interrupted") && pass(),
});

end.addEventListener("submit", async (event) => {
  event.preventDefault();
  const sure = await ask({
    title: "End the interview now?",
    detail: "The question that is open stays without an answer. The report follows.",
    yes: "End it",
    no: "Go on",
  });
  if (!sure) {
    return;
  }
  if (["recording", "working"].includes(state())) {
    endWhenDone = true; // what is being said still counts
    if (state() === "recording") {
      stop();
    }
  } else {
    end.submit();
  }
});

window.addEventListener("beforeunload", (event) => {
  if (state() === "recording") {
    event.preventDefault();
  }
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) {
    location.reload(); // brought back from the browser's memory: the interview may have gone on
  }
});

setInterval(tick, TICK_MS);
tick();
showQuestion();
