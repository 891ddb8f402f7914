"""The studio: pages on 127.0.0.1 in which most people rehearse."""
