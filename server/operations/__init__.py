"""What keeps a shared server running: logs, metrics, readiness, backups."""
