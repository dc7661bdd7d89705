"""Two real connections at once: every door against every other, and against what is learnt meanwhile."""
