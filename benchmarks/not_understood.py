"""How much of speech that nobody can understand is called so, and how much of what can be.

    python benchmarks/not_understood.py [--clips 6] [--models tiny.en,base] [--speech DIR]

Backwards: real learners (of the held-out split) and the natural voice. In other languages: voices
of espeak-ng, which sound less like people than their languages do. Forwards: the same learners,
and the natural voice with and without accents' rules. Prints the share of clips without a word
left, and words per minute in all of them.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.accents import ACCENTS
from benchmarks.hearing import SPEECH
from benchmarks.neural_voice import NeuralVoice
from client.answer.worker import RecordingWorker
from client.audio.files import read_audio
from client.core.errors import NoSpeech
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from scripts.train.cases import sentences

WORDS = 30
"""Of what the natural voice says: about 11 s."""
FOREIGN = {
    "de": "Zuerst sehe ich mir die Metriken an, dann frage ich den Dienst, der am längsten wartet, "
    "und wenn das nicht hilft, spiele ich die letzte Version wieder ein.",
    "fr": "Je regarde d'abord les journaux du serveur, puis je compare les temps de réponse avant "
    "et après la mise en production, et enfin je préviens l'équipe.",
    "es": "Primero miro los registros del servidor, después comparo los tiempos de respuesta, y si "
    "hace falta vuelvo a la versión anterior y aviso a todo el equipo.",
    "ru": "Сначала я смотрю на журналы сервера, потом сравниваю время ответа до и после выпуска, "
    "и если нужно, возвращаю прежнюю версию и сообщаю команде.",
    "it": "Prima guardo i registri del server, poi confronto i tempi di risposta, e se serve torno "
    "alla versione precedente e avviso tutta la squadra.",
    "hi": "पहले मैं सर्वर के लॉग देखता हूँ, फिर जवाब का समय मिलाता हूँ, "
    "और ज़रूरत हो तो पुराना संस्करण वापस लाता हूँ।",
}


def backwards(clip: Clip) -> Clip:
    """The clip from its end to its beginning."""
    return Clip(clip.samples[::-1].copy())


def learners(folder: Path) -> Iterator[Clip]:
    """Sentences of held-out learners, one of five: each by another speaker."""
    return (clip for _, clip in islice(sentences(folder, "heldout"), 0, None, 21))


def natural(accents: list[str]) -> Iterator[Clip]:
    """Beginnings of the bank's answers, the accents by turns."""
    voice = NeuralVoice(load_lexicon())
    for number, question in enumerate(load_bank().questions[::7]):
        text = " ".join(question.model_answer.split()[:WORDS]) + "."
        yield voice.say(text, ACCENTS[accents[number % len(accents)]], seed=number)


def foreign() -> Iterator[Clip]:
    """A sentence in each language, by espeak-ng."""
    with tempfile.TemporaryDirectory() as folder:
        for language, text in FOREIGN.items():
            file = Path(folder) / f"{language}.wav"
            command = ["espeak-ng", "-v", language, "-s", "150", "-w", str(file), text]
            subprocess.run(command, check=True, timeout=30)
            yield read_audio(file)


def words_of(engine: Transcriber, clip: Clip) -> int:
    """How many words are left of a clip."""
    try:
        transcript, _ = RecordingWorker(engine).run(clip)
    except NoSpeech:
        return 0
    return len(transcript.words)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=6, help="of each kind")
    parser.add_argument("--models", default="tiny.en,base", help="weights, names with commas")
    parser.add_argument("--speech", type=Path, default=SPEECH)
    options = parser.parse_args()
    accented = [name for name in ACCENTS if name != "American"]
    kinds: dict[str, list[Clip]] = {}
    if (options.speech / "l2-mandarin" / "manifest.tsv").is_file():
        kinds["learners"] = list(islice(learners(options.speech), options.clips))
    kinds["natural voice"] = list(islice(natural(["American"]), options.clips))
    for name in tuple(kinds):
        kinds[f"{name}, backwards"] = [backwards(clip) for clip in kinds[name]]
    kinds["other languages"] = list(foreign())
    kinds["natural voice, accents"] = list(islice(natural(accented), options.clips))
    for model in options.models.split(","):
        engine = load_engine("faster-whisper", EngineOptions(model, offline=True))
        print(f"\nWhisper {model}\n{'':26} clips   without a word   words per minute", flush=True)
        for name, clips in kinds.items():
            counts = [words_of(engine, clip) for clip in clips]
            minutes = sum(clip.duration_s for clip in clips) / 60
            empty = sum(count == 0 for count in counts) / len(counts)
            print(
                f"{name:26} {len(clips):5} {empty:15.0%} {sum(counts) / minutes:16.0f}", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
