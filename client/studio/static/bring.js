/** An answer that was recorded elsewhere: sent to the studio, then finished like any recording. */

import { request } from "./request.js";
import { finished, refreshTakes } from "./takes_notice.js";

const form = document.querySelector("[data-bring]");
const status = form.querySelector("[role=status]");
const bar = form.querySelector("progress");
const button = form.querySelector("button");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  bar.hidden = false;
  status.classList.remove("bad");
  try {
    status.textContent = "Reading the file …";
    const samples = form.querySelector("input[type=file]").files[0];
    const { name } = await request(form.action, { samples });
    status.textContent = "Transcribing …";
    const end = await finished(`/takes/${encodeURIComponent(name)}`, bar);
    if (end.url) {
      location.assign(end.url);
      return;
    }
    status.textContent = `Finished. ${end.waiting}`;
  } catch (error) {
    const text = `${error.message} ${error.remedy ?? ""}`.trim();
    status.textContent = `${text[0].toUpperCase()}${text.slice(1)}`;
    status.classList.add("bad");
    refreshTakes(); // what could be read is kept there
  }
  bar.hidden = true;
  button.disabled = false;
});
