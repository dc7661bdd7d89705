"""What a statement does is read off it, so that a point has a name."""

import pytest

from tests.faults.hooks import locked, written
from tests.faults.points import GO_ON, LOSE_THE_ANSWER, Points


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ('SELECT "operations_operation"."id" FROM "operations_operation"', None),
        ('SELECT 1 FROM "operations_due" FOR UPDATE', None),
        ('INSERT INTO "operations_decision" ("id") VALUES (%s)', "insert decision"),
        ('UPDATE "escalation_businessexception" SET "used_at" = %s', "update businessexception"),
        ('DELETE FROM "django_session"', "delete session"),
        ('UPDATE "escalation_case" SET "closed_at" = %s', None),
        ("SELECT 1 FROM one WHERE x FOR UPDATE SKIP LOCKED", None),
        ("WITH due AS (SELECT 1 FOR UPDATE SKIP LOCKED) UPDATE operations_due SET lease = %s", "update due"),
        ("WITH due AS (SELECT 1) UPDATE operations_due AS one SET lease = %s", "update due"),
    ],
)
def test_a_write_is_named_by_what_it_does_to_which_table(statement, what):
    assert written(statement) == what


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ('SELECT 1 FROM "operations_operation"', None),
        ('SELECT 1 FROM "operations_due" FOR UPDATE SKIP LOCKED', "lock due"),
        (
            'SELECT EXISTS(SELECT 1 FROM "operations_successor") FROM "x" FOR UPDATE OF "operations_operation"',
            "lock operation",
        ),
    ],
)
def test_a_lock_is_named_by_the_rows_that_it_holds(statement, what):
    assert locked(statement) == what


def test_a_point_that_is_passed_again_has_a_name_of_its_own():
    points = Points(stop_at="insert reading (2)", stopped=lambda: LOSE_THE_ANSWER)
    assert [points.reach("insert reading") for _ in range(3)] == [GO_ON, LOSE_THE_ANSWER, GO_ON]
    assert points.passed == ["insert reading", "insert reading (2)", "insert reading (3)"]
