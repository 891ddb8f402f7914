"""recorder.js and resampler.js in a real browser."""

import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pronunciation.clip import Clip
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import tone

RATES_HZ = (8_000, 16_000, 44_100, 48_000, 96_000)

RESAMPLE = """
async ({fromHz, hz, seconds, block}) => {
  const { Resampler } = await import("/static/resampler.js");
  const resampler = new Resampler(fromHz, 16000);
  const out = [];
  const total = Math.round(fromHz * seconds);
  for (let at = 0; at < total; at += block) {
    const samples = new Float32Array(Math.min(block, total - at));
    for (let i = 0; i < samples.length; i += 1) {
      samples[i] = 0.5 * Math.sin((2 * Math.PI * hz * (at + i)) / fromHz);
    }
    out.push(...resampler.push(samples));
  }
  out.push(...resampler.flush());
  return out;
}
"""

RECORD = """
async ({seconds, pauseFrom, pausedLevels}) => {
  const { Microphone } = await import("/static/recorder.js");
  const got = { samples: [], levels: [], blocks: [], label: "", passedInPause: 0 };
  const microphone = await Microphone.open({
    onSamples: (samples) => { got.blocks.push(samples.length); got.samples.push(...samples); },
    onLevel: (level) => got.levels.push(level),
  });
  got.label = microphone.label;
  const until = async (there) => {
    while (!there()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  if (pausedLevels) {
    await until(() => got.samples.length >= 16000 * pauseFrom);
    microphone.pause();
    const [samples, levels] = [got.samples.length, got.levels.length];
    await until(() => got.levels.length >= levels + pausedLevels);
    got.passedInPause = got.samples.length - samples;
    microphone.resume();
  }
  await until(() => got.samples.length >= 16000 * seconds);
  await microphone.close();
  await microphone.close();
  return got;
}
"""


@pytest.fixture
def home(serve: Serve, new_page: NewPage) -> Any:
    page = new_page()
    page.goto(serve().url + "/static/recorder.js")
    return page


def test_a_tone_keeps_its_place_and_loudness_at_16_khz(home: Any) -> None:
    wanted = 0.5 * np.sin(2 * np.pi * 1_000 * np.arange(8_001) / 16_000)
    for from_hz in RATES_HZ:
        options = {"fromHz": from_hz, "hz": 1_000, "seconds": 0.5, "block": 1_111}
        made = np.array(home.evaluate(RESAMPLE, options))
        assert abs(made.size - 8_000) <= 1, from_hz
        assert np.abs(made - wanted[: made.size])[400:-400].max() < 1e-3, from_hz


def test_the_microphone_gives_what_was_said_in_small_blocks_with_levels(
    serve: Serve, new_page: NewPage, microphone_sound: Any
) -> None:
    page = new_page(sound=microphone_sound(Clip(tone(6.0, 0.25)), before_s=0.0))
    page.goto(serve().url + "/static/recorder.js")

    got = page.evaluate(RECORD, {"seconds": 1.5})

    samples = np.array(got["samples"]) / 32768
    middle = samples[8_000:16_000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(middle.size)))
    assert np.argmax(spectrum) * 16_000 / middle.size == pytest.approx(220, abs=3)
    assert np.abs(middle).max() == pytest.approx(0.25, rel=0.1)
    assert all(700 <= size <= 900 for size in got["blocks"][1:-2])
    assert 15 <= len(got["levels"]) / (samples.size / 16_000) <= 30
    assert got["levels"][-1]["peakDbfs"] == pytest.approx(-12, abs=1.5)
    assert got["levels"][-1]["rmsDbfs"] == pytest.approx(-15, abs=1.5)
    assert got["label"]


def test_a_pause_passes_on_no_samples_but_levels(
    serve: Serve, new_page: NewPage, microphone_sound: Any
) -> None:
    page = new_page(sound=microphone_sound(Clip(tone(6.0, 0.25)), before_s=0.0))
    page.goto(serve().url + "/static/recorder.js")

    got = page.evaluate(RECORD, {"seconds": 0.8, "pauseFrom": 0.4, "pausedLevels": 16})

    assert got["passedInPause"] == 0
    assert len(got["samples"]) / 16_000 >= 0.8, "it goes on"


