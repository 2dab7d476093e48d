"""One module a world: a `TaskGenerator` with ten sizes (`sized`) and `generate(rng)`. See `envs.tasks`."""
