/** One drill: hear a term, say it, see how it was heard, go on. The studio decides what comes. */

import { onKeys } from "./keys.js";
import { Player } from "./player.js";
import { Microphone, SAMPLE_RATE_HZ, zerosError } from "./recorder.js";
import { SilenceDetector } from "./silence.js";

const SILENCE_STOP_S = 0.8; // the longest gap within a spelled acronym was below 0.5 s
const TIME_LIMIT_S = 6; // no item takes longer; nothing said by then is nothing said
const SEND_LIMIT_MS = 60_000;
const METER_FLOOR_DBFS = -60;
const AUTO_KEY = "aloud.drill.say-first";

const root = document.querySelector("[data-drill]");
const over = document.querySelector("[data-over]");
const auto = document.querySelector("[data-auto]");
const find = (name) => document.querySelector(`[data-${name}]`);
const findAll = (name) => document.querySelectorAll(`[data-${name}]`);

const player = new Player();
let room = JSON.parse(document.getElementById("room").textContent);
/** ready | opening | recording | working | verdict | failed | over */
let state = "ready";
let microphone = null;
/** The take being recorded or last recorded: {id, itemId, blocks, count, silence, samples}. */
let take = null;
let step = null;
let zeros = false;

// ---------------------------------------------------------------- what is shown

function setText(name, text) {
  find(name).textContent = text;
}

function show(name, visible) {
  findAll(name).forEach((element) => {
    element.hidden = !visible;
  });
}

function enter(next) {
  state = next;
  root.dataset.state = next;
  const decided = next === "verdict" && !step.undecided;
  show("record", !decided && next !== "failed");
  show("next", decided);
  show("own", next === "verdict" && take !== null);
  show("skip", next === "ready" || (next === "verdict" && step.undecided));
  show("level", next === "recording");
  show("resend", next === "failed");
  find("record").disabled = next === "opening" || next === "working";
  setText("record-text", next === "recording" ? "Stop" : next === "verdict" ? "Once more" : "Say it");
  if (next !== "failed") {
    show("problem", false);
  }
}

function say(text) {
  setText("status", text);
}

function complain(problem, remedy = "") {
  setText("problem-text", problem);
  setText("problem-remedy", remedy);
  show("problem", true);
}

function showCard() {
  setText("position", `${room.position} of ${room.total}`);
  find("progress").value = room.card ? room.position - 1 : room.total;
  if (!room.card) {
    showOver();
    return;
  }
  const card = room.card;
  setText("say", card.reading.say);
  setText("ipa", `/${card.reading.ipa}/`);
  setText("sentence", card.sentence);
  show("sentence", card.sentence !== "");
  show("back", card.again);
  document.getElementById("term").textContent = card.prompt;
  show("verdict", false);
  take = null;
  step = null;
  show("restart", false);
  root.hidden = false;
  say("");
  enter("ready");
}

function showReading(name, reading) {
  show(`${name}-label`, reading !== null);
  setText(`${name}-say`, reading?.say ?? "");
  setText(`${name}-ipa`, reading ? `/${reading.ipa}/` : "");
}

function showVerdict() {
  find("outcome").className = `verdict ${step.tone}`;
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
  setText("next-text", room.card ? "Next" : "Finish");
  enter("verdict");
  find(step.undecided ? "record" : "next").focus();
}

function showOver() {
  state = "over";
  root.hidden = true;
  const right = room.results.filter((each) => each.tone === "good").length;
  setText("tally", `${right} of ${room.total} right.`);
  const lines = room.results.map((each) => {
    const line = document.createElement("li");
    line.className = "list-row";
    line.append(
      element("div", "list-main", each.prompt),
      sideOf(each),
    );
    return line;
  });
  find("results").replaceChildren(...lines);
  over.hidden = false;
  find("go-on").focus();
  closeMicrophone();
}

