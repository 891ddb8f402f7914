"""The hearing's input and output."""

from dataclasses import dataclass
from typing import Literal

from pronunciation.hearing.sound import Fault

Verdict = Literal["correct", "mispronounced", "unclear"]
Basis = Literal["named", "found", "doubtful", "alike", "drill"]
"""Why a term is listened to: the text names it; it was found in the sound where the text has other
words, surely or not, see ``match``; the words there sound like it said wrong, see ``spotting``; or
it is what is drilled."""


@dataclass(frozen=True)
class Target:
    """A term at one place of the text, and the closed set of readings it may have been said with.

    Attributes:
        term: as it is written.
        word_index: index of its first word, counting the text's whitespace-separated words.
        n_words: how many words it takes.
        readings: accepted readings, ARPAbet, at least one.
        mistakes: mistaken readings, ARPAbet; those equal to an accepted reading are left out.
        basis: why it is listened to.
        own: how the words at its place are said as they were written, ARPAbet; competes with the
            readings, and the term was not said if it wins. Empty: nothing competes.
    """

    term: str
    word_index: int
    n_words: int
    readings: tuple[str, ...]
    mistakes: tuple[str, ...] = ()
    basis: Basis = "named"
    own: str = ""

    @property
    def places(self) -> range:
        """The indices of its words."""
        return range(self.word_index, self.word_index + self.n_words)


@dataclass(frozen=True)
class Reading:
    """One reading and the evidence for it.

    Attributes:
        phones: ARPAbet.
        accepted: whether it is one of the accepted readings.
        probability: the probability that it was spoken, given that one of the readings was.
        network: the network's log likelihood ratio over the term and its neighbors, in nats.
        sphinx: PocketSphinx's log score relative to its best, in nats; ``None`` if skipped.
        goodness: how far its phones are below the frames' best ones, see ``align.goodness``.
    """

    phones: str
    accepted: bool
    probability: float
    network: float = 0.0
    sphinx: float | None = None
    goodness: float = 0.0


@dataclass(frozen=True)
class Heard:
    """How one term was said at one place.

    Attributes:
        term: as in the target.
        word_index: as in the target.
        verdict: ``unclear`` if the evidence supports neither of the others.
        phones: the best of the target's readings and mistakes, whatever the verdict.
        confidence: the probability that the side of the reading heard (accepted or mistaken) is
            right.
        start_s: where the term begins in the clip, in seconds.
        end_s: where it ends, in seconds.
        readings: the evidence: every reading with its probability, the best first.
        fit: mean frame score of the best reading, in nats; below 0, the sound is more like anything
            else than like the reading.
        network_fit: the network's best score of the term and its neighbors, per frame.
        fault: why the sound is no evidence, if it is not; then nothing is ``mispronounced``.
        is_said: whether it was said at all; always for what the text names.
    """

    term: str
    word_index: int
    verdict: Verdict
    phones: str
    confidence: float
    start_s: float
    end_s: float
    readings: tuple[Reading, ...] = ()
    fit: float = 0.0
    network_fit: float = 0.0
    fault: Fault | None = None
    is_said: bool = True


@dataclass(frozen=True)
class DrillHeard:
    """How a term was said alone.

    Attributes:
        outcome: a verdict, or ``something_else``, or ``nothing``.
        phones: the best reading; ``None`` if nothing was said.
        confidence: probability of the outcome.
        start_s: where speech begins, ``None`` if nothing was said.
        end_s: where it ends.
        readings: every reading with its probability, the best first.
    """

    outcome: Literal["correct", "mispronounced", "unclear", "something_else", "nothing"]
    phones: str | None
    confidence: float
    start_s: float | None = None
    end_s: float | None = None
    readings: tuple[Reading, ...] = ()
