"""The shape of what people send, one subject a file; nothing is saved here."""
