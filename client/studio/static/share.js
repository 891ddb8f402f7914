/** Follows the server's work on a recording that was sent, until it can be heard or is refused. */

const FIRST_MS = 500;
const SLOWEST_MS = 4000;
const place = document.querySelector("[data-preparing]");

function isUnderWay() {
  return ["queued", "running"].includes(place?.dataset.preparing);
}

async function look() {
  let fresh;
  try {
    const answer = await fetch(place.dataset.address, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    fresh = page.querySelector("[data-preparing]");
  } catch {
    return; // Aloud was ended: the page stays as it is
  }
  if (!fresh) {
    return; // the server is away for a moment: the next look may reach it
  }
  const status = place.querySelector("[role=status]");
  const news = fresh.querySelector("[role=status]");
  if (status.textContent !== news.textContent) {
    status.replaceChildren(...news.childNodes); // within it, so that it is read out
  }
  place.querySelector("progress")?.remove();
  place.append(...fresh.querySelectorAll("progress"));
  place.dataset.preparing = fresh.dataset.preparing;
}

let pauseMs = FIRST_MS;
while (isUnderWay()) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  pauseMs = Math.min(1.5 * pauseMs, SLOWEST_MS);
  await look();
}
