"""World models written action by action, checked and corrected in words.

A brief is what is known before; `construct` has a language model write a `model` in one dialogue an action,
each reply read and judged by `check`. The sources of `remarks` (people, and in `sources` plans
that should work and the world itself) review the model, and their remarks go back to the dialogues.
`planning` has a language model plan for instructions, with a model as the validator of its plans (`saying`);
`problems` has it translate instructions and tasks for a classical planner.
"""
