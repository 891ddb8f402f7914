/** What a form changes is taken over from the page in reply, without a reload. */

/**
 * The English is looked at after the report stands: the page asks for it, and takes it over.
 *
 * @param {HTMLElement} status shows the result
 * @param {string} whose the reader's own ("your") or another's ("the")
 */
export async function languageFollows(status, whose = "your") {
  const form = document.querySelector("form[data-language]");
  if (!form) return;
  try {
    // the key phrases stay: somebody may be writing in one of their fields
    renew(await looked(form), "#summary, #legend, #language");
    status.textContent = `The remarks on ${whose} English are here.`;
  } catch {
    form.querySelector("p").textContent =
      `${whose === "your" ? "Your" : "The"} English could not be looked at now. Reload this page to try again.`;
  }
}

/** The same for a page of several answers, which comes again once all of them are looked at. */
export async function allLanguageFollows() {
  const forms = [...document.querySelectorAll("form[data-language]")];
  const done = [];
  for (const form of forms) {
    try {
      await looked(form);
      done.push(form);
    } catch {
      form.querySelector("p").textContent =
        "The English could not be looked at now. Reload this page to try again.";
    }
  }
  if (forms.length === 0) return;
  if (done.length === forms.length) location.reload();
  else for (const form of done) form.querySelector("p").textContent = "Reload this page to see it.";
}

/** The page in reply to a look at the English; an error if the look was dropped. */
async function looked(form) {
  const page = await send(form);
  if (page.querySelector("form[data-language]")) throw new Error("it still waits");
  return page;
}

/**
 * Sends a form.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement} [button] that it is sent with
 * @returns {Promise<Document>} the page in reply
 */
export async function send(form, button) {
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
export function renew(page, parts = "[data-follows]") {
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
