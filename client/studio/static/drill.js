/** One drill: hear a term, say it, see how it was heard, continue. The studio decides what comes. */

import { AnswerPanel } from "./answer_panel.js";
import { DrillTake, closeMicrophone, requestDrill } from "./drill_take.js";
import { onKeys } from "./keys.js";
import { Player } from "./player.js";
import { SAMPLE_RATE_HZ } from "./recorder.js";
import { remember, remembered } from "./remembered.js";
import { refreshTakes } from "./takes_notice.js";

const AUTO_KEY = "aloud.drill.say-first";

const STATES = {
  ready: { status: "", primary: "Say it", idle: true, shows: ["primary", "skip"] },
  opening: { status: "Opening the microphone …", shows: ["primary"] },
  recording: {
    status: "Recording: speak now.",
    primary: "Stop",
    listens: true,
    shows: ["primary", "meter"],
  },
  working: { status: "Listening to what you said …", shows: ["primary"] },
  verdict: { status: "", shows: ["next", "own"] },
  undecided: { status: "", primary: "Once more", idle: true, shows: ["primary", "own", "skip"] },
  failed: { status: "", keepsProblem: true, shows: ["resend"] },
};

class DrillPanel extends AnswerPanel {
  showRecorded(seconds) {
    this.part("clock").textContent = `${seconds.toFixed(1)} s`;
  }
}

const root = document.querySelector("[data-drill]");
const panel = new DrillPanel(root, STATES, { onDone, onProblem }, { mayBeLeft: true });
const part = (name) => panel.part(name);
const player = new Player();

let drill = JSON.parse(document.getElementById("drill").textContent);
let step = null;

const isOver = () => root.hidden;
const isJudged = () => panel.is("verdict", "undecided");

/* ---- what is shown */

function setText(name, text) {
  part(name).textContent = text;
}

function show(name, visible) {
  document.querySelectorAll(`[data-${name}]`).forEach((element) => {
    element.hidden = !visible;
  });
}

function showCard() {
  setText("position", `${drill.position} of ${drill.total}`);
  part("progress").value = drill.card ? drill.position - 1 : drill.total;
  if (!drill.card) {
    showOver();
    return;
  }
  const card = drill.card;
  const isPhrase = card.reading.ipa === "";
  setText("say", isPhrase ? "" : card.reading.say);
  setText("ipa", ipaOf(card.reading));
  setText("sentence", card.sentence);
  show("sentence", card.sentence !== "");
  show("back", card.again);
  document.getElementById("term").textContent = card.ask || card.prompt;
  show("recall", card.ask !== "");
  show("ways", card.ways !== null);
  if (card.ways) {
    showWays(card.ways);
  }
  show("verdict", false);
  step = null;
  show("restart", false);
  root.hidden = false;
  panel.enter("ready");
}

/** A phrase has none: it stands in words. */
function ipaOf(reading) {
  return reading.ipa && `/${reading.ipa}/`;
}

function showReading(name, reading) {
  show(`${name}-label`, reading !== null);
  setText(`${name}-say`, reading?.say ?? "");
  setText(`${name}-ipa`, reading ? ipaOf(reading) : "");
}

/** Every accepted reading and every mistake, each to be heard. */
function showWays(ways) {
  part("ways-right").replaceChildren(...ways.right.map(wayOf));
  part("ways-wrong").replaceChildren(...ways.wrong.map(wayOf));
  show("ways-mistakes", ways.wrong.length > 0);
}

function wayOf(way) {
  const button = element("button", "button quiet small icon", "");
  button.type = "button";
  const sign = element("span", "", "▶");
  sign.setAttribute("aria-hidden", "true");
  button.append(sign, element("span", "visually-hidden", `Listen to ${way.say}`));
  button.addEventListener("click", () => panel.is("recording") || hearReading(way));
  const line = element("li", "", "");
  line.append(
    button,
    " ",
    element("span", "respelling", way.say),
    " ",
    element("span", "ipa", `/${way.ipa}/`),
  );
  if (way.tip) {
    line.append(document.createElement("br"), element("span", "small muted", way.tip));
  }
  return line;
}

function showVerdict() {
  part("outcome").className = `verdict ${step.tone}`;
  setText("sign", step.sign);
  setText("words", step.words);
  setText(
    "sure",
    step.undecided || step.confidence === null ? "" : `${Math.round(step.confidence * 100)}% sure`,
  );
  showReading("heard", step.heard);
  showReading("expected", step.expected);
  show("readings", step.heard !== null);
  for (const name of ["tip", "note"]) {
    setText(name, step[name]);
    show(name, step[name] !== "");
  }
  const lines = [step.coming && `Comes again ${step.coming}.`, step.waiting].filter(Boolean);
  setText("coming", lines.join(" "));
  show("coming", lines.length > 0);
  show("verdict", true);
  setText("next-text", drill.card ? "Next" : "Finish");
  panel.enter(step.undecided ? "undecided" : "verdict");
  part(step.undecided ? "primary" : "next").focus();
}

