"""Tree search over generic proposals: nodes, policies, executors."""

__project__ = "groundwalk"
