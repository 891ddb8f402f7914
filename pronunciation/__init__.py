"""Pronunciation: the lexicon of terms and hearing how a term was said. A pure library."""
