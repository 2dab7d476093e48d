"""Texts for the fixes that no other sample meets, and for words of other languages."""

from pddl_faults import domain_with, effect, fact, other_fact, precondition, problem_with, replaced
from pddl_texts import GRIPPERS, GRIPPERS_PROBLEM

COSTS = replaced(
    GRIPPERS, "(:predicates", "(:functions (total-cost) - number (way ?x - room))\n  (:predicates"
)


def costs(old: str, new: str) -> tuple[str, str]:
    """A domain with costs, changed at one place."""
    return replaced(COSTS, old, new), GRIPPERS_PROBLEM


def cost_effect(text: str) -> tuple[str, str]:
    """A domain with costs, with another effect of its first action."""
    return costs("(not (at-robby ?r ?from))", text)


MANY = " ".join(f"?v{i}" for i in range(1200))
SAMPLES: dict[str, tuple[str, str]] = {
    "word among predicates": domain_with("(:predicates", "(:predicates ready"),
    "word among functions": costs("(total-cost)", "total-cost"),
    "another word among functions": costs("(way ?x - room)", "way"),
    "cost with arguments": costs("(total-cost)", "(total-cost ?x)"),
    "parameters without list": domain_with(
        "  (:action move", "  (:action wait :parameters ?r :effect (and))\n  (:action move"
    ),
    "field without value": domain_with("  (:action move", "  (:action wait :effect)\n  (:action move"),
    "two costs": cost_effect("(increase (total-cost) 1) (increase (total-cost) 2)"),
    "cost without amount": cost_effect("(increase (total-cost))"),
    "cost that is a word": cost_effect("(increase (total-cost) much)"),
    "cost that is computed": cost_effect("(increase (total-cost) (+ 1 2))"),
    "cost under when": cost_effect("(when (at-robby ?r ?to) (increase (total-cost) 1))"),
    "too many variables": precondition(f"(forall ({MANY}) (at-robby ?r ?from))"),
    "equality of three": precondition("(and (= ?from ?to ?from) (at-robby ?r ?from))"),
    "equality of one": precondition("(and (= ?from) (at-robby ?r ?from))"),
    "comparison of functions": costs("(at-robby ?r ?from)\n", "(= (way ?from) (way ?to))\n"),
    "forall without list": precondition("(forall ?x (at-robby ?r ?from))"),
    "forall without body": precondition("(forall (?x - room))"),
    "forall with two bodies": precondition("(forall (?x - room) (at-robby ?r ?x) (at-robby ?r ?from))"),
    "not of nothing": precondition("(not)"),
    "field inside a condition": precondition("(and (at-robby ?r ?from) :foo)"),
    "later condition": precondition("(always (at-robby ?r ?from))"),
    "when in a condition": precondition("(when (at-robby ?r ?from) (at-robby ?r ?from))"),
    "two lists": precondition("((at-robby ?r ?from) (at-robby ?r ?to))"),
    "not equal": precondition("(and (at-robby ?r ?from) (<> ?from ?to))"),
    "double equals": precondition("(and (at-robby ?r ?from) (== ?from ?to))"),
    "arrow": precondition("(=> (at-robby ?r ?from) (at-robby ?r ?from))"),
    "implies": precondition("(implies (at-robby ?r ?from) (at-robby ?r ?from))"),
    "xor": precondition("(xor (at-robby ?r ?from) (at-robby ?r ?to))"),
    "ampersand": precondition("(&& (at-robby ?r ?from) (at-robby ?r ?from))"),
    "bar": precondition("(|| (at-robby ?r ?from) (at-robby ?r ?to))"),
    "unknown connective": precondition("(nand (at-robby ?r ?from) (at-robby ?r ?to))"),
    "iff of three": precondition("(iff (at-robby ?r ?from) (at-robby ?r ?to) (at-robby ?r ?to))"),
    "!= in an effect": effect("(!= ?from ?to)"),
    "a name that is none": precondition("(at/robby ?r ?from)"),
    "a word for a negation": precondition("(and (at-robby ?r ?from) (not at-robby))"),
    "a variable as a condition": precondition("?from"),
    "!= in init": other_fact("(!= room1 room2)"),
    "object with a sign": fact("(at ball#1 room1)"),
    "object with a sign in an action": precondition("(at-robby ?r room#1)"),
    "variable with a sign": domain_with("?from ?to - room)", "?from ?to* - room)"),
    "variable with a dash": domain_with("?from ?to - room)", "?from ?to- room)"),
    "types in init": fact("(at ball1 - ball room1)"),
    "types without blank in init": fact("(at ball1 -ball room1)"),
    "dash at the end of objects": problem_with("ball1 ball2 - ball)", "ball1 ball2 -)"),
    "three dashes": problem_with("ball1 ball2 - ball)", "ball1 ball2 - - - ball)"),
    "only a dash": problem_with("(:objects", "(:objects -"),
    "commas between objects": problem_with("ball1 ball2 - ball", "ball1, ball2 - ball"),
    "commas in facts": fact("(at ball1, room1)"),
    "commas without blanks": domain_with("(?r - robot ?from ?to - room)", "(?r - robot,?from,?to - room)"),
    "group for a type": domain_with("?to - room)", "?to - (room))"),
    "group among objects": problem_with("ball1 ball2 - ball", "(ball1 ball2) - ball"),
    "types without any": (
        replaced(GRIPPERS, "(:types room ball robot gripper - object)", ""),
        GRIPPERS_PROBLEM,
    ),
    "no name of an action": domain_with("(:action move", "(:action"),
    "no name of a domain": (replaced(GRIPPERS, "(domain grippers)", "(domain)"), GRIPPERS_PROBLEM),
    "two names of a domain": (
        replaced(GRIPPERS, "(domain grippers)", "(domain grippers x)"),
        GRIPPERS_PROBLEM,
    ),
    "two names of a problem's domain": problem_with("(:domain grippers)", "(:domain grippers x)"),
    "a word under not": effect("(not at-robby)"),
    "nothing under not": effect("(not ())"),
    "not under not": effect("(not (not (at-robby ?r ?from)))"),
    "no argument in parentheses": precondition("(at-robby ?r ?from ())"),
    "no parameters": domain_with(":parameters (?r - robot ?from ?to - room)", ":parameters ()"),
    "no list of parameters": domain_with(":parameters (?r - robot ?from ?to - room)", ""),
    "no title": (replaced(GRIPPERS, "(define (domain grippers)", "(define"), GRIPPERS_PROBLEM),
    "no domain of a problem": problem_with("(:domain grippers)", "(:domain)"),
    "no :domain": problem_with("(:domain grippers)", ""),
    "no init": (GRIPPERS, "(define (problem p) (:domain grippers) (:goal (and)))"),
    "word between sections": problem_with("(:init", "here (:init"),
    "flag without colon": domain_with(":strips", "strips"),
    "never closed": (GRIPPERS.rstrip()[:-1] + "\n", GRIPPERS_PROBLEM),
    "closes nothing": (GRIPPERS, GRIPPERS_PROBLEM.rstrip() + ")\n"),
    "section inside a section": problem_with("(at ball2 room2))\n", "(at ball2 room2)\n"),
    "long": (GRIPPERS + ";" * 1_000_000, GRIPPERS_PROBLEM),
    "quantifier in init": other_fact("(forall (?g - gripper) (free robot1 ?g))"),
    "two values": (
        COSTS,
        replaced(GRIPPERS_PROBLEM, "(free robot1 left1)", "(= (way room1) 1) (= (way room1) 2)"),
    ),
    "group in init": other_fact("((free robot1 left1))"),
    "metric without cost": problem_with("(:goal", "(:metric minimize (total-cost)) (:goal"),
    "function and predicate": costs("(way ?x - room)", "(way ?x - room) (at ?x - room)"),
    "type that does not fit anything": precondition("(and (at-robby ?r ?from) (at ?to ?from))"),
    "unknown predicate and none declared": (
        "(define (domain grippers))",
        "(define (problem p) (:domain grippers) (:objects a) (:init (p a) (!= a a)) (:goal (and)))",
    ),
}
