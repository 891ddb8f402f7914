from collections import Counter

import pytest

from benchmarks.spoken import Tally


@pytest.mark.parametrize(("named", "mispronounced"), [(2, 1), (1, 0)])
def test_only_what_the_voice_said_right_can_be_wrongly_accused(
    named: int, mispronounced: int
) -> None:
    tally = Tally()
    tally.count_terms(Counter(NCCL=named, GPU=1), Counter(NCCL=2), Counter(NCCL=1))
    assert (tally.terms, tally.terms_heard) == (named + 1, named)
    assert tally.mispronounced == mispronounced
