"""Accounts: the people on a server, how they sign in, and their cohorts."""
