"""A problem that is given, in the place of one that a language model translates."""

from dataclasses import dataclass

from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import ProblemReading
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Diagnosis


@dataclass(frozen=True)
class GivenProblem:
    pddl: str

    def problem(self, model: WorldModel) -> ProblemReading:
        errors = diagnose(model.text(), self.pddl).errors
        return ProblemReading(None, Diagnosis(errors).render()) if errors else ProblemReading(self.pddl)

    def another(self, model: WorldModel, words: str) -> ProblemReading:
        return ProblemReading(None, "the problem is given")

    def keep(self, model: WorldModel, reading: ProblemReading) -> None:
        """Nothing: it is given."""
