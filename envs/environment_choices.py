"""What an environment may be told to do, and the refusal that it may be told to raise."""

from __future__ import annotations

from envs.pddl.interface import Refusal

_CHOICES = {
    "action_interface": ("text", "discrete"),
    "observation": ("text", "facts"),
    "on_invalid": ("info", "raise", "terminate"),
    "render_mode": (None, "ansi"),
}


class OperatorRefused(ValueError):
    """The world refused an action (`on_invalid="raise"`); its state is unchanged. Survives pickling."""

    def __init__(self, action: str, refusal: Refusal):
        super().__init__(action, refusal)
        self.action = action
        self.refusal = refusal

    def __str__(self) -> str:
        return f"{self.action} is refused: {self.refusal}"


def check_choices(**chosen: str | None) -> None:
    """Raises ValueError if an option of an environment is none of its choices."""
    for name, value in chosen.items():
        if value not in _CHOICES[name]:
            allowed = ", ".join(repr(choice) for choice in _CHOICES[name])
            raise ValueError(f"{name}={value!r}: choose one of {allowed}")
