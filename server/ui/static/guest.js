// The page of somebody with a link: play from a word, select words to comment on.

const audio = document.querySelector("[data-recording]");
const form = document.querySelector("[data-comment]");
const chosen = document.querySelector("[data-chosen]");

/** The word of the transcript that a node stands in, or null. */
function wordOf(node) {
  const element = node instanceof Element ? node : node?.parentElement;
  return element?.closest(".word[data-index]") ?? null;
}

function play(startS) {
  if (!audio || Number.isNaN(startS)) return;
  audio.currentTime = startS;
  audio.play().catch(() => {});
}

document.addEventListener("click", (event) => {
  const from = event.target.closest?.("[data-play-from]");
  if (from) play(Number(from.dataset.playFrom));
  const word = wordOf(event.target);
  if (word?.dataset.start && document.getSelection()?.isCollapsed) play(Number(word.dataset.start));
});

const words = [...document.querySelectorAll(".word[data-start]")];
document.addEventListener("keydown", (event) => {
  const at = words.indexOf(document.activeElement);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step && words[at + step]) {
    words[at].tabIndex = -1;
    words[at + step].tabIndex = 0;
    words[at + step].focus();
    event.preventDefault();
  } else if (event.key === "Enter") {
    play(Number(words[at].dataset.start));
  }
});

if (form && chosen) {
  const first = form.elements.namedItem("word_from");
  const last = form.elements.namedItem("word_to");
  const show = () => {
    const from = Number(first.value);
    const to = Number(last.value || first.value);
    const texts = [];
    for (let number = from; from >= 1 && number <= to && texts.length < 40; number += 1) {
      const word = document.querySelector(`.word[data-index="${number - 1}"]`);
      if (word) texts.push(word.textContent);
    }
    chosen.textContent = texts.join(" ");
  };
  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) return;
    const ends = [wordOf(selection.anchorNode), wordOf(selection.focusNode)];
    if (!ends[0] || !ends[1]) return;
    const numbers = ends.map((word) => Number(word.dataset.index) + 1).sort((a, b) => a - b);
    first.value = String(numbers[0]);
    last.value = numbers[1] === numbers[0] ? "" : String(numbers[1]);
    show();
  });
  form.addEventListener("input", show);
  show();
}
