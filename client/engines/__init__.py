"""Speech to words: engines, voice activity, weights."""
