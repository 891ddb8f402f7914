// The page of a bundle, inlined into it: shows what was written, takes more, saves it as a file.
(() => {
  "use strict";
  const review = JSON.parse(document.getElementById("review").textContent);
  const find = (name) => document.querySelector(`[data-${name}]`);
  const audio = find("recording");
  const saves = [...document.querySelectorAll("[data-save]")];
  const writing = find("comment-form");
  const own = new Set(); // the ids of what was written here: it can be removed again
  const unsaved = new Set();
  let repliesTo = null;

  // ------------------------------------------------------------------ small parts

  // says something in the line of the part of the page where it happened
  const tell = (text, near = writing) => {
    const lines = [...document.querySelectorAll("[data-status]")];
    const mine = near === writing ? lines[0] : lines.at(-1);
    for (const line of lines) line.textContent = line === mine ? text : "";
  };

  const part = (tag, className, ...content) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...content); // strings become text, never markup
    return made;
  };

  const button = (text, about, press, look = "button quiet small") => {
    const made = part("button", look, text, part("span", "visually-hidden", about));
    made.type = "button";
    made.addEventListener("click", press);
    return made;
  };

  const clock = (seconds) => {
    const rest = Math.floor(seconds % 60);
    return `${Math.floor(seconds / 60)}:${String(rest).padStart(2, "0")}`;
  };

  // "26 Nov 2026, 14:14", as the page writes the answer's own time
  const momentOf = (text) => {
    const at = new Date(text);
    const month = at.toLocaleString("en-US", { month: "short" });
    const time = [at.getHours(), at.getMinutes()].map((each) => String(each).padStart(2, "0"));
    return `${at.getDate()} ${month} ${at.getFullYear()}, ${time.join(":")}`;
  };

  // "75", "1:15" and "1:02:03.5" as seconds; null: none of these
  const secondsOf = (text) => {
    if (!/^\d+(:[0-5]?\d){0,2}([.,]\d+)?$/.test(text)) return null;
    return text.replace(",", ".").split(":").reduce((sum, each) => 60 * sum + Number(each), 0);
  };

  let endS = Infinity; // of the piece that plays: whoever plays on after it hears the rest
  audio?.addEventListener("timeupdate", () => audio.currentTime >= endS && audio.pause());
  audio?.addEventListener("pause", () => {
    if (audio.paused) endS = Infinity; // not where it plays again already
  });

  const play = (start, end = Infinity) => {
    if (!audio) return;
    endS = end;
    audio.currentTime = start;
    audio.play().catch(() => {});
  };

  const wordAt = (index) => document.querySelector(`.word[data-index="${index}"]`);
  const wordOf = (node) =>
    (node instanceof Element ? node : node?.parentElement)?.closest(".word[data-index]");

  const wordsOf = (first, last) => {
    const texts = [];
    for (let index = first; index <= last && texts.length < 40; index += 1) {
      texts.push(wordAt(index)?.textContent ?? "");
    }
    return `“${texts.join(" ")}”`;
  };

  // ------------------------------------------------------------------ what was written

  const newId = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");

  // what everything that is written here has, or null: a name is missing
  const signed = (near) => {
    const name = find("name");
    if (name.value.trim()) {
      return { external_id: newId(), author: name.value.trim(), created_at: new Date().toISOString() };
    }
    tell("Write your name first.", near);
    name.focus();
    return null;
  };

  const keep = (near, kind, ...given) => {
    for (const each of given) {
      review[kind].push(each);
      own.add(each.external_id);
      unsaved.add(each.external_id);
    }
    show();
    tell(`Added. ${unsaved.size} not yet saved to a file.`, near);
  };

  const remove = (kind, id) => {
    const gone = (each) => each.external_id === id || (own.has(each.external_id) && each.parent === id);
    for (const each of review[kind].filter(gone)) unsaved.delete(each.external_id);
    review[kind] = review[kind].filter((each) => !gone(each));
    if (repliesTo === id) reply(null);
    show();
    tell("Removed.", kind === "comments" ? writing : null);
  };

  const removal = (kind, each, about) =>
    own.has(each.external_id) ? [button("Remove", about, () => remove(kind, each.external_id))] : [];

  const place = (comment) => {
    if (comment.at_s !== null && comment.at_s !== undefined) {
      const at = `at ${clock(comment.at_s)}`;
      if (!audio) return part("span", "small", at);
      return button(at, ", play from there", () => play(comment.at_s), "play-from");
    }
    const first = comment.word_from ?? null;
    if (first === null) return part("span", "small", "on the whole answer");
    return part("span", "small", `on ${wordsOf(first, comment.word_to ?? first)}`);
  };

  const about = (comment) => {
    const line = part("p", "", part("strong", "", comment.author), " ");
    if (comment.by_owner) line.append(part("span", "badge", "the candidate"), " ");
    const when = part("time", "muted small", momentOf(comment.created_at));
    when.dateTime = comment.created_at;
    line.append(when);
    if (comment.edited_at) line.append(part("span", "muted small", ", edited"));
    return line;
  };

  const textOf = (comment) =>
    comment.text.split("\n").filter((line) => line.trim()).map((line) => part("p", "", line));

  // the comment that begins the thread
  const rootOf = (comment, seen = new Set()) => {
    const parent = review.comments.find((each) => each.external_id === comment.parent);
    if (!parent || seen.has(parent)) return comment;
    return rootOf(parent, seen.add(parent));
  };

  const thread = (root) => {
    const item = part("li", "stack stack-tight", about(root));
    item.append(part("p", "", place(root)), ...textOf(root));
    for (const each of review.comments) {
      if (each === root || rootOf(each) !== root) continue;
      const head = about(each);
      const arrow = part("span", "", "↳ ");
      arrow.ariaHidden = "true";
      head.prepend(arrow);
      const removals = part("div", "", ...removal("comments", each, " your reply"));
      item.append(part("div", "stack stack-tight", head, ...textOf(each), removals));
    }
    const actions = [button("Reply", ` to ${root.author}`, () => reply(root))];
    item.append(part("div", "row", ...actions, ...removal("comments", root, " your comment")));
    return item;
  };

  const row = (kind, each, said, what) => {
    const note = each.note ? `: ${each.note}` : "";
    const who = each.by_owner ? "the candidate says" : `says ${each.author}`;
    const main = part("p", "list-main", part("strong", "", said), `, ${who}${note}`);
    const side = part("div", "list-side", ...removal(kind, each, ` ${what}`));
    return part("li", "list-row", main, side);
  };

  const show = () => {
    const roots = review.comments.filter((each) => rootOf(each) === each);
    find("comments").replaceChildren(...roots.map(thread));
    if (!roots.length) find("comments").append(part("li", "empty", "No comments yet."));
    find("scores")?.replaceChildren(
      ...review.scores.map((each) =>
        row("scores", each, `${each.criterion}: ${each.score}`, "this score"),
      ),
    );
    find("corrections")?.replaceChildren(
      ...review.corrections.map((each) => {
        const word = document.querySelector(`#verdict option[value="${each.verdict}"]`);
        const said = (word?.textContent ?? each.verdict).replace(/^It was /, "");
        return row("corrections", each, `${each.name}: ${said}`, "this verdict");
      }),
    );
    const written = [review.comments, review.scores, review.corrections];
    for (const each of saves) each.disabled = written.every((kind) => !kind.length);
  };

  // ------------------------------------------------------------------ writing a comment

  const field = (name) => writing.elements.namedItem(name);
  const typed = (name) => (field(name)?.value ?? "").trim();
  const clear = (...names) => {
    for (const name of names) if (field(name)) field(name).value = "";
    choose();
  };

  const choose = () => {
    const chosen = find("chosen");
    const first = Number(typed("word_from")) - 1;
    const last = Number(typed("word_to") || typed("word_from")) - 1;
    const there = typed("word_from") !== "" && last >= first && wordAt(first) && wordAt(last);
    chosen.hidden = !there;
    chosen.textContent = there ? wordsOf(first, last).slice(1, -1) : "";
  };

  const reply = (comment) => {
    repliesTo = comment?.external_id ?? null;
    find("place").hidden = comment !== null;
    find("no-reply").hidden = comment === null;
    find("text-label").textContent = comment ? `Your reply to ${comment.author}` : "Your comment";
    find("add").textContent = comment ? "Add the reply" : "Add the comment";
    if (comment) field("text").focus();
  };

  // the place as it is typed, or a text that says what is wrong with it
  const typedPlace = () => {
    const nowhere = { kind: "answer", word_from: null, word_to: null, at_s: null };
    if (repliesTo !== null) return nowhere;
    const [from, to, at] = [typed("word_from"), typed("word_to"), typed("at")];
    if (at) {
      const seconds = secondsOf(at);
      if (from || to) return "Choose words or a moment, not both.";
      if (seconds === null || seconds > 86_400) return "Write the moment as minutes:seconds.";
      return { ...nowhere, kind: "moment", at_s: seconds };
    }
    if (!from && !to) return nowhere;
    const first = Number(from || to) - 1;
    const last = Number(to || from) - 1;
    if (last < first) return "The last word comes before the first.";
    if (!wordAt(first) || !wordAt(last)) return "There is no such word.";
    if (first === last) return { ...nowhere, kind: "word", word_from: first };
    return { ...nowhere, kind: "span", word_from: first, word_to: last };
  };

  writing.addEventListener("submit", (event) => {
    event.preventDefault();
    const where = typedPlace();
    if (typeof where === "string" || !typed("text")) {
      tell(typeof where === "string" ? where : "Write a comment first.");
      return;
    }
    const by = signed(writing);
    if (by === null) return;
    const text = typed("text");
    keep(writing, "comments", { ...where, ...by, parent: repliesTo, text, by_owner: false, edited_at: null });
    clear("text", "word_from", "word_to", "at");
    selected = "";
    document.getSelection()?.removeAllRanges();
    reply(null);
  });
  writing.addEventListener("input", choose);
  find("no-reply").addEventListener("click", () => reply(null));
  find("now")?.addEventListener("click", () => {
    clear("word_from", "word_to");
    const tenths = Math.round(audio.currentTime * 10) / 10;
    field("at").value = clock(tenths) + (tenths % 1 ? `.${Math.round((tenths % 1) * 10)}` : "");
  });

  let selected = ""; // taken over already: what is typed since is not overwritten
  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const ends = [wordOf(selection?.anchorNode), wordOf(selection?.focusNode)];
    if (!ends[0] || !ends[1] || selection.isCollapsed || !field("word_from")) {
      selected = "";
      return;
    }
    const numbers = ends.map((word) => Number(word.dataset.index) + 1).sort((a, b) => a - b);
    if (selected === numbers.join()) return;
    selected = numbers.join();
    clear("at");
    field("word_from").value = String(numbers[0]);
    field("word_to").value = numbers[0] === numbers[1] ? "" : String(numbers[1]);
    choose();
  });

  document.addEventListener("click", (event) => {
    const piece = event.target.closest?.("[data-play-from]")?.dataset;
    const quote = event.target.closest?.('a.said[href^="#"]'); // a link to its first word
    const word = (quote ? document.querySelector(quote.hash) : wordOf(event.target))?.dataset.start;
    const start = piece?.playFrom ?? (document.getSelection()?.isCollapsed ? word : undefined);
    if (start !== undefined) play(Number(start), Number(piece?.playTo ?? Infinity));
  });

  // the same by keyboard; with Shift words are selected
  document.addEventListener("keydown", (event) => {
    const words = [...document.querySelectorAll(".word[data-start]")];
    const at = words.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const last = words.length - 1;
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    if (event.key === "Enter") {
      play(Number(words[at].dataset.start));
    } else if (event.key in steps) {
      const next = words[Math.min(Math.max(steps[event.key], 0), last)];
      for (const each of words) each.tabIndex = each === next ? 0 : -1;
      next.focus();
    } else {
      return;
    }
    event.preventDefault();
  });

  // ------------------------------------------------------------------ scores and verdicts

  find("score-form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const rows = [...event.target.querySelectorAll("[data-criterion]")];
    const given = rows.filter((each) => each.querySelector("[data-score]").value !== "");
    if (!given.length) {
      tell("Write a score first.", event.target);
      return;
    }
    if (signed(event.target) === null) return;
    const criteria = new Set(given.map((each) => each.dataset.criterion));
    for (const each of review.scores.filter((old) => own.has(old.external_id))) {
      if (criteria.has(each.criterion)) remove("scores", each.external_id); // given again
    }
    const made = given.map((each) => ({
      ...signed(event.target),
      criterion: each.dataset.criterion,
      score: Number(each.querySelector("[data-score]").value),
      note: each.querySelector("[data-note]").value.trim(),
    }));
    keep(event.target, "scores", ...made);
    event.target.reset();
  });

  const correcting = find("correction-form");
  const offer = () => {
    const about = correcting.elements.namedItem("of").selectedOptions[0].dataset;
    const verdict = correcting.elements.namedItem("verdict");
    for (const each of verdict.options) {
      each.hidden = each.disabled = each.dataset.target !== about.target;
      each.disabled ||= each.value === about.verdict;
    }
    verdict.value = [...verdict.options].find((each) => !each.disabled).value;
  };
  correcting?.addEventListener("change", (event) => {
    if (event.target.name === "of") offer();
  });
  correcting?.addEventListener("submit", (event) => {
    event.preventDefault();
    const about = correcting.elements.namedItem("of").selectedOptions[0].dataset;
    const by = signed(correcting);
    if (by === null) return;
    keep(correcting, "corrections", {
      ...by,
      target: about.target,
      name: about.name,
      word_index: about.word === "" ? null : Number(about.word),
      verdict: correcting.elements.namedItem("verdict").value,
      note: correcting.elements.namedItem("note").value.trim(),
    });
    correcting.elements.namedItem("note").value = "";
  });

  // ------------------------------------------------------------------ the file

  const saveFile = (event) => {
    const blob = new Blob([JSON.stringify(review, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `aloud-comments-${review.submission_id.slice(0, 8)}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    unsaved.clear();
    const near = event.target === saves[0] ? writing : null;
    tell(`Saved as ${link.download}. Send that file back.`, near);
  };
  for (const each of saves) each.addEventListener("click", saveFile);

  addEventListener("beforeunload", (event) => {
    if (unsaved.size || typed("text")) event.preventDefault();
  });

  if (correcting) offer();
  show();
})();
