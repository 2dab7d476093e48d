"""TIC: a task's text to a PDDL problem, through a logical intermediate representation (IR).

A language model *translates* the text to an IR: facts and rules of answer set programming that say no more
than the text says. clingo *infers* what follows from it with the schema, the domain and the world's rules.
Code *compiles* what was inferred to PDDL. After Agarwal and Sreepathy, "TIC: Translate-Infer-Compile for
accurate text to plan using LLMs and logical intermediate representations" (2024).

What an IR may say:

- `object(shot1, shot).` an object and its type. Types need not be the domain's; only those are compiled.
- `cardinality(shot, 5).` how many objects of a type there are, a natural number, one for a type. Objects that
  are named, or that follow, count; the rest are made, `shot5`, with the first numbers that are free. `shot2`
  is one of the shots even if nothing but a type above `shot` is known of it.
- `init(on(a, b)).` a fact of the initial state. What is not stated is false; `init(-on(a, b)).` says so.
- `goal(on(a, b)).` and `goal(-on(a, b)).` what has to be true and what has to be false in the end.
- `init(map(dispenser, dispenses, ingredient)).` each dispenser is paired with one ingredient and each
  ingredient with one dispenser, in the order of their numbers and names; stated pairs stay. `goal(map(...))`
  likewise. There have to be as many of one type as of the other.
- `tile_grid(1, 2, tile_1_2).`, also inside `init(...)`: a cell of a grid, row and column first. A grid is a
  helper predicate that the rules of the world read.
- rules, `init(clean(X)) :- object(X, shot).`, with any body; constraints; choices; helper predicates of its
  own, but none that is named like a predicate of the domain: that has to stand inside `init` or `goal`.

What a world's rules may do beyond that: derive anything, and call the functions that `schema.lp` lists, such
as `@make_seq(2, l, next, 0)`, and say what counted objects are called (`numbered_from`).

The parts: `knowledge` of a world, with names; `translate`; `allow` (what may be run); `schema.lp` and
`program` (all that is run); `infer` and `inference_child` (how); `wording` (what became of it); `compile`.

Names: every name of the domain has one constant (`agents.tic.knowledge`), in lower case and with `_` for `-`.
`not` inside `init` and `goal` is read as `-`, and a quoted name as the constant of that name.
"""
