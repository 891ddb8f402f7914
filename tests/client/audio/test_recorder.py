"""Every pitfall of a microphone, on a sound system of our own."""

import errno
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.audio import Level, Recorder, RecorderSettings, read_take
from client.audio.take_file import TakeWriter, is_held, length_s
from client.core.errors import RecordingError

RATE_HZ = 44100


def tone(seconds: float, *, amplitude: float = 0.3, hz: float = 440.0) -> np.ndarray[Any, Any]:
    times_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (amplitude * np.sin(2 * np.pi * hz * times_s)).astype(np.float32)


def hiss(seconds: float) -> np.ndarray[Any, Any]:
    noise = np.random.default_rng(3).standard_normal(round(seconds * RATE_HZ))
    return (0.001 * noise).astype(np.float32)


def talk(seconds: float) -> np.ndarray[Any, Any]:
    """Syllables of 200 ms with gaps of 100 ms, in a hissing room."""
    sound = hiss(seconds)
    syllable = (np.arange(sound.size) / RATE_HZ) % 0.3 < 0.2
    return np.where(syllable, sound + tone(seconds), sound).astype(np.float32)


@pytest.fixture
def settings(tmp_path: Path) -> RecorderSettings:
    return RecorderSettings(tmp_path, silence_stop_s=None, time_limit_s=None)


def test_what_is_played_comes_back_resampled(settings: RecorderSettings, sound_system: Any) -> None:
    system = sound_system(signal=tone(1.0))
    recorder = Recorder(settings, sounddevice=system)
    assert recorder.start(label="q1").label == "Built-in Microphone [ALSA]"
    assert system.all_sent.wait(60)
    recording = recorder.stop()
    assert recording.clip.sample_rate_hz == 16000
    assert recording.clip.duration_s == pytest.approx(1.0, abs=0.001)
    times_s = np.arange(recording.clip.samples.size) / 16000
    inner = slice(800, -800)  # the resampler rings at the ends
    np.testing.assert_allclose(
        recording.clip.samples[inner], 0.3 * np.sin(2 * np.pi * 440 * times_s)[inner], atol=2e-3
    )
    assert (recording.stopped_by, recording.overflows, recording.notices) == ("person", 0, ())
    samples, rate_hz = read_take(recording.path)
    assert (samples.size, rate_hz) == (RATE_HZ, RATE_HZ)
    assert system.closed_streams == 1


def test_it_records_at_the_native_rate_by_this_moment_s_index(
    tmp_path: Path, sound_system: Any, fake_device: Any
) -> None:
    system = sound_system(
        signal=tone(0.2), devices=[fake_device("A"), fake_device("B", rate_hz=48000.0)]
    )
    recorder = Recorder(RecorderSettings(tmp_path, device_name="B"), sounddevice=system)
    recorder.start()
    opened = system.opened[0]
    assert (opened["device"], opened["samplerate"], opened["dtype"]) == (1, 48000, "float32")
    recorder.discard()


def test_a_device_that_refuses_mono_is_mixed_down(
    settings: RecorderSettings, sound_system: Any
) -> None:
    system = sound_system(signal=tone(0.5), refuses_mono=True)
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    assert [kwargs["channels"] for kwargs in system.opened] == [1, 2]
    assert float(np.max(recorder.stop().clip.samples)) == pytest.approx(0.3, abs=0.01)


def test_the_meter_follows_the_sound(settings: RecorderSettings, sound_system: Any) -> None:
    levels: list[Level] = []
    system = sound_system(signal=np.concatenate([hiss(0.5), tone(0.5)]))
    recorder = Recorder(settings, sounddevice=system)
    recorder.start(levels.append)
    assert system.all_sent.wait(60)
    recorder.stop()
    assert 18 <= len(levels) <= 21  # one per 50 ms, whatever the block size
    assert levels[5].peak_dbfs < -40.0
    assert levels[-2].peak_dbfs == pytest.approx(20 * np.log10(0.3), abs=0.1)
    assert levels[-1].recorded_s == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("rate_hz", [44100, 16000, 48000])