function showOver() {
  root.hidden = true;
  const right = drill.results.filter((each) => each.tone === "good").length;
  setText("tally", `${right} of ${drill.total} right.`);
  part("results").replaceChildren(...drill.results.map(lineOf));
  part("over").hidden = false;
  part("go-on").focus();
  closeMicrophone();
}

function lineOf(result) {
  const verdict = element("span", `verdict ${result.tone}`, "");
  const sign = element("span", "sign", result.sign);
  sign.setAttribute("aria-hidden", "true");
  verdict.append(sign, ` ${result.words}`);
  const side = element("div", "list-side", "");
  side.append(verdict);
  if (result.coming) {
    side.append(element("span", "muted small", `again ${result.coming}`));
  }
  const line = element("li", "list-row", "");
  line.append(element("div", "list-main", result.prompt), side);
  return line;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/* ---- sounds */

async function hearModel() {
  // beside a verdict, the model of what was said: the next item may be another
  const sound = isJudged() ? panel.take.modelSound : drill.card.sound;
  await player.play(sound).catch((error) => panel.say(error.message));
}

/** A reading of the term in the same voice as all others: they can be compared. */
async function hearReading(reading) {
  await player.play(reading.sound).catch((error) => panel.say(error.message));
}

async function hearOwn() {
  const piece = { fromS: step.from_s, toS: step.to_s };
  await player
    .playSamples(panel.take.samples, SAMPLE_RATE_HZ, piece)
    .catch((error) => panel.say(error.message));
}

async function introduce() {
  if (!part("auto").checked || !panel.is("ready") || drill.card.ask) {
    return;
  }
  const audible = await player.canPlay();
  if (!panel.is("ready")) {
    return; // the person has started to speak: do not talk over them
  }
  if (audible) {
    hearModel();
  } else {
    panel.say("Hear it first, or say it right away.");
  }
}

/* ---- a take */

async function record() {
  player.stop();
  step = null;
  await panel.record((handlers) => DrillTake.start(drill.id, drill.card, handlers));
  if (panel.is("recording")) {
    show("verdict", false);
  }
}

function onDone(answer) {
  step = answer.step;
  drill = answer.drill;
  showVerdict();
}

/** @param {import("./answer.js").Problem} problem */
function onProblem(problem) {
  fail(problem, problem.kept ? "failed" : "ready");
}

async function skip() {
  player.stop();
  try {
    drill = await requestDrill(drill.id, "skip", { item: drill.card.item_id }, { post: true });
  } catch (error) {
    fail(error, "ready");
    return;
  }
  goOn();
}

/** @param {import("./request.js").RequestError} error or a `Problem` */
function fail(error, state) {
  panel.enter(state);
  panel.showProblem(error);
  show("restart", error.status === 404);
  if (error.status === 404) {
    refreshTakes(); // what was said last is kept
  }
}

function goOn() {
  player.stop();
  showCard();
  if (panel.is("ready") && !isOver()) {
    part("primary").focus();
    introduce();
  }
}

/* ---- keys and buttons */

const actions = {
  primary() {
    if (panel.isRecording) {
      panel.stop();
    } else if (panel.isIdle) {
      record();
    } else if (panel.is("verdict")) {
      goOn();
    }
  },
  next() {
    if (panel.is("undecided")) {
      record();
    } else if (panel.is("verdict")) {
      goOn();
    } else if (panel.is("failed")) {
      panel.take.send();
    }
  },
  model: () => (panel.is("ready") || isJudged()) && hearModel(),
  own: () => isJudged() && hearOwn(),
  "heard-sound": () => hearReading(step.heard),
  "expected-sound": () => hearReading(step.expected),
  skip: () => panel.isIdle && skip(),
  resend: () => panel.is("failed") && panel.take.send(),
};
const keys = { " ": "primary", enter: "next", m: "model", o: "own", s: "skip" };

for (const [name, act] of Object.entries(actions)) {
  part(name).addEventListener("click", act);
}

onKeys(
  Object.fromEntries(
    Object.entries(keys).map(([key, name]) => [key, () => !isOver() && actions[name]()]),
  ),
);

document.addEventListener("visibilitychange", () => {
  if (document.hidden && !panel.is("recording")) {
    closeMicrophone();
  }
});

part("auto").checked = remembered(AUTO_KEY) !== "no";
part("auto").addEventListener("change", () => {
  remember(AUTO_KEY, part("auto").checked ? "yes" : "no");
});

showCard();
introduce();
