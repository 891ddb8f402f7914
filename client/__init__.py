"""The client: command line, recorder, speaker, transcription, outbox."""
