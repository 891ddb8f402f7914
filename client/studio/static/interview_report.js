/**
 * The report of an interview whose last answers are still being transcribed, or whose English has
 * not been looked at: waits for them.
 */

import { request } from "./request.js";

const POLL_MS = 1500;
const notice = document.querySelector("[data-transcribing], [data-language]");

let leaves = false;
addEventListener("beforeunload", () => {
  leaves = true;
});

function reload() {
  if (!leaves) location.reload(); // it would take back a click on a link
}

async function transcribed() {
  const state = await request(notice.dataset.transcribing).catch(() => null);
  if (state?.transcribing === 0) {
    reload();
  } else {
    setTimeout(transcribed, POLL_MS);
  }
}

async function lookedAt() {
  const looked = await request(notice.dataset.language, { post: true }).catch(() => null);
  if (looked?.follows === false) {
    reload();
  } else {
    notice.textContent =
      "Your English could not be looked at now. Reload this page to try again.";
  }
}

if (notice.dataset.transcribing) {
  transcribed();
} else {
  lookedAt();
}
