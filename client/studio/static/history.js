// The history: what may be done with the selected answers, and asking before anything is deleted.

/** @type {HTMLFormElement | null} */
const form = document.querySelector("#answers-form");
if (form) watchSelection(form);

const everything = document.querySelector("#delete-everything");
everything?.addEventListener("click", () => open("everything-dialog"));

for (const button of document.querySelectorAll("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

/** @param {string} id */
function open(id) {
  document.getElementById(id).showModal();
}

/**
 * Enables the buttons for what the selection allows, and says how many are selected.
 * @param {HTMLFormElement} form
 */
function watchSelection(form) {
  const status = form.querySelector("#selection");
  const unselected = status.textContent;
  const compare = form.querySelector("#compare");
  const remove = form.querySelector("#delete");

  function update() {
    const chosen = [...form.querySelectorAll("input[name=attempt]:checked")];
    const questions = new Set(chosen.map((each) => each.dataset.question));
    compare.disabled = chosen.length !== 2 || questions.size !== 1;
    remove.disabled = chosen.length === 0;
    const count = `${chosen.length} answer${chosen.length === 1 ? "" : "s"}`;
    document.querySelector("#delete-count").textContent = count;
    if (chosen.length === 0) status.textContent = unselected;
    else if (compare.disabled && chosen.length === 2) {
      status.textContent = "2 selected, of different questions";
    } else status.textContent = `${chosen.length} selected`;
  }

  form.addEventListener("change", update);
  // a browser that goes back in its history restores the boxes after the page has loaded
  window.addEventListener("pageshow", update);
  remove.addEventListener("click", () => open("delete-dialog"));
  update();
}
