"""From scores to probabilities and verdicts: the fusion, calibrated on dev speakers and voices."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.hearing.acoustic import LABELS
from pronunciation.hearing.results import Reading, Target, Verdict
from pronunciation.hearing.sound import Fault
from pronunciation.hearing.sphinx import MISSING_NATS
from pronunciation.phones import base_phone

Floats = npt.NDArray[np.float64]

WEIGHTS = (
    "network", "sphinx", "network_root", "sphinx_missing",
    "network_by_fit", "sphinx_by_fit", "sphinx_missing_by_fit", "goodness", "goodness_by_fit",
)  # fmt: skip
"""Names of the judges' weights in the order of ``features``; those of the phones follow."""
PHONES = LABELS[1:]
FURTHEST_NATS = -60.0
"""Score differences are capped here."""
LEARNERS_FIT, FIT_SPREAD = 2.2, 0.5
"""The mean and the spread of ``Scores.network_fit`` on dev's learners."""
MOST_FIT = 2.5
"""Fits are capped at this many spreads from their mean."""
TERM_FITS_FROM = 0.5
"""Nats per frame; a term whose best reading fits worse gets no verdict. On dev speakers, 2 % of the
words that were said fit worse, and two thirds of those that were not."""
FUSION_PATH = Path(__file__).parent / "model" / "fusion.json"


@dataclass(frozen=True, eq=False)
class Scores:
    """What both judges found about the readings of one term.

    Attributes:
        network: log likelihood ratios of the readings over the same frames, shape (readings,).
        network_fit: the best of them, per frame: how familiar such sound is to the network.
        sphinx: PocketSphinx's log scores, or ``None`` if it was skipped or could not align.
        goodness: ``align.goodness`` of each reading; ``None`` counts as all the same.
    """

    network: Floats
    network_fit: float = LEARNERS_FIT
    sphinx: Floats | None = None
    goodness: Floats | None = None


@dataclass(frozen=True)
class Fusion:
    """Weights and thresholds, all chosen by ``scripts.train.calibrate``.

    Attributes:
        network: weight of the network's log likelihood ratio, per nat.
        sphinx: weight of PocketSphinx's log likelihood, per nat.
        network_root: weight of the square root of how far the network's score is below the best,
            because its large differences are less certain than their size suggests.
        sphinx_missing: weight of not being in PocketSphinx's n-best list at all.
        network_by_fit: more of ``network_root`` if the sound is familiar to the network.
        sphinx_by_fit: more of ``sphinx`` then, because such speech suits PocketSphinx too.
        sphinx_missing_by_fit: more of ``sphinx_missing`` then.
        goodness: weight of how good a reading's phones are, each counting once, however short.
        goodness_by_fit: more of ``goodness`` if the sound is familiar to the network.
        phones: added for each such phone in a reading; 0 by default. The judges' scores favor some
            phones over others (AE over EH), and rare phones need more evidence.
        floor: probability shared evenly by all readings, for what no score captures.
        mispronounced_from: probability of the mistakes from which the verdict is ``mispronounced``.
            Of 339 drill items that the natural voice says right, 5 reach it (10 with 0.985).
        correct_from: probability of the accepted readings, against the likeliest mistake alone,
            from which the verdict is ``correct``: the highest with which no kind of dev's right
            readings loses more than 2 of 100.
        drill_correct_from: the same in a drill, where ``unclear`` means another take. The highest
            with which no drill item by the natural voice became unclear.
        stress: weight of the stress judge's log probability, chosen by ``calibrate_stress`` so that
            learners' words reach ``mispronounced_from`` only as rarely as allowed.
        fits_from: how well text and sound must fit at least, see ``hear.belonging``. Of 160
            sentences of dev speakers, 2 % are below; of 160 with the wrong text, 4 % are above.
        drill_fits_from: how far (nats per frame) a drill's best reading may score below free
            phones. Of 100 terms by dev's voices, none is below; of wrong terms by them, 16 % are
            above.
    """

    network: float = 0.4
    sphinx: float = 0.0
    network_root: float = 0.0
    sphinx_missing: float = 0.0
    network_by_fit: float = 0.0
    sphinx_by_fit: float = 0.0
    sphinx_missing_by_fit: float = 0.0
    goodness: float = 0.0
    goodness_by_fit: float = 0.0
    phones: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.01
    mispronounced_from: float = 0.95
    correct_from: float = 0.6
    drill_correct_from: float = 0.6
    stress: float = 1.0
    fits_from: float = 4.75
    drill_fits_from: float = -1.45

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @property
    def weights(self) -> Floats:
        """The weight of each column of ``features``."""
        judges = [getattr(self, name) for name in WEIGHTS]
        return np.array([*judges, *(self.phones.get(phone, 0.0) for phone in PHONES)])


