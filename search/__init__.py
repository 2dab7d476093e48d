"""Tree search over generic proposals: nodes, policies, executors."""
