"""What is a stumble, and what is good English said twice."""

from pathlib import Path

import pytest

from server.grading.delivery import find_repeated_starts
from tests.server.grading.test_grader import said

SAID_TWICE = Path(__file__).parents[2] / "data" / "said_twice"


@pytest.mark.parametrize("text", (SAID_TWICE / "meant.txt").read_text("utf-8").splitlines())
def test_good_english_is_no_stumble(text: str, lexicon) -> None:
    assert [start.text for start in find_repeated_starts(said(text, lexicon), ())] == []


@pytest.mark.parametrize("line", (SAID_TWICE / "stumbled.txt").read_text("utf-8").splitlines())
def test_a_stumble_is_found(line: str, lexicon) -> None:
    text, stumbled = line.split(" > ")
    assert [
        start.text for start in find_repeated_starts(said(text, lexicon), ())
    ] == stumbled.split(", ")
