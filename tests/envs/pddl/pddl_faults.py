"""Texts with one fault each, and the verdict that each must have."""

from pddl_texts import GRIPPERS, GRIPPERS_PROBLEM

from envs.pddl.language.issues import Code, Severity

ERROR, WARNING = Severity.ERROR, Severity.WARNING


def replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def domain_with(old: str, new: str) -> tuple[str, str]:
    return replaced(GRIPPERS, old, new), GRIPPERS_PROBLEM


def problem_with(old: str, new: str) -> tuple[str, str]:
    return GRIPPERS, replaced(GRIPPERS_PROBLEM, old, new)


def precondition(text: str) -> tuple[str, str]:
    return domain_with("(at-robby ?r ?from)\n", f"{text}\n")


def effect(text: str) -> tuple[str, str]:
    return domain_with("(not (at-robby ?r ?from))", text)


def fact(text: str) -> tuple[str, str]:
    return problem_with("(at ball1 room1)", text)


def other_fact(text: str) -> tuple[str, str]:
    return problem_with("(free robot1 left1)", text)


GHOSTS = replaced(
    replaced(GRIPPERS, "gripper - object", "gripper ghost - object"), "?to - room)", "?to - room ?g - ghost)"
)
MOVE = "  (:action move\n    :parameters (?r - robot ?from ?to - room)\n    :effect (at-robby ?r ?to))\n"

#: Faults that language models make and that readers of PDDL treat differently, with our verdict.
TABLE = {
    "missing )": (domain_with("(at-robby ?r ?from))))", "(at-robby ?r ?from)))"), (ERROR, Code.UNBALANCED)),
    "fence and prose": (
        (f"Here you are:\n```pddl\n{GRIPPERS}```\n", GRIPPERS_PROBLEM),
        (ERROR, Code.SYNTAX),
    ),
    "two defines": ((GRIPPERS + GRIPPERS, GRIPPERS_PROBLEM), (ERROR, Code.MULTIPLE_DEFINE)),
    "type error in :init": (
        fact("(at room1 ball1)"),
        (ERROR, Code.TYPE_MISMATCH),
    ),
    "cyclic types": (
        domain_with("room ball robot", "room - ball ball - room robot"),
        (ERROR, Code.CYCLIC_TYPES),
    ),
    "action twice": (domain_with("  (:action drop", f"{MOVE}  (:action drop"), (ERROR, Code.DUPLICATE)),
    "undeclared requirement": (
        domain_with("(and (at ?b ?x) ", "(and (not (at ?b ?x)) "),
        (WARNING, Code.MISSING_REQUIREMENT),
    ),
    "other :domain": (
        problem_with("(:domain grippers)", "(:domain gripper)"),
        (WARNING, Code.DOMAIN_NAME_MISMATCH),
    ),
    "action and object share a name": ((GRIPPERS, GRIPPERS_PROBLEM.replace("ball1", "move")), None),
    "no blank before ?": (domain_with("(at-robby ?r ?from)", "(at-robby?r?from)"), None),
    "(and ...) in :init": (
        other_fact("(and (free robot1 left1))"),
        (ERROR, Code.SYNTAX),
    ),
}

