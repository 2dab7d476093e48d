"""Our learner of operators beside published ones, on AMLGym's domains and by its metrics.

`benchmark` is what AMLGym gives and what is made of it: domains without rules, trajectories with atoms hidden
or flipped. `learners` are the learners, each from a domain's declarations and trajectories to a domain;
`study` runs them, measures what they learned and writes it. AMLGym is heavy: all that needs it imports it
where it is used.
"""
