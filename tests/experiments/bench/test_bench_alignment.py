"""The alignment bench runs, in its smallest size, and every count is proved."""

from experiments.bench.equivalence import alignment_figure


def test_an_alignment_is_measured_and_its_proof_told() -> None:
    figure = alignment_figure("logistics", faults=2, domains=2)
    assert figure.what == "align logistics, 2 faults, other names"
    assert figure.value.endswith(" s") and figure.beside.startswith("2 of 2 proved")
