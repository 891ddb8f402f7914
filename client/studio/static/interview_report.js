/** The report of an interview whose last answers are still being transcribed: waits for them. */

import { request } from "./request.js";

const POLL_MS = 1500;
const notice = document.querySelector("[data-transcribing]");

async function wait() {
  const state = await request(notice.dataset.transcribing).catch(() => null);
  if (state?.transcribing === 0) {
    location.reload();
  } else {
    setTimeout(wait, POLL_MS);
  }
}

wait();
