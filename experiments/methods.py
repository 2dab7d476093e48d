"""The methods, by the names they have on the command line.

To add one: write a class with the surface of `Method`, and give it a name here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from experiments.episode import Method
from experiments.intrinsic import IntrinsicMethod
from experiments.refinement import RefinementMethod

#: Source of the settings: Mahdavi et al. 2024, section 5.
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "chain": RefinementMethod(np=1, nd=1, branches=False),
        "tree": RefinementMethod(np=5, nd=10),
        "tree-domprop": RefinementMethod(np=5, nd=10, proposes_domain=True),
        "intrinsic": IntrinsicMethod(reasons=False),
        "intrinsic-cot": IntrinsicMethod(reasons=True),
    }
)
