"""What the terminal shows: reports, tables, the recording screen."""
