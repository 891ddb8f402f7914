/**
 * Keys that work anywhere on a page, except where an element needs them itself: text fields keep
 * all keys, buttons and links keep Space and Enter, an open dialog keeps everything.
 *
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key: " ", "escape", "r" …
 */
export function onKeys(actions) {
  if (document.documentElement.dataset.keys === "off") {
    return; // the settings turn shortcuts off
  }
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const action = actions[key];
    if (!action || event.repeat || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, select, textarea, audio, video, [contenteditable]")) {
      return;
    }
    if ((key === " " || key === "enter") && target.closest("button, a[href], summary")) {
      return;
    }
    event.preventDefault();
    action(event);
  });
}
