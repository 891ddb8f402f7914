"""What to do about a microphone that gives nothing but exact zeros."""

import sys
from typing import Final, Literal

_PERMISSION: Final = {
    "darwin": "System Settings › Privacy & Security › Microphone",
    "win32": "Settings › Privacy & security › Microphone",
}
"""By ``sys.platform``: where a system allows it. Such a system gives zeros and no error."""


def zeros_remedy(program: Literal["terminal", "browser"]) -> str:
    """What to do on this system, without a capital and a period; ``program`` takes the sound."""
    place = _PERMISSION.get(sys.platform)
    if place is None:
        return (
            "unmute it (a key, a switch on a headset, or the system's sound settings) or choose "
            "another one"
        )
    return (
        f"turn the {program} on under {place} and restart it, or unmute the microphone (a key, or "
        "a switch on a headset), or choose another one"
    )
