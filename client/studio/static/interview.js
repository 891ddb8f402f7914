/** A mock interview: question after question against the clock, without a report in between. */

import { Answer } from "./answer.js";
import { AnswerPanel } from "./answer_panel.js";
import { clock } from "/static/ui/clock.js";
import { choose, confirm } from "./confirm.js";
import { onKeys } from "./keys.js";
import { OneTab } from "./one_tab.js";
import { Player } from "./player.js";
import { request } from "./request.js";
import { ASKING, Microphone, zerosError } from "./recorder.js";
import { RoundClock } from "./round_clock.js";
import { ShortTake } from "./short_take.js";

const TICK_MS = 500;
const POLL_MS = 500;
const BEAT_MS = 5000; // the studio takes 20 s without one for "left"
const FREED_AFTER_TRIES = 6; // a page that was just reloaded still counts as recording
const CONFIRM_OVER_S = 5; // as in practice
const CHECK_MS = 4000; // a microphone that gives nothing but zeros for this long is muted
const CLOSING_MOST_S = 110;
const AGAIN_MS = 2000; // how often a lost studio is asked whether it is back

const IDLE = { idle: true, shows: ["hear", "skip"] };
const RUNS = { runs: true }; // the clock
const LISTENING = {
  listens: true,
  primary: "That is my answer",
  shows: ["pause", "restart"],
};
const STATES = {
  loading: { status: "Getting ready" },
  thinking: { status: "One moment", shows: ["skip"] },
  ready: { status: "Answer when you are ready", primary: "Answer", ...IDLE, ...RUNS },
  asking: { status: "Listen to the question", ...IDLE },
  opening: { status: "Opening the microphone" },
  checking: { status: "Checking the microphone" },
  recording: { status: "Recording", ...LISTENING, ...RUNS },
  paused: { status: "Paused", ...LISTENING },
  working: { status: "Saving your answer" },
  interrupted: {
    status: "Your answer was interrupted",
    keepsProblem: true,
    shows: ["skip", "interrupted"],
  },
  elsewhere: { status: "This question is being answered in another tab" },
  problem: { status: "Not recording", ...IDLE, primary: "Answer again" },
};

const FOLLOWS = ["elsewhere", "interrupted"]; // what another tab does next

const panel = new AnswerPanel(document.querySelector("[data-recorder]"), STATES, {
  onDiscarded,
  onDone,
  onGiven,
  onProblem,
});
const part = (name) => panel.part(name);
const end = part("end");
const player = new Player();

let interview = JSON.parse(document.getElementById("state").textContent);
const tab = new OneTab(`aloud.interview.${interview.id}`, () => player.stop());
const roundClock = new RoundClock(interview.left_s);
let beatAtMs = -Infinity;
let endWhenDone = false;
let endWhenDiscarded = false;
let checked = interview.question?.number !== 1; // the microphone, before the first question
/** @type {import("./answer.js").FollowUp|null} what is asked after the answer just given */
let followUp = null;

/* ---- the question */

