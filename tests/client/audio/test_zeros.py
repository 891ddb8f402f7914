import sys

import pytest

from client.audio.devices import zeros_remedy


@pytest.mark.parametrize(
    ("system", "first", "not_named"),
    [
        ("darwin", "turn the terminal on under System Settings › Privacy & Security", "Windows"),
        ("win32", "turn the terminal on under Settings › Privacy & security", "System Settings"),
        ("linux", "unmute it", "Privacy"),
        ("freebsd14", "unmute it", "Privacy"),
    ],
)
def test_the_remedy_is_that_of_this_system(
    monkeypatch: pytest.MonkeyPatch, system: str, first: str, not_named: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    remedy = zeros_remedy("terminal")
    assert remedy.startswith(first)
    assert not_named not in remedy
    assert "mute" in remedy and "choose another one" in remedy
