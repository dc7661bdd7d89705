"""Teams, their chains and rotas: who is called for a case, in which order, and who is on call."""
