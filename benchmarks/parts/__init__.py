"""The parts of docs/benchmarks.md: each module measures one thing and gives tables."""
