/** The engine's panel: downloads Whisper weights on demand and shows the progress. */

import { request } from "./request.js";

const POLL_MS = 700;
const panel = document.querySelector("[data-engine]");
const button = panel?.querySelector("[data-fetch]");
const bar = panel?.querySelector("progress");
const line = panel?.querySelector("[data-engine-line]");

function show(status) {
  const fetching = status.fetching;
  if (!fetching) return false;
  const megabytes = (bytes) => Math.round(bytes / 1e6);
  bar.hidden = fetching.state !== "running";
  button.hidden = fetching.state !== "failed";
  bar.max = fetching.total_bytes;
  bar.value = fetching.done_bytes;
  const texts = {
    running: `Downloading ${fetching.model}: ${megabytes(fetching.done_bytes)} of ${megabytes(fetching.total_bytes)} MB`,
    done: `Whisper ${fetching.model} is ready: the next answer uses it.`,
    failed: fetching.problem,
  };
  line.textContent = texts[fetching.state];
  return fetching.state === "running";
}

function showProblem(error) {
  line.textContent = `${error.message} ${error.remedy}`.trim();
}

async function follow() {
  try {
    if (show(await request("/engine"))) setTimeout(follow, POLL_MS);
  } catch (error) {
    showProblem(error);
  }
}

button?.addEventListener("click", async () => {
  button.hidden = true;
  try {
    await request("/engine/fetch", { json: { model: button.dataset.fetch } });
    follow();
  } catch (error) {
    button.hidden = false;
    showProblem(error);
  }
});

if (panel?.dataset.engine === "fetching") follow();
