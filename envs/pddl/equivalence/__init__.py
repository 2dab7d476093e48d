"""Whether two problems of one domain are the same planning problem: `compare`, `canonical_digest`.

`same_as_written` takes goals as they are written, without what they imply.
"""
