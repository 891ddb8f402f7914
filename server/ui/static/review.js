/** The review of an answer, for coaches and guests: select words, play them, comment on them; all
 * of it by keyboard too. */

import { clock } from "./clock.js";
import { languageFollows } from "./follows.js";
import { listenToPieces, Recording } from "./recording.js";

const box = document.querySelector("[data-review-words]");
const words = [...box.querySelectorAll(".word")];
const audio = document.querySelector("audio[data-recording]");
const status = document.querySelector("[data-status]");
const recording = audio && new Recording(audio, box, status);
const form = document.querySelector("[data-comment-form]");
const text = form.elements.text;
const place = form.querySelector("[data-place]");
const whole = form.querySelector("[data-whole]");
/** The comments in the order of the words; those on a moment or the whole answer come last. */
const comments = [...document.querySelectorAll(".review-comment")].sort(
  (one, other) => Number(one.dataset.from ?? words.length) - Number(other.dataset.from ?? words.length),
);

/** The selected words, by number: where the selection began, and where it is now. */
let anchor = null;
let head = null;

function range() {
  return anchor === null ? null : [Math.min(anchor, head), Math.max(anchor, head)];
}

function show() {
  const chosen = range();
  words.forEach((word, index) => {
    word.classList.toggle("chosen", chosen !== null && index >= chosen[0] && index <= chosen[1]);
  });
}

function choose(from, to) {
  anchor = from;
  head = to;
  show();
  aim();
}

function chooseNothing() {
  anchor = null;
  head = null;
  show();
  aim();
}

function quoted() {
  const [from, to] = range();
  const said = words.slice(from, to + 1).map((word) => word.textContent).join(" ");
  return said.length > 80 ? `“${said.slice(0, 79)}…”` : `“${said}”`;
}

/** Says in the form what a comment would be on now: the words, a moment, the whole answer. */
function aim(atS = null) {
  const chosen = range();
  const { kind, word_from: from, word_to: to, at_s: at } = form.elements;
  from.value = to.value = at.value = "";
  if (chosen) {
    kind.value = chosen[0] === chosen[1] ? "word" : "span";
    from.value = words[chosen[0]].dataset.index;
    if (kind.value === "span") to.value = words[chosen[1]].dataset.index;
    place.textContent = `on ${quoted()}`;
  } else if (atS !== null) {
    kind.value = "moment";
    at.value = atS.toFixed(2);
    place.textContent = `at ${clock(atS)}`;
  } else {
    kind.value = "answer";
    place.textContent = "on the whole answer";
  }
  whole.hidden = kind.value === "answer";
}

function comment() {
  aim(recording?.atS > 0 ? recording.atS : null);
  recording?.pause();
  text.focus();
}

function enter(index) {
  words.forEach((word, at) => (word.tabIndex = at === index ? 0 : -1));
  words[index].focus();
}

/** Goes to the next (1) or previous (-1) comment, and to the words it is on. */
function walkComments(step) {
  if (comments.length === 0) {
    status.textContent = "There are no comments yet.";
    return;
  }
  const now = comments.findIndex((each) => each.classList.contains("current"));
  const from = now < 0 && step < 0 ? 0 : now;
  const next = comments[(from + step + comments.length) % comments.length];
  comments.forEach((each) => each.classList.toggle("current", each === next));
  next.scrollIntoView({ block: "nearest" });
  const first = next.dataset.from === undefined ? -1 : Number(next.dataset.from);
  if (first >= 0 && words[first]) {
    choose(first, Math.min(Number(next.dataset.to), words.length - 1));
    enter(first);
  } else {
    chooseNothing();
    if (next.dataset.at !== undefined) recording?.seek(Number(next.dataset.at));
    next.focus();
  }
  const [by, said] = [next.querySelector("strong"), next.querySelector("[data-text] p")];
  status.textContent = `${by.textContent}: ${said?.textContent ?? ""}`;
}

