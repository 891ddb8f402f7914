/**
 * “Did you mean …?”: an answer counts at once, without a reload.
 *
 * The form works without this too: the server answers it with the renewed report. Here that page is
 * fetched, and what follows from the verdicts is taken over from it.
 */

import { renew, send } from "/static/ui/follows.js";

/** @param {HTMLElement} status shows the result */
export function answerInPlace(status) {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-meant]");
    if (!form) return;
    event.preventDefault();
    try {
      const page = await send(form, event.submitter);
      renew(page);
      const anchor = form.dataset.meant;
      document.querySelector(`form[data-meant="${anchor}"] button`)?.focus();
      const pip = document.querySelector(`.pip[href="#${anchor}"]`);
      status.textContent = `${pip?.getAttribute("aria-label")}. ${score()}`;
    } catch {
      status.textContent = "Your answer could not be saved. Try again.";
    }
  });
}

/** What the page shows first: the score, without how it is made up and what is folded away. */
function score() {
  const shown = document.querySelector("#summary .figure-number");
  const parts = [shown.querySelector(".label"), shown.querySelector(".value")];
  return `${parts.map((part) => part.textContent.replace(/\s+/g, " ").trim()).join(" ")}.`;
}
