"""Worlds in answer set programming: the rules of a world, and its tasks as a person would state them there.

A world that has `rules.lp` beside its `domain.pddl` can have its tasks stated in an intermediate
representation (IR): facts and rules that say no more than a task's text has to say, as the rules derive the
rest. `example.lp` is the IR of its example. What an IR may hold is said by whoever reads it; here only
`object/2`, `cardinality/2`, `init/1`, `goal/1`, `map/3` and helper predicates that `rules.lp` explains are
written.

Rules say what is true in every task of their world whatever its objects are called: laws of the world, and
what a task leaves open only where a statement to the contrary takes its place.
"""
