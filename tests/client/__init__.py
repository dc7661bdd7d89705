"""The agent's side, a distribution of its own, against the real door and a real recipient."""
