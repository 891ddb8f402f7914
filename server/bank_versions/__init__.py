"""The versions of a programme's own question bank."""
