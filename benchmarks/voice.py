"""What Whisper and our own hearing make of the natural voice, and how fast it speaks.

    python benchmarks/voice.py [--model base] [--every 1] [--verbose]

Every prompt of the bank is spoken. Prints word errors (goal: at most 5 %; numbers, and the
spellings that count for a term, are made alike first), the verdicts on the terms of the prompts
(goals: 90 % said right, none wrong), and the time to the first sentence's sound (goal: 0.3 s).
Exit status 1 where a goal is missed.
"""

import argparse
import sys
import time
from collections import Counter
from statistics import median

from rapidfuzz.distance import Levenshtein

from client.answer.worker import transcribe
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from client.speaking import Speaker
from client.speaking.voices import NaturalVoice
from pronunciation.clip import Clip, at_sample_rate
from pronunciation.hearing import Hearing
from pronunciation.hearing.results import Heard
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.written_terms import plain
from question_bank.loader import load_bank
from server.grading.numbers import read_number

MAX_WORD_ERRORS = 0.05
MIN_RIGHT = 0.9
MAX_START_S = 0.3


def words_of(text: str, spotter: TermSpotter) -> list[str]:
    """The words of a text for comparing: terms by their names, numbers as digits."""
    words = spotter.take_apart(text.replace("-", " ").split()).words
    parts = [plain(word).replace(",", "") for word in words]
    for spot in reversed(spotter.spot(parts)):
        first = spot.word_index
        parts[first : first + spot.n_words] = [spot.term.casefold()]
    written: list[str] = []
    at = 0
    while at < len(parts):
        digits, length = read_number(parts, at) or (parts[at], 1)
        written += [digits] if digits else []
        at += length
    return written


def write_down(engine: Transcriber, clip: Clip) -> str:
    """What an engine writes for a clip of any rate."""
    return transcribe(engine, at_sample_rate(clip)).text


def listen(hearing: Hearing, spotter: TermSpotter, text: str, clip: Clip) -> list[Heard]:
    """How our own hearing judges each term of a text."""
    words = list(spotter.take_apart(text.split()).words)
    targets = spotter.spot(words)
    return list(hearing.hear(at_sample_rate(clip), words, targets)) if targets else []


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", default="base", help="Whisper weights")
    parser.add_argument("--every", type=int, default=1, help="only every so many prompts")
    parser.add_argument("--verbose", action="store_true", help="print what is not as it should be")
    options = parser.parse_args()
    lexicon = load_lexicon()
    spotter, hearing = TermSpotter(lexicon), Hearing()
    engine = load_engine("faster-whisper", EngineOptions(options.model, offline=True))
    clocks = (time.perf_counter, time.process_time)
    starts_s: list[tuple[float, ...]] = []  # by both clocks
    speaker = Speaker(
        lexicon,
        voices=[NaturalVoice()],
        player=lambda clip, stop: starts_s.append(
            tuple(now() - began for now, began in zip(clocks, began_s, strict=True))
        ),
    )
    began_s = [now() for now in clocks]
    speaker.speak("Ready.")
    print(f"the voice is loaded and speaks after {starts_s[0][0]:.2f} s")
    first_s, verdicts, words, wrong = [], Counter[str](), 0, 0
    for question in load_bank().questions[:: options.every]:
        starts_s.clear()
        began_s = [now() for now in clocks]
        speaker.speak(question.prompt)
        first_s.append(starts_s[0])
        clip = speaker.clip(question.prompt)
        said = words_of(question.prompt, spotter)
        heard = words_of(written := write_down(engine, clip), spotter)
        errors = Levenshtein.distance(said, heard)
        words, wrong = words + len(said), wrong + errors
        terms = listen(hearing, spotter, question.prompt, clip)
        verdicts.update(term.verdict for term in terms)
        if options.verbose and errors:
            print(f"{errors} errors: {question.prompt}\n        -> {written}")
        for term in terms:
            if options.verbose and term.verdict != "correct":
                print(f"{term.verdict}: {term.term} as {term.phones} ({term.confidence:.2f})")
    total = verdicts.total()
    print(f"Whisper {options.model}: {wrong} of {words} words wrong ({wrong / words:.1%})")
    print(
        f"our hearing: of {total} terms {verdicts['correct']} right, "
        f"{verdicts['unclear']} unclear, {verdicts['mispronounced']} wrong"
    )
    elapsed_s, worked_s = zip(*first_s, strict=True)
    print(
        f"first sound after {median(elapsed_s):.2f} s in the median, {max(elapsed_s):.2f} s at "
        f"most; processor time {median(worked_s):.2f} s, {max(worked_s):.2f} s at most"
    )
    met = (
        wrong <= MAX_WORD_ERRORS * words,
        verdicts["correct"] >= MIN_RIGHT * total,
        not verdicts["mispronounced"],
        median(elapsed_s) <= MAX_START_S,
    )
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
