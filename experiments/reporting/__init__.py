"""Tables, charts and the page of a run, made from its records alone."""
