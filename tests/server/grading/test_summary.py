"""What the summary praises."""

import pytest

from server.contract import (
    Coverage,
    Delivery,
    Language,
    PhraseCoverage,
    Pronunciation,
    Structure,
    StructurePart,
)
from server.contract.scoring import bands
from server.grading.summary import summarize


@pytest.mark.parametrize(("believed", "praised"), [(0.1, False), (0.9, True)])
def test_a_structure_is_praised_only_if_it_counts(believed, praised):
    phrases = (PhraseCoverage(phrase="KV cache", status="covered"),)
    part = StructurePart(name="reason", status="said")
    structure = Structure(kind="explain", parts=(part,), score=1.0, believed=believed)

    found = summarize(
        Coverage(score=1.0, phrases=phrases),
        Pronunciation(),
        Delivery(words=100, target_s=60.0),
        Language(),
        structure,
    )

    told = [point.text for point in found.went_well]
    assert ("Your answer has every part that it needs." in told) is praised


@pytest.mark.parametrize(("rate", "named"), [(189, False), (192, True), (196, True), (109, True)])
def test_a_pace_out_of_its_band_is_named_whatever_else_there_is(rate, named):
    missing = tuple(PhraseCoverage(phrase=f"p{n}", status="missing", weight=3) for n in range(5))
    parts = tuple(StructurePart(name=f"part {n}", status="missing") for n in range(3))
    found = summarize(
        Coverage(score=0.0, phrases=missing),
        Pronunciation(),
        Delivery(words=100, words_per_minute=rate, target_s=60.0),
        Language(),
        Structure(kind="explain", parts=parts, score=0.0),
    )
    assert any(f"{rate} words per minute" in point.text for point in found.work_on) is named
    assert len(found.work_on) == 3


def test_few_fillers_are_no_praise_because_engines_leave_them_out():
    delivery = Delivery(words=100, answer_s=60.0, target_s=60.0)
    found = summarize(Coverage(score=0.0, phrases=()), Pronunciation(), delivery, Language())
    assert not any("filler" in point.text for point in found.went_well)


def test_every_band_says_its_unit_population_and_source():
    for name, each in bands().items():
        assert each.value > 0 and each.unit and each.population and each.page, name
        assert (each.source == "none") == (each.page == "none") and "unknown" not in each.page, name
        assert each.source != "none" or "ours" in each.population, name
