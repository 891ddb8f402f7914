// Follows a job: asks for the part of its page that changes until the job is over.

const EVERY_MS = 1000;
const OVER = new Set(["done", "failed", "cancelled"]);

const place = document.querySelector("[data-job]");

function isOver() {
  return OVER.has(place.querySelector("[data-job-state]").dataset.jobState);
}

async function look() {
  try {
    const answer = await fetch(`/jobs/${place.dataset.job}/fragment`, { cache: "no-store" });
    if (answer.redirected || !answer.ok) {
      location.reload(); // signed out, or the job is gone: the server says which
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-job-state]");
    const shown = place.querySelector("[data-job-state]");
    if (fresh.textContent !== shown.textContent) {
      shown.replaceWith(document.adoptNode(fresh));
    }
  } catch {
    // the server is away for a moment: the next look may reach it
  }
  if (isOver()) {
    document.querySelector("[data-job-cancel]")?.remove();
  } else {
    setTimeout(look, EVERY_MS);
  }
}

if (place && !isOver()) {
  setTimeout(look, EVERY_MS);
}
