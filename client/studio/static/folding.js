/**
 * On a phone, sections marked with `data-folds` show only their heading, and what has `data-stays`,
 * until it is pressed. On paper the stylesheet shows all of it.
 */

const phone = matchMedia("(max-width: 40rem)");
const sections = [...document.querySelectorAll("[data-folds]")];
const arranged = new Set();

function setFolded(section, folded) {
  section.toggleAttribute("data-folded", folded);
  section.querySelector(".fold-button")?.setAttribute("aria-expanded", String(!folded));
}

function arrange() {
  for (const section of sections) {
    const heading = section.querySelector("h2");
    const button = heading.querySelector(".fold-button");
    if (phone.matches && !button) {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "fold-button";
      const text = document.createElement("span"); // one, so that it wraps as a whole
      text.append(...heading.childNodes);
      made.append(text);
      made.addEventListener("click", () => {
        setFolded(section, !section.hasAttribute("data-folded"));
      });
      heading.append(made);
      setFolded(section, !arranged.has(section) || section.hasAttribute("data-folded"));
      arranged.add(section);
    } else if (!phone.matches && button) {
      setFolded(section, false);
      arranged.delete(section);
      button.replaceWith(...button.firstChild.childNodes);
    }
  }
}

/** What a link leads to is shown. */
function reveal(hash) {
  const target = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
  const section = target && target.closest("[data-folded]");
  if (section) {
    setFolded(section, false);
    target.scrollIntoView();
  }
}

document.addEventListener("click", ({ target }) => {
  const link = target.closest("a[href]");
  if (link && link.pathname === location.pathname) {
    reveal(link.hash); // no event comes where the address already has it
  }
});
addEventListener("hashchange", () => reveal(location.hash));
phone.addEventListener("change", () => {
  arrange();
  reveal(location.hash);
});
document.addEventListener("renewed", arrange); // its heading is a new one
arrange();
reveal(location.hash);
