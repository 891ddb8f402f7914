/**
 * “Did you mean …?”: an answer counts at once, without a reload.
 *
 * The form works without this too: the server answers it with the renewed report. Here that page is
 * fetched, and what follows from the verdicts is taken over from it.
 */

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

/**
 * The English is looked at after the report stands: the page asks for it, and takes it over.
 *
 * @param {HTMLElement} status shows the result
 */
export async function languageFollows(status) {
  const form = document.querySelector("form[data-language]");
  if (!form) return;
  try {
    // the key phrases stay: somebody may be writing in one of their fields
    renew(await send(form), "#summary, #legend, #language");
    status.textContent = "The remarks on your English are here.";
  } catch {
    form.querySelector("p").textContent =
      "Your English could not be looked at now. Reload this page to try again.";
  }
}

async function send(form, button) {
  const answer = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(form, button)),
  });
  if (!answer.ok) throw new Error(answer.statusText);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/**
 * Takes over what follows from the verdicts; words stay the elements that the player knows, and who
 * is in one of the parts with the keyboard stays there.
 *
 * @param {Document} page has the renewed parts
 * @param {string} parts to take over
 */
function renew(page, parts = "[data-follows]") {
  for (const part of document.querySelectorAll(parts)) {
    const renewed = page.getElementById(part.id);
    if (!renewed) continue;
    replaceContent(part, renewed);
    part.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
  }
  const transcript = document.getElementById("transcript");
  const marked = page.getElementById("transcript");
  if (transcript && marked) replaceContent(transcript, marked);
}

function replaceContent(part, renewed) {
  const focused = document.activeElement;
  const place = part.contains(focused) ? alike(part, focused).indexOf(focused) : -1;
  for (const word of renewed.querySelectorAll(".word")) {
    const known = document.getElementById(word.id);
    if (part.contains(known)) word.replaceWith(known);
  }
  part.replaceChildren(...renewed.childNodes);
  if (place >= 0) alike(part, focused)[place]?.focus({ preventScroll: true });
}

/** The elements that lead where this one leads, as a sign beside a word and its button to play. */
function alike(part, element) {
  const target = (each) => each.getAttribute("href") ?? each.dataset.playFrom ?? each.textContent;
  const found = [...part.querySelectorAll(element.localName)];
  return found.filter((each) => target(each) === target(element));
}

/** What the page shows first: the score, without how it is made up and what is folded away. */
function score() {
  const shown = document.querySelector("#summary .figure-number");
  const parts = [shown.querySelector(".label"), shown.querySelector(".value")];
  return `${parts.map((part) => part.textContent.replace(/\s+/g, " ").trim()).join(" ")}.`;
}
