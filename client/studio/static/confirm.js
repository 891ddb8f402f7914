/**
 * Ask before something is lost. Escape and the button that has the focus at first mean no.
 *
 * @param {{title: string, detail?: string, yes: string, no: string}} texts
 * @returns {Promise<boolean>}
 */
export async function confirm(texts) {
  return (await choose(texts)) === "yes";
}

/**
 * The same with a third answer.
 *
 * @param {{title: string, detail?: string, yes: string, no: string, other?: string}} texts
 * @returns {Promise<"yes"|"no"|"other">}
 */
export function choose({ title, detail = "", yes, no, other = "" }) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  const heading = document.createElement("h2");
  heading.id = "confirm-title";
  heading.textContent = title;
  dialog.setAttribute("aria-labelledby", heading.id);
  const text = document.createElement("p");
  text.textContent = detail;
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "row";
  for (const [value, label, kind] of [
    ["no", no, "button"],
    ...(other ? [["other", other, "button danger"]] : []),
    ["yes", yes, other ? "button primary" : "button danger"],
  ]) {
    const button = document.createElement("button");
    button.className = kind;
    button.value = value;
    button.textContent = label;
    form.append(button);
  }
  const body = document.createElement("div");
  body.className = "stack";
  body.append(heading, ...(detail ? [text] : []), form);
  dialog.append(body);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || "no");
    });
  });
}
