"""Hearing: which of a term's readings was spoken, where, and how surely; in a text or alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import HearingError
from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, SILENCE, AcousticModel
from pronunciation.hearing.align import States, best_path, sum_over_alignments, word_states
from pronunciation.hearing.judge import Fusion, Scores, decide, default_fusion, probabilities
from pronunciation.hearing.layout import (
    Layout,
    Phones,
    align_layout,
    best_states,
    between,
    candidates_of,
    check_targets,
    context,
    lay_out,
    regrouped,
)
from pronunciation.hearing.places import is_habit
from pronunciation.hearing.results import DrillHeard, Heard, Reading, Target
from pronunciation.hearing.sound import fault_around
from pronunciation.hearing.speech import is_steady, speech_frames, speech_part, speech_span
from pronunciation.hearing.sphinx import Sphinx
from pronunciation.hearing.stress import stress_log_probabilities
from pronunciation.phones import bare_phones, parse_phones

Floats = npt.NDArray[np.float32]

Aligned = tuple[Layout, States, npt.NDArray[np.int64]]
"""A text's layout, its states, and the state of each frame."""

LONGEST_S = 30 * 60.0
"""No answer is longer; an hour of sound is a mistake, and the error says so."""
LONGEST_WITHOUT_TIMES_S = 12 * 60.0
"""Without word times, the whole text is aligned at once, which needs memory for each frame."""
SHORTEST_SPEECH_S = 0.12
"""Less speech than this is not a word."""
SPHINX_WORDS = 4
"""Words on either side that PocketSphinx also gets, because its level normalization needs more
sound."""
NO_PATH = -6.0
"""The goodness of a reading with more phones than frames."""
SPHINX_MARGIN_S = 0.1
SURE_TO = 0.05
"""Probability of the mistakes, from the network alone, up to which PocketSphinx is skipped, because
it takes ten times longer. It is asked about 0.62 of dev's learners' words and 0.79 of a new voice's
terms (0.64 and 0.77 with 0.1, with which more mistakes pass for right)."""
WORD_FITS_FROM = -2.5
"""Nats per frame below the best phone; a word further below was probably not said."""
WORD_SHARE = 2.5
"""Weight of the share of fitting words, from a logistic regression on dev's sentences and
others'."""
AS_SAID_FITS_BETTER = 1.5
"""Required beyond ``Fusion.fits_from`` for a text with its terms as they seem to be said, because
every text fits better then. Of 180 texts of other sentences, the best reached 0.7 beyond. Nine of
"we use ..." with a term said far from how it is taught, which had been refused, reached 3.2 to
3.8."""


@dataclass(frozen=True, eq=False)
class Speech:
    """All that is judged of a clip, so that what is around it cannot matter.

    Attributes:
        clip: the speech with a little around it, see ``speech_part``.
        scores: its frame scores, one row for each 20 ms.
        first_s: where it begins in the clip that it was cut from.
    """

    clip: Clip
    scores: Floats
    first_s: float

    def times(
        self, given: Sequence[tuple[float, float]] | None
    ) -> Sequence[tuple[float, float]] | None:
        """Times in the clip that it was cut from as times in this one."""
        return given and [(start - self.first_s, end - self.first_s) for start, end in given]

    def in_clip(self, clip: Clip, start_s: float, end_s: float) -> tuple[float, float]:
        """A place as times in the clip that it was cut from."""
        return max(0.0, start_s + self.first_s), min(clip.duration_s, end_s + self.first_s)


