/** A mock interview: question after question against the clock, without a report in between. */

import { AnswerPanel } from "./answer_panel.js";
import { clock } from "/static/ui/clock.js";
import { confirm } from "./confirm.js";
import { onKeys } from "./keys.js";
import { Player } from "./player.js";
import { request } from "./request.js";

const TICK_MS = 500;
const POLL_MS = 500;
const FREED_AFTER_TRIES = 6; // a page that was just reloaded still counts as recording
const WARN_S = [300, 60];

const IDLE = { idle: true, shows: ["hear", "skip"] };
const STATES = {
  loading: { status: "Getting ready" },
  ready: { status: "Answer when you are ready", primary: "Answer", ...IDLE },
  asking: { status: "Listen to the question", ...IDLE },
  opening: { status: "Opening the microphone" },
  recording: { status: "Recording", primary: "That is my answer", listens: true },
  working: { status: "Saving your answer" },
  interrupted: {
    status: "Your answer was interrupted",
    keepsProblem: true,
    shows: ["skip", "interrupted"],
  },
  problem: { status: "Not recording", ...IDLE, primary: "Answer again" },
};

const panel = new AnswerPanel(document.querySelector("[data-recorder]"), STATES, {
  onDone,
  onProblem,
});
const part = (name) => panel.part(name);
const end = part("end");
const player = new Player();

let interview = JSON.parse(document.getElementById("state").textContent);
let endsAtMs = performance.now() + interview.left_s * 1000;
let interrupted = null;
let endWhenDone = false;
const warned = WARN_S.filter((each) => interview.left_s <= each);

/* ---- the question */

async function showQuestion() {
  const { question } = interview;
  if (!question) {
    location.assign(`/interview/${interview.id}/report`);
    return;
  }
  const about = Math.max(interview.about, question.number);
  part("number").textContent = `Question ${question.number} of about ${about}`;
  document.getElementById("prompt").textContent = question.prompt;
  part("aim").textContent = `aim for ${clock(question.answer_seconds)}`;
  part("other-role").textContent = `asked for: ${question.other_role}`;
  part("other-role").hidden = !question.other_role;
  panel.targetS = question.answer_seconds;
  panel.clearWaveform();
  panel.showRecorded(0);
  panel.enter("loading");
  await findInterrupted();
  if (interrupted) {
    return;
  }
  if (isOver()) {
    showOver();
    return;
  }
  panel.enter("ready");
  const audible = await player.canPlay();
  if (!panel.is("ready")) {
    return; // the candidate has started to answer: do not talk over them
  }
  if (audible) {
    await speak();
  } else {
    panel.say("Hear the question, or read it, then answer");
  }
}

async function speak() {
  const asked = interview.question?.question_id;
  panel.enter("asking");
  let failed;
  try {
    await player.play(interview.question.sound);
  } catch (error) {
    failed = `${error.message} Read the question, then answer.`;
  }
  if (panel.is("asking") && interview.question?.question_id === asked) {
    panel.enter("ready", failed);
  }
}

/* ---- the answer */

async function begin() {
  player.stop();
  await panel.record({
    questionId: interview.question.question_id,
    interview: interview.id,
  });
}

async function onDone(done) {
  if (endWhenDone) {
    end.submit();
    return;
  }
  const { question_id: questionId } = interview.question;
  const next = await requestHere("state");
  if (next?.question?.question_id === questionId) {
    // the studio could not note it when it came in
    const noted = { question_id: questionId, submission_id: done.submission_id };
    goOn(await requestHere("answers", { ...noted, attempt_id: done.attempt_id }));
    return;
  }
  goOn(next);
}

/** @param {import("./answer.js").Problem} problem */
async function onProblem(problem) {
  endWhenDone = false;
  fail(problem);
  panel.showRecorded(0);
  if (problem.kept) {
    await findInterrupted();
  }
}

async function pass() {
  player.stop();
  const sure = await confirm({
    title: "Pass this question?",
    detail: "It stays without an answer, and the next one is asked.",
    yes: "Pass",
    no: "Answer it",
  });
  if (sure && (panel.isIdle || panel.is("interrupted"))) {
    goOn(await requestHere("skip", { question_id: interview.question.question_id }));
  }
}

