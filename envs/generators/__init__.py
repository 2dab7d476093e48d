"""One module a world: a `TaskGenerator` with its sizes (`GROWING`) and `generate(rng)`. See `envs.tasks`."""