class Hearing:
    """Judges how terms were said; one instance serves many clips.

    Args:
        model: the acoustic network; by default the shipped one, loaded at first use.
        fusion: weights and thresholds; by default the shipped ones.
    """

    def __init__(self, model: AcousticModel | None = None, fusion: Fusion | None = None) -> None:
        self.model = model or AcousticModel()
        self._fusion = fusion
        self._sphinx = Sphinx()

    @property
    def fusion(self) -> Fusion:
        """Weights and thresholds in use."""
        return self._fusion or default_fusion()

    def hear(
        self,
        clip: Clip,
        words: Sequence[str],
        targets: Sequence[Target],
        word_times: Sequence[tuple[float, float]] | None = None,
        speech: Speech | None = None,
        aligned: Aligned | None = None,
        habits: Callable[[], Floats] | None = None,
    ) -> list[Heard]:
        """For each target, say which of its readings was spoken.

        Args:
            clip: 16 kHz sound, up to 30 minutes (12 without ``word_times``).
            words: the words said, as written.
            targets: terms at places of ``words``, not overlapping; any order.
            word_times: rough (start_s, end_s) of each word; they may drift by some seconds.
            speech: the clip's speech, if already known.
            aligned: the words' alignment with it, if already known; it may lack targets, see
                ``regrouped``.
            habits: how the speaker says phones, see ``habits``; asked for only where something is
                mispronounced. ``None``: not known.

        Returns:
            One result for each target, in the targets' order.

        Raises:
            HearingError: no speech, a clip too long, or words that do not fit the sound.
            PhoneError: a reading is not ARPAbet.
        """
        if not targets:
            return []
        check_targets(words, targets)
        if word_times is not None and len(word_times) != len(words):
            raise HearingError(f"{len(word_times)} word times were given for {len(words)} words")
        if speech is None:
            speech = self.speech(clip, has_times=word_times is not None)
        scores, word_times = speech.scores, speech.times(word_times)
        if aligned is None:
            layout = lay_out(words, targets)
            chain, states = align_layout(scores, layout, word_times)
        else:
            layout, chain, states = aligned
        if belonging(scores, chain, states) < self.fusion.fits_from:
            # a term said far from how it is taught makes a short sentence look like another one
            layout = _as_said(scores, *regrouped(layout, chain.word[states], targets))
            chain, states = align_layout(scores, layout, word_times)
            if belonging(scores, chain, states) < self.fusion.fits_from + AS_SAID_FITS_BETTER:
                raise HearingError(
                    "the text does not fit the sound: other words were said than those given, or "
                    "the recording is too distorted"
                )
        layout, owner = regrouped(layout, chain.word[states], targets)
        results: dict[int, Heard] = {}
        for unit, target in enumerate(layout.target):
            if target is not None:
                heard = self._judge(speech, owner, layout, unit, target, habits=habits)
                start_s, end_s = speech.in_clip(clip, heard.start_s, heard.end_s)
                results[id(target)] = replace(heard, start_s=start_s, end_s=end_s)
        return [results[id(target)] for target in targets]

    def speech(self, clip: Clip, *, has_times: bool = False) -> Speech:
        """A clip's speech, if it may be judged.

        Raises:
            HearingError: no speech, too long, or not at 16 kHz.
        """
        if clip.sample_rate_hz != SAMPLE_RATE_HZ:
            raise HearingError(f"the clip is at {clip.sample_rate_hz} Hz; resample it to 16 kHz")
        longest_s = LONGEST_S if has_times else LONGEST_WITHOUT_TIMES_S
        if clip.duration_s > longest_s:
            hint = "" if has_times else " without word times"
            raise HearingError(
                f"the clip is {clip.duration_s / 60:.0f} minutes long; at most "
                f"{longest_s / 60:.0f} minutes can be judged{hint}: cut it"
            )
        part, first = speech_part(clip)
        if speech_frames(part) * FRAME_S < SHORTEST_SPEECH_S:
            raise HearingError("no speech detected in the clip")
        scores = self.model.scores(part)
        silent = scores.argmax(axis=1) == LABEL_INDEX[SILENCE]
        if float((~silent).sum()) * FRAME_S < SHORTEST_SPEECH_S:
            raise HearingError("no speech detected in the clip")
        return Speech(part, scores, first / SAMPLE_RATE_HZ)

    def judge_alone(self, speech: Speech, target: Target) -> Heard | None:
        """Judge a term that is all the speech; ``None`` if it is too short for it."""
        layout = Layout([bare_phones(target.readings[0])], [0], [target])
        chain = word_states(layout.phones)
        path = best_path(speech.scores, chain)
        if path is None:
            return None
        return self._judge(speech, chain.word[path.states], layout, 0, target, whole=True)

    def belonging(self, scores: Floats, words: Sequence[str]) -> float:
        """How well a text fits a clip's frame scores, see ``belonging``.

        Raises:
            HearingError: the text has more sounds than the clip.
        """
        chain = word_states(lay_out(words, ()).phones)
        return belonging(scores, chain, best_states(scores, chain, None))

    def _judge(
        self,
        speech: Speech,
        owner: npt.NDArray[np.int64],
        layout: Layout,
        unit: int,
        target: Target,
        *,
        whole: bool = False,
        habits: Callable[[], Floats] | None = None,
    ) -> Heard:
        """Score the target's readings between its neighbors, with free borders."""
        clip, scores = speech.clip, speech.scores
        frames = np.flatnonzero(owner == unit)
        start, end = int(frames[0]), int(frames[-1])
        candidates = candidates_of(target)
        upper = [" ".join(parse_phones(c)) for c in candidates]
        bare = [bare_phones(c) for c in candidates]
        before, after, offset, window = between(scores, owner, layout, unit, whole=whole)
        chains = [word_states([*before, p, *after]) for p in bare]
        total = sum_over_alignments(window, chains)
        paths = [best_path(window, chain) for chain in chains]
        good = np.array(
            [
                path.goodness(window, chain, len(before)) if path else NO_PATH
                for chain, path in zip(chains, paths, strict=True)
            ]
        )
        judged = Scores(total, float(total.max()) / len(window), goodness=good)
        shares = probabilities(self.fusion, judged, upper)
        accepted = {*target.readings, target.own}
        is_accepted = np.array([candidate in accepted for candidate in candidates])
        sure = is_accepted[shares.argmax()] and shares[~is_accepted].sum() <= SURE_TO
        other = None
        if self.fusion.sphinx and len(set(bare)) > 1 and not sure:
            span = context(owner, unit, len(layout.phones), whole=whole, words=SPHINX_WORDS)
            start_s, end_s = span[2] * FRAME_S, span[3] * FRAME_S
            other = self._sphinx.compare(
                clip.slice(start_s - SPHINX_MARGIN_S, end_s + SPHINX_MARGIN_S),
                layout.phones[span[0] : unit], bare, layout.phones[unit + 1 : span[1] + 1],
            )  # fmt: skip
            judged = replace(judged, sphinx=other)
            shares = probabilities(self.fusion, judged, upper)
        best = int(shares.argmax())
        inner, path = chains[best], paths[best]
        if path is not None:
            mine = np.flatnonzero(inner.word[path.states] == len(before))
            start, end = offset + int(mine[0]), offset + int(mine[-1])
            fit = float(window[mine, inner.labels[path.states[mine]]].mean())
        else:
            fit = -1.0
        shares = _share_stress(self.fusion, clip, upper, bare, shares, scores, start, end)
        sphinx = [None] * len(candidates) if other is None else other.tolist()
        rows = zip(candidates, shares.tolist(), total.tolist(), sphinx, good.tolist(), strict=True)
        readings = sorted(
            (Reading(c, c in accepted, p, n, o, g) for c, p, n, o, g in rows),
            key=lambda r: -r.probability,
        )
        start_s, end_s = start * FRAME_S, min(clip.duration_s, (end + 1) * FRAME_S)
        found = decide(
            self.fusion,
            target,
            readings,
            fit=fit,
            fault=lambda: fault_around(clip, start_s, end_s),
            is_habit=lambda phones: (
                habits is not None and is_habit(phones, target.readings, habits())
            ),
        )
        return Heard(
            target.term, target.word_index, found.verdict, found.heard.phones, found.confidence,
            start_s, end_s, tuple(readings), fit, judged.network_fit, found.fault, found.is_said,
        )  # fmt: skip


