"""An engine in a process of its own: killed, forgotten, broken, and in nobody's way."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from client.audio.files import read_audio
from client.core.errors import EngineError
from client.data import demo
from client.engines import engine_process
from client.engines.bank_vocabulary import BankVocabulary
from client.engines.base import Transcriber
from client.engines.engine_process import MAX_TRIES, EngineProcess, longest_work_s
from pronunciation.clip import Clip, Passage
from tests.worlds.scripted_child import LOADER

CLIP = Clip(np.zeros(16_000, np.float32))
PASSAGE = Passage(CLIP, (("we", "use", "it"),) * 2)
PARENT = f"""
import sys
import numpy as np
from client.engines.engine_process import EngineProcess
from pronunciation.clip import Clip
from pronunciation.clip import Passage

engine = EngineProcess("slow", "slow 0.3", loader={LOADER!r})
engine.warm()
try:
    print(engine.pid, flush=True)
    sys.stdin.read()
except KeyboardInterrupt:
    print(engine.pid, flush=True)
while True:
    engine.recognize(Clip(np.zeros(8, np.float32)))
"""


def scripted(model: str, name: str = "scripted", **options: object) -> EngineProcess:
    return EngineProcess(name, model, loader=LOADER, **options)  # type: ignore[arg-type]


def is_there(pid: int) -> bool:
    """Whether the process runs; one that has ended keeps its number until somebody asks how."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def soon(condition: Callable[[], bool]) -> bool:
    give_up_s = time.monotonic() + 120
    while not condition():
        if time.monotonic() > give_up_s:
            return False
        time.sleep(0.02)
    return True


def texts(engine: Transcriber, clip: Clip = CLIP) -> list[str]:
    return [word.text for word in engine.recognize(clip)]


def test_words_are_the_engines_own_and_a_killed_one_comes_back(faster: Transcriber) -> None:
    clip = read_audio(demo.AUDIO).slice(0.0, 6.0)
    engine = EngineProcess("faster-whisper", "tiny.en", offline=True)
    engine.warm()
    assert (engine.name, engine.model) == (faster.name, faster.model)
    first = engine.pid
    assert first is not None
    expected = faster.recognize(clip)
    assert len(expected) > 8

    threading.Timer(0.1, os.kill, (first, signal.SIGKILL)).start()  # the work takes longer
    assert list(engine.recognize(clip)) == expected

    assert not is_there(first)
    assert engine.pid not in (None, first)


@pytest.mark.realtime
def test_no_other_thread_waits_while_pocketsphinx_works() -> None:
    clip = read_audio(demo.AUDIO).slice(0.0, 15.0)
    engine = EngineProcess("pocketsphinx", offline=True)
    engine.warm()
    ticks_s, is_over = [time.monotonic()], threading.Event()

    def tick() -> None:
        while not is_over.wait(0.01):
            ticks_s.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    words = engine.recognize(clip)
    is_over.set()
    ticking.join()

    assert len(words) > 20
    gaps_s = np.diff(ticks_s)
    assert gaps_s.sum() > 1.0  # it did work meanwhile
    assert np.quantile(gaps_s, 0.99) < 0.1
    # the longest is another program's turn, not the engine's: that would take all the time
    assert gaps_s.max() < gaps_s.sum() / 2


