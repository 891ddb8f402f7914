"""The HTTP routes: parse, call the service, answer."""
