// The bank's editors: line numbers, a way from a fault to its line, and no text lost by a slip.

const form = document.querySelector("[data-editor-form]");

function number(gutter, area) {
  const faults = new Set(gutter.dataset.faults.split(",").filter(Boolean).map(Number));
  const count = area.value.split("\n").length;
  const lines = [];
  for (let line = 1; line <= count; line += 1) {
    const place = document.createElement("span");
    place.textContent = `${line}\n`;
    if (faults.has(line)) {
      place.className = "fault";
    }
    lines.push(place);
  }
  gutter.replaceChildren(...lines);
  gutter.scrollTop = area.scrollTop;
}

function goTo(area, line) {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  const height = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 4) * height);
  area.scrollLeft = 0;
}

for (const gutter of document.querySelectorAll("[data-lines]")) {
  const area = document.getElementById(gutter.dataset.lines);
  let lines = 0;
  const renew = () => {
    const now = area.value.split("\n").length;
    if (now !== lines) {
      lines = now;
      number(gutter, area);
    }
  };
  area.addEventListener("input", renew);
  area.addEventListener("scroll", () => {
    gutter.scrollTop = area.scrollTop;
  });
  renew();
}

for (const link of document.querySelectorAll("[data-line]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    goTo(document.getElementById(link.dataset.editor), Number(link.dataset.line));
  });
}

if (form) {
  let changed = form.dataset.changed !== undefined;
  form.addEventListener("input", () => {
    changed = true;
  });
  form.addEventListener("submit", () => {
    changed = false;
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector('[value="check"]'));
    }
  });
  window.addEventListener("beforeunload", (event) => {
    if (changed) {
      event.preventDefault();
    }
  });
}

document.querySelector("[data-first]")?.focus();
