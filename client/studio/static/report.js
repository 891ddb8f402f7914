/** The report: the recording plays from any word, words light up in step, keys work all over. */

import { SpokenWords } from "/static/ui/spoken_words.js";
import { onKeys } from "./keys.js";
import { stop as stopOther } from "./listen.js";

const recording = document.querySelector("audio[data-recording]");
const status = document.querySelector("[data-sound-status]");
const words = [...document.querySelectorAll(".word[data-start]")];
const spoken = new SpokenWords(words);

/** Where the piece being played ends; Infinity: at the end of the recording. */
let endS = Infinity;
let pressed = null;

/**
 * Plays the recording, or a piece of it.
 * @param {number} fromS
 * @param {number} [toS]
 */
async function playFrom(fromS, toS = Infinity) {
  stopOther();
  release();
  endS = toS;
  recording.currentTime = fromS;
  try {
    await recording.play();
  } catch (error) {
    if (error.name !== "AbortError") {
      status.textContent = "The recording could not be played.";
    }
  }
}

function release() {
  pressed?.removeAttribute("aria-pressed");
  pressed = null;
}

/** Many times a second: an audio element itself tells the time only four times. */
function follow() {
  if (recording.currentTime >= endS) recording.pause();
  if (recording.paused) {
    spoken.light(null);
    return;
  }
  spoken.light(spoken.at(recording.currentTime));
  requestAnimationFrame(follow);
}

function enter(word) {
  for (const each of words) each.tabIndex = each === word ? 0 : -1;
}

/** @param {KeyboardEvent} event */
function walk(event) {
  const at = words.indexOf(event.target);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: words.length - 1 };
  if (event.key === "Enter") {
    playFrom(Number(words[at].dataset.start));
  } else if (event.key in steps) {
    const next = words[Math.min(Math.max(steps[event.key], 0), words.length - 1)];
    enter(next);
    next.focus();
  } else {
    return;
  }
  event.preventDefault();
}

function listenToWords(transcript) {
  transcript.addEventListener("keydown", walk);
  transcript.addEventListener("click", (event) => {
    const word = event.target.closest(".word[data-start]");
    if (!word || !getSelection().isCollapsed) return; // words are being selected, not chosen
    enter(word);
    playFrom(Number(word.dataset.start));
  });
}

function playPiece(button) {
  if (pressed === button) {
    recording.pause();
    return;
  }
  const { playFrom: from, playTo: to } = button.dataset;
  playFrom(Number(from), to === undefined ? Infinity : Number(to));
  pressed = button;
  button.setAttribute("aria-pressed", "true");
}

if (recording) {
  recording.addEventListener("play", () => requestAnimationFrame(follow));
  recording.addEventListener("pause", () => {
    spoken.light(null);
    release();
    endS = Infinity;
  });
  recording.addEventListener("error", () => {
    status.textContent = "The recording could not be read.";
  });
  const transcript = document.querySelector("[data-words]");
  if (transcript) {
    transcript.setAttribute("aria-describedby", "words-hint");
    listenToWords(transcript);
  }
  document.addEventListener("click", (event) => {
    const piece = event.target.closest("button[data-play-from]");
    if (piece) playPiece(piece);
    else if (event.target.closest("button[data-sound]")) recording.pause();
  });
}

const dialog = document.querySelector("#delete-dialog");
document.querySelector("[data-delete]").addEventListener("click", () => dialog.showModal());
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());

const model = document.querySelector("#model-answer");
const actions = {
  r: () => document.querySelector("[data-retry]")?.click(),
  n: () => document.querySelector("[data-next]").click(),
  m: () => {
    model.open = !model.open;
    if (model.open) model.querySelector("summary").focus();
  },
};
if (recording) {
  actions[" "] = () => (recording.paused ? playFrom(recording.currentTime) : recording.pause());
}
onKeys(actions);
