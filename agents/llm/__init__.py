"""Language models: the contract, the OpenAI-compatible client, the call journal, and stand-ins for tests.

`interface` is what every model does: messages in, exactly k completions out, or an `errors.LLMError`.
`client` asks an `endpoint` through `transport`, sends again by `retry`, and `answers` reads what comes
back. `journaled` stands before a model: what the `journal` holds is never asked twice. `recording` makes a
file of a journal, and replays it. `scripted`, `stub` and `faults` stand in for a model and for a server
that misbehaves.
"""
