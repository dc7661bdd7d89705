"""The queue as rows."""
