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
