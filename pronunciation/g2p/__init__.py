"""Grapheme to phoneme: the words of a text, and how each may be pronounced."""
