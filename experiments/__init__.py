"""The command line: runs, records, tables, benchmarks."""