@cache
def default_fusion() -> Fusion:
    """The shipped weights."""
    return Fusion(**json.loads(FUSION_PATH.read_text(encoding="utf-8")))


def features(scores: Scores, phones: Sequence[str]) -> npt.NDArray[np.float64]:
    """The fusion's features: ``WEIGHTS``, then how often each of the 39 phones is in a reading.

    Shape (readings, 48).
    """
    below = np.maximum(scores.network - scores.network.max(), FURTHEST_NATS)
    other = np.zeros(len(phones)) if scores.sphinx is None else scores.sphinx
    missing = other <= MISSING_NATS + 1e-6
    bare = [[base_phone(phone) for phone in reading.split()] for reading in phones]
    counts = np.array([[reading.count(phone) for phone in PHONES] for reading in bare], float)
    root = -np.sqrt(-below)
    known = np.clip((scores.network_fit - LEARNERS_FIT) / FIT_SPREAD, -MOST_FIT, MOST_FIT)
    found = np.where(missing, 0.0, other)
    good = np.zeros(len(phones)) if scores.goodness is None else scores.goodness
    by_fit = (known * root, known * found, known * missing, good, known * good)
    return np.column_stack([below, found, root, missing, *by_fit, counts]).astype(np.float64)


def probabilities(fusion: Fusion, scores: Scores, phones: Sequence[str]) -> Floats:
    """How probable each reading is, given that one of them was spoken; sums to 1."""
    total = features(scores, phones) @ fusion.weights
    share = np.exp(total - total.max())
    share /= share.sum()
    mixed: Floats = (1 - fusion.floor) * share + fusion.floor / share.size
    return mixed


@dataclass(frozen=True)
class Decision:
    """What was decided about one term.

    Attributes:
        verdict: see ``decide``.
        heard: the likeliest reading, whatever the verdict.
        confidence: the probability of that reading's side, accepted or mistaken.
        fault: why the sound is no evidence; only looked for where it matters.
        is_said: whether the term was said at all.
    """

    verdict: Verdict
    heard: Reading
    confidence: float
    fault: Fault | None = None
    is_said: bool = True


def decide(
    fusion: Fusion,
    target: Target,
    readings: Sequence[Reading],
    *,
    fit: float = LEARNERS_FIT,
    fault: Callable[[], Fault | None] = lambda: None,
    is_habit: Callable[[str], bool] = lambda _: False,
) -> Decision:
    """The verdict on a term, from everything that is known; no later stage changes it.

    ``mispronounced`` asks for stronger evidence than ``correct``, because telling someone who said
    it right that it was wrong costs more. It is ``unclear`` instead

    - if the best reading does not fit the sound, or the sound is no evidence;
    - if the mistake is how the speaker says such phones in all words (an accent is no mistake);
    - if the text has other words and it is not sure that the term was said.

    Args:
        fusion: weights and thresholds.
        target: the term, and why it is listened to.
        readings: with their probabilities.
        fit: mean frame score of the best reading, in nats.
        fault: finds what is wrong with the sound there.
        is_habit: whether a mistaken reading is an accepted one with the speaker's habits.
    """
    in_drill = target.basis == "drill"
    correct_from = fusion.drill_correct_from if in_drill else fusion.correct_from
    mistakes = [r.probability for r in readings if not r.accepted]
    mistaken, likeliest = sum(mistakes), max(mistakes, default=0.0)
    best = max(readings, key=lambda r: r.probability)
    fine = max(1e-9, 1 - mistaken)
    confidence = float(min(1.0, fine / (fine + likeliest) if best.accepted else mistaken))
    verdict: Verdict = "unclear"
    if mistaken >= fusion.mispronounced_from and not best.accepted:
        verdict = "mispronounced"
    elif best.accepted and confidence >= correct_from:
        verdict = "correct"
    if fit < TERM_FITS_FROM:
        verdict = "unclear"
    found = None if verdict == "correct" else fault()
    if found is not None or (
        verdict == "mispronounced" and (target.basis == "doubtful" or is_habit(best.phones))
    ):
        verdict = "unclear"
    if target.basis == "alike":  # the words were said, unless the sound has the mistake
        is_said = verdict == "mispronounced"
    else:
        is_said = not target.own or best.phones != target.own
    return Decision(verdict, best, confidence, found, is_said)
