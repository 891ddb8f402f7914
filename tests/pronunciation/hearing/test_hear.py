import itertools
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from pronunciation.clip import Clip
from pronunciation.errors import HearingError, PhoneError
from pronunciation.hearing import Hearing, Target

Planted = Callable[[str], Clip]
Quiet = Callable[[float], np.ndarray]

WORDS = ["We", "use", "RoCE", "between", "the", "nodes."]
ROCKY, ROSE, LETTERS = "R AA1 K IY0", "R OW1 S", "AA1 R OW1 S IY1 IY1"
TARGET = Target("RoCE", 2, 1, (ROCKY,), (ROSE, LETTERS))


@pytest.mark.parametrize(
    ("clip", "phones", "verdict"),
    [
        ("rocky", ROCKY, "correct"),
        ("rose", ROSE, "mispronounced"),
        ("letters", LETTERS, "mispronounced"),
    ],
)
def test_the_planted_reading_is_heard(
    hearing: Hearing, planted: Planted, clip: str, phones: str, verdict: str
) -> None:
    sound = planted(f"we-use-roce-{clip}")
    (heard,) = hearing.hear(sound, WORDS, [TARGET])
    assert (heard.phones, heard.verdict) == (phones, verdict)
    assert heard.confidence > 0.8
    assert 0.2 < heard.start_s < heard.end_s < sound.duration_s
    assert sum(r.probability for r in heard.readings) == pytest.approx(1)


def test_which_reading_is_the_accepted_one_changes_the_verdict_not_the_reading(
    hearing: Hearing, planted: Planted
) -> None:
    swapped = Target("RoCE", 2, 1, (ROSE,), (ROCKY,))
    (heard,) = hearing.hear(planted("we-use-roce-rocky"), WORDS, [swapped])
    assert (heard.phones, heard.verdict) == (ROCKY, "mispronounced")


def test_the_case_of_the_phones_does_not_matter(hearing: Hearing, planted: Planted) -> None:
    small = Target("RoCE", 2, 1, (ROCKY.lower(),), (ROSE.lower(), LETTERS.lower()))
    sound = planted("we-use-roce-rose")
    (one, other) = (hearing.hear(sound, WORDS, [target])[0] for target in (TARGET, small))
    assert [r.phones.lower() for r in one.readings] == [r.phones for r in other.readings]
    assert [r.probability for r in one.readings] == [r.probability for r in other.readings]


def test_a_mistake_that_is_also_accepted_is_no_mistake_whatever_its_case(
    hearing: Hearing, planted: Planted
) -> None:
    target = Target("RoCE", 2, 1, ("r ow1  s", ROCKY), (ROSE, LETTERS, LETTERS))
    (heard,) = hearing.hear(planted("we-use-roce-rose"), WORDS, [target])
    assert (heard.phones, heard.verdict) == ("r ow1  s", "correct")
    assert sorted(r.phones for r in heard.readings) == sorted(["r ow1  s", ROCKY, LETTERS])


def test_a_term_said_far_from_how_it_is_taught_is_no_other_text(
    hearing: Hearing, planted: Planted
) -> None:
    sound = planted("we-use-roce-letters").slice(0.0, 1.57)
    far = ("K AH0 N V ER1 JH D",)
    (heard,) = hearing.hear(sound, WORDS[:3], [Target("RoCE", 2, 1, far, (LETTERS,))])
    assert (heard.phones, heard.verdict) == (LETTERS, "mispronounced")
    with pytest.raises(HearingError, match="does not fit"):
        hearing.hear(sound, WORDS[:3], [Target("RoCE", 2, 1, far, ("K AO1 F IY0",))])


def test_a_long_answer_with_times_that_drift(
    hearing: Hearing, planted: Planted, silence: Quiet
) -> None:
    names = ["rocky", "rose", "rocky", "rocky", "rose", "rocky", "rose", "rocky"]
    truth = [ROCKY if n == "rocky" else ROSE for n in names]
    pieces: list[np.ndarray] = []
    times: list[tuple[float, float]] = []
    at_s = 0.0
    for number, name in enumerate(names):
        clip = planted(f"we-use-roce-{name}")
        step_s = clip.duration_s / len(WORDS)
        off_s = 1.5 * (-1) ** number
        times += [
            (max(0.0, at_s + off_s + i * step_s), max(0.1, at_s + off_s + (i + 1) * step_s))
            for i in range(len(WORDS))
        ]
        pieces += [clip.samples, silence(2.0)]
        at_s += clip.duration_s + 2.0
    targets = [Target("RoCE", 2 + 6 * i, 1, (ROCKY,), (ROSE,)) for i in range(len(names))]
    sound = Clip(np.concatenate(pieces))
    for given in (times, None):
        heard = hearing.hear(sound, WORDS * len(names), targets, given)
        assert [h.phones for h in heard] == truth
        assert all(a.end_s <= b.start_s for a, b in itertools.pairwise(heard))


@pytest.mark.parametrize("level", [0.0, 1e-4, 0.05])
def test_no_speech_is_an_error(hearing: Hearing, level: float) -> None:
    noise = np.random.default_rng(3).standard_normal(48_000) * level
    with pytest.raises(HearingError, match=r"speech|fit"):
        hearing.hear(Clip(noise.astype(np.float32)), WORDS, [TARGET])


def test_text_of_another_recording_is_an_error(hearing: Hearing, planted: Planted) -> None:
    words = [
        "RoCE",
        "whispers",
        "gently",
        "under",
        "seven",
        "purple",
        "mountains",
        "forever",
        "shining",
    ]
    with pytest.raises(HearingError, match="does not fit"):
        hearing.hear(
            planted("we-use-roce-rocky"), words, [Target("RoCE", 0, 1, (LETTERS,), (ROSE,))]
        )


def test_far_more_text_than_sound_is_an_error(hearing: Hearing, planted: Planted) -> None:
    with pytest.raises(HearingError, match="does not fit"):
        hearing.hear(planted("we-use-roce-rocky"), WORDS * 20, [TARGET])


def test_an_hour_is_an_error_at_once(hearing: Hearing) -> None:
    clip = Clip(np.zeros(3600 * 16_000, np.float32))
    with pytest.raises(HearingError, match="60 minutes"):
        hearing.hear(clip, WORDS, [TARGET])


def test_bad_targets_are_errors(hearing: Hearing, planted: Planted) -> None:
    clip = planted("we-use-roce-rocky")
    with pytest.raises(HearingError, match="outside"):
        hearing.hear(clip, WORDS, [Target("RoCE", 6, 1, (ROCKY,))])
    with pytest.raises(HearingError, match="overlaps"):
        hearing.hear(clip, WORDS, [TARGET, Target("use RoCE", 1, 2, (ROCKY,))])
    with pytest.raises(PhoneError):
        hearing.hear(clip, WORDS, [Target("RoCE", 2, 1, ("R XX K",))])
    assert hearing.hear(clip, WORDS, []) == []


def test_importing_the_hearing_loads_nothing_heavy() -> None:
    code = (
        "import sys, pronunciation.hearing;"
        "print([m for m in ('onnxruntime', 'pocketsphinx', 'espeakng_loader') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
