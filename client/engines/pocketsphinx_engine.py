"""PocketSphinx: needs no weights but those in its wheel, and makes rough transcripts.

Its packaged language model is a general one. What the bank talks about is added to it: words that
the dictionary lacks, and the bank's terms of several words as one entry each, all of them with
the same small probability. The question that was asked has no influence.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from client.core.errors import EngineUnavailable, WeightsError
from client.engines.bank_vocabulary import BankVocabulary, Entry, bank_vocabulary, entries
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Word

MODEL = "en-us"

WORD_WEIGHT = 4.0
TERM_WEIGHT = 4.0
"""How many times likelier than 1/72,543 (the model's vocabulary) a word or term of the bank is.

What they find and invent is measured by ``benchmarks/pocketsphinx_coverage.py``; other weights were
not compared.
"""


MAX_ACTIVE_STATES = 4000
"""HMMs evaluated per frame. The demo's transcript is the same word for word as with the default of
30,000, in two thirds of the time (8.9 s and 6.0 s of one core for 40 s of sound)."""


class PocketSphinx(Transcriber):
    """A decoder with the bank's vocabulary."""

    name = "pocketsphinx"
    model = MODEL

    def __init__(self, decoder: Any, added: Mapping[str, Entry]) -> None:
        self._decoder = decoder
        self._added = added

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        decoder = self._decoder
        decoder.start_utt()
        decoder.process_raw(clip.pcm16(), full_utt=True)
        decoder.end_utt()
        if decoder.hyp() is None:
            return []
        frame_s = 1.0 / decoder.config["frate"]
        words: list[Word] = []
        for part in decoder.seg():
            key = _without_variant(part.word)
            if key.startswith(("<", "[", "+")):
                continue  # silence, breath, noise
            start_s, end_s = part.start_frame * frame_s, (part.end_frame + 1) * frame_s
            confidence = min(1.0, max(0.0, float(part.prob)))
            words.extend(self._written(key, start_s, min(end_s, clip.duration_s), confidence))
        return words

    def _written(self, key: str, start_s: float, end_s: float, confidence: float) -> list[Word]:
        entry = self._added.get(key)
        written = entry.written if entry else ((key, 1),)
        total = sum(share for _, share in written)
        words: list[Word] = []
        for text, share in written:
            until_s = start_s + (end_s - start_s) * share / total
            words.append(
                Word(text=text, start_s=start_s, end_s=max(start_s, until_s), confidence=confidence)
            )
            start_s, total, end_s = until_s, total - share, end_s
        return words


def load(options: EngineOptions) -> PocketSphinx:
    """A decoder with the packaged model and the bank's vocabulary.

    Raises:
        EngineUnavailable: the package cannot be imported.
        WeightsError: a model other than the packaged one is asked for.
    """
    if options.model not in (None, MODEL):
        raise WeightsError(f"pocketsphinx has only its packaged model {MODEL}")
    if options.vocabulary is not None:
        return build(options.vocabulary())
    return build(bank_vocabulary(load_bank(), load_lexicon()))


def build(
    vocabulary: BankVocabulary, word_weight: float = WORD_WEIGHT, term_weight: float = TERM_WEIGHT
) -> PocketSphinx:
    """A decoder that knows this vocabulary besides general English.

    Args:
        vocabulary: of the whole bank, never of one question.
        word_weight: see ``WORD_WEIGHT``; 0 adds no words.
        term_weight: see ``TERM_WEIGHT``; 0 adds no terms of several words.
    """
    try:
        from pocketsphinx import Decoder, get_model_path
    except ImportError as error:
        raise EngineUnavailable(
            f"pocketsphinx cannot be imported ({error}); run: pip install pocketsphinx"
        ) from error
    folder = get_model_path(MODEL)
    decoder = Decoder(
        hmm=f"{folder}/{MODEL}",
        dict=f"{folder}/cmudict-en-us.dict",
        lm=f"{folder}/en-us.lm.bin",
        maxhmmpf=MAX_ACTIVE_STATES,
        loglevel="FATAL",
    )
    return PocketSphinx(decoder, _add(decoder, vocabulary, word_weight, term_weight))


def _add(
    decoder: Any, vocabulary: BankVocabulary, word_weight: float, term_weight: float
) -> dict[str, Entry]:
    """Add the vocabulary to dictionary and language model; the entries by their key."""
    language_model = decoder.get_lm()
    added: dict[str, Entry] = {}
    readings: list[tuple[str, str]] = []
    for entry in entries(vocabulary, decoder.lookup_word):
        weight = term_weight if len(entry.written) > 1 else word_weight
        if weight <= 0 or decoder.lookup_word(entry.key) is not None:
            continue
        language_model.add_word(entry.key, weight)
        added[entry.key] = entry
        readings.append((entry.key, entry.readings[0]))
        readings.extend(
            (f"{entry.key}({number})", reading)
            for number, reading in enumerate(entry.readings[1:], start=2)
        )
    for index, (key, phones) in enumerate(readings, start=1):
        # rebuild the search only once, at the last word: it takes half a second
        decoder.add_word(key, phones, index == len(readings))
    return added


def _without_variant(word: str) -> str:
    return word.split("(", 1)[0] if word.endswith(")") else word
