"""Verdicts: where readers of PDDL differ, every code, and laws that hold for any text."""

import pytest
from pddl_faults import CODES, TABLE, WARNING, WARNINGS, domain_with, fact, precondition, replaced
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM

from envs.pddl.diagnosis import findings as diagnose_findings
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import Code, PDDLError


@pytest.mark.parametrize("case", TABLE)
def test_faults_that_readers_treat_differently_have_our_verdict(case):
    texts, expected = TABLE[case]
    found = {(issue.severity, issue.code) for issue in diagnose(*texts).issues}
    if expected is None:
        assert not found
        read_problem(texts[1], read_domain(texts[0]))
    else:
        assert expected in found
        assert (expected[0] is WARNING) == diagnose(*texts).valid


@pytest.mark.parametrize("case", CODES)
def test_every_fault_has_its_code(case):
    (domain, problem), code = CODES[case]
    errors = diagnose(domain, problem).errors
    assert code in {issue.code for issue in errors}
    with pytest.raises(PDDLError):
        read_problem(problem, read_domain(domain))


@pytest.mark.parametrize("case", WARNINGS)
def test_a_warning_leaves_the_text_usable(case):
    (domain, problem), code = WARNINGS[case]
    diagnosis = diagnose(domain, problem)
    assert code in {issue.code for issue in diagnosis.issues}
    assert diagnosis.valid
    read_domain(domain)


def test_every_code_is_met_by_a_case():
    met = {code for _, code in [*CODES.values(), *WARNINGS.values()]}
    assert met | {verdict[1] for _, verdict in TABLE.values() if verdict} == set(Code)


NO_CLASH = EVERYTHING.replace("(a ?any)", "(m ?any)").replace(":effect (a k)", ":effect (m k)")


@pytest.mark.parametrize(
    "texts", [(GRIPPERS, GRIPPERS_PROBLEM), (NO_CLASH, EVERYTHING_PROBLEM.replace("(a three)", "(m three)"))]
)
def test_good_texts_have_no_issue(texts):
    assert diagnose(*texts).issues == ()
    assert diagnose(texts[0]).issues == ()


def test_all_faults_are_reported_in_the_order_of_the_text():
    domain = GRIPPERS
    for old, new in (("(at-robby ?r ?from)\n", "(at-robby ?r)\n"), ("(free ?r ?g))\n", "(fre ?r ?g))\n"),
                     ("(and (carry ?r ?b ?g) (at", "(and (carry ?r ?b ?h) (at")):  # fmt: skip
        domain = replaced(domain, old, new)
    problem = replaced(GRIPPERS_PROBLEM, "(at ball2 room2)", "(at ball2 room3)")
    found = diagnose(domain, problem).errors
    assert [i.code for i in found] == [
        Code.ARITY, Code.UNDECLARED_PREDICATE, Code.UNDECLARED_VARIABLE, Code.UNDECLARED_OBJECT,
    ]  # fmt: skip
    assert [i.source for i in found] == ["domain"] * 3 + ["problem"]
    assert [i.line for i in found[:3]] == sorted(i.line for i in found[:3])


def test_a_name_that_is_wrong_in_many_places_is_one_issue():
    domain = GRIPPERS.replace("(free ?r ?g)", "(fre ?r ?g)")
    assert [i.code for i in diagnose(domain).issues] == [Code.UNDECLARED_PREDICATE]


def test_without_a_readable_domain_only_the_form_of_the_problem_is_judged():
    assert {i.source for i in diagnose("(define", GRIPPERS_PROBLEM).issues} == {"domain"}
    both = diagnose("(define", GRIPPERS_PROBLEM + ")")
    assert [i.source for i in both.errors] == ["domain", "problem"]


def test_a_name_that_is_wrong_in_many_places_is_looked_up_once(monkeypatch):
    asked = []
    monkeypatch.setattr(diagnose_findings, "get_close_matches", lambda *a, **_: asked.append(a[0]) or [])
    declared = " ".join(f"(declared{i} ?x)" for i in range(300))
    domain = f"""(define (domain d) (:types t) (:constants {"c - unheard-of-kind " * 50})
        (:predicates {declared})
        (:action a :parameters (?y) :precondition (and {"(unheard-of) (declared1 ?yonder)" * 50})))"""
    assert len(diagnose(domain).issues) < 60
    assert sorted(asked) == ["?yonder", "unheard-of", "unheard-of-kind"]


def test_more_variables_than_anybody_needs_are_refused_as_parameters_and_under_quantifiers():
    many = " ".join(f"?v{i}" for i in range(600))
    for form in (
        f":parameters ({many} {many.replace('v', 'w')}) :effect (p ?v1)",
        f":parameters ({many}) :precondition (forall ({many.replace('v', 'w')}) (p ?w1)) :effect (p ?v1)",
    ):
        errors = diagnose(f"(define (domain d) (:predicates (p ?x)) (:action a {form}))").errors
        assert [issue.code for issue in errors] == [Code.TOO_LARGE]


def test_a_flood_of_faults_is_cut_and_warnings_never_end_a_check():
    flood = "".join(f"(:action a{i} :effect (p{i}))" for i in range(1000))
    assert len(diagnose(f"(define (domain d) {flood})").issues) <= 120
    warned = "".join(f"(:action a{i})" for i in range(1000)) + "(:action last :effect (missing))"
    found = diagnose(f"(define (domain d) {warned})")
    assert [i.code for i in found.errors] == [Code.UNDECLARED_PREDICATE]


def test_nearest_names_and_swaps_are_offered():
    def fix_of(texts):
        issue = diagnose(*texts).errors[0]
        return f"{issue.message}; {issue.fix}"

    assert "did you mean at-robby?" in fix_of(precondition("(at-roby ?r ?from)"))
    assert "(:predicates ... (busy ?x1 - robot))" in fix_of(precondition("(busy ?r)"))
    assert "swap arguments 1 and 2: (at ?b ?x)" in fix_of(domain_with("(and (at ?b ?x)", "(and (at ?x ?b)"))
    assert "use one of type room: ?from, ?to" in fix_of(precondition("(at-robby ?r ?r)"))
    assert "did you mean ?from?" in fix_of(precondition("(at-robby ?r ?form)"))
    assert "write ?from with a question mark" in fix_of(precondition("(at-robby ?r from)"))
    assert "did you mean ball1?" in fix_of(fact("(at ball_1 room1)"))
