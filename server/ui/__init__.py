"""What every page shares: base template, stylesheet, and the one rendering of a Report as HTML."""
