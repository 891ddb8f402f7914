"""What a browser finds wrong with a page: by axe-core's rules, by the keyboard, by its width."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

SERIOUS: Final = ("serious", "critical")
STOPS_IN_A_PLAYER: Final = 8
STOPS_IN_A_DATE: Final = 3
"""Month, day and year, then the calendar's button."""
MOST_STOPS: Final = 500

TAB_STOPS: Final = """() => [...document.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((each) => !each.disabled && each.type !== "hidden" && each.checkVisibility())
  .filter((each) => each.tabIndex >= 0).length"""
FROM_THE_TOP: Final = """async () => {
  // the page's own focus comes with a frame of its own
  for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  // a blur alone would leave Tab where the page's own focus was
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  scrollTo(0, 0);
}"""
FOCUSED: Final = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const marks = [element, element.closest(".card-link"), element.closest(".code-editor")];
  const rings = marks.filter(Boolean).map(getComputedStyle);
  const box = element.getBoundingClientRect();
  return {
    what: element.outerHTML.slice(0, 200),
    // a player's ring is drawn by the browser around each of its own buttons
    ringed: element.matches("audio") || rings.some((style) => style.outlineStyle !== "none"),
    seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""
# the page's main part clips what is too wide for it
WIDTH: Final = """() => Math.max(...[document.documentElement, document.querySelector("main")]
  .filter(Boolean).map((each) => each.scrollWidth))"""
BEYOND_THE_EDGE: Final = """() => [...document.querySelectorAll("main *, header *, footer *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .filter((each) => !each.closest(".table-scroll, .visually-hidden, svg"))
  .map((each) => each.outerHTML.slice(0, 120))"""

RUN_AXE: Final = """async ({ serious, rules }) => {
  const runOnly = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations } = await axe.run({ resultTypes: ["violations"], ...runOnly });
  return violations.filter(({ impact }) => serious.includes(impact)).map((each) => [
    `${each.id}: ${each.help}`,
    each.nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`),
  ]);
}"""


def open_details(page: Any) -> None:
    """Unfolds what is folded, also what the page has just folded because it became narrow."""
    page.evaluate(
        """async () => {
          document.querySelectorAll("details").forEach((each) => (each.open = true));
          for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
          document.querySelectorAll("[data-folded] .fold-button").forEach((each) => each.click());
        }"""
    )


RULES_OF_LOOKS: Final = ("color-contrast", "link-in-text-block", "scrollable-region-focusable")
"""The others follow from the page's elements, which are the same in all colors and widths."""


def axe_findings(page: Any, scheme: str = "light", rules: Sequence[str] = ()) -> list[str]:
    """What axe-core finds serious or critical on a page as it is now, by all rules or by some."""
    page.emulate_media(color_scheme=scheme)
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    found = page.evaluate(RUN_AXE, {"serious": SERIOUS, "rules": list(rules)})
    return [f"{scheme} {rule}\n  " + "\n  ".join(places) for rule, places in found]


@cache
def _axe() -> str:
    """The program of axe-core, half a megabyte."""
    from axe_playwright_python.sync_playwright import Axe

    return str(Axe().axe_script)


def tabbing_problems(page: Any) -> list[str]:
    """Goes through the page with Tab: what is not reached, not marked, or out of sight."""
    page.evaluate(FROM_THE_TOP)
    before = page.evaluate(TAB_STOPS)
    problems, reached = [], []
    while len(reached) < MOST_STOPS:
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:  # past the last one
            break
        reached.append(focused["what"])
        if not focused["ringed"]:
            problems.append(f"no ring on {focused['what']}")
        if not focused["seen"]:
            problems.append(f"out of sight: {focused['what']}")
    else:
        problems.append("the focus does not come out of the page")
    # what has been asked meanwhile shows its buttons
    counts = before, page.evaluate(TAB_STOPS)
    # a group of radio buttons is one stop, a player several
    fewest = min(counts) - page.locator("input[type=radio]").count()
    most = max(counts) + STOPS_IN_A_PLAYER * page.locator("audio[controls]").count() + 2
    most += STOPS_IN_A_DATE * page.locator("input[type=date]:visible").count()
    if not fewest <= len(reached) <= most:
        problems.append(f"{len(reached)} reached, not {fewest} to {most}")
    if not reached or "skip-link" not in reached[0]:
        problems.append("the skip link does not come first")
    return problems


def wider_than(page: Any, width_px: int) -> list[str]:
    """What makes the page, as wide as this, scroll sideways, or is cut off at its edge."""
    if page.evaluate(WIDTH) <= width_px:
        return []
    return list(page.evaluate(BEYOND_THE_EDGE)) or ["something"]
