"""The server as the client sees it: in this process, or over HTTP with an outbox."""