def _as_said(scores: Floats, layout: Layout, owner: npt.NDArray[np.int64]) -> Layout:
    """The text with the reading of each target that the network scores best at its place."""
    phones = list(layout.phones)
    for unit, target in enumerate(layout.target):
        if target is None:
            continue
        bare = [bare_phones(candidate) for candidate in candidates_of(target)]
        before, after, _, window = between(scores, owner, layout, unit)
        total = sum_over_alignments(window, [word_states([*before, p, *after]) for p in bare])
        phones[unit] = bare[int(total.argmax())]
    return replace(layout, phones=phones)


def belonging(scores: Floats, chain: States, states: npt.NDArray[np.int64]) -> float:
    """How well a text and a sound fit together.

    Combines the mean score of the frames assigned to words, how far it is below the best phone of
    each frame, twice the share of the speech that the words explain, and the share of the words
    that fit. In the wrong text, some words always fit by chance, but not as many.
    """
    spoken = chain.word[states] >= 0
    owner = chain.word[states][spoken]
    voiced = scores.argmax(axis=1) != LABEL_INDEX[SILENCE]
    said = scores[np.arange(len(scores)), chain.labels[states]][spoken]
    below = said - scores.max(axis=1)[spoken]
    explained = float((spoken & voiced).sum()) / max(1, int(voiced.sum()))
    word_means = np.bincount(owner, below) / np.maximum(1, np.bincount(owner))
    fitting = float((word_means > WORD_FITS_FROM).mean())
    return float(said.mean()) + float(below.mean()) + 2.0 * explained + WORD_SHARE * fitting


