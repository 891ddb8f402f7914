"""What Whisper writes for each lexicon term, counted: speak it in accents, keep the spellings.

Each term is said as it is taught, in a sentence whose other words are American, so that what stands
between them is what Whisper made of the term. Several sentences share a window, as in an answer;
they differ, because Whisper drops what repeats itself. The result is
``pronunciation/data/spellings.json``: term → spelling → how often, the right spelling too, in lower
case.

    python scripts/spellings.py [--accents American,German] [--terms 100] [--model tiny.en]
        [--minutes 30]

What is done when the minutes are over is kept: a few terms at a time in every accent. A run
replaces the file; with ``--add`` it continues with the terms that are not in it.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.accents import choose
from benchmarks.neural_voice import NeuralVoice
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip
from pronunciation.confusions import distance, encode
from pronunciation.g2p import pronunciations
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import bare_phones
from pronunciation.respelling.for_voices import to_natural
from pronunciation.terms import Term
from server.contract import Word

DATA = Path(__file__).resolve().parent.parent / "pronunciation" / "data" / "spellings.json"
CARRIERS = (
    ("Last year our team moved to", "within two months."),
    ("I first heard about", "from my colleagues."),
    ("My manager asked whether", "would be worth it."),
    ("The customer already knows", "very well."),
    ("We spent the summer with", "and learned a lot."),
    ("Nobody here had used", "before that project."),
    ("You should never forget", "when you plan ahead."),
    ("They wrote a book on", "some years ago."),
)
"""What is said before and after a term, by turns."""
TOGETHER = 7
"""Terms spoken before the next accent's turn: about as many as fit into a window."""
WINDOW_S = 27.0
"""Whisper hears 30 s at a time; a term costs little more where it shares a window."""
LONGEST_SPELLING = 60
"""Characters: more is a sentence that Whisper lost its way in."""

_MARKS = r"[\s,.:;?!]*"

Spellings = dict[str, Counter[str]]


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--accents", default="", help="names with commas; all of them by default")
    parser.add_argument("--terms", type=int, help="only the first so many of the lexicon")
    parser.add_argument("--model", default="tiny.en")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--add", action="store_true", help="go on with terms not yet in the file")
    options = parser.parse_args()
    accents = choose([name for name in options.accents.split(",") if name])
    lexicon = load_lexicon()
    voice = NeuralVoice(lexicon)
    engine = load_engine("faster-whisper", EngineOptions(options.model, offline=True))
    spellings = read() if options.add else {}
    ends_s = time.monotonic() + 60 * options.minutes
    # letters come out as letters; what is said as a word is what gets other spellings
    terms = sorted(lexicon, key=lambda term: term.kind == "letters")[: options.terms]
    terms = [term for term in terms if term.term not in spellings]
    done, spoken, written = 0, 0, 0
    while done < len(terms) and time.monotonic() < ends_s:
        together = terms[done : done + TOGETHER]
        for accent in accents:
            said = [(term.term, accent(to_natural(term.readings[0]))) for term in together]
            for window in windows(voice, said):
                spoken += len(window)
                for term, spelling in transcribed(engine, window):
                    spellings.setdefault(term, Counter())[spelling] += 1
                    written += 1
        done += len(together)
        write(own(spellings, lexicon))
        print(f"{done} of {len(terms)} terms: {spoken} spoken, {written} found", flush=True)
    print(f"{len(spellings)} terms in {DATA.name}")
    return 0


@dataclass(frozen=True)
class TermClip:
    """A term in its sentence.

    Attributes:
        term: its name.
        between: finds what was written for it.
        clip: the sound.
    """

    term: str
    between: re.Pattern[str]
    clip: Clip


def own(spellings: Spellings, lexicon: Iterable[Term]) -> Spellings:
    """Without what belongs to another term: Whisper takes one for another, and loses its place.

    What is a term's own name or spelling is that term. Of several terms that it was seen for, a
    spelling belongs to the nearest in sound, and what was seen only once to the nearest of all.
    """
    terms = list(lexicon)
    readings = {each.term: [encode(bare_phones(r)) for r in each.readings] for each in terms}
    names = {name.casefold(): t.term for t in terms for name in (*t.written_as, t.term)}
    seen: dict[str, list[str]] = {}
    for term, counts in spellings.items():
        for spelling in counts:
            seen.setdefault(spelling, []).append(term)

    def is_own(term: str, spelling: str, count: int) -> bool:
        if spelling in names:
            return readings[names[spelling]] == readings[term]
        rivals = seen[spelling] if count > 1 else readings
        apart = {each: _apart(spelling, readings[each]) for each in rivals}
        return apart[term] == min(apart.values())

    return {
        term: Counter({text: count for text, count in counts.items() if is_own(term, text, count)})
        for term, counts in spellings.items()
        if term in readings
    }


def _apart(spelling: str, readings: Iterable[str]) -> float:
    said = [next(iter(pronunciations(word)), ()) for word in spelling.replace("-", " ").split()]
    code = encode([phone for phones in said for phone in phones])
    return min(distance(reading, code) for reading in readings)


def windows(voice: NeuralVoice, said: Iterable[tuple[str, str]]) -> Iterator[list[TermClip]]:
    """Each term, given as name and phones, in its sentence, as many as Whisper hears at once."""
    carriers = []
    for before, after in CARRIERS:
        [first], [last] = voice.phones(before), voice.phones(after)
        carriers.append((first.rstrip("."), last, anchors(before, after)))
    window: list[TermClip] = []
    for number, (term, phones) in enumerate(said):
        first, last, between = carriers[number % len(carriers)]
        clip = voice.speak([f"{first} {phones} {last}"], seed=number)
        if sum(each.clip.duration_s for each in window) + clip.duration_s > WINDOW_S:
            yield window
            window = []
        window.append(TermClip(term, between, clip))
    if window:
        yield window


def anchors(before: str, after: str) -> re.Pattern[str]:
    """Finds what stands between the last word before a term and the first word after it."""
    found = rf"\b{before.split()[-1]}\b{_MARKS}(.+?){_MARKS}\b{after.split()[0]}\b"
    return re.compile(found, re.IGNORECASE)


def transcribed(engine: Transcriber, window: Sequence[TermClip]) -> Iterator[tuple[str, str]]:
    """Each term of a window with what was written for it; without those lost in the sentence."""
    words = engine.recognize(Clip(np.concatenate([each.clip.samples for each in window])))
    start_s = 0.0
    for each in window:
        end_s = start_s + each.clip.duration_s
        sentence = " ".join(word.text for word in words if start_s <= _middle_s(word) < end_s)
        found = each.between.search(sentence)
        if found and len(found[1]) <= LONGEST_SPELLING:
            yield each.term, found[1].casefold()
        start_s = end_s


def _middle_s(word: Word) -> float:
    assert word.start_s is not None
    assert word.end_s is not None
    return (word.start_s + word.end_s) / 2


def read() -> Spellings:
    """The counts in the file."""
    if not DATA.exists():
        return {}
    stored = json.loads(DATA.read_text(encoding="utf-8"))
    return {term: Counter(counts) for term, counts in stored.items()}


def write(spellings: Spellings, path: Path | None = None) -> None:
    """One term a line, in alphabetical order; the commonest spelling first."""
    lines = [
        f"{json.dumps(term, ensure_ascii=False)}: "
        + json.dumps(dict(sorted(counts.items(), key=lambda c: (-c[1], c[0]))), ensure_ascii=False)
        for term, counts in sorted(spellings.items())
    ]
    (path or DATA).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
