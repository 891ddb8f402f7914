"""Words of English: how common they are, their inflections, and the small ones that mean little."""
