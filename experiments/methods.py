"""The methods, by the names they have on the command line.

To add one: write a class with the surface of `Method`, and give it a name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from experiments.episode import Method
from experiments.intrinsic import IntrinsicMethod
from experiments.refine_method import RefineMethod
from experiments.refinement import RefinementMethod

#: Source of the settings of `chain`, `tree` and `tree-domprop`: Mahdavi et al. 2024, section 5. `refine` is
#: ours; each `refine-no-…`, and those after them, lacks or changes one part of it.
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "chain": RefinementMethod(np=1, nd=1, branches=False),
        "tree": RefinementMethod(np=5, nd=10),
        "tree-domprop": RefinementMethod(np=5, nd=10, proposes_domain=True),
        "refine": RefineMethod(),
        "refine-no-problems": RefineMethod(mends_problems=False),
        "refine-no-plans": RefineMethod(tells_plans=False),
        "refine-no-diagnosis": RefineMethod(feedback="paper"),
        "refine-no-memory": RefineMethod(remembers=False),
        "refine-one-task": RefineMethod(feedback_tasks=1),
        "refine-beam": RefineMethod(policy="beam"),
        "refine-algorithm1": RefineMethod(policy="algorithm1"),
        "intrinsic": IntrinsicMethod(reasons=False),
        "intrinsic-cot": IntrinsicMethod(reasons=True),
    }
)
