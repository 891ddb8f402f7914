"""Exports of the server: one attempt in each format, a cohort as a table."""
