"""The stylesheet's own tokens, read from it: what is written must be legible in both themes."""

import re
from pathlib import Path

import pytest

from server.ui.rendering import DARK_STYLESHEET, STATIC, STYLESHEET, TEMPLATES

AA_TEXT = 4.5
AA_SHAPE = 3.0
"""WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (edges and shapes)."""

CSS = STYLESHEET.read_text(encoding="utf-8")
TEXT_ON_GROUNDS = [
    *((ink, ground) for ink in ("ink", "muted") for ground in ("page", "raised", "sunken")),
    *((ink, ground) for ink in ("accent", "accent-strong") for ground in ("page", "raised")),
    *((verdict, ground) for verdict in ("good", "warn", "bad") for ground in ("page", "raised")),
    *((verdict, f"{verdict}-tint") for verdict in ("good", "warn", "bad")),
    *(("ink", f"{name}-tint") for name in ("good", "warn", "bad", "accent")),
    ("muted", "good-tint"),
    ("muted", "warn-tint"),
    ("bad", "good-tint"),
    ("accent-strong", "accent-tint"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
]
SHAPES_ON_GROUNDS = [("edge", "page"), ("edge", "raised"), ("accent", "sunken"), ("accent", "line")]


def declared(path: Path) -> dict[str, str]:
    block = re.search(r":root \{(.*?)\n\}", path.read_text(encoding="utf-8"), re.S)
    assert block
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block[1]))


LIGHT = declared(STYLESHEET)
DARK = declared(DARK_STYLESHEET)


def tokens(theme: str) -> dict[str, str]:
    return LIGHT | DARK if theme == "dark" else LIGHT


def luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_measure_of_contrast_is_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON_GROUNDS)
def test_text_is_legible_on_its_ground(theme: str, ink: str, ground: str) -> None:
    colors = tokens(theme)
    assert contrast(colors[ink], colors[ground]) >= AA_TEXT


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("shape", "ground"), SHAPES_ON_GROUNDS)
def test_edges_and_shapes_stand_out(theme: str, shape: str, ground: str) -> None:
    colors = tokens(theme)
    assert contrast(colors[shape], colors[ground]) >= AA_SHAPE


def test_every_color_has_a_value_for_the_dark() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert {ink for pair in (*TEXT_ON_GROUNDS, *SHAPES_ON_GROUNDS) for ink in pair} == LIGHT.keys()


def test_colors_stand_in_tokens_only() -> None:
    for path in Path(STATIC).glob("*.css"):
        rules = re.sub(r"--[a-z-]+: #[0-9a-f]{6};", "", path.read_text(encoding="utf-8"))
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b", rules) == [], path


def test_every_class_the_templates_use_is_styled_or_known() -> None:
    used: set[str] = set()
    for path in Path(TEMPLATES).rglob("*.html"):
        for value in re.findall(r'class="([^"{}]+)"', path.read_text(encoding="utf-8")):
            used.update(value.split())
    sheets = "".join(path.read_text(encoding="utf-8") for path in Path(STATIC).glob("*.css"))
    styled = set(re.findall(r"\.([a-z][a-z0-9-]+)", sheets))
    assert used - styled - {"notes"} == set()


def test_nothing_moves_for_those_who_want_no_motion() -> None:
    outside = CSS.split("@media (prefers-reduced-motion: no-preference)")[0]
    assert "animation" not in outside and "transition" not in outside
