"""Tree search over generic proposals: nodes, policies, executors.

`loop` runs a search: a policy (`policies`) names the nodes to expand, proposals
wait for the language model in threads, and evaluations run on an executor (`executors`: in this process, in
spawned ones, or on a Ray cluster). `nodes` are frozen and keyed by content; what a payload is, search never
learns.
"""

__project__ = "groundwalk"
