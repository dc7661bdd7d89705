"""A recipient that knows nothing of standings, and the proof that no permission of the core can do harm there."""