def test_a_muted_microphone_is_known_by_its_exact_zeros(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    muted = tmp_path / "muted.wav"
    with wave.open(str(muted), "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes(bytes(2 * 48_000))
    page = new_page(sound=muted)
    page.goto(serve().url + "/static/recorder.js")

    got = page.evaluate(RECORD, {"seconds": 0.5})

    assert got["levels"]
    assert all(level["zeros"] and level["peakDbfs"] == -120 for level in got["levels"])
    assert got["levels"][-1]["zerosS"] == pytest.approx(0.05 * len(got["levels"]), rel=0.1)


@pytest.mark.realtime
def test_a_question_of_the_browser_that_nobody_answers_is_pointed_at(home: Any) -> None:
    said = home.evaluate(
        """async () => {
          navigator.mediaDevices.getUserMedia = () => new Promise(() => {});
          const { Microphone } = await import("/static/recorder.js");
          const began = performance.now();
          return new Promise((resolve) => {
            Microphone.open({ onAsking: () => resolve(performance.now() - began) });
          });
        }"""
    )
    assert 2000 < said < 5000


def test_a_microphone_that_cannot_be_opened_says_the_remedy(home: Any) -> None:
    for name, text, remedy in (
        ("NotAllowedError", "Permission denied", "left of the page's address"),
        ("NotAllowedError", "Permission denied by system", "privacy settings"),
        ("NotFoundError", "Requested device not found", "Plug one in"),
        ("OverconstrainedError", "Invalid constraint", "Plug one in"),  # WebKit, without any
        ("NotReadableError", "Could not start audio source", "Close other programs"),
    ):
        said = home.evaluate(
            """async ({name, text}) => {
              navigator.mediaDevices.getUserMedia = () =>
                Promise.reject(new DOMException(text, name));
              const { Microphone } = await import("/static/recorder.js");
              try {
                await Microphone.open();
              } catch (error) {
                return [error.name, error.remedy];
              }
            }""",
            {"name": name, "text": text},
        )
        assert said[0] == "MicrophoneError", text
        assert remedy in said[1], text


UNPLUGGED = """
async ({others}) => {
  const { Microphone } = await import("/static/recorder.js");
  const devices = navigator.mediaDevices;
  const open = devices.getUserMedia.bind(devices);
  const streams = [];
  devices.getUserMedia = async (wanted) => {
    if (streams.length > others) {
      throw new DOMException("none left", "NotFoundError");
    }
    streams.push(await open(wanted));
    return streams.at(-1);
  };
  const got = { before: 0, after: 0, switched: [], ended: [] };
  const until = async (there) => {
    while (!there()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  let unplugged = false;
  const microphone = await Microphone.open({
    onSamples: ({ length }) => { got[unplugged ? "after" : "before"] += length; },
    onSwitch: (label) => got.switched.push(label),
    onEnd: (error) => got.ended.push(error.message),
  });
  await until(() => got.before > 0);
  const [track] = streams[0].getAudioTracks();
  track.stop();
  unplugged = true;
  track.dispatchEvent(new Event("ended"));
  await until(() => got.after > 8000 || got.ended.length > 0);
  await microphone.close();
  got.running = streams.filter((stream) => stream.active).length;
  return got;
}
"""


def test_another_microphone_takes_over_where_one_is_unplugged(home: Any) -> None:
    got = home.evaluate(UNPLUGGED, {"others": 1})

    assert got["before"] > 0
    assert got["after"] > 8_000
    assert [("Fake" in label) for label in got["switched"]] == [True]
    assert (got["ended"], got["running"]) == ([], 0)


def test_a_recording_ends_where_no_other_microphone_is_there(home: Any) -> None:
    got = home.evaluate(UNPLUGGED, {"others": 0})

    assert (got["switched"], got["ended"]) == ([], ["The microphone was disconnected."])
    assert got["running"] == 0
