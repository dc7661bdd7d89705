"""Whether the record is still what was written: chains recomputed from rows, and held against exported checkpoints."""
