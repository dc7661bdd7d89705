"""`python -m tests.operations.imports`: the table of what the commands say of every record; status 1 if one differs."""

import os
import sys

import django


def main() -> int:
    """Print the table."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")
    django.setup()
    from tests.operations.imports.agreeing import of_the_gold_facts, of_the_logs, of_the_resumes

    rows = [*of_the_gold_facts(), *of_the_logs(), *of_the_resumes()]
    for row in rows:
        sys.stdout.write(f"{row.command:<18} {row.what:<82} {row.said}\n")
    wrong = [row for row in rows if not row.agrees]
    sys.stdout.write(f"{len(rows)} compared, {len(rows) - len(wrong)} agree, {len(wrong)} differ\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
