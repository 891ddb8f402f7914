import threading
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from client.audio.wav import read_wav
from client.core.errors import SpeakingError
from client.core.preferences import VOICES, Preferences
from client.core.settings import ClientSettings
from client.speaking import Speaker, Voice, voices_here
from client.speaking import speaker as speaker_module
from client.speaking.speaker import sentences_of
from pronunciation.clip import Clip
from pronunciation.respelling.for_voices import respell
from pronunciation.terms import Lexicon, Term

ROCE = Term(term="RoCE", kind="word", say="ROCK-ee", readings=("R AA1 K IY0",))
LEXICON = Lexicon(version="test", terms=(ROCE,))


class ToneVoice(Voice):
    """Says every text as a tone and remembers what it was given."""

    name: ClassVar[str] = "tone"

    def __init__(self, key: str = "tone/1", fails: bool = False) -> None:
        self.given: list[str] = []
        self._key = key
        self._fails = fails

    @property
    def key(self) -> str:
        return self._key

    def is_available(self) -> bool:
        return True

    def written_for(self, text: str, lexicon: Lexicon) -> str:
        return respell(text, lexicon, "plain")

    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        if self._fails:
            raise SpeakingError("the tone generator is broken: mend it")
        self.given.append(self.written_for(text, lexicon))
        return Clip(np.full(2205, 0.25, dtype=np.float32), 22050)


def test_it_is_played_with_its_terms_respelled() -> None:
    played: list[Clip] = []
    voice = ToneVoice()
    speaker = Speaker(LEXICON, voices=[voice], player=lambda clip, stop: played.append(clip))
    outcome = speaker.speak("What is RoCE?")
    assert (outcome.spoken, outcome.reason) == (True, "")
    assert voice.given == ["What is rock-ee?"]
    assert played[0].samples.size == 2205


def test_a_sentence_is_heard_before_the_next_one_is_made() -> None:
    voice, heard = ToneVoice(), []
    speaker = Speaker(
        LEXICON, voices=[voice], player=lambda clip, stop: heard.append(list(voice.given))
    )
    assert speaker.speak("What is RoCE? Compare it, e.g. in cost.").spoken
    assert heard == [["What is rock-ee?"], ["What is rock-ee?", "Compare it, for example in cost."]]


def test_after_a_stop_no_further_sentence_is_said() -> None:
    voice, stop = ToneVoice(), threading.Event()
    speaker = Speaker(LEXICON, voices=[voice], player=lambda clip, stop: stop.set())
    assert speaker.speak("One. Two. Three.", stop=stop).spoken
    assert voice.given == ["One."]


def test_a_text_as_one_clip_is_all_its_sentences() -> None:
    assert Speaker(LEXICON, voices=[ToneVoice()]).clip("One. Two.").samples.size == 2 * 2205


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("He said “why?” Then he left.", ["He said “why?", "Then he left."]),
        ("Compare e.g. RoCE vs. TCP by Dr. K. Lee.", ["Compare e.g. RoCE vs. TCP by Dr. K. Lee."]),
        ("Version 1.5 is out. It is fast.", ["Version 1.5 is out.", "It is fast."]),
        ("one\n\n- \ntwo", ["one", "two"]),
        ("… !", ["… !"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def test_the_settings_choose_voice_and_speed(tmp_path: Path) -> None:
    assert [voice.name for voice in voices_here()] == ["natural", "system"]
    assert [voice.name for voice in voices_here("system")] == ["system", "natural"]
    settings = ClientSettings(home=tmp_path)
    usual = Speaker.of(settings, LEXICON).clip("We measure first.")
    settings = replace(settings, preferences=Preferences(speed=1.5))
    fast = Speaker.of(settings, LEXICON).clip("We measure first.")
    assert usual.sample_rate_hz == 24_000
    assert fast.duration_s < 0.8 * usual.duration_s
    system = Speaker.of(replace(settings, preferences=Preferences(voice="system")), LEXICON)
    assert system.clip("a").sample_rate_hz == 22_050
    assert {voice.name for voice in voices_here()} == set(VOICES)


def test_the_next_voice_speaks_where_the_first_fails() -> None:
    working = ToneVoice()
    speaker = Speaker(LEXICON, voices=[ToneVoice(fails=True), working], player=lambda *_: None)
    assert speaker.speak("hello").spoken
    assert working.given == ["hello"]


@pytest.mark.parametrize("voices", [[], [ToneVoice(fails=True)]])
def test_where_no_voice_works_the_reason_is_told(voices: list[Voice]) -> None:
    outcome = Speaker(LEXICON, voices=voices).speak("What is RoCE?")
    assert not outcome.spoken
    assert outcome.reason


def test_whatever_the_loudspeaker_does_an_interview_goes_on() -> None:
    def broken(clip: Clip, stop: threading.Event | None) -> None:
        raise RuntimeError("first line\nsecond line")

    outcome = Speaker(LEXICON, voices=[ToneVoice()], player=broken).speak("hello")
    assert (outcome.spoken, outcome.reason) == (False, "first line second line")


def test_a_file_can_be_had(tmp_path: Path) -> None:
    path = Speaker(LEXICON, voices=[ToneVoice()]).speak_to_file("hello", tmp_path / "out.wav")
    assert read_wav(path).samples.size == 2205


def test_to_a_file_a_failure_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpeakingError, match="mend it"):
        Speaker(LEXICON, voices=[ToneVoice(fails=True)]).speak_to_file("hi", tmp_path / "x.wav")
    with pytest.raises(SpeakingError, match="aloud doctor"):
        Speaker(LEXICON, voices=[]).speak_to_file("hi", tmp_path / "x.wav")
    assert list(tmp_path.iterdir()) == []


def test_what_was_said_once_is_not_said_again(tmp_path: Path) -> None:
    voice = ToneVoice()
    for _ in range(2):
        clip = Speaker(LEXICON, cache=tmp_path, voices=[voice]).clip("hello")
        np.testing.assert_allclose(clip.samples, 0.25, atol=1e-4)
    assert voice.given == ["hello"]


def test_another_voice_text_or_reading_is_said_again(tmp_path: Path) -> None:
    voice = ToneVoice()
    Speaker(LEXICON, cache=tmp_path, voices=[voice]).clip("RoCE")
    Speaker(LEXICON, cache=tmp_path, voices=[voice]).clip("RoCE again")
    other = Lexicon(version="2", terms=(ROCE.model_copy(update={"say": "ROH-see"}),))
    Speaker(other, cache=tmp_path, voices=[voice]).clip("RoCE")
    faster = ToneVoice(key="tone/2")
    Speaker(LEXICON, cache=tmp_path, voices=[faster]).clip("RoCE")
    assert voice.given == ["rock-ee", "rock-ee again", "roh-see"]
    assert faster.given == ["rock-ee"]


def test_the_cache_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaker_module, "MAX_CACHE_BYTES", 3 * 4500)  # a file has 4,454 bytes
    speaker = Speaker(LEXICON, cache=tmp_path, voices=[ToneVoice()])
    for number in range(6):
        speaker.clip(f"number {number}")
    assert len(list(tmp_path.iterdir())) == 3
