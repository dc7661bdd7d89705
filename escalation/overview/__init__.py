"""Figures about outcomes that needed people, as values: one module a figure, defined in docs/overview.md."""
