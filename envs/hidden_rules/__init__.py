"""Worlds that obey one rule more than their PDDL says.

A base world's domain gets one `HiddenRule` (`rules`), drawn by seed from the domain's own vocabulary (`draw`)
and kept if it matters and can be lived with (`checks`). A `HiddenCase` (`cases`) is that rule with tasks of
the base world, some to be seen and some not; `source` opens its tasks as worlds,
`hidden:grippers/quantified/0`. What such a world shows, its PDDL included, is the base world's.
"""