def test_what_listens_in_gets_the_clip_block_by_block(
    settings: RecorderSettings, sound_system: Any, fake_device: Any, rate_hz: int
) -> None:
    blocks: list[np.ndarray[Any, Any]] = []
    system = sound_system(signal=talk(3.0), devices=[fake_device("A", rate_hz=float(rate_hz))])
    recorder = Recorder(settings, sounddevice=system)
    recorder.start(on_samples=blocks.append)
    assert system.all_sent.wait(60)
    recording = recorder.stop()
    heard = np.concatenate(blocks)
    assert len(blocks) > 20
    assert recording.duration_s == pytest.approx(talk(3.0).size / rate_hz)
    assert heard.size == pytest.approx(recording.clip.samples.size, abs=2)
    both = min(heard.size, recording.clip.samples.size)
    # the file holds 16 bits
    np.testing.assert_allclose(heard[:both], recording.clip.samples[:both], atol=2e-3)


def test_silence_after_speech_stops_it(tmp_path: Path, sound_system: Any) -> None:
    system = sound_system(signal=np.concatenate([hiss(4.0), talk(3.0), hiss(20.0)]))
    recorder = Recorder(RecorderSettings(tmp_path, silence_stop_s=2.0), sounddevice=system)
    recorder.start()
    assert recorder.wait(60)
    recording = recorder.stop()
    assert recording.stopped_by == "silence"
    assert recording.clip.duration_s == pytest.approx(4.0 + 3.0 + 2.0, abs=0.4)


