"""From a recording to a submission: transcription and hearing, live or from a file."""
