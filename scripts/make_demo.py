"""Make the spoken answer of ``aloud demo`` with the natural voice.

The answer leaves out two key phrases of its question (adaptive routing, pause storms), and says
RoCE once right ("rocky") and once wrong ("roach").
"""

import av
import numpy as np

from client.data.demo import AUDIO
from client.speaking.speaker import sentences_of
from client.speaking.voices import NaturalVoice
from pronunciation.clip import encode_pcm16
from pronunciation.lexicon_loader import load_lexicon, with_terms

SPEED = 0.95
PAUSE_S = 0.45
"""Between sentences, beside the voice's own 0.3 s: a candidate thinks."""
WRONG = "R OW1 CH"
SAID_WRONG = "If the company has many switches already, then I would take RoCE."
TEXT = f"""
Both of them give me RDMA. So the network card moves data between the machines, and the processor
is free for other work. The difference is how they avoid losing packets. InfiniBand uses
credit-based flow control. A sender only sends when the receiver has room for it. And the switches
can add up the numbers on the way. This is called SHARP. On the other hand, RoCE runs over ordinary
Ethernet. There I have to set up priority flow control and explicit congestion notification on every
switch. For one big cluster and a small team, I would take InfiniBand. {SAID_WRONG} It is cheaper,
and it comes very close.
"""


def main() -> None:
    """Speak the text and write it as FLAC."""
    lexicon = load_lexicon()
    roce = lexicon.get("RoCE")
    assert roce is not None
    wrong = with_terms(lexicon, [roce.model_copy(update={"readings": (WRONG,)})])
    voice = NaturalVoice(SPEED)
    clips = [
        voice.synthesize(sentence, wrong if sentence == SAID_WRONG else lexicon)
        for sentence in sentences_of(" ".join(TEXT.split()))
    ]
    rate_hz = clips[0].sample_rate_hz
    pause = np.zeros(round(PAUSE_S * rate_hz), np.float32)
    samples = np.concatenate([part for clip in clips for part in (pause, clip.samples)])
    pcm = np.frombuffer(encode_pcm16(samples), np.int16)[np.newaxis]
    with av.open(AUDIO, "w") as target:
        stream = target.add_stream("flac", rate=rate_hz, layout="mono")
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        frame.sample_rate = rate_hz
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    print(f"wrote {AUDIO.name}, {AUDIO.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
