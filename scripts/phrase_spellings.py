"""What Whisper writes for the bank's key phrases, counted: speak them in accents, keep what helps.

Each phrase of the bank that is no lexicon term, and its shortest alias, are said like the terms
(``scripts/spellings.py``), each in a few of the benchmarks' accents by turns, one of them strong.
What was written goes into a file of rows as it comes, so a run that was stopped continues. From
all rows, the spellings that help the grader go into ``pronunciation/data/phrase_spellings.json``:
wording → spelling, as the grader reads it → how often.

    python scripts/phrase_spellings.py --rows ROWS.jsonl [--minutes 60]

With ``--minutes 0`` nothing is spoken.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from benchmarks.accents import ACCENTS
from benchmarks.neural_voice import NeuralVoice
from client.engines.bank_vocabulary import bank_vocabulary
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.confusions import distance
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank, KeyPhrase
from scripts.spellings import Spellings, transcribed, windows, write
from server.grading import cover
from server.grading.by_sound import is_rare, telling
from server.grading.english import is_known_english
from server.grading.phones import phones_of
from server.grading.tokenizer import texts_of

DATA = Path(__file__).resolve().parent.parent / "pronunciation" / "data" / "phrase_spellings.json"
STRONG = ("Spanish", "Korean", "Arabic", "Mandarin")
"""Accents in which Whisper makes most errors; each wording is said in one of them."""
OTHERS = tuple(name for name in ACCENTS if name not in STRONG)
TOGETHER = 84
"""Wordings spoken before the next ones: each accent has some windows of them."""
ACCENTS_OF_EACH = 3
"""In how many accents a wording is said."""
BASE, HEARD_BY_BASE = "base", ("Spanish", "Korean")
"""Whisper's larger weights also transcribe what is said in these accents, because they take three
times as long."""

CARRIER = ("Nobody here had used", "before that project.")
"""What the grader gets beside a wording."""
MOST_APART = 0.35
"""The largest distance in sound of a spelling. Of the first 195, it leaves out 16, such as "sakeal"
for scale and utilization."""


@dataclass(frozen=True)
class Row:
    """What was written for a wording once."""

    wording: str
    accent: str
    model: str
    written: str


def wordings(bank: Bank, lexicon: Lexicon) -> list[str]:
    """The names of the key phrases, then their shortest aliases; without the lexicon's terms."""
    known = {name.casefold() for term in lexicon for name in (*term.written_as, term.term)}
    phrases = [phrase for question in bank.questions for phrase in question.key_phrases]
    names = dict.fromkeys(phrase.phrase for phrase in phrases)
    short = dict.fromkeys(alias for phrase in phrases for alias in _short(phrase))
    unique: dict[str, str] = {}
    for name in (*names, *short):
        unique.setdefault(name.casefold(), name)
    return [name for key, name in unique.items() if key not in known]


def _short(phrase: KeyPhrase) -> list[str]:
    """The shortest alias that is more than one ordinary word."""
    telling = [
        alias for alias in phrase.aliases if " " in alias or not is_known_english(alias.casefold())
    ]
    return sorted(telling, key=len)[:1]


def accents_of(number: int) -> list[str]:
    """The accents in which a wording is said: a strong one, and others by turns."""
    more = ACCENTS_OF_EACH - 1
    others = [OTHERS[(number * more + at) % len(OTHERS)] for at in range(more)]
    return [STRONG[number % len(STRONG)], *others]


def speak(
    voice: NeuralVoice, engines: dict[str, Transcriber], texts: Mapping[str, Sequence[str]]
) -> Iterator[Row]:
    """What is written for each wording in each of its accents."""
    phones = {text: " ".join(voice.phones(text)).rstrip(".") for text in texts}
    for name, accent in ACCENTS.items():
        said = [(text, accent(phones[text])) for text, named in texts.items() if name in named]
        for window in windows(voice, said):
            for model, engine in engines.items():
                if model != BASE or name in HEARD_BY_BASE:
                    for text, written in transcribed(engine, window):
                        yield Row(text, name, model, written)


