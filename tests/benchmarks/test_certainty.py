import pytest

from benchmarks.certainty import Judged, table


def cases(certainty: float, right: int, wrong: int, verdict: str = "correct") -> list[Judged]:
    return [
        Judged(certainty, is_right, said_right=is_right, verdict=verdict)
        for is_right in [True] * right + [False] * wrong
    ]


def test_what_is_right_as_often_as_it_claims_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert table("honest", cases(0.75, 3, 1))
    assert "0.60-0.80           4    0.750   0.750" in capsys.readouterr().out


def test_what_claims_too_much_is_not() -> None:
    assert not table("boasting", cases(0.95, 3, 1))
    assert table("boasting", cases(0.95, 3, 1), is_known=False)


def test_nor_is_what_accuses_those_who_said_it_right() -> None:
    assert not table("harsh", cases(0.99, 100, 1, "mispronounced"), is_known=False)