/** Goes on from a new state of the interview; `undefined`: there is none, and the page says why. */
function goOn(next) {
  if (!next) {
    return;
  }
  interview = next;
  endsAtMs = performance.now() + next.left_s * 1000;
  interrupted = null;
  showQuestion();
  document.getElementById("prompt").focus();
}

function fail(problem) {
  panel.enter("problem");
  panel.showProblem(problem);
}

/** Asks the studio about this interview; `undefined` where that failed, which is then shown. */
async function requestHere(what, json) {
  try {
    return await request(`/interview/${interview.id}/${what}`, { json });
  } catch (error) {
    fail(error);
    return undefined;
  }
}

/* ---- an answer that was interrupted */

/** Looks for a recording of this question that nobody finished: the page was reloaded, or lost. */
async function findInterrupted() {
  interrupted = null;
  for (let tries = 0; tries < FREED_AFTER_TRIES; tries += 1) {
    const found = await request(`/interview/${interview.id}/interrupted`).catch(() => null);
    interrupted = found?.take ?? null;
    if (interrupted || !found?.recording) {
      break;
    }
    await pause(); // it is just being let go
  }
  if (interrupted) {
    part("interrupted-text").textContent =
      `Your answer of ${interrupted.length} from ${interrupted.started} was interrupted; it is kept.`;
    panel.enter("interrupted");
  }
}

async function use() {
  panel.enter("working");
  const claimed = await requestHere("claim", { question_id: interview.question.question_id });
  if (claimed === undefined) {
    return;
  }
  try {
    const address = `/takes/${encodeURIComponent(interrupted.name)}`;
    let progress = await request(`${address}/finish`, { post: true });
    while (progress.state === "running") {
      await pause();
      progress = await request(address);
    }
    if (progress.state === "done") {
      goOn(await requestHere("state"));
      return;
    }
    fail({ detail: progress.problem, remedy: "The recording is kept." });
  } catch (error) {
    fail({ detail: error.message, remedy: `${error.remedy} The recording is kept.`.trim() });
  }
  await findInterrupted();
}

async function drop() {
  const sure = await confirm({
    title: `Discard this answer of ${interrupted.length}?`,
    detail: "It is deleted for good.",
    yes: "Discard",
    no: "Keep it",
  });
  if (!sure) {
    return;
  }
  const address = `/takes/${encodeURIComponent(interrupted.name)}/discard`;
  await request(address, { post: true }).catch(() => null); // it is offered again after a reload
  interrupted = null;
  if (isOver()) {
    showOver();
  } else {
    panel.enter("ready");
  }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
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
  if (panel.is("recording", "opening", "working")) {
    part("time-status").textContent = "The time is over. Finish this answer; it is the last one.";
  } else if (!panel.is("interrupted", "loading") && part("over").hidden) {
    showOver();
  }
}

function showOver() {
  player.stop();
  part("asking").hidden = true;
  end.hidden = true;
  part("time-status").textContent = "";
  part("over").hidden = false;
  document.getElementById("over").focus();
}

/* ---- wiring */

function primary() {
  if (panel.is("recording")) {
    panel.stop();
  } else if (panel.isIdle && !isOver()) {
    begin();
  }
}

function hear() {
  if (panel.is("ready", "problem")) {
    speak();
  } else if (panel.is("asking")) {
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
  s: () => (panel.isIdle || panel.is("interrupted")) && pass(),
});

end.addEventListener("submit", async (event) => {
  event.preventDefault();
  const sure = await confirm({
    title: "End the interview now?",
    detail: "The open question stays without an answer. The report follows.",
    yes: "End it",
    no: "Go on",
  });
  if (!sure) {
    return;
  }
  if (panel.is("recording", "working")) {
    endWhenDone = true; // what is being said still counts
    if (panel.is("recording")) {
      panel.stop();
    }
  } else {
    end.submit();
  }
});

setInterval(tick, TICK_MS);
tick();
showQuestion();
