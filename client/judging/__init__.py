"""The optional judge: a language model asked about key phrases that were not found."""
