"""Make the spoken answer of ``aloud demo`` with hibari, a synthetic voice (a development package).

The answer leaves out two key phrases of its question (adaptive routing, pause storms), and says
RoCE once right ("rocky") and once wrong ("roach"). A term's phones stand after it in the voice's
own alphabet, ``[RoCE](/ɹˈOʧ/)``.
"""

import av
import numpy as np
from hibari import Hibari

from client.data.demo import AUDIO

SPEED = 0.95
TEXT = """
Both of them give me [RDMA](/ˌɑɹdˌiˌɛmˈA/). So the network card moves data between the machines, and
the processor is free for other work. The difference is how they avoid losing packets.
[InfiniBand](/ˈɪnfənɪbˌænd/) uses credit-based flow control. A sender only sends when the receiver
has room for it. And the switches can add up the numbers on the way. This is called
[SHARP](/ʃˈɑɹp/). On the other hand, [RoCE](/ɹˈɑki/) runs over ordinary [Ethernet](/ˈiθəɹnˌɛt/).
There I have to set up priority flow control and explicit congestion notification on every switch.
For one big cluster and a small team, I would take [InfiniBand](/ˈɪnfənɪbˌænd/). If the company has
many switches already, then I would take [RoCE](/ɹˈOʧ/). It is cheaper, and it comes very close.
"""


def main() -> None:
    """Speak the text and write it as FLAC."""
    samples = Hibari()(" ".join(TEXT.split()), speed=SPEED, seed=0)
    pcm = np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)[np.newaxis]
    with av.open(AUDIO, "w") as target:
        stream = target.add_stream("flac", rate=Hibari.sample_rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        frame.sample_rate = Hibari.sample_rate
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    print(f"wrote {AUDIO.name}, {AUDIO.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
