"""A program that reads texts aloud on paper: a JSON line in, eSpeak NG's IPA as a JSON line out.

In a process of its own, because eSpeak NG keeps one state for a whole process, the hearing uses it
too, and ending a second user of it hangs (``espeak_Terminate`` waits for a thread that is gone).
"""

import ctypes
import json
import os
import sys

import espeakng_loader

RETRIEVAL, PHONEMES_IN_BRACKETS, UTF8, AS_IPA = 1, 0x100, 1, 2


def main() -> None:
    data_folder = os.path.dirname(espeakng_loader.get_data_path())
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    assert library.espeak_Initialize(RETRIEVAL, 0, data_folder.encode(), 0) > 0
    assert library.espeak_SetVoiceByName(b"gmw/en-US") == 0
    # [[phonemes]] are read from the first synthesis on that asks for them; the sound is not kept.
    take_no_sound = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(lambda *_: 0)
    library.espeak_SetSynthCallback(take_no_sound)
    mode = UTF8 | PHONEMES_IN_BRACKETS
    library.espeak_Synth(b"a", ctypes.c_size_t(2), 0, 0, 0, mode, None, None)
    library.espeak_Synchronize()
    translate = library.espeak_TextToPhonemes
    translate.restype = ctypes.c_char_p
    translate.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
    for line in sys.stdin:
        rest, clauses = ctypes.c_char_p(json.loads(line).encode()), []
        while rest.value is not None:
            clauses.append(translate(ctypes.byref(rest), mode, AS_IPA).decode())
        print(json.dumps(" ".join(clauses)), flush=True)


if __name__ == "__main__":
    main()
