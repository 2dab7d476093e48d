"""Probes: what random walks did not show of a model, and walks that show it.

`envs.pddl.simulation.probes` says what there is to be shown: each action runs where the model says so, and
each conjunct of a precondition is reason enough to refuse. `ways` searches the model for the shortest walks
to such states; `examine` walks them in the world.
"""
