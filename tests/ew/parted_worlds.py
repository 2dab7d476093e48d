"""A graph as a World with the optional parts that are asked for, which counts what it does itself."""

from envs.pddl.interface import ActionSignature, Execution, PlanVerdict, Refusal
from ew.walks.budget import SimulatorCost


class Bare:
    """What every World has: it says how far a walk runs, and nothing else."""

    name, description, task, types, objects = "graph", "Places.", "Reach place 0.", {}, {}

    def __init__(self, graph, labels=()):
        self._graph = graph
        names = {text[1:-1] for edges in graph.values() for text in edges} | {text[1:-1] for text in labels}
        self.actions = tuple(ActionSignature(name, ()) for name in sorted(names))
        self.steps = self.resets = self.refused = 0
        self.place = None

    @property
    def counted(self):
        return SimulatorCost(self.steps, self.resets, self.refused)

    def executable(self, walk):
        place = self._begin()
        for ran, text in enumerate(walk):
            place = self._follow(place, text)
            if place is None:
                return Execution(ran, Refusal.NOT_EXECUTABLE)
        return Execution(len(walk))

    def verify(self, plan):
        execution = self.executable(plan)
        return PlanVerdict(execution, self._after(plan[: execution.steps]) == 0)

    def describe(self, walk=()):
        return f"You are at place {self._after(walk)}."

    def _begin(self):
        self.resets += 1
        return 0

    def _follow(self, place, text):
        following = self._graph.get(place, {}).get(text)
        self.steps += following is not None
        self.refused += following is None
        return following

    def _after(self, walk):
        place = 0
        for text in walk:
            place = self._graph[place][text]
        return place

    def _here(self, place):
        return tuple(sorted(self._graph.get(place, {})))


class Lists:
    def applicable(self, walk=()):
        place = self._begin()
        for text in walk:
            place = self._follow(place, text)
        return self._here(place)


class Steps:
    def reset(self):
        self.place = self._begin()

    def step(self, operator):
        following = self._follow(self.place, operator)
        self.place = self.place if following is None else following
        return following is not None


class ListsHere:
    def applicable_here(self):
        return self._here(self.place)


class Keeps:
    def snapshot(self):
        return [self.place]

    def restore(self, snapshot):
        (self.place,) = snapshot


class Forks:
    """A fork counts with the world that it was forked from."""

    def fork(self):
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__)
        other._root = getattr(self, "_root", self)
        return other

    def _begin(self):
        if hasattr(self, "_root"):
            self._root.resets += 1
        return super()._begin()

    def _follow(self, place, text):
        following = super()._follow(place, text)
        if hasattr(self, "_root"):
            self._root.steps += following is not None
            self._root.refused += following is None
        return following


class Keys:
    def fingerprint(self):
        return self.place


#: Every useful set of parts, of worlds that list what is applicable and of worlds that do not.
LISTING = {
    "replay": (Lists,),
    "steps, lists walks": (Lists, Steps),
    "steps": (ListsHere, Steps),
    "keys": (ListsHere, Steps, Keys),
    "snapshots": (ListsHere, Steps, Keeps),
    "snapshots and keys": (ListsHere, Steps, Keeps, Keys),
    "forks": (ListsHere, Steps, Forks),
}
SILENT = {
    "replay": (),
    "steps": (Steps,),
    "keys": (Steps, Keys),
    "snapshots": (Steps, Keeps),
    "snapshots and keys": (Steps, Keeps, Keys),
    "forks": (Steps, Forks),
}


def parted(parts, graph, labels=()):
    """A world of the graph with these parts."""
    return type("Parted", (*parts[::-1], Bare), {})(graph, labels)
