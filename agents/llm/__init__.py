"""Language models: the contract, the OpenAI-compatible client, the call journal, and fakes."""
