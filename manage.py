"""Django's command line for Unresolved; `python manage.py help` lists the commands."""

import os
import sys

from django.core.management import execute_from_command_line

# Only these may change the schema; everything else is the app role, which may not.
OWNERS_COMMANDS = {"migrate", "flush", "sqlflush", "dbshell", "pgtrigger"}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")
    if len(sys.argv) > 1 and sys.argv[1] in OWNERS_COMMANDS:
        os.environ.setdefault("UNRESOLVED_ROLE", "owner")
    execute_from_command_line(sys.argv)