def say(lexicon: Lexicon, texts: Mapping[str, Sequence[str]], rows: Path, ends_s: float) -> None:
    """Speak wordings in their accents until the time is over, and add what is written to a file."""
    voice = NeuralVoice(lexicon)
    engines = {
        model: load_engine("faster-whisper", EngineOptions(model, offline=True, threads=1))
        for model in ("tiny.en", BASE)
    }
    for first in range(0, len(texts), TOGETHER):
        if time.monotonic() > ends_s:
            break
        together = dict(islice(texts.items(), first, first + TOGETHER))
        heard = speak(voice, engines, together)
        lines = [json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in heard]
        with rows.open("a", encoding="utf-8") as file:
            file.writelines(lines)
        print(f"{first + len(together)} of {len(texts)} wordings: {len(lines)} found", flush=True)


def main() -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    lexicon, bank = load_lexicon(), load_bank()
    said = {row.wording for row in read_rows(options.rows)}
    wanted = enumerate(wordings(bank, lexicon))
    left = {text: accents_of(at) for at, text in wanted if text not in said}
    ends_s = time.monotonic() + 60 * options.minutes
    if left and options.minutes > 0:
        say(lexicon, left, options.rows, ends_s)
    write({}, DATA)  # so that the grader, which reads it once, knows none of them
    spellings = chosen(read_rows(options.rows), bank, lexicon)
    write(spellings, DATA)
    print(f"{sum(map(len, spellings.values()))} spellings of {len(spellings)} wordings")
    return 0


def read_rows(path: Path) -> list[Row]:
    """What earlier runs wrote."""
    if not path.exists():
        return []
    return [Row(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def chosen(rows: Iterable[Row], bank: Bank, lexicon: Lexicon) -> Spellings:
    """The spellings that help the grader.

    They are telling (see ``sound.telling``; what the bank says is ordinary too), also without the
    words of the wording itself ("numerical procedure" for precision is not), and near in sound. The
    grader does not find their phrase without them, and finds no other phrase in them.
    """
    counts: Spellings = {}
    for row in rows:
        counts.setdefault(row.wording, Counter())[plain(row.written)] += 1
    phrases = tuple(phrase for question in bank.questions for phrase in question.key_phrases)
    phrase_of = {name: each for each in phrases for name in (*each.aliases, each.phrase)}
    said_anyway = {word.casefold() for word in bank_vocabulary(bank, lexicon).words}

    def is_ordinary(word: str) -> bool:
        return word in said_anyway or is_known_english(word)

    def is_telling(word: str) -> bool:
        return is_rare(word) or not (word.isdecimal() or is_ordinary(word))

    def found(text: str, among: tuple[KeyPhrase, ...]) -> set[str]:
        words = f"{CARRIER[0]} {text} {CARRIER[1]}".split()
        covered = cover(among, words, lexicon).phrases
        return {each.phrase for each in covered if each.status == "covered"}

    def helps(wording: str, spelling: str) -> bool:
        new = {*spelling.split()} - {*plain(wording).split()}
        if not any(map(is_telling, new)):
            return False
        if apart(wording, spelling) > MOST_APART or found(spelling, (phrase_of[wording],)):
            return False
        return found(spelling, phrases) <= found(wording, phrases)

    kept: Spellings = {}
    for wording, written in counts.items():
        for spelling in map(" ".join, telling(written, is_ordinary)):
            # what changes when it is read again ("1 b" into "1 billion") is never found
            if written[spelling] and helps(wording, spelling):
                kept.setdefault(wording, Counter())[spelling] = written[spelling]
    return kept


def plain(text: str) -> str:
    """A text as the grader reads it."""
    return " ".join(texts_of(text))


def apart(wording: str, spelling: str) -> float:
    """How far two texts sound apart, see ``confusions.distance``."""
    one, other = ("".join(map(phones_of, plain(text).split())) for text in (wording, spelling))
    return distance(one, other)


if __name__ == "__main__":
    sys.exit(main())