def test_silence_before_speech_does_not_stop_it(tmp_path: Path, sound_system: Any) -> None:
    system = sound_system(signal=hiss(10.0))
    recorder = Recorder(RecorderSettings(tmp_path, silence_stop_s=2.0), sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    recording = recorder.stop()
    assert recording.stopped_by == "person"
    assert recording.clip.duration_s == pytest.approx(10.0, abs=0.01)


def test_the_silence_stop_can_be_switched_off(
    settings: RecorderSettings, sound_system: Any
) -> None:
    system = sound_system(signal=np.concatenate([hiss(1.0), talk(2.0), hiss(12.0)]))
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    assert recorder.stop().clip.duration_s == pytest.approx(15.0, abs=0.01)


def test_the_time_limit_is_kept_to_the_sample(tmp_path: Path, sound_system: Any) -> None:
    system = sound_system(signal=tone(5.0))
    recorder = Recorder(RecorderSettings(tmp_path, time_limit_s=1.5), sounddevice=system)
    recorder.start()
    assert recorder.wait(60)
    recording = recorder.stop()
    assert recording.stopped_by == "time_limit"
    assert read_take(recording.path)[0].size == round(1.5 * RATE_HZ)


def test_nothing_is_recorded_between_pause_and_resume(
    settings: RecorderSettings, sound_system: Any
) -> None:
    low, high = tone(1.0, hz=200.0), tone(1.0, hz=3000.0)

    started = threading.Event()

    def at_block(number: int) -> None:
        started.wait(60)
        if number == 100:
            recorder.pause()
        if number == 200:
            recorder.resume()

    system = sound_system(signal=np.concatenate([low, high, low]), before_block=at_block)
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    started.set()
    assert system.all_sent.wait(60)
    clip = recorder.stop().clip
    assert clip.duration_s == pytest.approx(2.0, abs=0.001)
    spectrum = np.abs(np.fft.rfft(clip.samples))
    assert spectrum[6000] < 0.01 * spectrum[400]  # 3000 Hz against 200 Hz, bins of 0.5 Hz


def test_discard_deletes_and_the_next_take_is_a_new_one(
    settings: RecorderSettings, sound_system: Any
) -> None:
    system = sound_system(signal=tone(0.5))
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    recorder.discard()
    assert list(settings.folder.iterdir()) == []
    system.all_sent.clear()
    system.signal = tone(0.25)
    recorder.start()
    assert system.all_sent.wait(60)
    assert recorder.stop().clip.duration_s == pytest.approx(0.25, abs=0.001)


def test_exact_zeros_name_the_permission(
    tmp_path: Path, sound_system: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.audio.devices.sys.platform", "darwin")
    system = sound_system(signal=np.zeros(20 * RATE_HZ, dtype=np.float32))
    levels: list[Level] = []
    recorder = Recorder(RecorderSettings(tmp_path, zeros_stop_s=3.0), sounddevice=system)
    recorder.start(levels.append)
    assert recorder.wait(60)  # it does not let anybody speak into it for minutes
    assert levels[0].only_zeros
    with pytest.raises(RecordingError, match="Privacy & Security › Microphone"):
        recorder.stop()
    assert list(tmp_path.iterdir()) == []


def test_overflows_are_counted_and_told(settings: RecorderSettings, sound_system: Any) -> None:
    system = sound_system(signal=tone(1.0), overflow_at=frozenset({3, 40, 41}))
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    recording = recorder.stop()
    assert recording.overflows == 3
    assert "too busy 3 times" in recording.notices[0]


@pytest.mark.parametrize("unplug_after", [True, False], ids=["message by PortAudio", "just quiet"])
def test_a_device_pulled_out_keeps_what_was_said(
    tmp_path: Path, sound_system: Any, unplug_after: bool
) -> None:
    system = sound_system(signal=tone(1.0), unplug_after=unplug_after)
    recorder = Recorder(RecorderSettings(tmp_path, device_lost_s=0.3), sounddevice=system)
    recorder.start()
    assert recorder.wait(60)
    recording = recorder.stop()
    assert recording.stopped_by == "device_lost"
    assert recording.clip.duration_s == pytest.approx(1.0, abs=0.001)
    assert "disconnected" in recording.notices[0]


def test_a_stream_that_hangs_when_closed_does_not_hang_us(
    settings: RecorderSettings, sound_system: Any
) -> None:
    system = sound_system(signal=tone(0.5), hang_on_stop=True)
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert system.all_sent.wait(60)
    began_s = time.monotonic()
    assert recorder.stop().clip.duration_s == pytest.approx(0.5, abs=0.001)
    assert time.monotonic() - began_s < 20


def test_a_microphone_that_never_delivers_is_an_error(tmp_path: Path, sound_system: Any) -> None:
    recorder = Recorder(RecorderSettings(tmp_path, device_lost_s=0.3), sounddevice=sound_system())
    recorder.start()
    assert recorder.wait(60)
    with pytest.raises(RecordingError, match="gave no sound at all"):
        recorder.stop()
    assert list(tmp_path.iterdir()) == []


def test_a_microphone_in_use_elsewhere_is_named(
    settings: RecorderSettings, sound_system: Any
) -> None:
    recorder = Recorder(settings, sounddevice=sound_system(refuses_to_start=True))
    with pytest.raises(RecordingError, match=r"Built-in Microphone \[ALSA\] cannot be opened"):
        recorder.start()
    assert list(settings.folder.iterdir()) == []


def test_a_full_disk_keeps_what_was_said(
    settings: RecorderSettings, sound_system: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_append = TakeWriter.append

    def append(self: TakeWriter, samples: Any) -> None:
        if self.samples_written >= RATE_HZ // 2:
            monkeypatch.setattr(os, "write", no_space)
        true_append(self, samples)

    def no_space(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TakeWriter, "append", append)
    system = sound_system(signal=tone(1.0))
    recorder = Recorder(settings, sounddevice=system)
    recorder.start()
    assert recorder.wait(60)
    monkeypatch.undo()
    recording = recorder.stop()
    assert recording.stopped_by == "failure"
    assert recording.clip.duration_s == pytest.approx(0.5, abs=0.02)
    assert "No space left" in recording.notices[0]


def test_an_interrupted_program_leaves_the_take_for_recovery(
    settings: RecorderSettings, sound_system: Any
) -> None:
    system = sound_system(signal=tone(1.0))
    with pytest.raises(KeyboardInterrupt), Recorder(settings, sounddevice=system) as recorder:
        recorder.start(label="q7")
        assert system.all_sent.wait(60)
        raise KeyboardInterrupt
    (take,) = settings.folder.iterdir()
    assert take.name.endswith("-q7.wav.part")
    assert not is_held(take)
    assert length_s(take) == pytest.approx(1.0)


def test_two_takes_at_once_are_refused(settings: RecorderSettings, sound_system: Any) -> None:
    recorder = Recorder(settings, sounddevice=sound_system(signal=tone(0.2)))
    recorder.start()
    with pytest.raises(RecordingError, match="already running"):
        recorder.start()
    recorder.discard()
