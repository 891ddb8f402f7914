"""Sound that a page posts: 16-bit little-endian PCM, 16 kHz, mono, as ``recorder.js`` gives it."""

from fastapi import HTTPException
from starlette.requests import Request

from pronunciation.clip import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, Clip, decode_pcm16


async def read_body(request: Request, max_s: float) -> bytes:
    """The body of a request, refused as soon as it is longer than a take may be.

    Raises:
        HTTPException: 413, too long.
    """
    limit_bytes = round(max_s * SAMPLE_RATE_HZ) * BYTES_PER_SAMPLE
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > limit_bytes:
            raise HTTPException(413, f"a take is at most {max_s:.0f} s long")
    return bytes(content)


def clip_of_pcm(content: bytes) -> Clip:
    """The sound.

    Raises:
        HTTPException: 422, not 16-bit samples, or none at all.
    """
    if not content or len(content) % BYTES_PER_SAMPLE:
        raise HTTPException(422, "the take has no sound in it: 16-bit samples are expected")
    return Clip(decode_pcm16(content))
