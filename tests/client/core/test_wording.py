import pytest

from client.core.wording import count_of


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers"), (100, "100 answers")]
)
def test_a_noun_agrees_with_its_number(number: int, text: str) -> None:
    assert count_of(number, "answer") == text