def test_it_is_tried_again_so_many_times_and_no_more(tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    lives.write_text(str(MAX_TRIES))
    engine = scripted(f"deadly {lives}")

    with pytest.raises(EngineError, match=r"3 times .* \(SIGKILL\); .* --model"):
        engine.recognize(CLIP)
    # a sound that is not its end is still recognized
    assert texts(engine) == ["16000"]


def test_an_engine_that_hangs_is_ended_and_the_next_answer_has_another() -> None:
    engine = scripted("slow 3600", still_s=1.0)
    engine.warm()
    first = engine.pid
    assert first is not None
    began_s = time.monotonic()

    with pytest.raises(EngineError, match=r"scripted stopped working.*--model tiny\.en"):
        engine.recognize(CLIP)

    assert time.monotonic() - began_s < 30
    assert soon(lambda: not is_there(first))
    engine.warm()
    assert engine.pid not in (None, first)


@pytest.mark.parametrize("kind", ["loops"])
def test_what_an_engine_hung_with_is_done_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(engine_process, "LEAST_WORK_S", 0.0)
    monkeypatch.setattr(engine_process, "WORK_PER_SOUND_S", 1.0)  # CLIP is a second
    times = tmp_path / "times"
    times.write_text("1")
    engine = scripted(f"{kind} {times}", still_s=2.0 if kind == "hangs" else 3600.0)
    engine.warm()
    first = engine.pid

    assert texts(engine) == ["16000"]
    assert times.read_text() == "0"
    assert engine.pid not in (None, first)


def test_an_engine_may_work_the_longer_the_more_it_has_to_hear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert longest_work_s(28.0) > 2 * longest_work_s(5.0) > 4 * longest_work_s(0.0)
    monkeypatch.setattr(engine_process, "LEAST_WORK_S", 0.1)
    monkeypatch.setattr(engine_process, "WORK_PER_SOUND_S", 0.5)
    engine = scripted("busy 1")

    assert texts(engine, Clip(np.zeros(160_000, np.float32))) == ["160000"]
    with pytest.raises(EngineError, match="stopped working"):
        engine.recognize(CLIP)


def test_an_engine_that_hangs_while_it_loads_is_ended() -> None:
    with pytest.raises(EngineError, match="stopped working"):
        scripted("stuck", loading_still_s=1.0).warm()


def test_memory_is_given_back_when_it_may_rest() -> None:
    engine = scripted("")
    assert texts(engine) == ["16000"]
    engine.rest()
    assert engine.pid is None
    assert texts(engine) == ["16000"]


def test_the_reference_works_in_a_process_of_its_own(openai_weights: Path) -> None:
    clip = read_audio(demo.AUDIO).slice(0.0, 4.0)
    engine = EngineProcess("openai-whisper", str(openai_weights), offline=True)

    words = [word.text for word in engine.recognize(clip)]

    assert (engine.name, engine.model) == ("openai-whisper", "tiny.en")
    assert len(words) > 5


def test_what_breaks_is_an_error_that_names_it() -> None:
    with pytest.raises(EngineError, match="ValueError: two shapes disagree"):
        scripted("broken").recognize(CLIP)
    with pytest.raises(EngineError, match=r"exit status 3: out of threads"):
        scripted("crashing").warm()


def test_what_libraries_print_is_on_no_screen(capfd: pytest.CaptureFixture[str]) -> None:
    assert texts(scripted("noisy")) == ["16000"]
    assert capfd.readouterr() == ("", "")


def test_it_tells_and_asks_while_it_loads_and_the_next_process_does_not_choose() -> None:
    vocabulary = BankVocabulary(version="test", terms=(), words=("sharded",), readings={})
    lines: list[str] = []
    downloads: list[tuple[int, int]] = []
    engine = EngineProcess(vocabulary=lambda: vocabulary, loader=LOADER)
    engine.warm(lines.append, lambda done, total: downloads.append((done, total)))

    assert (lines, downloads) == (["settling for less"], [(1, 2)])
    assert (engine.name, engine.model) == ("chosen", "offline=False sharded")
    assert engine.max_segment_s == 7.0
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    assert texts(engine) == ["16000"]
    assert engine.name == "chosen"
    assert len(lines) == 1


def test_a_vocabulary_that_cannot_be_made_is_the_callers_error() -> None:
    def fail() -> BankVocabulary:
        raise LookupError("line 3 of the bank")

    engine = EngineProcess("scripted", vocabulary=fail, loader=LOADER)
    with pytest.raises(LookupError, match="line 3"):
        engine.warm()
    assert engine.pid is None


def test_memory_is_given_back_with_the_engine() -> None:
    engine = scripted("")
    engine.warm()
    pid = engine.pid
    assert pid is not None
    assert is_there(pid)
    del engine
    gc.collect()
    assert not is_there(pid)


def test_ctrl_c_is_for_the_parent_and_no_orphan_is_left() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())

    os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
    assert int(parent.stdout.readline()) == child

    time.sleep(0.1)  # it recognizes
    parent.kill()
    _, printed = parent.communicate()
    assert soon(lambda: not is_there(child))
    assert printed == b""


def test_the_decoder_says_in_its_process_what_it_says_here(faster: Transcriber) -> None:
    clip = read_audio(demo.AUDIO).slice(0.0, 4.0)
    passage = Passage(clip, (("So", "we", "use"), ("So", "he", "uses")))
    engine = EngineProcess("faster-whisper", "tiny.en", offline=True)
    engine.warm()

    found = engine.decode([passage, passage])

    assert found is not None and len(found) == 2
    assert found == faster.decode([passage, passage])


def test_a_decoder_that_is_killed_or_breaks_is_not_waited_for_and_words_go_on(
    tmp_path: Path,
) -> None:
    times = tmp_path / "times"
    for kind in ("deadly", "hangs"):
        times.write_text("0")
        engine = scripted(f"{kind} {times}", still_s=2.0)
        engine.warm()
        assert engine.decode([PASSAGE]) == [[((), (-1.0,), ())] * 2]

        times.write_text("1")
        assert engine.decode([PASSAGE]) is None
        assert engine.pid is None
        assert engine.decode([PASSAGE]) is None, "no process is started for it"
        assert texts(engine) == ["16000"]
        assert engine.decode([PASSAGE]) is not None

    broken = scripted("broken")
    broken.warm()
    assert broken.decode([PASSAGE]) is None