/** Opens the reply to the current comment. */
function reply() {
  const field = document.querySelector(".review-comment.current [data-reply] textarea");
  if (!field) {
    status.textContent = "Go to a comment first, with J or K.";
    return;
  }
  field.closest("details").open = true;
  field.focus();
}

function walkWords(event) {
  const at = words.indexOf(event.target);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: words.length - 1 };
  if (event.key === "Enter" && recording && event.target.dataset.start !== undefined) {
    recording.playFrom(Number(event.target.dataset.start));
  } else if (event.key in steps) {
    const next = Math.min(Math.max(steps[event.key], 0), words.length - 1);
    enter(next);
    choose(event.shiftKey && anchor !== null ? anchor : event.shiftKey ? at : next, next);
  } else {
    return;
  }
  event.preventDefault();
}

/** Words selected with the mouse, from the browser's own selection. */
function selectedWords() {
  const selection = getSelection();
  if (selection.isCollapsed || selection.rangeCount === 0) return null;
  const over = selection.getRangeAt(0);
  const touched = words.flatMap((word, index) => (over.intersectsNode(word) ? [index] : []));
  return touched.length > 0 ? [touched[0], touched[touched.length - 1]] : null;
}

if (words.length > 0) {
  words.forEach((word, index) => (word.tabIndex = index === 0 ? 0 : -1));
  box.addEventListener("keydown", walkWords);
  box.addEventListener("mouseup", (event) => {
    const touched = selectedWords();
    const at = words.indexOf(event.target.closest(".word"));
    if (touched && touched[0] !== touched[1]) {
      choose(...touched);
      getSelection().removeAllRanges(); // the mark of the chosen words takes its place
      enter(touched[0]);
    } else if (at >= 0) {
      choose(event.shiftKey && anchor !== null ? anchor : at, at);
      enter(at);
    }
  });
  box.addEventListener("dblclick", (event) => {
    const word = event.target.closest(".word");
    if (recording && word?.dataset.start !== undefined) {
      recording.playFrom(Number(word.dataset.start));
    }
  });
}
for (const each of comments) {
  const { from, to } = each.dataset;
  if (from === undefined) continue;
  words.slice(Number(from), Number(to) + 1).forEach((word) => word.classList.add("commented"));
}
whole.addEventListener("click", () => {
  chooseNothing();
  text.focus();
});
listenToPieces(() => recording);
languageFollows(status, "the");

/** Restores the form after a failure: a comment that could not be saved, with its place. */
function takeUp() {
  const { kind, word_from: from, word_to: to, at_s: at } = form.elements;
  const first = words.findIndex((word) => word.dataset.index === from.value);
  const last = words.findIndex((word) => word.dataset.index === to.value);
  if (kind.value === "moment" && Number(at.value) >= 0) aim(Number(at.value));
  else if (first >= 0) choose(first, Math.max(first, last));
}
takeUp();

/** A name is typed once, in whichever form comes first. */
const names = [...document.querySelectorAll("input[name=signed]")];
for (const name of names) {
  name.addEventListener("input", () => names.forEach((other) => (other.value = name.value)));
}

const model = document.querySelector("#model-answer");
const actions = {
  j: () => walkComments(1),
  k: () => walkComments(-1),
  c: comment,
  r: reply,
  d: () => document.querySelector("[data-done]")?.click(),
  n: () => document.querySelector("[data-next]")?.click(),
  m: () => (model.open = !model.open),
  escape: chooseNothing,
};
if (recording) actions[" "] = () => recording.toggle();
document.addEventListener("keydown", (event) => {
  const name = event.key.toLowerCase();
  const action = actions[name];
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("textarea, input") && event.key === "Escape") {
    target.blur(); // the keys of the page work again; what was written stays
    return;
  }
  if (target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    target.form.requestSubmit();
    return;
  }
  if (!action || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.defaultPrevented || event.isComposing) return;
  if (target.closest("input, select, textarea, audio, video, [contenteditable]")) return;
  if (name === " " && target.closest("button, a[href], summary")) return;
  event.preventDefault();
  action();
});
