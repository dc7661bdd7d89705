"""A fault run of the agent's side: agent, desk or network fail at named points, and three truths are held against each other."""
