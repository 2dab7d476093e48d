"""Whether two problems of one domain are the same planning problem: `compare`, `certificate`, `specify`."""
