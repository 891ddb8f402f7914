from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from client.engines.base import Transcriber
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from scripts import spellings
from scripts.spellings import CARRIERS, TermClip, anchors, transcribed
from server.contract import Word


class Written(Transcriber):
    """Writes these words, each a tenth of a second after the other, four seconds a sentence."""

    name, model = "written", "none"

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences

    def recognize(self, clip: Clip) -> Sequence[Word]:
        return [
            Word(text=text, start_s=4 * number + at / 10, end_s=4 * number + at / 10 + 0.1)
            for number, sentence in enumerate(self.sentences)
            for at, text in enumerate(sentence.split())
        ]


def test_what_stands_for_each_term_is_found_and_what_is_lost_left_out() -> None:
    silence = Clip(np.zeros(4 * 16_000, np.float32))
    window = [
        TermClip(term, anchors(*carrier), silence)
        for term, carrier in zip(("InfiniBand", "RoCE", "NCCL"), CARRIERS, strict=False)
    ]
    engine = Written(
        "Last year our team moved to Infinite Bend. Within two months.",
        "I first heard, a rocky from my colleagues.",
        "My manager asked whether: Nickel would be worth it.",
    )

    assert list(transcribed(engine, window)) == [
        ("InfiniBand", "infinite bend"),
        ("NCCL", "nickel"),
    ]


def test_the_counts_are_kept_by_term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spellings, "DATA", tmp_path / "spellings.json")
    counted = {"RoCE": spellings.Counter({"rocky": 2, "rose": 3}), "AI": spellings.Counter("a")}

    spellings.write(counted)

    assert spellings.read() == counted
    assert spellings.DATA.read_text().splitlines()[2] == '"RoCE": {"rose": 3, "rocky": 2}'


def test_a_spelling_belongs_to_one_term() -> None:
    lexicon = [term for term in load_lexicon() if term.term in {"NVLink", "NVSwitch", "kubelet"}]
    lexicon += [term for term in load_lexicon() if term.term == "Kubernetes"]
    counted = {
        "NVLink": spellings.Counter({"nblink": 2}),
        "NVSwitch": spellings.Counter({"nblink": 2, "nvlink": 3, "envy switch": 1}),
        "kubelet": spellings.Counter({"kubernet": 1, "cubelet": 1}),
    }

    kept = spellings.own(counted, lexicon)

    assert kept == {
        "NVLink": {"nblink": 2},  # nearer than NVSwitch, for which it was seen too
        "NVSwitch": {"envy switch": 1},
        "kubelet": {"cubelet": 1},  # the other one is nearer to Kubernetes
    }


def test_the_data_is_of_terms_in_the_lexicon() -> None:
    known = {term.term for term in load_lexicon()}
    kept = spellings.read()

    assert kept
    assert set(kept) <= known
    assert all(count > 0 for counts in kept.values() for count in counts.values())
