"""The few of Whisper's 51,864 English token ids that the small checkpoint uses.

The rest share one embedding, so that the model is Whisper's own shape and yet small on disk.
"""

from tests.checkpoint.sounds import WORDS

N_VOCAB = 51_864
EOT, SOT, NO_SPEECH, NO_TIMESTAMPS = 50_256, 50_257, 50_361, 50_362
FIRST_TIMESTAMP = 50_363
TIMESTAMP_STEP_S = 0.02
FULL_STOP = 13
WORD_IDS = dict(
    zip(
        WORDS,
        (4088, 3127, 24812, 2746, 4382, 12940, 11241, 6143),
        strict=True,
    )
)
"""GPT-2's ids of the words with a space before them: one token each."""

GRID_STEPS = 5
MAX_TIME_S = 8.0
TIMESTAMP_IDS = tuple(
    FIRST_TIMESTAMP + step
    for step in range(0, round(MAX_TIME_S / TIMESTAMP_STEP_S) + 1, GRID_STEPS)
)
USED_IDS = tuple(
    sorted({*WORD_IDS.values(), FULL_STOP, EOT, SOT, NO_SPEECH, NO_TIMESTAMPS, *TIMESTAMP_IDS})
)
N_UNUSED = N_VOCAB - len(USED_IDS)
POSITION = {token: index for index, token in enumerate(USED_IDS)}
"""Token id → row of the small embedding; its last row stands for all unused tokens."""


def timestamp(time_s: float) -> int:
    """The token of a time, on the grid of 0.1 s."""
    step = TIMESTAMP_STEP_S * GRID_STEPS
    return FIRST_TIMESTAMP + GRID_STEPS * round(min(time_s, MAX_TIME_S) / step)
