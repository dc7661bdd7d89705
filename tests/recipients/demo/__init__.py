"""A demonstration: two collection desks, and an agent that asks them for tickets and does not always hear back.

`python -m tests.recipients.demo --at ADDRESS --port RECIPIENT=PORT ...` with an API key of scope transport in
UNRESOLVED_DEMO_KEY. Each call is registered at the agents' door before its first byte, sent once, and reported as far
as the agent's socket knows. What the recipients say when the desk asks them, they are told beforehand.
"""
