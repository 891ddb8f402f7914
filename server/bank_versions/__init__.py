"""The versions of a program's own question bank."""
