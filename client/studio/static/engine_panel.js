/**
 * The engine's panel: fetches Whisper's weights, then transcribes rough answers again.
 *
 * Both run on in the studio's process while the page is left.
 */

import { request } from "./request.js";

const POLL_MS = 700;
const panel = document.querySelector("[data-engine]");
const fetchButton = panel?.querySelector("[data-fetch]");
const again = panel?.querySelector("[data-again]");
const bar = panel?.querySelector("progress");
const line = panel?.querySelector("[data-engine-line]");

function showBar(done, total) {
  bar.hidden = false;
  bar.max = total;
  bar.value = done;
}

function showProblem(error) {
  line.textContent = `${error.message} ${error.remedy}`.trim();
}

/** @returns {boolean} whether it continues */
function showFetching(fetching) {
  const megabytes = (bytes) => Math.round(bytes / 1e6);
  fetchButton.hidden = fetching.state !== "failed";
  bar.hidden = true;
  if (fetching.state === "running") {
    showBar(fetching.done_bytes, fetching.total_bytes);
    line.textContent = `Downloading ${fetching.model}: ${megabytes(fetching.done_bytes)} of ${megabytes(fetching.total_bytes)} MB. You can keep practicing meanwhile.`;
  } else if (fetching.state === "done") {
    panel.querySelector("[data-needed]")?.remove();
    line.textContent = `Whisper ${fetching.model} is ready: the next answer uses it.`;
  } else {
    line.textContent = fetching.problem;
  }
  return fetching.state === "running";
}

/** @returns {boolean} whether it continues */
function showRepairs(repairs) {
  const failed = repairs.problems.length;
  bar.hidden = true;
  again.hidden = repairs.running || !repairs.rough;
  again.querySelector("[data-rough]").textContent = answers(repairs.rough);
  if (repairs.running) {
    showBar(repairs.done + repairs.share, repairs.total);
    line.textContent = `Transcribing again: answer ${repairs.done + 1} of ${repairs.total}. You can keep practicing meanwhile.`;
  } else if (repairs.total) {
    const texts = repairs.problems.map((each) => ` Answer ${each.attempt_id}: ${each.problem}.`);
    line.textContent = `Transcribed again: ${answers(repairs.total - failed)}.${texts.join("")}`;
  }
  return repairs.running;
}

function answers(count) {
  return count === 1 ? "1 rough answer" : `${count} rough answers`;
}

async function follow(address, show, then) {
  try {
    const status = await request(address);
    if (show(status)) setTimeout(follow, POLL_MS, address, show, then);
    else then(status);
  } catch (error) {
    showProblem(error);
  }
}

function followFetching() {
  follow("/engine", (status) => showFetching(status.fetching), (status) => {
    if (status.fetching.state === "done") followRepairs();
  });
}

function followRepairs() {
  let wasRunning = false;
  const show = (repairs) => {
    wasRunning ||= repairs.running;
    return showRepairs(repairs);
  };
  follow("/repairs", show, (repairs) => {
    const here = Number(panel.dataset.attempt);
    const failed = repairs.problems.some((each) => each.attempt_id === here);
    if (wasRunning && here && repairs.attempt_ids.includes(here) && !failed) location.reload();
  });
}

fetchButton?.addEventListener("click", async () => {
  fetchButton.hidden = true;
  try {
    await request("/engine/fetch", { json: { model: fetchButton.dataset.fetch } });
    followFetching();
  } catch (error) {
    fetchButton.hidden = false;
    showProblem(error);
  }
});

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-repair]");
  if (!form) return;
  event.preventDefault();
  try {
    await request(form.action, { post: true });
    followRepairs();
    panel.hidden = false;
    panel.scrollIntoView({ block: "nearest" });
  } catch (error) {
    panel.hidden = false;
    showProblem(error);
  }
});

if (panel?.dataset.engine === "fetching") followFetching();
else if (panel?.dataset.engine === "repairing") followRepairs();
