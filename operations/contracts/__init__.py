"""What a recipient promises, written down with its sources, and what its answers mean by that."""
