"""Figures, measured against a peer in the same process, never against a number from another machine."""
