"""What every part of the client builds on: errors, settings, files that survive a crash."""
