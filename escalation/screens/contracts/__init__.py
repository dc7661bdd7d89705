"""Contracts as people read them: clause by clause, in words."""