CODES = {
    "not a section": (domain_with("(:predicates", "(predicates"), Code.SYNTAX),
    "unknown section": (domain_with("(:predicates", "(:predicate"), Code.SYNTAX),
    "unknown field": (domain_with(":precondition", ":preconditions"), Code.SYNTAX),
    "two effects in a row": (
        domain_with(
            ":effect (and (at-robby ?r ?to) (not (at-robby ?r ?from)))",
            ":effect (at-robby ?r ?to) (not (at-robby ?r ?from))",
        ),
        Code.SYNTAX,
    ),
    "word as condition": (precondition("at-robby"), Code.SYNTAX),
    "or in effect": (domain_with(":effect (and", ":effect (or"), Code.SYNTAX),
    "not over and": (effect("(not (and (at-robby ?r ?from)))"), Code.SYNTAX),
    "list as precondition": (precondition("((at-robby ?r ?from))"), Code.SYNTAX),
    "nested ()": (precondition("(and ())"), Code.SYNTAX),
    "nested atom": (precondition("(at-robby ?r (room ?from))"), Code.SYNTAX),
    "no question mark": (
        domain_with("(?r - robot ?from ?to - room)", "(r - robot ?from ?to - room)"),
        Code.SYNTAX,
    ),
    "dash without blank": (domain_with("?r - robot ?from", "?r -robot ?from"), Code.SYNTAX),
    "type without name": (domain_with("room ball robot gripper - object", "- object"), Code.SYNTAX),
    "no type after dash": (domain_with("?to - room)", "?to -)"), Code.SYNTAX),
    "reserved name": (domain_with("(free ?r - robot", "(not ?r - robot"), Code.SYNTAX),
    "strange name": (domain_with("(:action move", "(:action mo've"), Code.SYNTAX),
    "not with two parts": (
        domain_with("(not (at ?b ?x)) (not (free ?r ?g))", "(not (at ?b ?x) (free ?r ?g))"),
        Code.SYNTAX,
    ),
    "quantifier without variables": (precondition("(exists () (at-robby ?r ?from))"), Code.SYNTAX),
    "empty text": (("", GRIPPERS_PROBLEM), Code.SYNTAX),
    "texts swapped": ((GRIPPERS_PROBLEM, GRIPPERS), Code.SYNTAX),
    "no goal": (problem_with("  (:goal (and (at ball1 room2) (at ball2 room1))))", ")"), Code.SYNTAX),
    "two goals": (
        problem_with("(and (at ball1 room2) (at ball2 room1))", "(at ball1 room2) (at ball2 room1)"),
        Code.SYNTAX,
    ),
    "a condition under not in init": (other_fact("(not (or (free robot1 left1)))"), Code.SYNTAX),
    "a fact and its negation": (fact("(at ball1 room1) (not (at ball1 room1))"), Code.DUPLICATE),
    "unknown predicate under not in init": (other_fact("(not (fre robot1))"), Code.UNDECLARED_PREDICATE),
    "equality in init": (other_fact("(= robot1 robot1)"), Code.SYNTAX),
    "word in init": (other_fact("handempty"), Code.SYNTAX),
    "surplus )": (
        domain_with("(not (at-robby ?r ?from))))", "(not (at-robby ?r ?from)))))"),
        Code.UNBALANCED,
    ),
    "deep": (precondition("(and " * 300 + ")" * 300), Code.TOO_LARGE),
    "many types": (
        domain_with("room ball", " ".join(f"t{i}" for i in range(600)) + " room ball"),
        Code.TOO_LARGE,
    ),
    "two problems": ((GRIPPERS, GRIPPERS_PROBLEM * 2), Code.MULTIPLE_DEFINE),
    "predicate": (domain_with("(free ?r ?g))", "(fre ?r ?g))"), Code.UNDECLARED_PREDICATE),
    "predicate in effect": (
        domain_with("(not (free ?r ?g))", "(not (fre ?r ?g))"),
        Code.UNDECLARED_PREDICATE,
    ),
    "predicate in init": (other_fact("(fre robot1 left1)"), Code.UNDECLARED_PREDICATE),
    "predicate in goal": (problem_with("(and (at ball1", "(and (on ball1"), Code.UNDECLARED_PREDICATE),
    "type": (domain_with("?r - robot ?from", "?r - robots ?from"), Code.UNDECLARED_TYPE),
    "type in either": (domain_with("?r - robot ?x", "?r - (either robot dog) ?x"), Code.UNDECLARED_TYPE),
    "type of object": (problem_with("robot1 - robot", "robot1 - robotic"), Code.UNDECLARED_TYPE),
    "object in init": (fact("(at ball9 room1)"), Code.UNDECLARED_OBJECT),
    "object in goal": (problem_with("(and (at ball1", "(and (at ball9"), Code.UNDECLARED_OBJECT),
    "object in action": (precondition("(at-robby ?r room1)"), Code.UNDECLARED_OBJECT),
    "variable": (precondition("(at-robby ?r ?room)"), Code.UNDECLARED_VARIABLE),
    "variable in init": (fact("(at ?b room1)"), Code.UNDECLARED_VARIABLE),
    "arity": (domain_with("(and (at ?b ?x)", "(and (at ?b)"), Code.ARITY),
    "arity in init": (fact("(at ball1 room1 room2)"), Code.ARITY),
    "argument type": (domain_with("(and (at ?b ?x)", "(and (at ?x ?b)"), Code.TYPE_MISMATCH),
    "predicate twice": (domain_with("(free ?r", "(at ?b - ball ?x - room) (free ?r"), Code.DUPLICATE),
    "parameter twice": (domain_with("?from ?to - room", "?to ?to - room"), Code.DUPLICATE),
    "object of two types": (problem_with("ball2 - ball", "ball2 - ball ball1 - room"), Code.DUPLICATE),
    "section twice": (domain_with("  (:action move", "  (:types x)\n  (:action move"), Code.DUPLICATE),
    "field twice": (domain_with(":precondition", ":effect (and) :precondition"), Code.DUPLICATE),
    "type below two others": (
        domain_with("room ball robot", "room ball - object wing - room wing - ball robot"),
        Code.DUPLICATE,
    ),
    "a cycle through a second parent": (
        domain_with("room ball robot", "room - object wing - room room - wing ball robot"),
        Code.CYCLIC_TYPES,
    ),
    "parent of object": (
        domain_with("gripper - object", "gripper - object object - room"),
        Code.CYCLIC_TYPES,
    ),
    "derived": (
        domain_with("  (:action move", "  (:derived (p) (q))\n  (:action move"),
        Code.UNSUPPORTED_FEATURE,
    ),
    "durative": (domain_with("(:action move", "(:durative-action move"), Code.UNSUPPORTED_FEATURE),
    "requirement": (domain_with(":strips", ":durative-actions"), Code.UNSUPPORTED_FEATURE),
    "numbers required and used": (
        (effect("(increase (fuel) 1)")[0].replace(":strips", ":numeric-fluents"), GRIPPERS_PROBLEM),
        Code.UNSUPPORTED_FEATURE,
    ),
    "half a character": (domain_with("(:action move", "(:action move\ud800"), Code.ENCODING),
    "half a character in a comment": (problem_with("(:init", "; \udfff\n(:init"), Code.ENCODING),
    "!=": (precondition("(and (at-robby ?r ?from) (!= ?from ?to))"), Code.UNDECLARED_PREDICATE),
    "iff": (precondition("(iff (at-robby ?r ?from) (at-robby ?r ?to))"), Code.UNDECLARED_PREDICATE),
    "comma": (domain_with("?r - robot ?from ?to", "?r - robot, ?from, ?to"), Code.SYNTAX),
    "type in an atom": (precondition("(at-robby ?r - robot ?from)"), Code.SYNTAX),
    "two dashes": (domain_with("?r - robot ?from", "?r - - robot ?from"), Code.SYNTAX),
    "effects that grow": (
        effect(f"(when (and {'(at-robby ?r ?to) ' * 1000}) (and {'(at-robby ?r ?to) ' * 1000}))"),
        Code.TOO_LARGE,
    ),
    "number test": (precondition("(> (fuel ?r) 0)"), Code.UNSUPPORTED_FEATURE),
    "number effect": (effect("(decrease (fuel) 1)"), Code.UNSUPPORTED_FEATURE),
    "other increase": (effect("(increase (fuel) 1)"), Code.UNSUPPORTED_FEATURE),
    "object fluent": (
        domain_with("  (:action move", "  (:functions (f) - room)\n  (:action move"),
        Code.UNSUPPORTED_FEATURE,
    ),
    "timed fact": (fact("(at 5 (at ball1 room1))"), Code.UNSUPPORTED_FEATURE),
    "other metric": (
        problem_with("(:goal", "(:metric minimize (total-time)) (:goal"),
        Code.UNSUPPORTED_FEATURE,
    ),
    "constraints": (problem_with("(:goal", "(:constraints (and)) (:goal"), Code.UNSUPPORTED_FEATURE),
    "cost": (effect("(increase (total-cost) 1)"), Code.UNDECLARED_FUNCTION),
    "function value": (fact("(= (f room1) 3)"), Code.UNDECLARED_FUNCTION),
}

