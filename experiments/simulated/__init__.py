"""Simulated language models: stand-ins that know the true models of a run's tasks and err at stated rates.

A request is read as text (`reading`), what is right is looked up and mistakes are drawn with a generator that
the conversation and the sample's seed decide (`gold`), and the answer is written in the form that was asked
for. `model` is the `DescribedModel` of it; all that is behind it is the real thing.
"""
