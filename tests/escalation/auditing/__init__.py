"""What of the desk's own rows a checkpoint covers."""
