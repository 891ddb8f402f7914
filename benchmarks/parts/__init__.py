"""The parts of docs/maintainers/benchmarks.md: each module measures one thing and gives tables."""
