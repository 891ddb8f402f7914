"""What every part of the server builds on: errors, settings, who may do what."""
