"""Operators learned from traces, without a language model: what was seen, lifted, and what it leaves open."""
