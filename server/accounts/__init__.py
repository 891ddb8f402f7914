"""Accounts: who there is, how they sign in, and the cohorts they belong to."""
