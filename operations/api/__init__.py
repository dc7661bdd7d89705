"""The agents' door: /api/v1. It records and answers; it decides nothing and sends nothing."""