async function showQuestion() {
  const { question } = interview;
  if (!question) {
    showClosing();
    return;
  }
  // after short answers more are asked than were planned, and nobody knows how many
  const about = question.number <= interview.about ? ` of about ${interview.about}` : "";
  part("number").textContent = `Question ${question.number}${about}`;
  document.getElementById("prompt").textContent = question.prompt;
  part("snippet").textContent = question.snippet;
  part("snippet").hidden = !question.snippet;
  part("aim").textContent = `aim for ${clock(question.answer_seconds)}`;
  part("other-role").textContent = `asked for: ${question.other_role}`;
  part("other-role").hidden = !question.other_role;
  panel.targetS = question.answer_seconds;
  panel.clearWaveform();
  panel.showRecorded(0);
  panel.enter("loading");
  for (let tries = 0; interview.recording && tries < FREED_AFTER_TRIES; tries += 1) {
    await pause(); // it is just being let go
    const next = await whereItStands();
    const moved = next !== null && update(next);
    if (!panel.is("loading") || interview.question?.question_id !== question.question_id) {
      if (moved) {
        showQuestion(); // the other tab has answered: nobody else shows what is asked now
      }
      return;
    }
  }
  if (interview.recording) {
    panel.enter("elsewhere");
    return;
  }
  if (interview.interrupted) {
    showInterrupted();
    return;
  }
  if (roundClock.isOver) {
    showOver();
    return;
  }
  if (!checked) {
    panel.enter("checking");
    const problem = await microphoneProblem();
    if (!panel.is("checking")) {
      return;
    }
    if (problem) {
      fail(problem);
      checked = true; // "Answer again" tries it
      return;
    }
    checked = true;
  }
  panel.enter("ready");
  const [audible, here] = await Promise.all([player.canPlay(), tab.isThis()]);
  if (!panel.is("ready") || interview.question?.question_id !== question.question_id) {
    return; // the candidate has started to answer: do not talk over them
  }
  if (!here) {
    panel.say("Another tab asks the questions. Answer here, and this tab takes over");
  } else if (audible) {
    await speak();
  } else {
    panel.say("Hear the question, or read it, then answer");
  }
}

/** Shows what went wrong with earlier answers. */
function showEarlier() {
  part("earlier").textContent = interview.problems.join(" ");
  part("earlier").hidden = interview.problems.length === 0;
}

/** Shows a follow-up in the place of the question, and asks it. */
async function showFollowUp() {
  part("number").textContent = "Follow-up";
  document.getElementById("prompt").textContent = followUp.asked.ask;
  part("aim").textContent = `up to ${clock(followUp.limit_s)}`;
  part("other-role").hidden = true;
  panel.targetS = followUp.limit_s;
  panel.clearWaveform();
  panel.showRecorded(0);
  panel.enter("ready");
  document.getElementById("prompt").focus({ preventScroll: true });
  scrollTo(0, 0);
  await speak();
}

function goOnWithoutFollowUp() {
  followUp = null;
  player.stop();
  showQuestion();
  document.getElementById("prompt").focus({ preventScroll: true });
}

/** The answer to a follow-up is stored: another one comes, or the next question. */
function onDone({ follow_up: next }) {
  if (endWhenDone) {
    endUnseen();
    return;
  }
  followUp = next;
  if (followUp && !roundClock.isOver) {
    showFollowUp();
  } else {
    goOnWithoutFollowUp();
  }
}

async function speak() {
  const asked = followUp ?? interview.question?.question_id;
  panel.enter("asking");
  let failed;
  try {
    const followed = followUp && `/sound/text?text=${encodeURIComponent(followUp.asked.ask)}`;
    await player.play(followed || interview.question.sound);
  } catch (error) {
    failed = `${error.message} Read the question, then answer.`;
  }
  if (panel.is("asking") && (followUp ?? interview.question?.question_id) === asked) {
    panel.enter("ready", failed);
  }
}

/** Listens for a moment; what is wrong with the microphone, or null. */
async function microphoneProblem() {
  let microphone;
  try {
    const heard = new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), CHECK_MS);
      const onLevel = ({ zeros }) => !zeros && (clearTimeout(late), resolve(true));
      const onAsking = () => panel.say(ASKING);
      Microphone.open({ onLevel, onAsking, onEnd: () => resolve(false) }).then(
        (opened) => (microphone = opened),
        (error) => resolve(error),
      );
    });
    const result = await heard;
    if (result instanceof Error) {
      return result;
    }
    // without a click before it some browsers give no sound yet: that is no fault
    const silent = result === false && microphone && navigator.userActivation?.hasBeenActive;
    return silent ? zerosError() : null;
  } finally {
    microphone?.close();
  }
}

/* ---- the answer */

