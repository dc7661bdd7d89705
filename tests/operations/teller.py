"""`python -m tests.operations.teller`: a web process of its own that hears one message (standard input: JSON) and says the status."""

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")

import django

django.setup()

from django.test import Client  # noqa: E402  # after the settings, which Django's modules read

if __name__ == "__main__":
    told = json.load(sys.stdin)
    answer = Client().post(
        told["address"],
        told["body"].encode(),
        content_type="application/json",
        headers=told["headers"],
        SERVER_NAME="localhost",
    )
    sys.stdout.write(f"{answer.status_code}\n")