function sideOf(result) {
  const side = element("div", "list-side", "");
  const verdict = element("span", `verdict ${result.tone}`, "");
  const sign = element("span", "sign", result.sign);
  sign.setAttribute("aria-hidden", "true");
  verdict.append(sign, ` ${result.words}`);
  side.append(verdict);
  if (result.coming) {
    side.append(element("span", "muted small", `again ${result.coming}`));
  }
  return side;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

// ---------------------------------------------------------------- sounds

async function hearModel() {
  try {
    await player.play(modelOf());
  } catch (error) {
    say(error.message);
  }
}

/** While a verdict is shown, the model of what was said; the next item may be another. */
function modelOf() {
  return state === "verdict" ? take.sound : room.card.sound;
}

async function hearOwn() {
  if (take?.samples) {
    const piece = { fromS: step?.from_s, toS: step?.to_s };
    await player.playSamples(take.samples, SAMPLE_RATE_HZ, piece).catch((error) => say(error.message));
  }
}

async function introduce() {
  if (!auto.checked || state !== "ready") {
    return;
  }
  const audible = await player.canPlay();
  if (state !== "ready") {
    return; // whoever has begun to speak is not talked over
  }
  if (audible) {
    hearModel();
  } else {
    say("Hear it first, or say it right away.");
  }
}

// ---------------------------------------------------------------- a take

async function record() {
  player.stop();
  step = null;
  enter("opening");
  take = {
    id: crypto.randomUUID(),
    itemId: room.card.item_id,
    sound: room.card.sound,
    blocks: [],
    count: 0,
    silence: new SilenceDetector(),
    samples: null,
  };
  try {
    if (microphone) {
      microphone.resume();
    } else {
      say("Opening the microphone …");
      microphone = await Microphone.open({ onSamples, onLevel, onEnd });
    }
  } catch (error) {
    microphone = null;
    take = null;
    enter("ready");
    say("");
    complain(error.message, error.remedy ?? "");
    return;
  }
  show("verdict", false);
  enter("recording");
  say("Recording: speak now.");
}

function onSamples(samples) {
  if (state !== "recording") {
    return;
  }
  take.blocks.push(samples);
  take.count += samples.length;
  take.silence.push(samples);
  setText("clock", `${(take.count / SAMPLE_RATE_HZ).toFixed(1)} s`);
  if (
    take.silence.silenceS >= SILENCE_STOP_S - 1e-6 ||
    take.count >= TIME_LIMIT_S * SAMPLE_RATE_HZ
  ) {
    stopRecording();
  }
}

function onLevel(level) {
  zeros = level.zeros;
  if (state === "recording") {
    root.querySelector("meter").value = Math.max(0, level.peakDbfs - METER_FLOOR_DBFS);
  }
}

function onEnd(error) {
  microphone = null;
  if (state === "recording") {
    take = null;
    enter("ready");
    say("");
    complain(error.message, error.remedy);
  }
}

function stopRecording() {
  microphone.pause();
  take.samples = new Int16Array(take.count);
  let at = 0;
  for (const block of take.blocks) {
    take.samples.set(block, at);
    at += block.length;
  }
  if (zeros || take.count === 0) {
    const { message, remedy } = zerosError();
    take = null;
    closeMicrophone();
    enter("ready");
    say("");
    complain(message, remedy);
    return;
  }
  send();
}

async function send() {
  enter("working");
  say("Listening to what you said …");
  const query = new URLSearchParams({ item: take.itemId, take: take.id });
  const answer = await ask(`/drills/rooms/${room.room}/takes?${query}`, take.samples);
  if (answer) {
    step = answer.step;
    room = answer.room;
    say("");
    showVerdict();
  }
}

/** POST; `null` where it failed, which is then shown. */
async function ask(address, body = null) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream", Accept: "application/json" },
      body,
      signal: AbortSignal.timeout(SEND_LIMIT_MS),
    });
    if (answer.ok) {
      return await answer.json();
    }
  } catch {
    enter(body ? "failed" : "ready");
    say("");
    complain("The studio does not answer.", "Was it ended in the terminal? Start it with: aloud");
    return null;
  }
  const told = await answer.json().catch(() => null);
  // the server is away for now: the same take can be sent again; else it is said anew
  enter(body && answer.status >= 500 ? "failed" : "ready");
  say("");
  complain(told?.detail ?? "That did not work.");
  show("restart", answer.status === 404);
  return null;
}

async function skip() {
  player.stop();
  const query = new URLSearchParams({ item: room.card.item_id });
  const answer = await ask(`/drills/rooms/${room.room}/skip?${query}`);
  if (answer) {
    room = answer;
    goOn();
  }
}

function goOn() {
  player.stop();
  showCard();
  if (state === "ready") {
    find("record").focus();
    introduce();
  }
}

function closeMicrophone() {
  microphone?.close();
  microphone = null;
}

// ---------------------------------------------------------------- keys and buttons

const actions = {
  record() {
    if (state === "recording") {
      stopRecording();
    } else if (state === "ready" || (state === "verdict" && step.undecided)) {
      record();
    } else if (state === "verdict") {
      goOn();
    }
  },
  next() {
    if (state === "verdict" && step.undecided) {
      record();
    } else if (state === "verdict") {
      goOn();
    } else if (state === "failed") {
      send();
    }
  },
  model() {
    if (["ready", "verdict"].includes(state)) {
      hearModel();
    }
  },
  own() {
    if (state === "verdict") {
      hearOwn();
    }
  },
  skip() {
    if (state === "ready" || (state === "verdict" && step.undecided)) {
      skip();
    }
  },
  resend() {
    if (state === "failed") {
      send();
    }
  },
};
const keys = { " ": "record", enter: "next", m: "model", o: "own", s: "skip" };

for (const [name, act] of Object.entries(actions)) {
  find(name).addEventListener("click", act);
}

onKeys(
  Object.fromEntries(
    Object.entries(keys).map(([key, name]) => [key, () => state !== "over" && actions[name]()]),
  ),
);

document.addEventListener("visibilitychange", () => {
  if (document.hidden && state !== "recording") {
    closeMicrophone();
  }
});

try {
  auto.checked = localStorage.getItem(AUTO_KEY) !== "no";
  auto.addEventListener("change", () => {
    localStorage.setItem(AUTO_KEY, auto.checked ? "yes" : "no");
  });
} catch {
  // storage is switched off: the choice holds for this page
}

showCard();
introduce();
