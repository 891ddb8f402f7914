"""Make the spoken answer of ``aloud demo`` with flite, a synthetic voice (``apt install flite``).

The answer leaves out two key phrases of its question (adaptive routing, pause storms), and says
RoCE once right ("rocky") and once wrong: flite reads the bare letters "roce" as R OW S.
"""

import subprocess
import tempfile
from pathlib import Path

import av

from client.data.demo import AUDIO

VOICE = "rms"
TEXT = """
Both of them give me R D M A. So the network card moves data between the machines, and the
processor is free for other work. The difference is how they avoid losing packets. InfiniBand
uses credit based flow control. A sender only sends when the receiver has room for it. And the
switches can add up the numbers on the way. This is called sharp. On the other hand, rocky runs
over ordinary ethernet. There I have to set up priority flow control and explicit congestion
notification on every switch. For one big cluster and a small team, I would take InfiniBand. If
the company has many switches already, then roce is cheaper, and it comes very close.
"""


def main() -> None:
    """Speak the text and write it as FLAC."""
    with tempfile.TemporaryDirectory() as folder:
        spoken = Path(folder) / "demo.wav"
        text = " ".join(TEXT.split())
        subprocess.run(["flite", "-voice", VOICE, "-t", text, "-o", spoken], check=True)
        AUDIO.parent.mkdir(exist_ok=True)
        with av.open(spoken) as source, av.open(AUDIO, "w") as target:
            stream = target.add_stream("flac", rate=source.streams.audio[0].rate, layout="mono")
            for frame in source.decode(audio=0):
                target.mux(stream.encode(frame))
            target.mux(stream.encode(None))
    print(f"wrote {AUDIO.name}, {AUDIO.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
