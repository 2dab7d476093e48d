"""Problems as coloured graphs, their canonical forms, and their symmetries.

A scene (`scenes`) is refined (`refinement`) and labelled canonically (`canonical`, with BLISS in
`labelling`): equal forms are isomorphic problems. `symmetries` maps a problem onto itself.
"""