/** Discards what was said so far, and begins the same answer again. */
async function restart() {
  const sure =
    panel.recordedS <= CONFIRM_OVER_S ||
    (await confirm({
      title: `Discard this answer of ${clock(panel.recordedS)} and say it again?`,
      yes: "Say it again",
      no: "Keep recording",
    }));
  if (sure && panel.isRecording) {
    await panel.discard();
  }
}

function onDiscarded() {
  if (endWhenDiscarded) {
    end.submit();
    return;
  }
  panel.enter("ready");
  panel.showRecorded(0);
  panel.clearWaveform();
  begin();
}

function pauseOrGoOn() {
  panel.pauseOrGoOn();
  part("pause-label").textContent = panel.is("paused") ? "Go on" : "Pause";
}

async function begin() {
  part("pause-label").textContent = "Pause";
  tab.take();
  player.stop();
  const asked = followUp
    ? { questionId: followUp.question_id, followUp }
    : {
        questionId: interview.question.question_id,
        interview: interview.id,
        asks: interview.follow_ups,
      };
  await panel.record((handlers) => Answer.start({ ...asked, handlers }));
}

async function onGiven() {
  if (endWhenDone) {
    endUnseen();
    return;
  }
  const answered = interview.question.question_id;
  const next = await requestHere("state");
  if (!next) {
    return;
  }
  if (next.follow_ups && !roundClock.isOver) {
    panel.enter("thinking");
    const address = `/interview/${interview.id}/follow-up?question_id=${answered}`;
    const found = await request(address).catch(() => null); // then there is none
    if (!panel.is("thinking")) {
      return; // skipped meanwhile
    }
    followUp = found?.follow_up ?? null;
  }
  if (endWhenDone) {
    endUnseen();
  } else if (followUp) {
    update(next);
    showFollowUp();
  } else {
    goOn(next);
  }
}

/** Ends the interview; the question that follows was never asked. */
function endUnseen() {
  end.elements.shown.value = "false";
  end.submit();
}

/** @param {import("./answer.js").Problem} problem */
async function onProblem(problem) {
  endWhenDone = false;
  fail(problem);
  panel.showRecorded(0);
  if (followUp) {
    return; // it is asked again, or skipped; what was said is offered with the report
  }
  if (problem.code === "moved") {
    goOn(await requestHere("state")); // another tab was first
  } else if (problem.code === "lost") {
    await comeBack();
  } else if (problem.kept) {
    await findInterrupted();
  }
}

/** The state of the interview; null where the studio is lost. */
function whereItStands() {
  return request(`/interview/${interview.id}/state`).catch(() => null);
}

/** Waits for a studio that was lost, and continues where the interview is. */
async function comeBack() {
  while (panel.is("problem")) {
    const next = await whereItStands();
    if (next && !next.recording) {
      update(next);
      showQuestion();
      return;
    }
    await pause(AGAIN_MS);
  }
}

