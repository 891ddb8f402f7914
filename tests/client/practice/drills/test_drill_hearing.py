"""The real hearing on a term said by a voice that is none of the app's."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.practice.drills.drill_session import drill_hearing
from pronunciation.clip import Clip
from tests.client.practice.drills.conftest import RIGHT, WRONG, item


def flite(folder: Path, phones: str) -> Clip:
    if shutil.which("flite") is None:
        pytest.skip("no flite to speak given phones: apt install flite")
    path = folder / "said.wav"
    said = " ".join(["pau", *(phone.lower().rstrip("02") for phone in phones.split()), "pau"])
    subprocess.run(["flite", "-voice", "slt", "-p", said, "-o", str(path)], check=True)
    return read_audio(path)


def test_the_prompt_may_be_said_whole_or_the_term_alone(tmp_path: Path) -> None:
    wanted = replace(item("roce"), prompt="the roce switch", term="roce")
    hear = drill_hearing()
    for phones, verdict in ((RIGHT, "correct"), (WRONG, "mispronounced")):
        whole = hear(flite(tmp_path, f"DH AH0 {phones} S W IH1 CH"), wanted)
        assert (whole.verdict, whole.phones) == (verdict, phones)
    assert hear(flite(tmp_path, RIGHT), wanted).verdict == "correct"
    other = flite(tmp_path, "S AH1 B S K R IH2 P SH AH0 N IH0 N V EH1 N T AO2 R IY0")
    assert hear(other, wanted).verdict == "something_else"