WARNINGS = {
    "not in init": (other_fact("(not (free robot1 left1))"), Code.SYNTAX),
    "object twice": (problem_with("ball1 ball2 - ball", "ball1 ball1 ball2 - ball"), Code.DUPLICATE),
    "constant and object": (
        (replaced(GRIPPERS, "(:predicates", "(:constants ball1 - ball)(:predicates"), GRIPPERS_PROBLEM),
        Code.DUPLICATE,
    ),
    "type twice": (domain_with("room ball robot", "room room ball robot"), Code.DUPLICATE),
    "type refined": (
        domain_with("room ball robot", "hall - object place - object hall - place room ball robot"),
        Code.DUPLICATE,
    ),
    "numbers required for costs": (domain_with(":strips", ":numeric-fluents"), Code.UNSUPPORTED_FEATURE),
    "no object of a type": ((GHOSTS, GRIPPERS_PROBLEM), Code.ZERO_GROUNDINGS),
    "no effect": (
        domain_with(":effect (and (at-robby ?r ?to) (not (at-robby ?r ?from)))", ":effect ()"),
        Code.EMPTY_EFFECT,
    ),
    "effect left out": (
        domain_with("  (:action move", "  (:action wait)\n  (:action move"),
        Code.EMPTY_EFFECT,
    ),
    "predicate named like a type": (
        domain_with("(free ?r - robot", "(ball ?x - ball) (free ?r - robot"),
        Code.NAME_CLASH,
    ),
    "parent not declared": (domain_with("gripper - object", "gripper - thing"), Code.UNDECLARED_TYPE),
    "equality not required": (
        precondition("(and (at-robby ?r ?from) (not (= ?from ?to)))"),
        Code.MISSING_REQUIREMENT,
    ),
    "typing not required": (domain_with(":strips :typing", ":strips"), Code.MISSING_REQUIREMENT),
}
