import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from server.contract import clock
from server.ui.rendering import STYLESHEET, environment, ipa, percent, respell, when
from server.ui.rendering import with_code as code


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00"),
        (5.99, "0:05"),
        (65, "1:05"),
        (3600, "1:00:00"),
        (3725.2, "1:02:05"),
        (None, "–"),
    ],
)
def test_seconds_are_written_as_a_clock(seconds: float | None, text: str) -> None:
    assert clock(seconds) == text


def test_values_are_written_for_people() -> None:
    assert percent(0.714) == "71%"
    assert percent(None) == "–"
    assert ipa("R AA1 K IY0") == "ˈɹɑki"
    assert respell("R AA1 K IY0") == "ROCK-ee"
    assert when(None) == "–"
    assert when(datetime(2026, 3, 1, 12, tzinfo=UTC)).startswith("1 Mar 2026, ")


@pytest.mark.parametrize("phones", ["", "<b>", "rɒki"])
def test_phones_of_another_alphabet_are_shown_as_they_are(phones: str) -> None:
    assert (ipa(phones), respell(phones)) == (phones, phones)


def test_what_stands_in_back_ticks_is_code_and_nothing_else_is_markup() -> None:
    assert code("`aloud <b>` & `x") == "<code>aloud &lt;b&gt;</code> &amp; `x"


def test_templates_escape_and_refuse_unknown_names(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("{{ text }}")
    templates = environment(tmp_path)
    assert templates.get_template("one.html").render(text="<i>") == "&lt;i&gt;"
    with pytest.raises(UndefinedError):
        templates.get_template("one.html").render()


def test_a_sites_own_template_goes_before_the_shared_one(tmp_path: Path) -> None:
    (tmp_path / "navigation.html").write_text("own")
    assert environment(tmp_path).get_template("navigation.html").render() == "own"


def test_the_frame_names_its_page_and_holds_nothing_inline() -> None:
    page = environment().from_string(
        '{% extends "base.html" %}{% set current = "drills" %}{% block title %}Drills{% endblock %}'
        "{% block main %}<h1>Here</h1>{% endblock %}"
    )
    html = page.render()
    assert '<html lang="en">' in html
    assert "<title>Drills</title>" in html
    assert html.count('aria-current="page"') == 1
    assert '<a href="/drills" aria-current="page">Drills</a>' in html
    assert 'href="#main"' in html and 'id="main"' in html
    assert "<script" not in html and "style=" not in html


def test_no_template_carries_inline_style_or_script() -> None:
    templates = Path(STYLESHEET).parents[1] / "templates"
    for path in templates.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert " style=" not in text, path
        assert " onclick=" not in text, path
        if path.name in ("bundle.html", "standalone.html"):  # opened from a disk
            assert "Content-Security-Policy" in text
            ours = re.findall(r"<script[^>]*>\{\{ \w+\.text \}\}</script>", text)
            assert text.count("<script") == len(ours) + text.count('type="application/json"')
        else:
            assert "<script>" not in text, path
