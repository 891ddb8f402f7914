"""The HTTP routes: parse, call the service, respond."""
