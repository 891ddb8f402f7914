// The page of a bundle, inlined into it: shows the comments, takes new ones, saves them as a file.
(() => {
  "use strict";
  const review = JSON.parse(document.getElementById("review").textContent);
  const list = document.querySelector("[data-comments]");
  const form = document.querySelector("[data-form]");
  const save = document.querySelector("[data-save]");
  const status = document.querySelector("[data-status]");
  const audio = document.querySelector("[data-recording]");
  let unsaved = 0;

  const wordAt = (index) => document.querySelector(`.word[data-index="${index}"]`);
  const wordOf = (node) =>
    (node instanceof Element ? node : node?.parentElement)?.closest(".word[data-index]") ?? null;

  const newId = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");

  const line = (text, name) => {
    const made = document.createElement("p");
    made.className = name;
    made.textContent = text;
    return made;
  };

  const quoted = (comment) => {
    if (comment.word_from === null) return comment.at_s === null ? "" : `at ${comment.at_s} s`;
    const texts = [];
    const last = comment.word_to ?? comment.word_from;
    for (let index = comment.word_from; index <= last && texts.length < 40; index += 1) {
      texts.push(wordAt(index)?.textContent ?? "");
    }
    return `on “${texts.join(" ")}”`;
  };

  const show = () => {
    list.replaceChildren(
      ...review.comments.map((comment) => {
        const item = document.createElement("li");
        item.className = "stack stack-tight";
        const when = new Date(comment.created_at).toLocaleString();
        item.append(line(`${comment.author} · ${when}`, "muted small"));
        const place = quoted(comment);
        if (place) item.append(line(place, "small"));
        for (const part of comment.text.split("\n")) if (part.trim()) item.append(line(part, ""));
        return item;
      }),
    );
    if (!review.comments.length) list.append(line("No comments yet.", "empty"));
    save.disabled = review.comments.length === 0;
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = (name) => (form.elements.namedItem(name)?.value ?? "").trim();
    const first = Number(value("word_from")) - 1;
    const last = Number(value("word_to") || value("word_from")) - 1;
    const place = { kind: "answer", word_from: null, word_to: null, at_s: null };
    if (value("word_from")) {
      if (last < first) {
        status.textContent = "The last word comes before the first.";
        return;
      }
      Object.assign(place, { kind: first === last ? "word" : "span", word_from: first });
      if (first !== last) place.word_to = last;
    }
    if (!value("name") || !value("text")) {
      status.textContent = "Write your name and a comment.";
      return;
    }
    review.comments.push({
      ...place,
      external_id: newId(),
      parent: null,
      text: value("text"),
      author: value("name"),
      by_owner: false,
      created_at: new Date().toISOString(),
      edited_at: null,
    });
    unsaved += 1;
    for (const name of ["text", "word_from", "word_to"]) {
      const field = form.elements.namedItem(name);
      if (field) field.value = "";
    }
    status.textContent = `Added. ${unsaved} not yet saved to a file.`;
    show();
  });

  save.addEventListener("click", () => {
    const blob = new Blob([JSON.stringify(review, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `aloud-comments-${review.submission_id.slice(0, 8)}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    unsaved = 0;
    status.textContent = `Saved as ${link.download}. Send that file back.`;
  });

  addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });

  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const first = form.elements.namedItem("word_from");
    if (!selection || selection.isCollapsed || !first) return;
    const ends = [wordOf(selection.anchorNode), wordOf(selection.focusNode)];
    if (!ends[0] || !ends[1]) return;
    const numbers = ends.map((word) => Number(word.dataset.index) + 1).sort((a, b) => a - b);
    first.value = String(numbers[0]);
    form.elements.namedItem("word_to").value =
      numbers[0] === numbers[1] ? "" : String(numbers[1]);
  });

  document.addEventListener("click", (event) => {
    const from = event.target.closest?.("[data-play-from]")?.dataset.playFrom;
    const word = wordOf(event.target)?.dataset.start;
    const start = from ?? (document.getSelection()?.isCollapsed ? word : undefined);
    if (!audio || start === undefined) return;
    audio.currentTime = Number(start);
    audio.play().catch(() => {});
  });

  show();
})();
