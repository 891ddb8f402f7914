from dataclasses import replace

import numpy as np
import pytest

from pronunciation.hearing.judge import Fusion, Scores, decide, default_fusion, probabilities
from pronunciation.hearing.results import Reading, Target
from scripts.train.calibrate import with_weights

PHONES = ("R AA1 K IY0", "R OW1 S")
NAMED = Target("RoCE", 0, 1, PHONES[:1], PHONES[1:])
FUSION = Fusion(mispronounced_from=0.95, correct_from=0.6)


def test_probabilities_sum_to_one_and_follow_the_scores() -> None:
    shares = probabilities(Fusion(), Scores(np.array([10.0, 4.0])), PHONES)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] > 0.85


def test_both_judges_count() -> None:
    fusion = Fusion(network=0.3, sphinx=0.1)
    network, against = np.array([5.0, 4.0]), np.array([-40.0, 0.0])
    assert probabilities(fusion, Scores(network), PHONES).argmax() == 0
    assert probabilities(fusion, Scores(network, sphinx=against), PHONES).argmax() == 1


def test_the_order_of_the_readings_does_not_matter() -> None:
    fusion = default_fusion()
    one = probabilities(fusion, Scores(np.array([8.0, 5.0]), 2.0, np.array([0.0, -9.0])), PHONES)
    turned = Scores(np.array([5.0, 8.0]), 2.0, np.array([-9.0, 0.0]))
    two = probabilities(fusion, turned, PHONES[::-1])
    assert one == pytest.approx(two[::-1])


def test_the_network_counts_more_where_it_knows_the_sound() -> None:
    fusion = Fusion(network=0.0, sphinx=0.1, network_root=0.5, network_by_fit=0.2)
    network, against = np.array([9.0, 0.0]), np.array([-15.0, 0.0])
    known, strange = (
        probabilities(fusion, Scores(network, fit, against), PHONES) for fit in (3.3, 1.3)
    )
    assert known[0] > 0.6 > 0.4 > strange[0]


def test_how_good_the_phones_are_counts_and_more_where_the_network_knows_the_sound() -> None:
    fusion = Fusion(network=0.0, goodness=1.0, goodness_by_fit=0.4)
    good = np.array([-0.2, -1.2])
    known, usual = (
        probabilities(fusion, Scores(np.zeros(2), fit, goodness=good), PHONES)[0]
        for fit in (3.2, 2.2)
    )
    assert known > usual + 0.1 > 0.8


@pytest.mark.parametrize("against", [-15.0, -45.0], ids=["listed", "fell out of the list"])
def test_pocketsphinx_counts_more_where_the_network_knows_the_sound(against: float) -> None:
    fusion = Fusion(
        network=0.0, sphinx=0.05, sphinx_missing=-1.0,
        sphinx_by_fit=0.02, sphinx_missing_by_fit=-0.4,
    )  # fmt: skip
    known, strange = (
        probabilities(fusion, Scores(np.zeros(2), fit, np.array([against, 0.0])), PHONES)[1]
        for fit in (3.2, 1.2)
    )
    assert known > strange + 0.1 > 0.6


def test_a_phone_that_the_judges_favour_needs_more_evidence() -> None:
    pair, even = ("K AE1 SH", "K EH1 SH"), Scores(np.array([5.0, 5.0]))
    shares = probabilities(Fusion(phones={"AE": -1.0}), even, pair)
    assert shares[1] > shares[0]
    assert probabilities(Fusion(), even, pair) == pytest.approx([0.5, 0.5])


def test_weights_of_judges_and_phones_go_out_and_come_back() -> None:
    fusion = default_fusion()
    assert fusion.phones
    assert with_weights(fusion, fusion.weights) == fusion


def _readings(accepted: float) -> list[Reading]:
    return [Reading(PHONES[0], True, accepted), Reading(PHONES[1], False, 1 - accepted)]


@pytest.mark.parametrize(
    ("accepted", "verdict"), [(0.99, "correct"), (0.5, "unclear"), (0.01, "mispronounced")]
)
def test_verdicts(accepted: float, verdict: str) -> None:
    decision = decide(FUSION, NAMED, _readings(accepted))
    assert decision.verdict == verdict
    assert decision.is_said
    assert decision.confidence == pytest.approx(max(accepted, 1 - accepted))
    assert decision.heard.phones == PHONES[0 if accepted >= 0.5 else 1]


def test_two_unlikely_mistakes_are_no_likely_one() -> None:
    fusion = Fusion(correct_from=0.8)
    two = [Reading(phones, False, 0.15) for phones in ("R OW1 S", "R OW1 CH")]
    assert decide(fusion, NAMED, [_readings(0.7)[0], *two]).verdict == "correct"
    assert decide(fusion, NAMED, _readings(0.7)).verdict == "unclear"


def test_a_drill_asks_for_less_to_be_correct() -> None:
    fusion = Fusion(correct_from=0.8, drill_correct_from=0.7)
    assert decide(fusion, NAMED, _readings(0.75)).verdict == "unclear"
    assert decide(fusion, replace(NAMED, basis="drill"), _readings(0.75)).verdict == "correct"


def test_a_mistake_is_unclear_where_something_else_explains_it() -> None:
    wrong = _readings(0.001)
    assert decide(FUSION, NAMED, wrong).verdict == "mispronounced"
    assert decide(FUSION, NAMED, wrong, fit=0.1).verdict == "unclear"
    assert decide(FUSION, NAMED, wrong, is_habit=lambda phones: True).verdict == "unclear"
    assert decide(FUSION, replace(NAMED, basis="doubtful"), wrong).verdict == "unclear"
    assert decide(FUSION, replace(NAMED, basis="found"), wrong).verdict == "mispronounced"
    noisy = decide(FUSION, NAMED, wrong, fault=lambda: "noisy")
    assert (noisy.verdict, noisy.fault) == ("unclear", "noisy")


def test_noise_does_not_take_back_what_was_said_right() -> None:
    assert decide(FUSION, NAMED, _readings(0.99), fault=lambda: "noisy").verdict == "correct"


def test_words_that_sound_like_a_mistake_count_only_as_one() -> None:
    alike = replace(NAMED, basis="alike", own="R OW1 Z")
    assert decide(FUSION, alike, _readings(0.001)).is_said
    assert not decide(FUSION, alike, _readings(0.5)).is_said
    assert not decide(FUSION, alike, _readings(0.99)).is_said


def test_a_term_was_not_said_where_the_written_words_fit_better() -> None:
    found = replace(NAMED, basis="found", own="R AO1 K")
    own = Reading("R AO1 K", True, 0.7)
    assert not decide(FUSION, found, [Reading(PHONES[0], True, 0.3), own]).is_said
    assert decide(
        FUSION, found, [Reading(PHONES[0], True, 0.8), replace(own, probability=0.2)]
    ).is_said


def test_a_mistake_needs_more_evidence_than_its_absence() -> None:
    assert default_fusion().mispronounced_from > default_fusion().correct_from
