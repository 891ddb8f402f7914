"""One attempt as a file: Markdown, HTML, PDF, JSON that can be imported, subtitles."""

from typing import Literal

from server.contract import Archive, Transcript
from server.core.errors import InvalidInputError
from server.jobs.job import MadeFile
from server.ui.exports.file_types import ending_of
from server.ui.exports.html import to_html
from server.ui.exports.markdown import to_markdown
from server.ui.exports.transcript_text import to_srt, to_vtt

AttemptFormat = Literal["markdown", "html", "pdf", "json", "srt", "vtt"]


def export_attempt(archive: Archive, format: AttemptFormat) -> MadeFile:
    """The attempt of an archive of one, as a file.

    Args:
        archive: what ``Service.export_one`` gives.
        format: the format; JSON is the archive itself.

    Raises:
        InvalidInputError: subtitles of an answer that has no word times.
    """
    attempt = archive.attempts[0]
    transcript = attempt.report.transcript
    match format:
        case "markdown":
            content = to_markdown(archive.attempts).encode()
        case "html":
            content = to_html(archive.attempts).encode()
        case "pdf":
            from server.exports.pdf import to_pdf  # its libraries take half a second

            content = to_pdf(attempt)
        case "json":
            content = (archive.model_dump_json(indent=2) + "\n").encode()
        case "srt":
            content = to_srt(_timed(transcript)).encode()
        case "vtt":
            content = to_vtt(_timed(transcript)).encode()
    when = attempt.submission.created_at
    # a question's id has only letters, digits and hyphens: the name is safe on every disk
    return MadeFile(f"{attempt.question.id}-{when:%Y-%m-%d}.{ending_of(format)}", content)


def _timed(transcript: Transcript) -> Transcript:
    if not any(word.start_s is not None for word in transcript.words):
        raise InvalidInputError(
            "this answer has no word times (it was typed): there is nothing to subtitle"
        )
    return transcript
