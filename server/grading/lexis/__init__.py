"""English words: how common they are, their inflections, and which ones carry little meaning."""
