"""The store: attempts and their reports in a SQL database."""
