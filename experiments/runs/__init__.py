"""One run on disk: its directory, records, ledger, units, provenance, progress, seeds.

`directory` writes as things happen, `ledger` reads what a resumed run already knows, `records` are what is
written, and `units` say what an episode's results depend on.
"""
