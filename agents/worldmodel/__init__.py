"""World models written action by action, checked and corrected in words.

A `brief` is what is known before; `construct` has a language model write a `model` in one dialogue an action,
each reply read by `replies` and judged by `check`. Sources of `remarks` (people, plans that should work, the
world itself) review the model, and `correct` hands what they say back to the dialogues. `planning` has a
language model plan for instructions, with a model as the validator of its plans (`advice`); `goals` and
`problems` have it translate instructions and tasks for a classical planner.
"""
