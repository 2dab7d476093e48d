"""Rules that literals at the top of a precondition or an effect cannot say, each kind in a file.

A `variants.Variant` is a model's problems with such a rule; `kinds` asks all kinds for theirs and chooses
the best. `nested` edits what stands below `or`, a quantifier or a `when` (`nested_edits`); `quantified`
proposes preconditions with one variable; `conjuncts` and `together` choose both and edits of literals at the
same time; `conditional` proposes effects that depend on a condition (`effect_conditions`), from where these
would have to fire (`firing`), and `unreached_goals` those that a goal lacks; `new_predicate` a predicate that
nobody named, by what it must be where (`latent`). `likeness` gives actions that the model lacks the rules of
others.
"""
