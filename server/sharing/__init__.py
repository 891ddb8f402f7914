"""Sharing: what owners show to coaches, by cohort or by link, and the recordings they add."""
