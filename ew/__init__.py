"""The Exploration Walk: walks, the EW score, its rating, and feedback in words."""

__project__ = "groundwalk"
