/**
 * Interrupted recordings: hear, finish or discard them. What answers the question that the page asks
 * is offered where it is answered (`data-kept`, with the question's ID), all others above.
 */

import { confirm } from "./confirm.js";
import { request } from "./request.js";

const POLL_MS = 700;
const WHILE_RECORDING_MS = 2500;
const AGAIN_MS = 2000; // how often a lost studio is asked whether it is back
const region = document.getElementById("takes-notice");
const here = document.querySelector("[data-kept]");

/**
 * Look again, e.g. after a recording on this page was interrupted.
 * @param {boolean} [insists] where the studio is lost, wait until it is back
 */
export async function refreshTakes(insists = false) {
  const state = await request("/takes").catch(() => null);
  if (!state) {
    if (insists) {
      setTimeout(refreshTakes, AGAIN_MS, true);
    }
    return;
  }
  const shown = new Set(state.interrupted.map((take) => take.name));
  const running = new Set(
    state.finishing.filter((each) => each.state === "running").map((each) => each.name),
  );
  for (const item of document.querySelectorAll("[data-take]")) {
    if (!shown.has(item.dataset.take) && !running.has(item.dataset.take) && !item.dataset.done) {
      item.remove();
    }
  }
  const kind = region.dataset.kind;
  for (const take of state.interrupted.filter((each) => !kind || each.kind === kind)) {
    if (!document.querySelector(`[data-take="${CSS.escape(take.name)}"]`)) {
      placeOf(take).append(makeItem(take));
    }
  }
  showIfAny();
  if (state.recording && !recordingHere()) {
    // A page that is just being reloaded still counts as recording: look again.
    setTimeout(refreshTakes, WHILE_RECORDING_MS);
  }
}

function placeOf(take) {
  return here && take.question_id === here.dataset.kept ? here : region;
}

function showIfAny() {
  for (const place of [region, here]) {
    if (place) {
      place.hidden = place.childElementCount === 0;
    }
  }
}

function recordingHere() {
  return document.querySelector('[data-state="recording"], [data-state="paused"]') !== null;
}

function makeItem(take) {
  const item = document.createElement("div");
  item.className = "notice warn";
  item.dataset.take = take.name;
  const text = document.createElement("p");
  const what = take.kind === "drill" ? "A take of a drill" : "A recording";
  text.textContent = take.reason
    ? `${what} of ${take.length} from ${take.started} is not finished: ${take.reason}.`
    : `${what} of ${take.length} from ${take.started} was interrupted.`;
  item.append(text);
  if (take.prompt) {
    const prompt = document.createElement("p");
    prompt.className = "muted small";
    prompt.textContent = take.prompt;
    item.append(prompt);
  }
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const buttons = document.createElement("p");
  buttons.className = "row";
  item.append(buttons, status);
  if (take.problem) {
    status.textContent = `It cannot be finished here: ${take.problem}.`;
  } else {
    buttons.append(makeButton("Finish", () => finish(take, item, status)));
  }
  buttons.append(
    makeButton("Listen", () => listen(take, buttons), "quiet"),
    makeButton("Discard", () => discard(take, item, status), "quiet danger"),
  );
  return item;
}

function makeButton(text, act, kind = "") {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `button small ${kind}`.trim();
  button.textContent = text;
  button.addEventListener("click", act);
  return button;
}

function listen(take, buttons) {
  let audio = buttons.parentElement.querySelector("audio");
  if (!audio) {
    audio = document.createElement("audio");
    audio.controls = true;
    audio.src = `/takes/${encodeURIComponent(take.name)}/audio`;
    buttons.after(audio);
  }
  audio.play();
}

async function finish(take, item, status) {
  const buttons = item.querySelectorAll("button");
  buttons.forEach((button) => (button.disabled = true));
  const bar = document.createElement("progress");
  bar.className = "progress";
  bar.setAttribute("aria-label", "Transcribing");
  status.before(bar);
  status.textContent = "Transcribing …";
  try {
    showDone(item, status, await finished(`/takes/${encodeURIComponent(take.name)}`, bar));
  } catch (error) {
    buttons.forEach((button) => (button.disabled = false));
    status.textContent = `${error.message} ${error.remedy ?? ""}`.trim();
  }
  bar.remove();
}

/** Has a recording finished; throws an error that says why it failed. */
export async function finished(address, bar) {
  let progress = await request(`${address}/finish`, { post: true });
  while (progress.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    progress = await request(address);
    if (progress.share > 0) {
      bar.value = progress.share;
    }
  }
  if (progress.state !== "done") {
    throw new Error(progress.problem);
  }
  return progress;
}

function showDone(item, status, end) {
  item.dataset.done = "yes";
  item.className = "notice good";
  item.querySelectorAll("button, audio").forEach((each) => each.remove());
  if (!end.url) {
    status.textContent = ["Finished.", end.verdict.replace("_", " "), end.waiting]
      .filter(Boolean)
      .join(" ");
    return;
  }
  const link = document.createElement("a");
  link.href = end.url;
  link.textContent = "Open the report";
  status.replaceChildren("Finished. ", link);
  if (!recordingHere()) {
    location.assign(end.url);
  }
}

async function discard(take, item, status) {
  const sure = await confirm({
    title: `Discard this recording of ${take.length}?`,
    detail: "It is deleted for good.",
    yes: "Discard",
    no: "Keep it",
  });
  if (!sure) {
    return;
  }
  try {
    await request(`/takes/${encodeURIComponent(take.name)}/discard`, { post: true });
  } catch (error) {
    status.textContent = `${error.message} ${error.remedy}`.trim();
    return;
  }
  item.remove();
  showIfAny();
  document.getElementById("main")?.focus();
}

refreshTakes();
