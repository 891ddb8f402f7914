"""The training script makes a usable model, here from a fiftieth of the answers."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="fitting weights needs the group training, and half an hour")

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import by_meaning, model
from server.grading.grader import cover_question

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SAID = "InfiniBand is lossless by its credits, and we rely on adaptive routing."
OTHER = "My brother works in a bakery and on Sundays we go to the lake."


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_fiftieth_of_the_answers_makes_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import train_grader

    file = tmp_path / "grader.npz"
    monkeypatch.setattr(model, "FILE", model.FILE)
    try:
        train_grader.train(file, share=0.02)
        with (
            np.load(file) as made,
            np.load(SCRIPTS.parent / "server/grading/data/grader.npz") as own,
        ):
            assert set(made.files) == set(own.files)
            assert made["phrase.features"].tolist() == own["phrase.features"].tolist()
        question = load_bank().question("infiniband-or-roce")
        assert question is not None
        said, other = (
            cover_question(question, text.split(), load_lexicon()) for text in (SAID, OTHER)
        )
    finally:
        monkeypatch.undo()
        for kept in (model.shipped_model, model.shipped_linear, by_meaning.shipped_metric):
            kept.cache_clear()
        by_meaning.question_vectors.cache_clear()
        sys.modules.pop("train_grader", None)

    # of so few answers it learns no chance from which a phrase counts, but what is likelier
    chances = [sum(each.confidence or 0.0 for each in found.phrases) for found in (other, said)]
    assert 2.0 * chances[0] < chances[1]
    statuses = {each.phrase: each.status for each in said.phrases}
    assert statuses["adaptive routing"] != "missing"
    assert all(each.status == "missing" for each in other.phrases)
    assert "phrases, held out" in capsys.readouterr().out
