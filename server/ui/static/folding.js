/**
 * On a phone, sections marked with `data-folds` show only their heading, and what has `data-stays`,
 * until it is pressed. Lists marked with `data-shows` show that many rows and a button for the
 * rest. On paper the stylesheet shows all of it.
 */

const phone = matchMedia("(max-width: 40rem)");
const sections = [...document.querySelectorAll("[data-folds]")];
const arranged = new Set();
const lists = [...document.querySelectorAll("[data-shows]")];
const FEW = 2; // a button in place of so few rows saves nothing

function setFolded(section, folded) {
  section.toggleAttribute("data-folded", folded);
  section.querySelector(".fold-button")?.setAttribute("aria-expanded", String(!folded));
}

function arrange() {
  for (const section of sections) {
    const heading = section.querySelector("h2, legend");
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

/** On a phone, hides a list's later rows behind a button; elsewhere, shows them. */
function shorten(list) {
  const rest = [...list.children].slice(Number(list.dataset.shows));
  const isChosen = rest.some((row) => row.querySelector(":checked"));
  if (!phone.matches || rest.length <= FEW || isChosen || arranged.has(list)) {
    showRest(list);
    return;
  }
  for (const row of rest) row.toggleAttribute("data-rest", true);
  if (list.nextElementSibling?.hasAttribute("data-more")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.dataset.more = "";
  button.textContent = `Show ${rest.length} more`;
  button.addEventListener("click", () => {
    arranged.add(list);
    showRest(list);
    rest[0].querySelector("a, input").focus(); // the button, which had the focus, is gone
  });
  list.after(button);
}

function showRest(list) {
  for (const row of list.querySelectorAll("[data-rest]")) row.removeAttribute("data-rest");
  if (list.nextElementSibling?.hasAttribute("data-more")) list.nextElementSibling.remove();
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
  lists.forEach(shorten);
  reveal(location.hash);
});
document.addEventListener("renewed", arrange); // the section has a new heading
// a browser that goes back in its history restores the boxes after the page has loaded
addEventListener("pageshow", () => lists.forEach(shorten));
arrange();
lists.forEach(shorten);
reveal(location.hash);
