"""People and wiring: the outermost ring."""
