"""One module a world: `Size`, `SIZES` and `generate(rng, size)`. See `envs.tasks`."""