async function pass() {
  player.stop();
  if (followUp) {
    goOnWithoutFollowUp();
    return;
  }
  if (panel.is("thinking")) {
    goOn(await requestHere("state"));
    return;
  }
  const sure = await confirm({
    title: "Skip this question?",
    detail: "It stays unanswered, and the next question follows.",
    yes: "Skip",
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
  update(next);
  showQuestion();
  document.getElementById("prompt").focus({ preventScroll: true });
  scrollTo(0, 0); // the clock and the whole question, from wherever the last answer was given
}

/** Takes in the new state; if another tab has moved on, this one follows. */
function update(next) {
  const moved = next.question?.question_id !== interview.question?.question_id;
  if (moved) {
    roundClock.ranS = 0; // what the studio does not know yet was spent on the question before
  }
  interview = next;
  roundClock.set(next.left_s);
  showEarlier();
  return moved;
}

function fail(problem) {
  panel.enter("problem");
  part("problem-kept").hidden = !problem.kept;
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

/** Looks for the recording that was just interrupted; the studio releases it in a moment. */
async function findInterrupted() {
  for (let tries = 0; tries < FREED_AFTER_TRIES; tries += 1) {
    const next = await whereItStands();
    if (next) {
      update(next);
    }
    if (interview.interrupted) {
      showInterrupted();
      return;
    }
    await pause();
  }
}

function showInterrupted() {
  const { length, started } = interview.interrupted;
  part("interrupted-text").textContent =
    `Your answer of ${length} from ${started} was interrupted; it is kept.`;
  panel.enter("interrupted");
}

async function use() {
  panel.enter("working");
  goOn(await requestHere("use", { question_id: interview.question.question_id }));
}

async function drop() {
  const sure = await confirm({
    title: `Discard this answer of ${interview.interrupted.length}?`,
    detail: "It is deleted for good.",
    yes: "Discard",
    no: "Keep it",
  });
  if (!sure) {
    return;
  }
  const address = `/takes/${encodeURIComponent(interview.interrupted.name)}/discard`;
  await request(address, { post: true }).catch(() => null); // it is offered again after a reload
  interview.interrupted = null;
  if (roundClock.isOver) {
    showOver();
  } else {
    panel.enter("ready");
  }
}

function pause(ms = POLL_MS) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/* ---- the clock */

function tick() {
  const runs = Boolean(STATES[panel.state].runs) && part("over").hidden;
  const changed = roundClock.tick(runs);
  const isDue = performance.now() - beatAtMs > BEAT_MS;
  if (changed || ((runs || panel.is(...FOLLOWS)) && isDue)) {
    beat(runs);
  }
  part("left").textContent = clock(Math.ceil(roundClock.leftS));
  part("spent").value = interview.minutes * 60 - roundClock.leftS;
  tell();
}

/** Tells the studio that the clock runs or stands, and hears how the interview stands. */
async function beat(runs) {
  beatAtMs = performance.now();
  const asked = interview.question?.question_id;
  if (!asked) {
    return; // it has ended
  }
  const json = { question_id: asked, runs, ran_s: roundClock.ranS };
  const follows = panel.is(...FOLLOWS);
  const next = await (follows
    ? whereItStands()
    : request(`/interview/${interview.id}/time`, { json }).catch(() => null));
  if (!next || interview.question?.question_id !== asked) {
    return; // this page has moved on meanwhile
  }
  if (!follows) {
    roundClock.ranS = Math.max(0, roundClock.ranS - json.ran_s);
  }
  if (followUp || panel.is("thinking") || (!panel.isIdle && !panel.is(...FOLLOWS))) {
    // an answer has begun here: what is asked stays what it answers, and the seconds that ran
    // while the reply was on its way are not in it yet
    roundClock.leftS = Math.max(0, next.left_s - roundClock.ranS);
    return;
  }
  const moved = update(next);
  const settled = panel.is("interrupted") && !next.interrupted;
  if (moved || settled || next.recording !== panel.is("elsewhere")) {
    player.stop();
    showQuestion();
  }
}

function tell() {
  const isLast = followUp || panel.is("recording", "paused", "checking", "opening", "working", "thinking");
  const waits = panel.is("interrupted", "loading", "elsewhere");
  if (roundClock.isOver && !isLast && !waits && part("over").hidden) {
    showOver();
  }
  const last = "Time is up. Finish this answer; it is the last one.";
  const text = roundClock.isOver && isLast ? last : roundClock.warning;
  if (part("time-status").textContent !== text) {
    part("time-status").textContent = text; // each change is read out
  }
}

function showOver() {
  player.stop();
  part("asking").hidden = true;
  end.hidden = true;
  part("over").hidden = false;
  document.getElementById("over").focus();
}

/* ---- your questions for us */

let closingTake = null;
let closingMicrophone = null;

function showClosing() {
  player.stop();
  const report = `/interview/${interview.id}/report`;
  if (!interview.follow_ups || interview.closed) {
    location.assign(report);
    return;
  }
  part("asking").hidden = true;
  end.hidden = true;
  part("closing").hidden = false;
  document.getElementById("closing").focus();
  speakClosing();
}

async function speakClosing() {
  if (await player.canPlay()) {
    const text = encodeURIComponent(document.getElementById("closing").textContent);
    await player.play(`/sound/text?text=${text}`).catch(() => null); // the page shows it
  }
}

async function recordClosing() {
  player.stop();
  const take = new ShortTake();
  try {
    closingMicrophone = await Microphone.open({
      onSamples: (samples) => {
        take.push(samples);
        if (closingTake && take.durationS > CLOSING_MOST_S) {
          sendClosing();
        }
      },
    });
  } catch (error) {
    part("closing-status").textContent = `${error.message} ${error.remedy}`;
    return;
  }
  closingTake = take;
  part("closing-ask").textContent = "That is all";
  part("closing-status").textContent = "Listening: ask your questions";
}

async function sendClosing() {
  const take = closingTake;
  closingTake = null;
  part("closing-ask").disabled = true;
  part("closing-status").textContent = "One moment";
  await closingMicrophone.close();
  const address = `/interview/${interview.id}/closing`;
  await request(address, { samples: take.samples() }).catch(() => null); // the report does without
  location.assign(`/interview/${interview.id}/report`);
}

async function askNothing() {
  await closingMicrophone?.close();
  await request(`/interview/${interview.id}/closing`, { post: true }).catch(() => null);
  location.assign(`/interview/${interview.id}/report`);
}

part("closing-ask").addEventListener("click", primary);
part("closing-none").addEventListener("click", askNothing);

/* ---- wiring */

function primary() {
  if (part("closing").hidden === false) {
    if (!part("closing-ask").disabled) {
      closingTake ? sendClosing() : recordClosing();
    }
  } else if (panel.isRecording) {
    panel.stop();
  } else if (panel.isIdle && (followUp || !roundClock.isOver)) {
    begin();
  }
}

function hear() {
  if (panel.is("ready", "problem")) {
    tab.take();
    speak();
  } else if (panel.is("asking")) {
    player.stop();
  }
}

part("primary").addEventListener("click", primary);
part("hear").addEventListener("click", hear);
part("pause").addEventListener("click", pauseOrGoOn);
part("restart").addEventListener("click", restart);
part("skip").addEventListener("click", pass);
part("use").addEventListener("click", use);
part("drop").addEventListener("click", drop);
onKeys({
  " ": primary,
  h: hear,
  p: () => panel.isRecording && pauseOrGoOn(),
  r: () => panel.isRecording && restart(),
  s: () => (panel.isIdle || panel.is("interrupted", "thinking")) && pass(),
});

end.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = panel.isRecording ? clock(panel.recordedS) : "";
  const what = followUp ? "follow-up" : "question";
  const answer = said
    ? await choose({
        title: "End the interview now?",
        detail: `You have spoken for ${said}. Is that your answer, or shall it go? The report follows.`,
        yes: "Count it and end",
        other: "Discard it and end",
        no: "Continue",
      })
    : await choose({
        title: "End the interview now?",
        detail: panel.is("working", "thinking")
          ? "The answer just given counts. The report follows."
          : `The open ${what} stays unanswered. The report follows.`,
        yes: "End it",
        no: "Continue",
      });
  if (answer === "no") {
    return;
  }
  if (answer === "other") {
    endWhenDiscarded = true;
    if (panel.isRecording) {
      await panel.discard();
    }
  } else if (panel.isRecording || panel.is("working")) {
    endWhenDone = true;
    if (panel.isRecording) {
      panel.stop();
    }
  } else if (followUp || panel.is("thinking")) {
    endUnseen();
  } else {
    end.submit();
  }
});
addEventListener("pagehide", () => roundClock.runs && beat(false)); // else it would continue for some seconds
end.inert = false; // before, it would have ended the interview without asking

setInterval(tick, TICK_MS);
tick();
showEarlier();
showQuestion();