def _share_stress(
    fusion: Fusion,
    clip: Clip,
    candidates: Sequence[str],
    bare: Sequence[Phones],
    shares: npt.NDArray[np.float64],
    scores: Floats,
    start: int,
    end: int,
) -> npt.NDArray[np.float64]:
    """Candidates with the same phones share their probability according to the stress."""
    out = shares.copy()
    for phones in set(bare):
        group = [i for i, other in enumerate(bare) if other == phones]
        if len(group) < 2:
            continue
        window = scores[start : end + 1]
        path = best_path(window, word_states([phones]))
        together = float(shares[group].sum())
        out[group] = together / len(group)
        if path is None:
            continue
        logs = stress_log_probabilities(
            clip, path.states, start * FRAME_S, [candidates[i] for i in group]
        )
        if logs is not None:
            weights = np.exp(fusion.stress * (logs - logs.max()))
            out[group] = together * weights / weights.sum()
    return out


LONGEST_DRILL_S = 20.0
SWITCH_NATS = 3.0
"""Cost of changing phones in the free phone loop, so that it does not follow noise."""
STEEPNESS = 6.0
"""How fast confidence grows with the distance of a reading's fit from the threshold, per nat per
frame."""


def free_phones_score(scores: Floats) -> npt.NDArray[np.float64]:
    """The score of each frame on the best path through any phones in any order, shape (frames,)."""
    n, classes = scores.shape
    alpha = scores[0].astype(np.float64)
    came = np.zeros((n, classes), np.int64)
    for t in range(1, n):
        jump = int(alpha.argmax())
        better = alpha[jump] - SWITCH_NATS > alpha
        came[t] = np.where(better, jump, np.arange(classes))
        alpha = np.where(better, alpha[jump] - SWITCH_NATS, alpha) + scores[t]
    state = int(alpha.argmax())
    path = np.zeros(n, np.int64)
    for t in range(n - 1, -1, -1):
        path[t] = state
        state = int(came[t][state])
    return scores[np.arange(n), path].astype(np.float64)


def drill_fit(scores: Floats, reading: str) -> tuple[float, int, int] | None:
    """How much worse a reading fits than free phones, in nats per speech frame, and its frames.

    Sound outside the reading counts against it, so that a long answer does not pass for a short
    term.
    """
    phones = bare_phones(reading)
    chain = word_states([phones])
    path = best_path(scores, chain)
    if path is None:
        return None
    said = scores[np.arange(len(scores)), chain.labels[path.states]].astype(np.float64)
    free = free_phones_score(scores)
    speech = scores.argmax(axis=1) != LABEL_INDEX[SILENCE]
    inside = np.flatnonzero(chain.word[path.states] == 0)
    counted = speech.copy()
    counted[inside] = True
    return float((said - free)[counted].mean()), int(inside[0]), int(inside[-1])


def hear_drill(
    hearing: Hearing, clip: Clip, readings: Sequence[str], mistakes: Sequence[str] = ()
) -> DrillHeard:
    """Which reading of one term is in a clip, if any.

    Args:
        hearing: the hearing to use.
        clip: one attempt at one term, up to 20 s.
        readings: accepted readings, ARPAbet.
        mistakes: mistaken readings.

    Raises:
        HearingError: the clip is too long or at another rate, or no reading is accepted.
        PhoneError: a reading is not ARPAbet.
    """
    if not readings:
        raise HearingError("the term has no accepted reading")
    for reading in (*readings, *mistakes):
        parse_phones(reading)
    if clip.duration_s > LONGEST_DRILL_S:
        raise HearingError(f"a drill's answer takes at most {LONGEST_DRILL_S:.0f} s: say the term")
    begin, behind = speech_span(clip)
    if is_steady(Clip(clip.samples[begin:behind], clip.sample_rate_hz)):
        return DrillHeard("nothing", None, 1.0)
    try:
        speech = hearing.speech(clip)
    except HearingError as error:
        if "no speech" in str(error):
            return DrillHeard("nothing", None, 1.0)
        raise
    scores = speech.scores
    fits = [fit for r in (*readings, *mistakes) if (fit := drill_fit(scores, r)) is not None]
    threshold = hearing.fusion.drill_fits_from
    best = max(fits, default=(threshold - 1.0, 0, len(scores) - 1))
    belongs = float(1 / (1 + np.exp(-STEEPNESS * (best[0] - threshold))))
    target = Target("term", 0, 1, tuple(readings), tuple(mistakes), "drill")
    heard = hearing.judge_alone(speech, target) if fits else None

    if heard is None or belongs < 0.5:
        phones = heard.phones if heard else None
        found = heard.readings if heard else ()
        times = speech.in_clip(clip, best[1] * FRAME_S, (best[2] + 1) * FRAME_S)
        return DrillHeard("something_else", phones, 1 - belongs, *times, found)
    times = speech.in_clip(clip, heard.start_s, heard.end_s)
    return DrillHeard(heard.verdict, heard.phones, heard.confidence, *times, heard.readings)
