"""The command line: runs, records, tables, benchmarks."""

from experiments.packages import refuse_foreign

refuse_foreign()
