// The engine's panel: fetches Whisper weights when asked, and shows how far they are.

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
    running: `Fetching ${fetching.model}: ${megabytes(fetching.done_bytes)} of ${megabytes(fetching.total_bytes)} MB`,
    done: `Whisper ${fetching.model} is ready: the next answer uses it.`,
    failed: fetching.problem,
  };
  line.textContent = texts[fetching.state];
  return fetching.state === "running";
}

async function follow() {
  const answer = await fetch("/engine").catch(() => null);
  if (!answer?.ok) {
    line.textContent = "The studio does not answer: was it ended in the terminal?";
    return;
  }
  if (show(await answer.json())) setTimeout(follow, POLL_MS);
}

button?.addEventListener("click", async () => {
  button.hidden = true;
  const answer = await fetch("/engine/fetch", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: button.dataset.fetch }),
  });
  if (answer.ok) follow();
  else {
    button.hidden = false;
    line.textContent = (await answer.json()).detail;
  }
});

if (panel?.dataset.engine === "fetching") follow();
