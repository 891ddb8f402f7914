"""The candidate's own data: exports, bundles, sharing, deleting, corrections."""
