"""A simulated week: 20,000 operations, three teams, outages of worker, broker and mail, and an oracle of its own."""
